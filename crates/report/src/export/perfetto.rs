//! Perfetto's trace format: a `GenericKernelTaskStateEvent` a change of a task's state, which gives
//! tracks by CPU and by thread. The few fields that are used are written by hand; their numbers are
//! those of the published `perfetto_trace.proto`.

use schedlab_sim::{IDLE, Run, TaskId};

use super::Traced;
use super::event::{Event, Kind, events, prev_state};

/// Field numbers.
mod field {
    /// Of `Trace`.
    pub const PACKET: u32 = 1;
    /// Of `TracePacket`.
    pub const TIMESTAMP: u32 = 8;
    /// Likewise: which sequence of packets it belongs to.
    pub const SEQUENCE: u32 = 10;
    /// Likewise: a `GenericKernelTaskStateEvent`.
    pub const TASK_STATE: u32 = 117;
    /// Likewise: a `GenericKernelProcessTree`.
    pub const PROCESS_TREE: u32 = 122;
    /// Of `GenericKernelTaskStateEvent`.
    pub const CPU: u32 = 1;
    /// Likewise: the task's name.
    pub const COMM: u32 = 2;
    /// Likewise: the thread.
    pub const TID: u32 = 3;
    /// Likewise: a [`super::State`].
    pub const STATE: u32 = 4;
    /// Likewise: 120 and the nice value.
    pub const PRIO: u32 = 5;
    /// Of `GenericKernelProcessTree`.
    pub const THREADS: u32 = 2;
    /// Of its `Thread`.
    pub const THREAD_TID: u32 = 1;
    /// Likewise: its process.
    pub const THREAD_PID: u32 = 2;
    /// Likewise: its name.
    pub const THREAD_COMM: u32 = 3;
}

/// Values of `TaskStateEnum`.
#[derive(Clone, Copy)]
enum State {
    Created = 1,
    Runnable = 2,
    Running = 3,
    Sleeping = 4,
    Dead = 7,
}

/// The record as the bytes of a `Trace`.
#[must_use]
pub fn perfetto(run: &Run, traced: &Traced) -> Vec<u8> {
    encode(&events(run.record.iter(), traced.tasks.len()), traced)
}

fn encode(events: &[Event], traced: &Traced) -> Vec<u8> {
    let mut trace = Message::default();
    trace.bytes(field::PACKET, &process_tree(traced));
    for event in events {
        let mut say = |task: TaskId, state: State| {
            if let Some(packet) = packet(event, task, state, traced) {
                trace.bytes(field::PACKET, &packet);
            }
        };
        match event.kind {
            Kind::Fork(task) => say(task, State::Created),
            Kind::Wakeup(task) | Kind::WakeupNew(task) => say(task, State::Runnable),
            Kind::Switch { prev, next, reason } => {
                if prev != IDLE {
                    let state = match prev_state(prev, reason) {
                        "S" => State::Sleeping,
                        "X" => State::Dead,
                        _ => State::Runnable,
                    };
                    say(prev, state);
                }
                if next != IDLE {
                    say(next, State::Running);
                }
            }
            Kind::Waking(_) | Kind::Migrate { .. } => {}
        }
    }
    trace.0
}

/// All tasks as threads of one process.
fn process_tree(traced: &Traced) -> Vec<u8> {
    let mut tree = Message::default();
    for task in &traced.tasks {
        let mut thread = Message::default();
        thread.number(field::THREAD_TID, u64::from(task.tid));
        thread.number(field::THREAD_PID, u64::from(task.tid));
        thread.bytes(field::THREAD_COMM, task.comm.as_bytes());
        tree.bytes(field::THREADS, &thread.0);
    }
    let mut packet = Message::default();
    packet.number(field::TIMESTAMP, 0);
    packet.number(field::SEQUENCE, 1);
    packet.bytes(field::PROCESS_TREE, &tree.0);
    packet.0
}

fn packet(event: &Event, task: TaskId, state: State, traced: &Traced) -> Option<Vec<u8>> {
    let thread = traced.get(task)?;
    let mut change = Message::default();
    change.number(field::CPU, u64::from(event.cpu));
    change.bytes(field::COMM, thread.comm.as_bytes());
    change.number(field::TID, u64::from(thread.tid));
    change.number(field::STATE, state as u64);
    // A negative int32 is written as the 64-bit number that it extends to.
    change.number(field::PRIO, i64::from(thread.prio) as u64);
    let mut packet = Message::default();
    packet.number(field::TIMESTAMP, event.at_ns);
    packet.number(field::SEQUENCE, 1);
    packet.bytes(field::TASK_STATE, &change.0);
    Some(packet.0)
}

/// A message of protocol buffers as it is being written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A field of a varint type.
    fn number(&mut self, field: u32, value: u64) {
        self.varint(u64::from(field) << 3);
        self.varint(value);
    }

    /// A field that has a length: a string or a message.
    fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{entries, traced};
    use super::*;

    /// The fields of a message: number, and a varint or bytes.
    fn fields(mut bytes: &[u8]) -> Vec<(u64, Result<u64, Vec<u8>>)> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let mut varint = || {
                let (mut value, mut shift) = (0, 0);
                loop {
                    let (first, rest) = bytes.split_first().expect("it goes on");
                    bytes = rest;
                    value |= u64::from(first & 0x7f) << shift;
                    shift += 7;
                    if first & 0x80 == 0 {
                        return value;
                    }
                }
            };
            let key = varint();
            let value = varint();
            if key & 7 == 2 {
                let (inside, rest) = bytes.split_at(value as usize);
                bytes = rest;
                all.push((key >> 3, Err(inside.to_vec())));
            } else {
                all.push((key >> 3, Ok(value)));
            }
        }
        all
    }

    fn inside(message: &[(u64, Result<u64, Vec<u8>>)], field: u64) -> Vec<(u64, Result<u64, Vec<u8>>)> {
        let found = message.iter().find(|(number, _)| *number == field).expect("the field is there");
        fields(found.1.as_ref().expect_err("a message"))
    }

    #[test]
    fn every_change_of_state_is_a_packet() {
        let packets = fields(&encode(&events(entries(), 2), &traced()));
        assert!(packets.iter().all(|(number, _)| *number == 1));
        let changes: Vec<(u64, Vec<u8>, u64)> = packets[1..]
            .iter()
            .map(|(_, packet)| {
                let packet = fields(packet.as_ref().expect_err("a message"));
                let change = inside(&packet, 117);
                let number = |message: &[(u64, Result<u64, Vec<u8>>)], field: u64| {
                    message.iter().find(|(number, _)| *number == field).and_then(|(_, value)| value.clone().ok())
                };
                let comm = change[1].1.clone().expect_err("a string");
                assert_eq!((number(&change, 1), number(&packet, 10)), (Some(0), Some(1)));
                (number(&packet, 8).expect("a time"), comm, number(&change, 4).expect("a state"))
            })
            .collect();
        let is = |at, comm: &str, state| (at, comm.as_bytes().to_vec(), state);
        assert_eq!(
            changes,
            [
                is(1_000_000, "gcc", 1),
                is(1_000_000, "gcc", 2),
                is(1_000_000, "gcc", 3),
                is(2_000_000, "make", 2),
                is(2_148_000, "gcc", 2),
                is(2_148_000, "make", 3),
                is(2_500_000, "make", 4),
                is(2_500_000, "gcc", 3),
                is(3_999_999, "gcc", 7),
            ]
        );
    }

    #[test]
    fn numbers_are_varints() {
        let mut message = Message::default();
        message.number(117, 300);
        message.number(5, -1_i64 as u64);
        assert_eq!(message.0[..4], [0xa8, 0x07, 0xac, 0x02]);
        assert_eq!(message.0.len(), 4 + 1 + 10);
    }
}
