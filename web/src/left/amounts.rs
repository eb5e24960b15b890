//! Amounts as they are typed: `300`, `exp 300`, `uniform 50 150`, `lognormal 300 0.5`,
//! `trace 1 2 3`. Not for the document, which has JSON in these places.

use schedlab_scenario::{Amount, MOST_US};

use crate::parts::whole;

/// The amount as it is typed.
pub(super) fn write(amount: &Amount) -> String {
    match amount {
        Amount::Fixed(value) => value.to_string(),
        Amount::Exponential(mean) => format!("exp {mean}"),
        Amount::Uniform(least, most) => format!("uniform {least} {most}"),
        Amount::LogNormal(median, sigma) => format!("lognormal {median} {sigma}"),
        Amount::Trace(values) => {
            let words: Vec<String> = values.iter().map(u64::to_string).collect();
            format!("trace {}", words.join(" "))
        }
    }
}

/// Reads what was typed.
///
/// # Errors
/// What was expected, in words.
pub(super) fn read(text: &str) -> Result<Amount, String> {
    let mut words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    let number = |word: &str| whole(word, 0, MOST_US);
    match (first, rest.as_slice()) {
        ("exp", [mean]) => Ok(Amount::Exponential(number(mean)?)),
        ("uniform", [least, most]) => {
            let (least, most) = (number(least)?, number(most)?);
            if least > most { Err("the least, then the most".to_owned()) } else { Ok(Amount::Uniform(least, most)) }
        }
        ("lognormal", [median, sigma]) => match sigma.parse::<f64>() {
            Ok(sigma) if (0.0..=10.0).contains(&sigma) => Ok(Amount::LogNormal(number(median)?, sigma)),
            _ => Err("a median and a sigma from 0 to 10".to_owned()),
        },
        ("trace", [_, ..]) => rest.iter().map(|word| number(word)).collect::<Result<_, _>>().map(Amount::Trace),
        ("exp" | "uniform" | "lognormal" | "trace", _) => {
            Err("exp 300, uniform 50 150, lognormal 300 0.5 or trace 1 2 3".to_owned())
        }
        _ => number(text).map(Amount::Fixed).map_err(|wrong| format!("{wrong}, or exp 300, uniform 50 150, …")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let amounts = [
            Amount::Fixed(10_000),
            Amount::Exponential(300),
            Amount::Uniform(50, 150),
            Amount::LogNormal(300, 0.5),
            Amount::Trace(vec![1, 2, 3]),
        ];
        for amount in amounts {
            assert_eq!(read(&write(&amount)), Ok(amount));
        }
    }

    #[test]
    fn what_is_no_amount_says_what_one_is() {
        for bad in ["", "-1", "1.5", "exp", "exp x", "uniform 5 2", "lognormal 3 99", "trace", "gauss 3"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
