//! `--format map`: what `perf sched map` prints: a column a CPU, a code a task.

use std::fmt::Write;

use schedlab_sim::{Entry, IDLE, Run, TaskId};

use super::Names;
use crate::summarize::FIRST_TID;

/// One line a switch: the code of the task on each CPU, `*` before that of the CPU that switched,
/// `.` for an idle one, nothing for one that has not switched yet; then the time and, for a task
/// that was not seen before, its code and name.
#[must_use]
pub fn map(run: &Run) -> String {
    print(&Names::of(run), run.cpus.len(), run.record.iter())
}

fn print(names: &Names<'_>, cpus: usize, entries: impl Iterator<Item = Entry>) -> String {
    let mut running: Vec<Option<String>> = vec![None; cpus];
    let mut codes: Vec<Option<String>> = vec![None; names.0.len()];
    let mut used = 0;
    let mut idle_seen = false;
    let mut text = String::new();
    for entry in entries {
        let Entry::Switch { at_ns, cpu, next, .. } = entry else { continue };
        let mut new = None;
        let code = if next == IDLE {
            if !std::mem::replace(&mut idle_seen, true) {
                new = Some(".  => swapper:0".to_owned());
            }
            ". ".to_owned()
        } else {
            let known = codes.get(next.0 as usize).cloned().flatten();
            known.unwrap_or_else(|| {
                let code = code(used);
                used += 1;
                if let Some(slot) = codes.get_mut(next.0 as usize) {
                    *slot = Some(code.clone());
                }
                new = Some(format!("{code} => {}:{}", names.get(next, ""), tid(next)));
                code
            })
        };
        let place = usize::from(cpu);
        if running.len() <= place {
            running.resize(place + 1, None);
        }
        running[place] = Some(code);
        text.push_str("  ");
        for (number, code) in running.iter().enumerate() {
            text.push(if number == place { '*' } else { ' ' });
            // Writing to a string cannot fail.
            let _ = write!(text, "{:<3}", code.as_deref().unwrap_or(""));
        }
        let seconds = format!("{}.{:06}", at_ns / 1_000_000_000, at_ns % 1_000_000_000 / 1_000);
        let _ = writeln!(text, "  {seconds:>12} secs {}", new.unwrap_or_default());
    }
    text
}

fn tid(task: TaskId) -> u32 {
    FIRST_TID.saturating_add(task.0)
}

/// A0, B0 … Z0, A1 … Z9, and where perf would begin anew, Aa … Zz.
fn code(number: usize) -> String {
    let letter = char::from(b'A' + (number % 26) as u8);
    let digit = char::from_digit((number / 26 % 36) as u32, 36).unwrap_or('0');
    format!("{letter}{digit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_sim::Reason;

    #[test]
    fn a_column_a_cpu_and_a_code_a_task() {
        let (gcc, make) = (TaskId(0), TaskId(1));
        let switch = |at_ns, cpu, prev, next| Entry::Switch { at_ns, cpu, prev, next, reason: Reason::Block };
        let entries = [
            switch(993_552_887_000, 0, IDLE, gcc),
            switch(993_552_925_999, 0, gcc, IDLE),
            Entry::Wakeup { at_ns: 993_552_930_000, cpu: 1, task: make },
            switch(993_552_931_000, 1, IDLE, make),
            switch(993_553_000_000, 0, IDLE, gcc),
        ];
        assert_eq!(
            print(&Names(vec!["gcc", "make"]), 2, entries.into_iter()),
            "  *A0         993.552887 secs A0 => gcc:1000\n\
             \x20 *.          993.552925 secs .  => swapper:0\n\
             \x20  .  *B0     993.552931 secs B0 => make:1001\n\
             \x20 *A0  B0     993.553000 secs \n"
        );
    }

    #[test]
    fn codes_go_on_where_perf_would_repeat_them() {
        assert_eq!([0, 25, 26, 259, 260, 935].map(code), ["A0", "Z0", "A1", "Z9", "Aa", "Zz"]);
    }
}
