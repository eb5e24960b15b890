//! How counts and ordered maps are written in JSON: whole numbers without a fraction, maps in
//! their own order. Not for what the numbers mean.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

/// A number that is written as an integer when it is one: counts are whole in one run, and may
/// have a fraction as means over repeats.
struct Plain(f64);

/// Above this not every integer is an `f64` any more.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Serialize for Plain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && (0.0..=EXACT).contains(&self.0) {
            serializer.serialize_u64(self.0 as u64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// Whether a value is what a missing one reads as.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// `#[serde(with = "count")]` for one such number.
pub(crate) mod count {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        Plain(*value).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        f64::deserialize(deserializer)
    }
}

/// Whether a count is left out of the JSON.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// `#[serde(with = "ordered")]` for a list of key and count that is an object in JSON.
pub(crate) mod ordered {
    use super::*;

    pub(crate) fn serialize<K, S>(pairs: &[(K, f64)], serializer: S) -> Result<S::Ok, S::Error>
    where
        K: fmt::Display,
        S: Serializer,
    {
        let mut map = serializer.serialize_map(Some(pairs.len()))?;
        for (key, value) in pairs {
            map.serialize_entry(&key.to_string(), &Plain(*value))?;
        }
        map.end()
    }

    pub(crate) fn deserialize<'de, K, D>(deserializer: D) -> Result<Vec<(K, f64)>, D::Error>
    where
        K: FromStr,
        D: Deserializer<'de>,
    {
        struct Pairs<K>(PhantomData<K>);

        impl<'de, K: FromStr> Visitor<'de> for Pairs<K> {
            type Value = Vec<(K, f64)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object of numbers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, f64>()? {
                    let key = key.parse().map_err(|_| A::Error::custom(format_args!("unexpected key {key:?}")))?;
                    pairs.push((key, value));
                }
                Ok(pairs)
            }
        }

        deserializer.deserialize_map(Pairs(PhantomData))
    }
}
