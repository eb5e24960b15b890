//! A sweep as a picture: a curve with an error band over one parameter, a heat map over two.
//! Not for running one.

use crate::scale::Scale;
use crate::ticks::{self, Tick};

/// What a point of a sweep came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The value.
    pub value: f64,
    /// Its standard error; none with one repeat.
    pub sem: Option<f64>,
}

/// A point of a curve, in parts of the plot: `x` from its left edge, the others from its bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Which value of the parameter.
    pub index: usize,
    /// Where it stands.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// One standard error less.
    pub low: f64,
    /// One standard error more.
    pub high: f64,
}

/// A curve over one parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Its points, from left to right; values that are not there yet are left out.
    pub points: Vec<CurvePoint>,
    /// Where each value of the parameter stands, with what it is called.
    pub x_ticks: Vec<(f64, String)>,
    /// Ticks of the height, with their places.
    pub y_ticks: Vec<(f64, Tick)>,
    /// The parameter's values lie on a logarithmic axis.
    pub log: bool,
}

/// From so large a ratio on, numbers lie on a logarithmic axis.
const LOG_FROM: f64 = 20.0;

/// Where the values of a parameter stand, and whether on a logarithmic axis: numbers to scale, other
/// values at equal distances.
fn places(values: &[String]) -> (Vec<f64>, bool) {
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.parse::<f64>().ok()).collect();
    let even = |count: usize| (0..count).map(|n| (n as f64 + 0.5) / count as f64).collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() > 1 && numbers.iter().all(|n| n.is_finite())) else {
        return (even(values.len()), false);
    };
    let (least, most) =
        numbers.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), n| (least.min(*n), most.max(*n)));
    let log = least >= 1.0 && most / least >= LOG_FROM;
    let scale = if log { Scale::log10(least, most) } else { Scale::linear(least, most) };
    // Nothing stands on the edge.
    (numbers.iter().map(|n| 0.03 + 0.94 * scale.position(*n)).collect(), log)
}

/// The curve of one value for each value of the parameter.
#[must_use]
pub fn curve(values: &[String], measured: &[Option<Measured>]) -> Curve {
    let (places, log) = places(values);
    let bounds = |m: &Measured| (m.value - m.sem.unwrap_or(0.0), m.value + m.sem.unwrap_or(0.0));
    let most = measured.iter().flatten().map(|m| bounds(m).1).fold(0.0, f64::max);
    let least = measured.iter().flatten().map(|m| bounds(m).0).fold(0.0, f64::min);
    let scale = Scale::linear(least, if most > least { least + (most - least) * 1.06 } else { least + 1.0 });
    let mut points: Vec<CurvePoint> = places
        .iter()
        .zip(measured)
        .enumerate()
        .filter_map(|(index, (x, measured))| {
            let measured = (*measured)?;
            let (low, high) = bounds(&measured);
            let (y, low, high) = (scale.position(measured.value), scale.position(low), scale.position(high));
            Some(CurvePoint { index, x: *x, y, low, high })
        })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let (from, to) = scale.range();
    Curve {
        points,
        x_ticks: places.into_iter().zip(values.iter().cloned()).collect(),
        y_ticks: ticks::linear(from, to, 4).into_iter().map(|tick| (scale.position(tick.value), tick)).collect(),
        log,
    }
}

/// How dark a heat map's cells are, 0 to 1 from the least value to the most; none: not there yet.
#[must_use]
pub fn shades(measured: &[Option<Measured>]) -> Vec<Option<f64>> {
    let values = || measured.iter().flatten().map(|m| m.value);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let shade = |m: &Measured| if most > least { (m.value - least) / (most - least) } else { 0.5 };
    measured.iter().map(|m| m.as_ref().map(shade)).collect()
}

/// The most values of a parameter.
const MOST_VALUES: usize = 2_000;

/// Reads the values of a parameter: `1, 2, 4`, or `1..8` for every whole number.
///
/// # Errors
/// What was expected, in words.
pub fn read_values(text: &str) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once("..").map(|(from, to)| (from.trim().parse::<i64>(), to.trim().parse::<i64>())) {
            Some((Ok(from), Ok(to))) if from <= to && to.abs_diff(from) < MOST_VALUES as u64 => {
                values.extend((from..=to).map(|value| value.to_string()));
            }
            Some(_) => {
                return Err(format!("{part}: two whole numbers with .. between them, at most {MOST_VALUES} apart"));
            }
            None => values.push(part.to_owned()),
        }
    }
    match values.len() {
        0 => Err("values with commas between them, or 1..8".to_owned()),
        count if count > MOST_VALUES => Err(format!("{count} values are more than {MOST_VALUES}")),
        _ => Ok(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    fn of(value: f64) -> Option<Measured> {
        Some(Measured { value, sem: Some(1.0) })
    }

    #[test]
    fn values_are_listed_or_counted() {
        assert_eq!(read_values("1, 2,4 "), Ok(texts(&["1", "2", "4"])));
        assert_eq!(read_values("6.5,8..10,true"), Ok(texts(&["6.5", "8", "9", "10", "true"])));
        for bad in ["", " , ", "9..1", "1..x", "0..9999999"] {
            assert!(read_values(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_lie_to_scale_and_names_evenly() {
        let x = |values: &[&str]| {
            let measured = vec![of(5.0); values.len()];
            let curve = curve(&texts(values), &measured);
            (curve.points.iter().map(|point| (point.x * 100.0).round()).collect::<Vec<_>>(), curve.log)
        };
        assert_eq!(x(&["1", "2", "3"]), (vec![3.0, 50.0, 97.0], false));
        assert_eq!(x(&["100", "1000", "10000"]), (vec![3.0, 50.0, 97.0], true));
        assert_eq!(x(&["off", "mainline"]), (vec![25.0, 75.0], false));
    }

    #[test]
    fn what_is_not_there_yet_is_left_out() {
        let curve = curve(&texts(&["4", "2", "1"]), &[of(10.0), None, of(20.0)]);
        assert_eq!(curve.points.iter().map(|point| point.index).collect::<Vec<_>>(), [2, 0]);
        assert!(curve.points.iter().all(|point| point.low < point.y && point.y < point.high));
        assert_eq!(shades(&[of(10.0), None, of(20.0)]), [Some(0.0), None, Some(1.0)]);
    }
}
