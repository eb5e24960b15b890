//! The `global` object of an rt-app document.

use crate::json::Value;
use crate::problem::Problem;
use crate::read::{Node, unknown_key};

use super::attributes::Policy;
use super::memory::MOST_BYTES;

/// The longest `duration`, seconds: a day.
const MOST_DURATION_S: i64 = 86_400;

/// rt-app's buffer where none is named, bytes.
const DEFAULT_BUFFER: u64 = 4 << 20;

/// The settings for all tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Global {
    /// `duration`, seconds; none (-1): until all tasks end.
    pub duration_s: Option<u64>,
    /// `default_policy`: the policy of tasks that name none.
    pub default_policy: Option<Policy>,
    /// `pi_enabled`: priority inheritance on mutexes.
    pub pi_enabled: bool,
    /// `lock_handoff: false`, an extension: an unlocked mutex is free for whoever comes first, and
    /// its first waiter is only woken.
    pub locks_barge: bool,
    /// `mem_buffer_size`, bytes: the working set of `mem` events; none: 4 MiB.
    pub mem_buffer_size: Option<u64>,
    /// Accepted keys without effect, kept as written.
    pub ignored: Vec<(String, Value)>,
}

/// What kind of value a key has that is accepted and has no effect.
#[derive(Clone, Copy)]
enum Ignored {
    Flag,
    Text,
    Count,
    /// rt-app takes text or a number.
    Either,
}

const IGNORED: [(&str, Ignored); 10] = [
    ("cumulative_slack", Ignored::Flag),
    ("frag", Ignored::Count),
    ("calibration", Ignored::Either),
    ("lock_pages", Ignored::Flag),
    ("logdir", Ignored::Text),
    ("log_basename", Ignored::Text),
    ("log_size", Ignored::Either),
    ("ftrace", Ignored::Either),
    ("gnuplot", Ignored::Flag),
    ("io_device", Ignored::Text),
];

impl Global {
    /// The buffer of memory events, bytes.
    #[must_use]
    pub fn mem_buffer_bytes(&self) -> u64 {
        self.mem_buffer_size.unwrap_or(DEFAULT_BUFFER)
    }

    pub(super) fn read(node: &Node<'_>, out: &mut Vec<Problem>) -> Self {
        let mut global = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for member in node.members("an object", out).unwrap_or_default() {
            let key = member.key();
            if member.is_null() {
                continue;
            }
            if seen.contains(&key) {
                out.push(member.key_error(format!("`{key}` is there twice")));
            }
            match key {
                "duration" => {
                    let seconds = member.integer("a whole number of seconds", -1..=MOST_DURATION_S, out);
                    if seconds == Some(0) {
                        out.push(member.error("a run of 0 seconds has nothing to show; -1 is until all tasks end"));
                    }
                    global.duration_s = seconds.and_then(|seconds| u64::try_from(seconds).ok());
                }
                "default_policy" => global.default_policy = Policy::read(&member, out),
                "mem_buffer_size" => {
                    global.mem_buffer_size = member.unsigned("a whole number of bytes", 1..=MOST_BYTES, out);
                }
                "pi_enabled" => global.pi_enabled = member.boolean(out).unwrap_or(false),
                "lock_handoff" => global.locks_barge = !member.boolean(out).unwrap_or(true),
                _ => match IGNORED.iter().find(|(name, _)| *name == key) {
                    Some((_, kind)) => global.ignore(&member, *kind, out),
                    None => {
                        let named =
                            ["duration", "default_policy", "pi_enabled", "lock_handoff", "mem_buffer_size"].into_iter();
                        unknown_key(&member, "global", named.chain(IGNORED.iter().map(|(name, _)| *name)), out);
                        continue;
                    }
                },
            }
            seen.push(key);
        }
        global
    }

    fn ignore(&mut self, node: &Node<'_>, kind: Ignored, out: &mut Vec<Problem>) {
        match kind {
            Ignored::Flag => _ = node.boolean(out),
            Ignored::Text => _ = node.string("a text", out),
            Ignored::Count => _ = node.unsigned("a whole number", 0..=1 << 40, out),
            Ignored::Either => {}
        }
        self.ignored.push((node.key().to_owned(), node.value.clone().without_places()));
    }

    pub(super) fn write(&self) -> Value {
        let mut object = Value::object();
        if let Some(seconds) = self.duration_s {
            object.push("duration", seconds);
        }
        if let Some(policy) = self.default_policy {
            object.push("default_policy", policy.name());
        }
        if self.pi_enabled {
            object.push("pi_enabled", true);
        }
        if self.locks_barge {
            object.push("lock_handoff", false);
        }
        if let Some(bytes) = self.mem_buffer_size {
            object.push("mem_buffer_size", bytes);
        }
        for (key, value) in &self.ignored {
            object.push(key, value.clone());
        }
        object
    }
}
