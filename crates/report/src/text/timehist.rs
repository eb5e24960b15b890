//! `--format timehist`: what `perf sched timehist` prints, from the record of a run.
//! Not for statistics of whole runs beyond its own summary.

use std::fmt::Write;

use schedlab_sim::{Entry, IDLE, Run, RunLengths, TaskId};

use super::Names;
use crate::summarize::FIRST_TID;

/// The least width of the column of task names; longer names widen it.
const NAME: usize = 20;

/// One line a switch-out, with the time since the task was on a CPU before (`wait time`), the wake
/// delay (`sch delay`) and the length of this run; with `summary`, a table per task after them.
#[must_use]
pub fn timehist(run: &Run, summary: bool) -> String {
    let names = Names::of(run);
    let width = width(&names);
    let mut text = heading(width);
    lines(&names, width, run.record.iter(), &mut text);
    if summary {
        let tasks = run.tasks.iter().map(|task| (task.run_lengths, task.migrations));
        text.push_str(&runtime_summary(&names, width, tasks));
    }
    text
}

fn width(names: &Names<'_>) -> usize {
    (0..names.0.len()).map(|task| label(names, TaskId(task as u32)).chars().count()).fold(NAME, usize::max)
}

fn label(names: &Names<'_>, task: TaskId) -> String {
    if task == IDLE {
        return "<idle>".to_owned();
    }
    format!("{}[{}]", names.get(task, ""), FIRST_TID.saturating_add(task.0))
}

fn heading(width: usize) -> String {
    let dashes = "-".repeat(width);
    format!(
        "            time    cpu  {:<width$}  wait time  sch delay   run time\n\
         {:25}{:<width$}     (msec)     (msec)     (msec)\n\
         --------------- ------  {dashes}  ---------  ---------  ---------\n",
        "task name", "", "[tid/pid]"
    )
}

/// What is known of a task or an idle thread while the record is read.
#[derive(Clone, Copy, Default)]
struct Life {
    /// When it last left a CPU.
    left_ns: Option<u64>,
    /// When it was woken, if it has not run since.
    woken_ns: Option<u64>,
    /// The columns of its present run.
    wait_ns: u64,
    delay_ns: u64,
}

impl Life {
    fn comes(&mut self, at_ns: u64) {
        self.wait_ns = self.left_ns.map_or(0, |left| at_ns - left);
        self.delay_ns = self.woken_ns.take().map_or(0, |woken| at_ns - woken);
    }
}

/// What is known of a CPU: since when it runs what it runs, and its idle thread.
#[derive(Clone, Copy, Default)]
struct Cpu {
    since_ns: u64,
    idle: Life,
}

fn lines(names: &Names<'_>, width: usize, entries: impl Iterator<Item = Entry>, text: &mut String) {
    let mut lives = vec![Life::default(); names.0.len()];
    let mut cpus: Vec<Cpu> = Vec::new();
    for entry in entries {
        match entry {
            Entry::Wakeup { at_ns, task, .. } | Entry::Fork { at_ns, task, .. } => {
                if let Some(life) = lives.get_mut(task.0 as usize) {
                    life.woken_ns = Some(at_ns);
                }
            }
            Entry::Switch { at_ns, cpu: number, prev, next, .. } => {
                let number = usize::from(number);
                if cpus.len() <= number {
                    cpus.resize(number + 1, Cpu::default());
                }
                let cpu = &mut cpus[number];
                let run_ns = at_ns - cpu.since_ns;
                cpu.since_ns = at_ns;
                let life = if prev == IDLE { Some(&mut cpu.idle) } else { lives.get_mut(prev.0 as usize) };
                if let Some(life) = life {
                    // Writing to a string cannot fail.
                    let _ = writeln!(
                        text,
                        "{:>16} [{number:04}]  {:<width$}  {:>9}  {:>9}  {:>9}",
                        seconds(at_ns),
                        label(names, prev),
                        milliseconds(life.wait_ns),
                        milliseconds(life.delay_ns),
                        milliseconds(run_ns)
                    );
                    life.left_ns = Some(at_ns);
                }
                if next == IDLE {
                    cpu.idle.comes(at_ns);
                } else if let Some(life) = lives.get_mut(next.0 as usize) {
                    life.comes(at_ns);
                }
            }
        }
    }
}

/// Seconds with the microseconds cut off, as perf prints times.
fn seconds(ns: u64) -> String {
    format!("{}.{:06}", ns / 1_000_000_000, ns % 1_000_000_000 / 1_000)
}

/// Milliseconds with the microseconds cut off.
fn milliseconds(ns: u64) -> String {
    format!("{}.{:03}", ns / 1_000_000, ns % 1_000_000 / 1_000)
}

/// The table per task. A task's parent is not part of the model: -1, as perf prints what it does
/// not know. As in perf, `stddev` is the standard error of the mean run in per cent of it.
fn runtime_summary(names: &Names<'_>, width: usize, tasks: impl Iterator<Item = (RunLengths, u64)>) -> String {
    let mut text = format!(
        "\nRuntime summary\n\
         {:>width$}  parent   sched-in     run-time    min-run     avg-run     max-run  stddev  migrations\n\
         {:width$}            (count)       (msec)     (msec)      (msec)      (msec)       %\n\
         {}\n",
        "comm",
        "",
        "-".repeat(87 + width)
    );
    for (index, (runs, migrations)) in tasks.enumerate().filter(|(_, (runs, _))| runs.count > 0) {
        let _ = writeln!(
            text,
            "{:>width$}   {:>5}  {:>9} {:>12} {:>10}  {:>10}  {:>10}   {:5.2}   {migrations:>5}",
            label(names, TaskId(index as u32)),
            -1,
            runs.count,
            milliseconds(runs.sum_ns),
            milliseconds(runs.least_ns),
            milliseconds(runs.sum_ns / runs.count),
            milliseconds(runs.most_ns),
            relative_error(&runs)
        );
    }
    text
}

/// The standard error of the mean run, in per cent of the mean.
fn relative_error(runs: &RunLengths) -> f64 {
    if runs.count < 2 || runs.sum_ns == 0 {
        return 0.0;
    }
    let count = runs.count as f64;
    let mean = runs.sum_ns as f64 / count;
    // n·Σx² − (Σx)² in integers: no cancellation.
    let sum = u128::from(runs.sum_ns);
    let scatter = (runs.sum_of_squares.saturating_mul(u128::from(runs.count))).saturating_sub(sum.saturating_mul(sum));
    let variance = scatter as f64 / count / (count - 1.0);
    (variance / count).sqrt() / mean * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::entries;

    #[test]
    fn the_heading_of_perf() {
        assert_eq!(
            heading(20),
            "            time    cpu  task name             wait time  sch delay   run time
                         [tid/pid]                (msec)     (msec)     (msec)
--------------- ------  --------------------  ---------  ---------  ---------
"
        );
    }

    #[test]
    fn one_line_a_switch_out() {
        let mut text = String::new();
        lines(&Names(vec!["gcc", "make"]), 20, entries().into_iter(), &mut text);
        // gcc is forked at 1 ms and runs at once; make wakes at 2 ms and runs at 2.148 ms.
        assert_eq!(
            text,
            "        0.001000 [0000]  <idle>                    0.000      0.000      1.000
        0.002148 [0000]  gcc[1000]                 0.000      0.000      1.148
        0.002500 [0000]  make[1001]                0.000      0.148      0.352
        0.003999 [0000]  gcc[1000]                 0.352      0.000      1.499
"
        );
        let sample = "    79371.874569 [0011]  gcc[31949]                0.014      0.000      1.148";
        assert!(text.lines().all(|line| line.len() == sample.len()));
    }

    #[test]
    fn the_summary_of_perf() {
        let runs = RunLengths {
            count: 4,
            sum_ns: 20_000_000,
            least_ns: 2_000_000,
            most_ns: 8_000_000,
            sum_of_squares: 4 * 25_000_000_000_000 + 18_000_000_000_000,
        };
        let text =
            runtime_summary(&Names(vec!["gcc", "unused"]), 30, [(runs, 7), (RunLengths::default(), 0)].into_iter());
        // Deviations of 3, 3, 0, 0 ms: variance 6, standard error √(6/4) = 1.2247 ms of 5 ms.
        assert_eq!(
            text,
            format!(
                "
Runtime summary
                          comm  parent   sched-in     run-time    min-run     avg-run     max-run  stddev  migrations
                                          (count)       (msec)     (msec)      (msec)      (msec)       %
{}
                     gcc[1000]      -1          4       20.000      2.000       5.000       8.000   24.49       7
",
                "-".repeat(117)
            )
        );
    }
}
