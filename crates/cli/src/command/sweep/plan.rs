//! The runs of a sweep, numbered: every point of the parameters, variant and repeat.
//! Not for running them.

use schedlab_scenario::{NamedVariant, Problem};

use super::parameter::Parameter;
use crate::error::CommandError;

/// What is swept.
pub struct Plan {
    /// The document's file, for messages.
    pub file: String,
    /// The parameters, the first changing slowest.
    pub parameters: Vec<Parameter>,
    /// The variants, as they are without the parameters.
    pub variants: Vec<NamedVariant>,
    /// Repeats of each variant at each point.
    pub repeats: u32,
    /// Of all: what all shards of one sweep share, 16 hexadecimal digits.
    pub fingerprint: String,
    /// Which shard this is, from 1.
    pub shard: u64,
    /// How many shards there are.
    pub shards: u64,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its number in the whole sweep.
    pub run: u64,
    /// The values of the parameters.
    pub values: Vec<String>,
    /// The index of the variant.
    pub variant: usize,
    /// The repeat.
    pub repeat: u32,
}

impl Plan {
    /// How many runs the whole sweep has; none when it is more than can be counted.
    pub fn runs(&self) -> Option<u64> {
        let each = (self.variants.len() as u64).checked_mul(u64::from(self.repeats))?;
        self.parameters.iter().try_fold(each, |runs, parameter| runs.checked_mul(parameter.count()))
    }

    /// The numbers of the runs of this shard: every so-manieth, so that all shards take about the
    /// same time.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + use<> {
        (self.shard - 1..self.runs().unwrap_or(0)).step_by(usize::try_from(self.shards).unwrap_or(usize::MAX))
    }

    /// The run of a number: repeats change fastest, then variants, then the last parameter.
    pub fn point(&self, run: u64) -> Point {
        let mut rest = run;
        let mut take = |count: u64| {
            let index = rest % count.max(1);
            rest /= count.max(1);
            index
        };
        let repeat = take(u64::from(self.repeats)) as u32;
        let variant = take(self.variants.len() as u64) as usize;
        let mut values: Vec<String> =
            self.parameters.iter().rev().map(|parameter| parameter.value(take(parameter.count()))).collect();
        values.reverse();
        Point { run, values, variant, repeat }
    }

    /// The variant of a point, with its parameters set.
    ///
    /// # Errors
    /// [`CommandError::Document`] when a value cannot be set.
    pub fn variant(&self, point: &Point) -> Result<NamedVariant, CommandError> {
        let wrong = |problems: Vec<Problem>| CommandError::Document { file: self.place(point), problems };
        let missing = || CommandError::Usage("a sweep needs a variant".to_owned());
        let mut variant = self.variants.get(point.variant).cloned().ok_or_else(missing)?;
        for (parameter, value) in self.parameters.iter().zip(&point.values) {
            variant.scenario.set(&parameter.path, value).map_err(wrong)?;
        }
        Ok(variant)
    }

    /// Where a problem at a point is: the file, the values and the variant.
    pub fn place(&self, point: &Point) -> String {
        let values = self.parameters.iter().zip(&point.values);
        let values: Vec<String> = values.map(|(parameter, value)| format!("{}={value}", parameter.path)).collect();
        let name = self.variants.get(point.variant).map_or("", |variant| &variant.name);
        format!("{}, {}, variant {name:?}", self.file, values.join(", "))
    }
}

/// Reads `I/N`, counted from 1.
///
/// # Errors
/// What was expected, in words.
pub fn shard(text: &str) -> Result<(u64, u64), String> {
    let expected = || format!("expected I/N with I from 1 to N, such as 2/8, not {text}");
    let (own, all) = text.split_once('/').ok_or_else(expected)?;
    let (own, all) = (own.trim().parse().map_err(|_| expected())?, all.trim().parse().map_err(|_| expected())?);
    if own < 1 || own > all { Err(expected()) } else { Ok((own, all)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_scenario::open;

    fn plan(shard: u64, shards: u64) -> Plan {
        let scenario = open(r#"{"tasks": {"a": {"run": 1000}}}"#).unwrap().scenario;
        let variants = vec![scenario.variant(0).unwrap(), scenario.variant(1).unwrap()];
        let parameters = ["machine.hz=250,1000", "run.duration_ms=1..3"].map(|text| Parameter::parse(text).unwrap());
        let (file, fingerprint) = ("f.json".to_owned(), String::new());
        Plan { file, parameters: parameters.to_vec(), variants, repeats: 2, fingerprint, shard, shards }
    }

    #[test]
    fn runs_are_numbered_through() {
        let plan = plan(1, 1);
        assert_eq!(plan.runs(), Some(24));
        let points: Vec<Point> = plan.numbers().map(|run| plan.point(run)).collect();
        assert_eq!((points[0].values.join(" "), points[0].variant, points[0].repeat), ("250 1".to_owned(), 0, 0));
        assert_eq!((points[1].variant, points[1].repeat, points[2].variant), (0, 1, 1));
        assert_eq!(
            (points[4].values.join(" "), points[23].values.join(" ")),
            ("250 2".to_owned(), "1000 3".to_owned())
        );
        for (place, point) in points.iter().enumerate() {
            assert!(points[..place].iter().all(|other| (other.values != point.values)
                || other.variant != point.variant
                || other.repeat != point.repeat));
        }
    }

    #[test]
    fn shards_share_the_runs_out() {
        let mut all: Vec<u64> = (1..=5).flat_map(|shard| plan(shard, 5).numbers()).collect();
        all.sort();
        assert_eq!(all, (0..24).collect::<Vec<_>>());
        assert_eq!(plan(30, 30).numbers().count(), 0);
    }

    #[test]
    fn a_point_is_set_in_its_variant() {
        let plan = plan(1, 1);
        let variant = plan.variant(&plan.point(23)).unwrap();
        assert_eq!((variant.name.as_str(), variant.scenario.machine.hz), ("6.12", 1000));
        assert_eq!(plan.place(&plan.point(0)), "f.json, machine.hz=250, run.duration_ms=1, variant \"6.5\"");
    }

    #[test]
    fn a_shard_counts_from_one() {
        assert_eq!(shard("2/8"), Ok((2, 8)));
        for text in ["0/8", "9/8", "2", "a/b", "1/0", "-1/2"] {
            assert!(shard(text).is_err(), "{text}");
        }
    }
}
