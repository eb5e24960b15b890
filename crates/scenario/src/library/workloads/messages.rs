//! Programs that send messages to each other: what counts is who wakes whom, and where.

use super::super::build::*;
use super::super::parameter::Parameter;
use super::super::recipe::Recipe;
use crate::workload::{Action, Amount, Event};

/// How many messages of 100 bytes fit into a pipe of 64 KiB.
const PIPE: u32 = 655;
/// How many fit into a Unix socket's send buffer of 208 KiB, at 768 bytes of memory each.
const SOCKET: u32 = 277;
/// Switching between address spaces costs more than between threads, nanoseconds.
const PROCESS_SWITCH_NS: u64 = 1_500;

pub(super) const HACKBENCH: Recipe = Recipe {
    name: "hackbench",
    title: "hackbench",
    text: "Each group of hackbench has as many senders as receivers, 20 and 20 by default. A sender writes a message \
           of 100 bytes to every receiver of its group in turn, so many rounds; a receiver reads from its own pipe or \
           socket what all senders of the group wrote. A full pipe or socket stops the sender, an empty one the \
           receiver. Modelled is all of that (reading a message is an operation), a process by a dearer switch, a \
           socket by its smaller room, a call by a time that varies around a median; not modelled is the start of \
           the tasks.",
    own: &[
        Parameter::number("groups", "groups", (1, 64), "", "1"),
        Parameter::number("fds", "senders, and receivers, of a group", (1, 40), "", "20"),
        Parameter::number("loops", "rounds of each sender; 0: to the end of the run", (0, 1_000_000), "", "0"),
        Parameter::choice("by", "what tasks are", &["process", "threads"]),
        Parameter::choice("over", "what messages go through", &["socket", "pipe"]),
    ],
    make: |values, scenario| {
        let (groups, fds) = (values.count("groups"), values.count("fds"));
        if values.choice("by") == "process" {
            scenario.machine.context_switch_ns = PROCESS_SWITCH_NS;
        }
        let (capacity, call) = if values.choice("over") == "socket" { (SOCKET, 1_500) } else { (PIPE, 800) };
        let often = |rounds| if values.number("loops") == 0 { forever() } else { times(rounds) };
        for group in 0..groups {
            let room = |receiver| format!("{group}.{receiver}");
            let round = (0..fds).flat_map(|receiver| [call_ns(call), write(&room(receiver), capacity)]);
            let mut senders = task(&format!("sender{group}"), fds, round.collect());
            senders.loops = often(values.number("loops"));
            scenario.workload.tasks.push(senders);
            for receiver in 0..fds {
                let mut message = vec![read(&room(receiver))];
                message.extend(operation("message", [call_ns(call)]));
                let mut reader = task(&format!("receiver{group}.{receiver}"), 1, message);
                reader.loops = often(values.number("loops") * u64::from(fds));
                scenario.workload.tasks.push(reader);
            }
        }
    },
};

pub(super) const SCHBENCH: Recipe = Recipe {
    name: "schbench",
    title: "schbench",
    text: "A message thread wakes its workers; a worker that was woken sleeps for the network (usleep), multiplies \
           matrices under the lock of the CPU it finds itself on, and tells the message thread that it waits again. \
           Reported are the wake-up delay of workers (their wake delay here) and the time of a request (an operation). \
           Modelled is all of that, but that the lock is one of as many as there are CPUs, by the worker's number, not \
           by where it runs.",
    own: &[
        Parameter::number("messengers", "message threads", (1, 64), "", "1"),
        Parameter::load("workers", "workers, of all message threads together", 4096, "100%"),
        Parameter::number("think", "sleep for the network in a request", (1, 1_000_000), "µs", "100"),
        Parameter::number("work", "computing of a request", (1, 1_000_000), "µs", "2000"),
    ],
    make: |values, scenario| {
        let (messengers, cpus) = (values.count("messengers"), cpus(scenario));
        let workers = values.load("workers", cpus).max(messengers);
        for messenger in 0..messengers {
            let (called, released) = (format!("message{messenger}"), format!("worker{messenger}"));
            let answer = vec![wait(&called), run(2), post(&released)];
            scenario.workload.tasks.push(task(&format!("message{messenger}"), 1, answer));
        }
        // Workers that share a message thread and a lock are instances of one task.
        let mut kinds = std::collections::BTreeMap::<(u32, u32), u32>::new();
        for worker in 0..workers {
            *kinds.entry((worker % messengers, worker % cpus)).or_default() += 1;
        }
        for ((messenger, cpu), count) in kinds {
            let lock_name = format!("cpu{cpu}");
            let mut round = vec![post(&format!("message{messenger}")), wait(&format!("worker{messenger}"))];
            let (think, work) = (sleep(values.number("think")), run(values.number("work")));
            round.extend(operation("request", [think, lock(&lock_name), work, unlock(&lock_name)]));
            scenario.workload.tasks.push(task(&format!("worker{messenger}.{cpu}"), count, round));
        }
    },
};

pub(super) const SCHBENCH_2016: Recipe = Recipe {
    name: "schbench-2016",
    title: "schbench of 2016",
    text: "schbench as it was in 2016: each message thread has its own workers. A worker spins until 30 ms of wall \
           time have passed, whoever had the CPU meanwhile, posts its message thread and waits. A message thread \
           waits for a post, sleeps for 30 to 37.5 ms, forgets what was posted meanwhile and wakes all of its \
           workers that wait. With 16 workers to a message thread, as many message threads as a quarter of the \
           CPUs are four workers a CPU. Its latency is the wake delay of the workers. Modelled is all of that, but \
           that a task which loses the CPU just before it waits misses what comes until then.",
    own: &[
        Parameter::load("messengers", "message threads", 512, "2"),
        Parameter::number("threads", "workers of a message thread", (2, 256), "", "16"),
        Parameter::number("cputime", "spinning of a worker, wall time", (1, 1_000_000), "µs", "30000"),
        Parameter::number(
            "sleeptime",
            "sleep of a message thread, a quarter more at most",
            (1, 1_000_000),
            "µs",
            "30000",
        ),
    ],
    make: |values, scenario| {
        let sleep = values.number("sleeptime");
        for messenger in 0..values.load("messengers", cpus(scenario)) {
            let (message, worker) = (format!("message{messenger}"), format!("worker{messenger}"));
            // Posts during the sleep are lost, as in the program, which clears its flag before it wakes all.
            let pause = Event::new(Action::Sleep(Amount::Uniform(sleep, sleep + sleep / 4)));
            let resume = |name: &str| Event::new(Action::Resume(name.to_owned()));
            let suspend = |name: &str| Event::new(Action::Suspend(name.to_owned()));
            let answer = vec![resume(&worker), suspend(&message), pause];
            let spin = Event::new(Action::Runtime(Amount::Fixed(values.number("cputime"))));
            let round = vec![spin, resume(&message), suspend(&worker)];
            let tasks = [task(&message, 1, answer), task(&worker, values.count("threads"), round)];
            scenario.workload.tasks.extend(tasks);
        }
    },
};

pub(super) const SCHED_PIPE: Recipe = Recipe {
    name: "sched-pipe",
    title: "perf bench sched pipe",
    text: "Two tasks and two pipes: each writes a word to the other and reads the other's, a million times. Each is \
           asleep while the other runs, so that an operation (there and back) is two wake-ups and two switches. All of \
           it is modelled.",
    own: &[Parameter::load("pairs", "pairs", 512, "1")],
    make: |values, scenario| {
        for pair in 0..values.load("pairs", cpus(scenario)) {
            scenario.workload.tasks.extend(ping_pong(["ping", "pong"], pair, "round trip", [1_000, 1_000]));
        }
    },
};

pub(super) const CONTEXT1: Recipe = Recipe {
    name: "context1",
    title: "UnixBench context1",
    text: "UnixBench's pipe-based context switching: a process sends a growing number through a pipe to its child, \
           which sends it back through another. As perf bench sched pipe, with the check of the number.",
    own: &[Parameter::load("copies", "pairs of processes", 512, "100%")],
    make: |values, scenario| {
        scenario.machine.context_switch_ns = PROCESS_SWITCH_NS;
        for pair in 0..values.load("copies", cpus(scenario)) {
            scenario.workload.tasks.extend(ping_pong(["parent", "child"], pair, "round trip", [1_300, 1_300]));
        }
    },
};

pub(super) const NETPERF: Recipe = Recipe {
    name: "netperf-rr",
    title: "netperf UDP_RR and TCP_RR",
    text: "netperf sends a request of a byte to netserver over the loopback device and waits for the answer: the same \
           ping-pong as through pipes, with the network stack run by the sender: about 5 µs a message over UDP, 7 over \
           TCP. An operation is a request and its answer. Not modelled: softirqs of their own, acknowledgements.",
    own: &[
        Parameter::load("instances", "netperf processes", 512, "100%"),
        Parameter::choice("protocol", "the protocol", &["udp", "tcp"]),
    ],
    make: |values, scenario| {
        let stack_ns = if values.choice("protocol") == "udp" { 5_000 } else { 7_000 };
        scenario.machine.context_switch_ns = PROCESS_SWITCH_NS;
        for pair in 0..values.load("instances", cpus(scenario)) {
            scenario.workload.tasks.extend(ping_pong(["netperf", "netserver"], pair, "request", [stack_ns; 2]));
        }
    },
};

pub(super) const TBENCH: Recipe = Recipe {
    name: "tbench",
    title: "tbench",
    text: "tbench replays the network traffic of file-server clients: each client process sends requests to its own \
           server process over TCP on the loopback device and waits for each answer; requests differ much in size. \
           Modelled as pairs whose work for a message is drawn from a log-normal distribution. An operation is a \
           request and its answer.",
    own: &[Parameter::load("clients", "clients, each with a server process", 512, "100%")],
    make: |values, scenario| {
        scenario.machine.context_switch_ns = PROCESS_SWITCH_NS;
        for pair in 0..values.load("clients", cpus(scenario)) {
            let (there, back) = (format!("request{pair}"), format!("answer{pair}"));
            let client = operation("request", [run_about(8, 0.8), write(&there, 16), read(&back)]);
            let server = vec![read(&there), run_about(12, 0.8), write(&back, 16)];
            let tasks = [task(&format!("client{pair}"), 1, client), task(&format!("server{pair}"), 1, server)];
            scenario.workload.tasks.extend(tasks);
        }
    },
};

/// Two tasks that wake each other in turn: the first begins, and its round is an operation.
fn ping_pong(names: [&str; 2], pair: u32, round: &str, work_ns: [u64; 2]) -> [crate::workload::Task; 2] {
    let (there, back) = (format!("there{pair}"), format!("back{pair}"));
    let first = operation(round, [run_ns(work_ns[0]), write(&there, 16), read(&back)]);
    let second = vec![read(&there), run_ns(work_ns[1]), write(&back, 16)];
    [task(&format!("{}{pair}", names[0]), 1, first), task(&format!("{}{pair}", names[1]), 1, second)]
}
