//! The workload of a kernel run: the lines that its program was given.
//! Not for what the words mean to the engine: [`super::build`] has that.

use super::KernelRunError;

/// The lines of one run.
#[derive(Debug)]
pub(super) struct Spec {
    pub duration_ms: u64,
    /// From the last tick to the start of the first task.
    pub phase_us: u64,
    pub pipes: u32,
    /// How many messages a pipe holds; none: it is never full.
    pub pipe_slots: Option<u32>,
    /// The CPU time of a forked child.
    pub child_us: u64,
    pub tasks: Vec<Task>,
}

/// A task line.
#[derive(Debug)]
pub(super) struct Task {
    pub name: String,
    pub start_us: u64,
    pub nice: i8,
    pub policy: schedlab_sim::Policy,
    pub slice_us: Option<u64>,
    pub cookie: u64,
    /// The seed of its random lengths: its own, otherwise its number, from 1.
    pub seed: u64,
    pub program: Vec<Word>,
}

/// A word of a program. The list repeats for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// `Z`: run for ever.
    Hog,
    /// Run.
    Run { us: u64, drawn: bool, by: Clock },
    /// `S`, `s`: sleep.
    Sleep { us: u64, drawn: bool },
    /// `Wk`: write into pipe k.
    Write(u32),
    /// `Xk`: read from pipe k.
    Read(u32),
    /// `Y`: sched_yield.
    Yield,
    /// `Fn`: fork n children, then wait for all.
    Fork(u32),
}

/// What a run step is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// `R`, `r`: it is a number of instructions.
    Instructions,
    /// `U`, `u`: the thread's own CPU time; `C`, `c`: the same, polled.
    CpuTime,
}

/// The most children of one fork word, and the most pipes.
const MOST_CHILDREN: u32 = 10_000;
const MOST_PIPES: u32 = 10_000;
/// The longest step, microseconds: a thousand seconds.
const MOST_US: u64 = 1_000_000_000;

impl Spec {
    /// Reads a run's description; `place` is named in errors.
    pub fn read(text: &str, place: &str) -> Result<Self, KernelRunError> {
        let mut spec = Self { duration_ms: 0, phase_us: 0, pipes: 0, pipe_slots: None, child_us: 0, tasks: Vec::new() };
        for (number, line) in text.lines().enumerate() {
            let place = format!("{place}, line {}", number + 1);
            let Some((key, rest)) = line.split_once(' ') else {
                if line.is_empty() {
                    continue;
                }
                return Err(KernelRunError::unexpected(place, "a key and a value", line));
            };
            let count = |most: u64| number_up_to(rest, most).ok_or_else(|| wrong_number(&place, rest, most));
            let small = |most: u32| count(u64::from(most)).map(|value| u32::try_from(value).unwrap_or(most));
            match key {
                "duration_ms" => spec.duration_ms = count(MOST_US / 1000)?,
                "phase_us" => spec.phase_us = count(MOST_US)?,
                "pipes" => spec.pipes = small(MOST_PIPES)?,
                "pipe_slots" => spec.pipe_slots = Some(small(1_000_000)?.max(1)),
                "child_us" => spec.child_us = count(MOST_US)?,
                // How the program counts its loops and how often it lets another vCPU have its turn.
                "loops_per_us" | "pause" => {}
                "task" => {
                    let seed = spec.tasks.len() as u64 + 1;
                    spec.tasks.push(Task::read(rest, seed, &place)?);
                }
                _ => return Err(KernelRunError::unexpected(place, "a known key", format!("`{key}`"))),
            }
        }
        spec.check_pipes(place)?;
        Ok(spec)
    }

    fn check_pipes(&self, place: &str) -> Result<(), KernelRunError> {
        for task in &self.tasks {
            for word in &task.program {
                if let Word::Write(pipe) | Word::Read(pipe) = word
                    && *pipe >= self.pipes
                {
                    let expected = format!("one of {} pipes", self.pipes);
                    let place = format!("{place}, task {}", task.name);
                    return Err(KernelRunError::unexpected(place, expected, format!("pipe {pipe}")));
                }
            }
        }
        Ok(())
    }
}

impl Task {
    fn read(text: &str, seed: u64, place: &str) -> Result<Self, KernelRunError> {
        let mut task = Self {
            name: String::new(),
            start_us: 0,
            nice: 0,
            policy: schedlab_sim::Policy::Normal,
            slice_us: None,
            cookie: 0,
            seed,
            program: Vec::new(),
        };
        for setting in text.split_whitespace() {
            let Some((key, value)) = setting.split_once('=') else {
                return Err(KernelRunError::unexpected(place, "key=value", format!("`{setting}`")));
            };
            let number = |most: u64| number_up_to(value, most).ok_or_else(|| wrong_number(place, value, most));
            match key {
                "name" => task.name = value.to_owned(),
                "start_us" => task.start_us = number(MOST_US)?,
                "seed" => task.seed = number(u64::MAX)?,
                "cookie" => task.cookie = number(u64::MAX)?,
                "slice_us" => task.slice_us = Some(number(MOST_US)?),
                "nice" => {
                    let nice = value.parse::<i8>().ok().filter(|nice| (-20..=19).contains(nice));
                    let wrong = || KernelRunError::unexpected(place, "a nice value, -20 to 19", format!("`{value}`"));
                    task.nice = nice.ok_or_else(wrong)?;
                }
                "policy" => {
                    task.policy = match value {
                        "other" => schedlab_sim::Policy::Normal,
                        "batch" => schedlab_sim::Policy::Batch,
                        "idle" => schedlab_sim::Policy::Idle,
                        _ => {
                            let expected = "a policy: other, batch or idle";
                            return Err(KernelRunError::unexpected(place, expected, format!("`{value}`")));
                        }
                    }
                }
                "prog" => {
                    let words = value.split(',').map(|word| Word::read(word, place));
                    task.program = words.collect::<Result<_, _>>()?;
                }
                _ => return Err(KernelRunError::unexpected(place, "a known key of a task", format!("`{key}`"))),
            }
        }
        if task.name.is_empty() || task.program.is_empty() {
            return Err(KernelRunError::unexpected(place, "a task with a name and a program", format!("`{text}`")));
        }
        Ok(task)
    }
}

impl Word {
    fn read(text: &str, place: &str) -> Result<Self, KernelRunError> {
        let wrong = |expected: &str| KernelRunError::unexpected(place, expected, format!("`{text}`"));
        let mut letters = text.chars();
        let letter = letters.next().unwrap_or(' ');
        let number = letters.as_str();
        let us = || number_up_to(number, MOST_US).ok_or_else(|| wrong("a number of microseconds"));
        let up_to = |most: u32| {
            let value = number_up_to(number, u64::from(most)).and_then(|value| u32::try_from(value).ok());
            value.ok_or_else(|| wrong("a whole number"))
        };
        let drawn = letter.is_ascii_lowercase();
        let word = match letter {
            'Z' if number.is_empty() => Self::Hog,
            'Y' if number.is_empty() => Self::Yield,
            'R' | 'r' => Self::Run { us: us()?, drawn, by: Clock::Instructions },
            'U' | 'u' | 'C' | 'c' => Self::Run { us: us()?, drawn, by: Clock::CpuTime },
            'S' | 's' => Self::Sleep { us: us()?, drawn },
            'W' => Self::Write(up_to(MOST_PIPES)?),
            'X' => Self::Read(up_to(MOST_PIPES)?),
            'F' => Self::Fork(up_to(MOST_CHILDREN)?),
            _ => return Err(wrong("a word: Z, R, r, U, u, C, c, S, s, W, X, Y or F")),
        };
        match word {
            Self::Run { us: 0, drawn: true, .. } | Self::Sleep { us: 0, drawn: true } => {
                Err(wrong("a length above 0, where it is drawn"))
            }
            word => Ok(word),
        }
    }
}

fn number_up_to(text: &str, most: u64) -> Option<u64> {
    text.trim().parse::<u64>().ok().filter(|number| *number <= most)
}

fn wrong_number(place: &str, found: &str, most: u64) -> KernelRunError {
    KernelRunError::unexpected(place, format!("a whole number up to {most}"), format!("`{found}`"))
}
