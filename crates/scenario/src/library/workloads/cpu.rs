//! Programs that need CPU time first of all, and periodic tasks as they are measured beside them.

use super::super::build::*;
use super::super::parameter::Parameter;
use super::super::recipe::Recipe;

pub(super) const HOGS: Recipe = Recipe {
    name: "hogs",
    title: "CPU hogs, as SPECrate",
    text: "SPECrate starts as many copies of one program as are asked for; each computes for minutes and never \
           sleeps. Modelled are the copies, which compute in pieces of 10 ms (an operation each), and the memory \
           that a copy finds displaced from the caches when it comes back. Not modelled: input, output, paging.",
    own: &[
        Parameter::load("copies", "copies of the program", 4096, "200%"),
        Parameter::number("working_set", "memory that a copy goes over all the time", (0, 1 << 20), "KiB", "512"),
    ],
    make: |values, scenario| {
        let mut copies = task("copy", values.load("copies", cpus(scenario)), operation("piece", [run(10_000)]));
        copies.attributes.working_set_kib = Some(values.count("working_set"));
        scenario.machine.cache = caches();
        scenario.workload.tasks = vec![copies];
    },
};

pub(super) const MASSIVE_INTR: Recipe = Recipe {
    name: "massive_intr",
    title: "massive_intr",
    text: "massive_intr starts processes that each compute for 8 ms, sleep for 1 ms, and count their rounds: \
           interactive tasks by the sleep, hogs by the rest. It shows how evenly a scheduler treats them. All of it \
           is modelled; a round is an operation.",
    own: &[
        Parameter::load("processes", "processes", 4096, "5"),
        Parameter::number("run", "computing in a round", (1, 1_000_000), "µs", "8000"),
        Parameter::number("sleep", "sleep in a round", (1, 1_000_000), "µs", "1000"),
    ],
    make: |values, scenario| {
        let mut round = operation("round", [run(values.number("run"))]);
        round.push(sleep(values.number("sleep")));
        scenario.workload.tasks = vec![task("massive_intr", values.load("processes", cpus(scenario)), round)];
    },
};

pub(super) const CYCLICTEST: Recipe = Recipe {
    name: "cyclictest",
    title: "cyclictest beside a load",
    text: "A thread of cyclictest sleeps to a point of time, notes how late it woke, and sleeps to the next; under \
           the fair class here, as with `cyclictest --policy other`. What it prints is the wake delay. The load is \
           a number of hogs.",
    own: &[
        Parameter::load("threads", "threads that measure", 512, "100%"),
        Parameter::number("interval", "from one point to the next", (10, 1_000_000), "µs", "1000"),
        Parameter::number("run", "what a thread does when it wakes", (1, 100_000), "µs", "5"),
        Parameter::number("hogs", "hogs beside it", (0, 4096), "", "8"),
    ],
    make: |values, scenario| {
        let measure = vec![timer(values.number("interval")), run(values.number("run"))];
        scenario.workload.tasks = vec![task("cyclictest", values.load("threads", cpus(scenario)), measure)];
        if values.count("hogs") > 0 {
            scenario.workload.tasks.push(task("hog", values.count("hogs"), vec![run(10_000)]));
        }
    },
};

pub(super) const PARENT_CHILD: Recipe = Recipe {
    name: "parent-child",
    title: "A parent and a child with a duty cycle",
    text: "A parent that computes all the time, and a child that wants half of a CPU: it computes as long as it \
           sleeps. On one CPU the pair shows whether a scheduler pays for sleeping. With a bonus for sleepers the \
           child gets its half; without one it has half only while it is awake.",
    own: &[
        Parameter::number("run", "computing of the child in a round", (1, 1_000_000), "µs", "10000"),
        Parameter::number("sleep", "sleep of the child in a round", (1, 1_000_000), "µs", "10000"),
        Parameter::number("on", "CPUs for the pair", (1, 512), "", "1"),
    ],
    make: |values, scenario| {
        let child = vec![run(values.number("run")), sleep(values.number("sleep"))];
        scenario.workload.tasks = vec![task("parent", 1, vec![run(10_000)]), task("child", 1, child)];
        scenario.machine.cores_per_llc = values.count("on");
    },
};

pub(super) const SYSBENCH_AVX: Recipe = Recipe {
    name: "sysbench-avx",
    title: "sysbench beside an AVX program",
    text: "Two tenants on one server with SMT: the threads of sysbench, which ask a database and wait for each \
           answer, and as many threads that compute with AVX. Each side has its own core-scheduling cookie. Modelled \
           are the threads, the transactions (an operation each: three statements with a wait for the disk or the \
           client after each) and the slowdown beside a busy sibling. Not modelled: that AVX lowers the clock.",
    own: &[
        Parameter::load("threads", "sysbench threads, and AVX threads", 2048, "100%"),
        Parameter::number("run", "computing of a statement, median", (1, 100_000), "µs", "200"),
        Parameter::number("wait", "wait after a statement, mean", (1, 100_000), "µs", "120"),
    ],
    make: |values, scenario| {
        let cores = values.count("cpus") / 2;
        scenario.machine.cores_per_llc = cores.max(1);
        scenario.machine.threads_per_core = 2;
        scenario.machine.smt_speed = 600;
        let threads = values.load("threads", cpus(scenario));
        let statement = || [run_about(values.number("run"), 0.3), sleep_about(values.number("wait"))];
        let mut sysbench = task("sysbench", threads, operation("transaction", (0..3).flat_map(|_| statement())));
        let mut avx = task("avx", threads, vec![run(10_000)]);
        (sysbench.cookie, avx.cookie) = (1, 2);
        scenario.workload.tasks = vec![sysbench, avx];
    },
};
