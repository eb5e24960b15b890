//! `--format switches`: one line a context switch, `t_ns cpu prev->next reason`.

use std::fmt::Write;

use schedlab_sim::{Entry, Run};

use super::Names;

/// Every switch of the run's record, oldest first; the idle thread is called `idle`.
#[must_use]
pub fn switches(run: &Run) -> String {
    print(&Names::of(run), run.record.iter())
}

fn print(names: &Names<'_>, entries: impl Iterator<Item = Entry>) -> String {
    let mut text = String::new();
    for entry in entries {
        if let Entry::Switch { at_ns, cpu, prev, next, reason } = entry {
            let (prev, next) = (names.get(prev, "idle"), names.get(next, "idle"));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{at_ns} {cpu} {prev}->{next} {}", reason.name());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::entries;

    #[test]
    fn one_line_a_switch() {
        assert_eq!(
            print(&Names(vec!["gcc", "make"]), entries().into_iter()),
            "1000000 0 idle->gcc idle-cpu\n\
             2148000 0 gcc->make wakeup-deadline\n\
             2500000 0 make->gcc block\n\
             3999999 0 gcc->idle exit\n"
        );
    }
}
