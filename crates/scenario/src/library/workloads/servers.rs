//! Servers: many threads that wait for clients, for each other, and for disks.

use super::super::build::*;
use super::super::parameter::Parameter;
use super::super::recipe::Recipe;

pub(super) const SPECJBB: Recipe = Recipe {
    name: "specjbb",
    title: "SPECjbb-like",
    text: "SPECjbb's backend is a pool of threads that take requests out of queues; injectors put them in at a rate that \
           does not depend on the answers (an open loop). Modelled are injectors with a random time between requests, \
           the pool, requests of log-normal length (an operation each), and collector threads of the Java machine that \
           compute from time to time.",
    own: &[
        Parameter::load("workers", "threads of the pool", 2048, "200%"),
        Parameter::number("utilisation", "of all CPUs, what the requests ask for", (1, 150), "%", "90"),
        Parameter::number("run", "computing of a request, median", (1, 1_000_000), "µs", "1000"),
        Parameter::number("slice", "slice of the pool's threads; 0: the release's", (0, 100_000), "µs", "0"),
    ],
    make: |values, scenario| {
        let (cpus, run_us) = (cpus(scenario), values.number("run"));
        let workers = values.load("workers", cpus);
        // The mean of the log-normal distribution below is 1.2 times its median.
        let between_us = run_us * 12 * 100 / (10 * u64::from(cpus) * values.number("utilisation"));
        let mut request = vec![wait("request is there")];
        request.extend(operation("request", [run_about(run_us, 0.6)]));
        let mut pool = task("worker", workers, request);
        pool.attributes.slice_us = Some(values.number("slice")).filter(|slice| *slice > 0);
        let inject = vec![sleep_about(between_us.max(1)), run(3), post("request is there")];
        let collector = task("collector", (cpus / 4).max(1), vec![sleep_about(50_000), run_about(4_000, 0.5)]);
        scenario.workload.tasks = vec![task("injector", 1, inject), pool, collector];
    },
};

pub(super) const KERNEL_BUILD: Recipe = Recipe {
    name: "kernel-build",
    title: "make -j",
    text: "make keeps as many compilers going as -j allows: it takes a token, forks a child, and waits for a token to come \
           back when there is none. A compiler reads (waits for the disk now and then), computes, and exits; a file is an \
           operation, from its start to its end. Modelled are make, the tokens, and compilers of log-normal length; not \
           modelled are the dependencies between files and the link at the end.",
    own: &[
        Parameter::load("jobs", "compilers at a time (-j)", 2048, "100%"),
        Parameter::number("compile", "computing of a compiler, median", (100, 10_000_000), "µs", "20000"),
    ],
    make: |values, scenario| {
        let compile_us = values.number("compile");
        let start: Vec<_> = (0..values.load("jobs", cpus(scenario))).map(|_| post("token")).collect();
        let file = vec![wait("token"), run(300), fork("compiler")];
        let mut make = phased("make", 1, vec![("tokens", 1, start), ("files", 1_000_000_000, file)]);
        make.loops = times(1);
        let half = || run_about(compile_us / 2, 0.7);
        let mut work = operation("file", [run(500), sleep_about(200), half(), sleep_about(100), half()]);
        work.push(post("token"));
        let mut compiler = task("compiler", 0, work);
        (compiler.loops, compiler.start) = (times(1), crate::workload::Start::Fork);
        scenario.workload.tasks = vec![make, compiler];
    },
};
