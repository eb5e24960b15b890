//! Amounts: a number, or a distribution where rt-app has a number.

use crate::json::{Kind, Value};
use crate::problem::{Problem, nearest_name};
use crate::read::Node;

/// The largest time in a workload, microseconds: about eleven days.
pub const MOST_US: u64 = 1_000_000_000_000;
/// The widest log-normal distribution.
const MOST_SIGMA: f64 = 10.0;

/// A number of microseconds (nanoseconds for `ns_run` and `ns_sleep`), fixed or drawn anew each
/// time.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// Always the same.
    Fixed(u64),
    /// `{"exp": mean}`: exponential.
    Exponential(u64),
    /// `{"uniform": [least, most]}`: both included.
    Uniform(u64, u64),
    /// `{"lognormal": [median, sigma]}`: sigma is the standard deviation of the logarithm.
    LogNormal(u64, f64),
    /// `{"trace": [..]}`: these one after the other, then from the start again.
    Trace(Vec<u64>),
}

const DISTRIBUTIONS: [&str; 4] = ["exp", "uniform", "lognormal", "trace"];

impl Amount {
    /// Whether it can only be 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Fixed(value) | Self::Exponential(value) | Self::LogNormal(value, _) => *value == 0,
            Self::Uniform(_, most) => *most == 0,
            Self::Trace(values) => values.iter().all(|&value| value == 0),
        }
    }

    /// The mean, in the amount's own unit.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Self::Fixed(value) | Self::Exponential(value) => *value as f64,
            Self::Uniform(least, most) => least.midpoint(*most) as f64 + ((least ^ most) & 1) as f64 / 2.0,
            Self::LogNormal(median, sigma) => *median as f64 * (sigma * sigma / 2.0).exp(),
            Self::Trace(values) => {
                values.iter().map(|&value| u128::from(value)).sum::<u128>() as f64 / values.len().max(1) as f64
            }
        }
    }

    /// Its value, if it is always the same.
    #[must_use]
    pub fn constant(&self) -> Option<u64> {
        match self {
            Self::Fixed(value) => Some(*value),
            Self::Exponential(mean) => (*mean == 0).then_some(0),
            Self::Uniform(least, most) => (least == most).then_some(*least),
            Self::LogNormal(median, sigma) => (*median == 0 || *sigma == 0.0).then_some(*median),
            Self::Trace(values) => values.first().copied().filter(|first| values.iter().all(|value| value == first)),
        }
    }

    pub(crate) fn read(node: &Node<'_>, what: &str, out: &mut Vec<Problem>) -> Option<Self> {
        if !matches!(node.value.kind, Kind::Object(_)) {
            return node.unsigned(what, 0..=MOST_US, out).map(Self::Fixed);
        }
        let members = node.members("an object", out)?;
        let [member] = members.as_slice() else {
            let known = DISTRIBUTIONS.join(", ");
            out.push(node.error(format!("expected {what} or one distribution ({known})")));
            return None;
        };
        match member.key() {
            "exp" => member.unsigned(what, 0..=MOST_US, out).map(Self::Exponential),
            "uniform" => {
                let items = member.items("a list [least, most]", out)?;
                let [least, most] = items.as_slice() else {
                    out.push(member.error("expected [least, most]"));
                    return None;
                };
                let (least, high) = (least.unsigned(what, 0..=MOST_US, out)?, most.unsigned(what, 0..=MOST_US, out)?);
                if least > high {
                    out.push(most.error(format!("the most, {high}, is below the least, {least}")));
                }
                Some(Self::Uniform(least, high))
            }
            "lognormal" => {
                let items = member.items("a list [median, sigma]", out)?;
                let [median, sigma] = items.as_slice() else {
                    out.push(member.error("expected [median, sigma]"));
                    return None;
                };
                let median = median.unsigned(what, 0..=MOST_US, out)?;
                Some(Self::LogNormal(median, sigma.real("sigma", 0.0..=MOST_SIGMA, out)?))
            }
            "trace" => {
                let items = member.items("a list of numbers", out)?;
                if items.is_empty() {
                    out.push(member.error("a trace has at least one number"));
                    return None;
                }
                items.iter().map(|item| item.unsigned(what, 0..=MOST_US, out)).collect::<Option<_>>().map(Self::Trace)
            }
            other => {
                let problem =
                    member.key_error(format!("no distribution `{other}`; known: {}", DISTRIBUTIONS.join(", ")));
                out.push(problem.suggest(nearest_name(other, DISTRIBUTIONS)));
                None
            }
        }
    }

    pub(crate) fn write(&self) -> Value {
        let mut object = Value::object();
        match self {
            Self::Fixed(value) => return Value::from(*value),
            Self::Exponential(mean) => object.push("exp", *mean),
            Self::Uniform(least, most) => object.push("uniform", vec![*least, *most]),
            Self::LogNormal(median, sigma) => {
                object.push("lognormal", vec![Value::from(*median), Value::from(*sigma)]);
            }
            Self::Trace(values) => object.push("trace", values.clone()),
        }
        object
    }
}
