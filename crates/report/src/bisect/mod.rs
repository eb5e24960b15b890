//! What carries the difference between two scenarios: all that differs is switched one by one, from
//! the first towards the second and from the second back, over repeats, until it is known which
//! differences carry how much of the change of a figure. Not for running: the caller measures.
//!
//! The part of a difference is the mean of its effect alone and of its effect on top of all others,
//! which shares what two of them do together equally; what they do only together is told too.

mod difference;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

pub use difference::{Difference, Differences};

/// A mixture: for each difference, whether it is as in the second scenario.
pub type Mixture = Vec<bool>;

/// A value with its standard error over the repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error; 0 with one repeat.
    pub sem: f64,
}

/// What is known at the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// The figure.
    pub metric: String,
    /// Its value in the first scenario.
    pub from: Estimate,
    /// In the second.
    pub to: Estimate,
    /// The change, on the same seeds.
    pub change: Estimate,
    /// Whether the change may be chance (95 %): then there is nothing to explain.
    pub noise: bool,
    /// The differences, those that carry most first.
    pub carriers: Vec<Carrier>,
    /// What pairs do beyond what each does alone, where it matters.
    pub interactions: Vec<Interaction>,
    /// How many runs it took.
    pub runs: usize,
}

/// A difference, or several that were not told apart, and what it carries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Carrier {
    /// The differences.
    pub differences: Vec<Difference>,
    /// The effect of switching them alone, from the first scenario; none: that cannot be run.
    pub alone: Option<Estimate>,
    /// The effect of switching them last, towards the second; none: that cannot be run.
    pub last: Option<Estimate>,
    /// The mean of both.
    pub effect: Estimate,
    /// The part of the change, in per cent.
    pub percent: f64,
    /// Whether the effect is no chance (95 %), and more than a two-hundredth of the change.
    pub matters: bool,
}

/// What two carriers do only together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    /// What differs in the one.
    pub first: String,
    /// In the other.
    pub second: String,
    /// The effect of both minus the effects of each.
    pub effect: Estimate,
    /// The same as a part of the change, in per cent.
    pub percent: f64,
}

/// Above this many differences they are switched in groups first.
const MOST_SINGLES: usize = 24;
/// Pairs are looked at among so many carriers.
const MOST_PAIRED: usize = 4;
/// The least part of the change that matters.
const LEAST_PART: f64 = 0.005;
/// The least part of the change that an interaction must have to be told.
const LEAST_INTERACTION: f64 = 0.05;

/// Bisects. `measure` gives the figure of each mixture over the repeats, all on the same seeds, or
/// none for a mixture that cannot be run.
///
/// # Errors
/// What `measure` fails with.
pub fn bisect<E>(
    metric: &str,
    differences: &Differences,
    mut measure: impl FnMut(&[Mixture]) -> Result<Vec<Option<Vec<f64>>>, E>,
) -> Result<Findings, E> {
    let count = differences.all.len();
    let mut known: HashMap<Mixture, Option<Vec<f64>>> = HashMap::new();
    let mut ask = |wanted: Vec<Mixture>, known: &mut HashMap<Mixture, Option<Vec<f64>>>| -> Result<(), E> {
        let mut new: Vec<Mixture> = wanted.into_iter().filter(|mixture| !known.contains_key(mixture)).collect();
        new.sort();
        new.dedup();
        let values = measure(&new)?;
        known.extend(new.into_iter().zip(values));
        Ok(())
    };
    let (none, all) = (vec![false; count], vec![true; count]);
    ask(vec![none.clone(), all.clone()], &mut known)?;
    let values = |known: &HashMap<Mixture, Option<Vec<f64>>>, mixture: &Mixture| known.get(mixture).cloned().flatten();
    let (first, second) = (values(&known, &none).unwrap_or_default(), values(&known, &all).unwrap_or_default());
    let change = estimate(&minus(&second, &first));
    let mut findings = Findings {
        metric: metric.to_owned(),
        from: estimate(&first),
        to: estimate(&second),
        change,
        noise: !change.is_certain(first.len()),
        ..Findings::default()
    };
    let mut groups = first_groups(count);
    // What was put together because it cannot be switched alone is not taken apart again.
    let mut together: Vec<usize> = Vec::new();
    while !findings.noise {
        let mixture = |group: &[usize], inside: bool| -> Mixture {
            (0..count).map(|place| group.contains(&place) == inside).collect()
        };
        let wanted = groups.iter().flat_map(|group| [mixture(group, true), mixture(group, false)]).collect();
        ask(wanted, &mut known)?;
        let effects = |group: &Vec<usize>| {
            let alone = values(&known, &mixture(group, true)).map(|values| minus(&values, &first));
            let last = values(&known, &mixture(group, false)).map(|values| minus(&second, &values));
            (alone, last)
        };
        // What cannot be switched alone at either end goes with the rules of the releases.
        let stuck = groups.iter().position(|group| effects(group) == (None, None));
        if let (Some(stuck), true) = (stuck, groups.len() > 1) {
            let mut moved = groups.remove(stuck);
            let home = differences.rules.and_then(|rules| groups.iter().position(|group| group.contains(&rules)));
            let home = &mut groups[home.unwrap_or(0)];
            home.append(&mut moved);
            together.extend(home.iter());
            continue;
        }
        let carriers: Vec<Carrier> = groups
            .iter()
            .map(|group| {
                let (alone, last) = effects(group);
                carrier(group.iter().map(|place| differences.all[*place].clone()).collect(), alone, last, change.mean)
            })
            .collect();
        let splits = |place: usize| {
            let group = &groups[place];
            carriers[place].matters && group.len() > 1 && !group.iter().any(|place| together.contains(place))
        };
        if (0..groups.len()).any(splits) {
            groups = groups
                .iter()
                .enumerate()
                .flat_map(|(place, group)| match splits(place) {
                    true => group.iter().map(|one| vec![*one]).collect::<Vec<_>>(),
                    false => vec![group.clone()],
                })
                .collect();
            continue;
        }
        // Pairs of what carries most.
        let mut order: Vec<usize> = (0..groups.len()).filter(|place| carriers[*place].matters).collect();
        order.sort_by(|a, b| carriers[*b].effect.mean.abs().total_cmp(&carriers[*a].effect.mean.abs()));
        order.truncate(MOST_PAIRED);
        let pairs: Vec<(usize, usize)> = (0..order.len()).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
        let pairs: Vec<(usize, usize)> = pairs.into_iter().map(|(i, j)| (order[i], order[j])).collect();
        let both = |(a, b): &(usize, usize)| mixture(&[groups[*a].as_slice(), &groups[*b]].concat(), true);
        ask(pairs.iter().map(both).collect(), &mut known)?;
        for pair in &pairs {
            let alone = |place: usize| values(&known, &mixture(&groups[place], true));
            let (Some(both), Some(a), Some(b)) = (values(&known, &both(pair)), alone(pair.0), alone(pair.1)) else {
                continue;
            };
            let effect = estimate(&minus(&minus(&both, &a), &minus(&b, &first)));
            if effect.is_certain(first.len()) && effect.mean.abs() > LEAST_INTERACTION * change.mean.abs() {
                findings.interactions.push(Interaction {
                    first: carriers[pair.0].name(),
                    second: carriers[pair.1].name(),
                    effect,
                    percent: effect.mean / change.mean * 100.0,
                });
            }
        }
        findings.carriers = carriers;
        findings.carriers.sort_by(|a, b| {
            (b.matters, b.effect.mean.abs())
                .partial_cmp(&(a.matters, a.effect.mean.abs()))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        break;
    }
    findings.runs = known.values().flatten().map(Vec::len).sum();
    Ok(findings)
}

impl Carrier {
    /// What differs, in one line.
    #[must_use]
    pub fn name(&self) -> String {
        let what: Vec<&str> = self.differences.iter().map(|difference| difference.what.as_str()).collect();
        what.join(" with ")
    }
}

/// Every difference by itself, or as many groups as can be looked at.
fn first_groups(count: usize) -> Vec<Vec<usize>> {
    let size = count.div_ceil(MOST_SINGLES).max(1);
    let places: Vec<usize> = (0..count).collect();
    places.chunks(size).map(<[usize]>::to_vec).collect()
}

/// The 97.5 % points of Student's t for 1, 2, 3 … degrees of freedom; the last serves all further.
const STUDENT: [f64; 20] = [
    12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09,
    2.09,
];

impl Estimate {
    /// Whether so many repeats tell it from 0 with 95 % confidence.
    fn is_certain(&self, repeats: usize) -> bool {
        let freedom = repeats.saturating_sub(1).clamp(1, STUDENT.len());
        self.mean != 0.0 && self.mean.abs() > STUDENT[freedom - 1] * self.sem
    }
}

fn carrier(differences: Vec<Difference>, alone: Option<Vec<f64>>, last: Option<Vec<f64>>, change: f64) -> Carrier {
    let repeats = alone.as_ref().or(last.as_ref()).map_or(0, Vec::len);
    let effect = match (&alone, &last) {
        (Some(alone), Some(last)) => estimate(&alone.iter().zip(last).map(|(a, b)| (a + b) / 2.0).collect::<Vec<_>>()),
        (Some(one), None) | (None, Some(one)) => estimate(one),
        (None, None) => Estimate::default(),
    };
    Carrier {
        differences,
        alone: alone.map(|values| estimate(&values)),
        last: last.map(|values| estimate(&values)),
        effect,
        percent: effect.mean / change * 100.0,
        matters: effect.is_certain(repeats) && effect.mean.abs() > LEAST_PART * change.abs(),
    }
}

/// Repeat by repeat.
fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn estimate(values: &[f64]) -> Estimate {
    let count = values.len() as f64;
    if values.is_empty() {
        return Estimate::default();
    }
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 {
        return Estimate { mean, sem: 0.0 };
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Estimate { mean, sem: (squares / (count - 1.0) / count).sqrt() }
}

#[cfg(test)]
mod tests;
