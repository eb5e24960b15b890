//! `schedlab bisect`: the finding as a sentence, and the table behind it. Not for finding it.

use super::table::Table;
use crate::bisect::{Carrier, Estimate, Findings};

/// Columns to which the sentence is wrapped.
const WIDTH: usize = 100;

/// What carries the change, in words and in numbers.
#[must_use]
pub fn bisection(findings: &Findings, from: &str, to: &str) -> String {
    let mut text = wrapped(&sentence(findings, from, to));
    if findings.noise || findings.carriers.is_empty() {
        return text;
    }
    let mut table = Table::default();
    table.row(["what differs", from, to, "alone", "last", "effect", "of the change"]);
    for carrier in &findings.carriers {
        for (place, difference) in carrier.differences.iter().enumerate() {
            let first = place == 0;
            let estimate = |of: Option<Estimate>| of.map_or_else(|| "-".to_owned(), |of| signed(&of));
            let only_first = |text: String| if first { text } else { String::new() };
            let what = if first { difference.what.clone() } else { format!("with {}", difference.what) };
            table.row([
                what,
                difference.from.clone(),
                difference.to.clone(),
                only_first(estimate(carrier.alone)),
                only_first(estimate(carrier.last)),
                only_first(estimate(Some(carrier.effect))),
                only_first(if carrier.matters { format!("{:.1} %", carrier.percent) } else { "noise".to_owned() }),
            ]);
        }
    }
    text.push_str(&format!("\n{}", table.text("  ", 1)));
    for of in &findings.interactions {
        let effect = signed(&of.effect);
        text.push_str(&format!("\n  only together: {} and {}: {effect} ({:.1} %)\n", of.first, of.second, of.percent));
    }
    text.push_str(&format!("\n  {} runs; ± standard error over the repeats, all on the same seeds\n", findings.runs));
    text
}

/// The finding in a sentence or two.
#[must_use]
pub fn sentence(findings: &Findings, from: &str, to: &str) -> String {
    let metric = &findings.metric;
    let change = format!(
        "{metric} goes from {} ({from}) to {} ({to}), {}",
        number(findings.from.mean),
        number(findings.to.mean),
        signed(&findings.change)
    );
    if findings.noise {
        return format!("{change}: within the noise, so there is nothing to explain.");
    }
    let carrying: Vec<&Carrier> = findings.carriers.iter().filter(|carrier| carrier.matters).collect();
    let part = |carrier: &&Carrier| {
        let changes: Vec<String> = carrier
            .differences
            .iter()
            .map(|difference| format!("{} ({} -> {})", difference.what, difference.from, difference.to))
            .collect();
        format!("{:.0} % of the change comes from {}", carrier.percent, changes.join(" with "))
    };
    let mut parts: Vec<String> = carrying.iter().take(3).map(part).collect();
    for later in parts.iter_mut().skip(1) {
        *later = later.replace(" of the change comes", "");
    }
    let mut text = format!("{change}. ");
    text.push_str(&match parts.len() {
        0 => "No difference carries it alone".to_owned(),
        _ => parts.join(", "),
    });
    let more = carrying.len().saturating_sub(3);
    if more > 0 {
        text.push_str(&format!(", and less from {more} more"));
    }
    let nothing: usize = findings.carriers.iter().filter(|of| !of.matters).map(|of| of.differences.len()).sum();
    text.push_str(&match nothing {
        0 => ".".to_owned(),
        1 => "; one other difference changes nothing beyond the noise.".to_owned(),
        _ => format!("; {nothing} other differences change nothing beyond the noise."),
    });
    text
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 || value.abs() >= 1e6 { format!("{value:.0}") } else { format!("{value:.2}") }
}

fn signed(of: &Estimate) -> String {
    let sign = if of.mean > 0.0 { "+" } else { "" };
    let sem = if of.sem > 0.0 { format!(" ±{}", number(of.sem)) } else { String::new() };
    format!("{sign}{}{sem}", number(of.mean))
}

fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisect::{Difference, Interaction};

    fn findings() -> Findings {
        let difference = |what: &str| Difference { what: what.to_owned(), from: "1".to_owned(), to: "2".to_owned() };
        let estimate = |mean, sem| Estimate { mean, sem };
        let carrier = |what: &[&str], mean, percent, matters| Carrier {
            differences: what.iter().map(|what| difference(what)).collect(),
            alone: Some(estimate(mean, 0.5)),
            last: None,
            effect: estimate(mean, 0.5),
            percent,
            matters,
        };
        Findings {
            metric: "total.preempted".to_owned(),
            from: estimate(100.0, 1.0),
            to: estimate(200.0, 1.0),
            change: estimate(100.0, 1.5),
            noise: false,
            carriers: vec![
                carrier(&["base_slice"], 83.0, 83.0, true),
                carrier(&["release", "nosmt"], 17.0, 17.0, true),
                carrier(&["hz"], 0.25, 0.25, false),
            ],
            interactions: vec![Interaction {
                first: "base_slice".to_owned(),
                second: "release with nosmt".to_owned(),
                effect: estimate(-6.0, 1.0),
                percent: -6.0,
            }],
            runs: 72,
        }
    }

    #[test]
    fn the_answer_reads_like_a_finding() {
        assert_eq!(
            bisection(&findings(), "A", "B"),
            "total.preempted goes from 100 (A) to 200 (B), +100 ±1.50. 83 % of the change comes from base_slice
(1 -> 2), 17 % from release (1 -> 2) with nosmt (1 -> 2); one other difference changes nothing
beyond the noise.

  what differs  A  B        alone  last       effect  of the change
  base_slice    1  2    +83 ±0.50     -    +83 ±0.50         83.0 %
  release       1  2    +17 ±0.50     -    +17 ±0.50         17.0 %
  with nosmt    1  2
  hz            1  2  +0.25 ±0.50     -  +0.25 ±0.50          noise

  only together: base_slice and release with nosmt: -6 ±1 (-6.0 %)

  72 runs; ± standard error over the repeats, all on the same seeds
"
        );
    }

    #[test]
    fn a_change_within_the_noise_is_not_explained() {
        let noise = Findings { noise: true, carriers: Vec::new(), ..findings() };
        let text = bisection(&noise, "A", "B").replace('\n', " ");
        assert!(text.ends_with("so there is nothing to explain. "), "{text}");
    }
}
