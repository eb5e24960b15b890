//! The parameters of a sweep: a path and its values, from the command line.
//! Not for setting them in a document.

/// A parameter: a path in the document and the values it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The path, as `--set` takes it.
    pub path: String,
    /// The values.
    values: Values,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Values {
    /// As they were listed.
    Listed(Vec<String>),
    /// A first value and a step, both in units of ten to the power of minus `decimals`, and how many.
    Range { first: i128, step: i128, count: u64, decimals: usize },
}

impl Parameter {
    /// Reads `PATH=V1,V2,…` or `PATH=A..B..STEP` (B included when it is on the grid).
    ///
    /// # Errors
    /// What was expected, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let assignment = crate::args::assignment(text)
            .map_err(|_| "expected PATH=V1,V2,… or PATH=A..B..STEP, such as kernel.release=6.5,6.12".to_owned())?;
        let (path, values) = (assignment.path, assignment.value);
        let values = match range(&values)? {
            Some(range) => range,
            None => Values::Listed(listed(&values)?),
        };
        Ok(Self { path, values })
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        match &self.values {
            Values::Listed(values) => values.len() as u64,
            Values::Range { count, .. } => *count,
        }
    }

    /// One of them, as text that `--set` takes.
    pub fn value(&self, index: u64) -> String {
        match &self.values {
            Values::Listed(values) => values.get(index as usize).cloned().unwrap_or_default(),
            Values::Range { first, step, decimals, .. } => decimal(first + step * i128::from(index), *decimals),
        }
    }
}

/// The values between commas that are neither in quotes nor in brackets.
fn listed(text: &str) -> Result<Vec<String>, String> {
    let mut values = vec![String::new()];
    let (mut depth, mut quoted, mut escaped) = (0_i32, false, false);
    for character in text.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                values.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(value) = values.last_mut() {
            value.push(character);
        }
    }
    let values: Vec<String> = values.into_iter().map(|value| value.trim().to_owned()).collect();
    if values.iter().any(String::is_empty) {
        return Err("a value is missing: expected V1,V2,… without empty ones".to_owned());
    }
    Ok(values)
}

/// A range, if it is one.
fn range(text: &str) -> Result<Option<Values>, String> {
    let parts: Vec<&str> = text.split("..").map(str::trim).collect();
    let [first, last, step] = match parts[..] {
        [first, last] if number(first).is_some() && number(last).is_some() => [first, last, "1"],
        [first, last, step] => [first, last, step],
        _ => return Ok(None),
    };
    let numbers = [first, last, step].map(number);
    let [Some(first), Some(last), Some(step)] = numbers else {
        return Err(format!("expected numbers A..B..STEP, such as 1000..8000..500, not {text}"));
    };
    let decimals = first.1.max(last.1).max(step.1);
    let [first, last, step] = [first, last, step].map(|(digits, own)| digits * 10_i128.pow((decimals - own) as u32));
    if step == 0 || (last - first) * step.signum() < 0 {
        return Err(format!("a step that leads from the first value to the last is needed in {text}"));
    }
    let count = u64::try_from((last - first) / step).ok().and_then(|steps| steps.checked_add(1));
    let count = count.ok_or_else(|| format!("too many values in {text}"))?;
    Ok(Some(Values::Range { first, step, count, decimals }))
}

/// The most digits of a number in a range.
const MOST_DIGITS: usize = 18;

/// A decimal number as its digits and how many of them are behind the point.
fn number(text: &str) -> Option<(i128, usize)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = [whole, part].concat();
    if whole.is_empty() || all.len() > MOST_DIGITS || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: i128 = all.parse().ok()?;
    Some((if text.starts_with('-') { -value } else { value }, part.len()))
}

fn decimal(value: i128, decimals: usize) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = decimals + 1);
    let (whole, part) = digits.split_at(digits.len() - decimals);
    let part = part.trim_end_matches('0');
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Result<Vec<String>, String> {
        let parameter = Parameter::parse(text)?;
        Ok((0..parameter.count()).map(|index| parameter.value(index)).collect())
    }

    #[test]
    fn values_are_listed() {
        assert_eq!(values("kernel.release=6.5,6.12").unwrap(), ["6.5", "6.12"]);
        assert_eq!(values(r#"a.b=[1,2],{"c":"x,y"},"p,q""#).unwrap(), ["[1,2]", r#"{"c":"x,y"}"#, r#""p,q""#]);
        assert_eq!(values("a=one").unwrap(), ["one"]);
    }

    #[test]
    fn ranges_include_their_end_where_it_is_on_the_grid() {
        assert_eq!(values("a=1..3").unwrap(), ["1", "2", "3"]);
        assert_eq!(values("a=1000..2000..400").unwrap(), ["1000", "1400", "1800"]);
        assert_eq!(values("a=0..0.3..0.1").unwrap(), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(values("a=2..-2..-2").unwrap(), ["2", "0", "-2"]);
        assert_eq!(values("a=-0.5..0.5..0.5").unwrap(), ["-0.5", "0", "0.5"]);
        assert_eq!(Parameter::parse("a=0..999999999999999999").map(|of| of.count()), Ok(1_000_000_000_000_000_000));
    }

    #[test]
    fn what_is_no_list_of_values_is_refused() {
        for text in ["a", "=1", "a=", "a=1,,2", "a=1..2..0", "a=1..5..-1", "a=1..x..2", "a=1..2..3..4..5..6"] {
            let refused = values(text).is_err() || text.matches("..").count() > 2;
            assert!(refused, "{text}");
        }
    }
}
