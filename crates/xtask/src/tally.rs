//! Counting tests in what test programs print.

use std::ops::AddAssign;

/// How many checks passed and how many failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Passed.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
}

impl Tally {
    /// One check.
    pub const fn one(passed: bool) -> Self {
        Self { passed: passed as u64, failed: !passed as u64 }
    }

    /// The sum of all summary lines of cargo test, nextest, wasm-bindgen's runner and our page runner.
    pub fn read(text: &str) -> Self {
        let mut tally = Self::default();
        for line in text.lines().filter(|line| is_summary(line)) {
            tally += Self { passed: number_before(line, "passed"), failed: number_before(line, "failed") };
        }
        tally
    }

    /// The cases that the check of the golden traces found to match, and the others.
    pub fn read_golden(text: &str) -> Self {
        let mut tally = Self::default();
        for line in text.lines().filter(|line| line.ends_with("cases match exactly")) {
            let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<u64>().ok());
            let (passed, all) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
            tally += Self { passed, failed: all.saturating_sub(passed) };
        }
        tally
    }

    /// The same, with at least one failure if the program itself failed.
    pub const fn judged(self, success: bool) -> Self {
        if success || self.failed > 0 { self } else { Self { failed: 1, ..self } }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

fn is_summary(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("test result:")
        || line.starts_with("Summary [")
        || line.strip_prefix("page: ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn number_before(line: &str, word: &str) -> u64 {
    let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || ",;:".contains(c)).collect();
    words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn tally(passed: u64, failed: u64) -> Tally {
        Tally { passed, failed }
    }

    #[test]
    fn summaries_of_all_runners_are_read() {
        for (text, expected) in [
            (
                "test result: ok. 3 passed; 0 failed; 0 ignored; finished in 0.01s\ntest result: FAILED. 1 passed; 2 failed;",
                tally(4, 2),
            ),
            ("     Summary [   0.312s] 14 tests run: 12 passed (1 slow), 2 failed, 3 skipped", tally(12, 2)),
            ("     Summary [   0.312s] 14 tests run: 14 passed, 0 skipped", tally(14, 0)),
            ("page: 7 passed, 1 failed", tally(7, 1)),
            ("no tests to run!\nrunning 5 tests: 5 passed", tally(0, 0)),
        ] {
            assert_eq!(Tally::read(text), expected, "{text}");
        }
    }

    #[test]
    fn golden_scores_are_read() {
        assert_eq!(Tally::read_golden("x: switch 3\n118 of 120 cases match exactly\n"), tally(118, 2));
        assert_eq!(Tally::read_golden("cannot read"), tally(0, 0));
    }

    #[test]
    fn a_failed_program_counts_even_if_it_says_nothing() {
        assert_eq!(tally(3, 0).judged(false), tally(3, 1));
        assert_eq!(tally(3, 2).judged(false), tally(3, 2));
        assert_eq!(tally(3, 0).judged(true), tally(3, 0));
    }
}
