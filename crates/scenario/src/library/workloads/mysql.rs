//! MySQL under HammerDB: the transactions of a connection and the commit of groups of them.
//! Not for measured figures: the experiment `mysql` has those.

use super::super::build::*;
use super::super::parameter::Parameter;
use super::super::recipe::Recipe;
use crate::workload::{Action, Event, Policy, Task};

pub(super) const MYSQL: Recipe = Recipe {
    name: "mysql",
    title: "MySQL under HammerDB",
    text: "HammerDB's virtual users each hold a connection to a MySQL server and send the next transaction when the last \
           is answered (a closed loop). A user stays with one warehouse and does New-Order, Payment and Delivery 10 : 10 : 1, \
           each in three calls: set variables, execute the stored procedure, fetch the results. One thread of the server \
           does the work of a connection. Payment holds its warehouse's row from its first statement to the commit. \
           Changing a row takes the latch of its page. At the commit a connection waits for its group: whoever leads it \
           has the log threads sync the redo log, syncs the binary log (data, then the file system's journal), and wakes \
           all who wait, those of the next group too, who look and wait again (as in Commit_stage_manager::signal_done). \
           Modelled by a thread of its own: the leader, a connection in the program. Mutexes here hand over to a waiter \
           that sleeps; InnoDB's row locks do so too, its latches spin first. Not modelled: the other two transactions, \
           locks on other rows, page reads, purge, the client's CPUs.",
    own: &[
        Parameter::load("connections", "connections", 2048, "128"),
        Parameter::number("warehouses", "warehouses", (1, 128), "", "24"),
        Parameter::choice("policy", "policy of the connection threads", &["other", "batch"]),
        Parameter::choice("all", "policy of the log threads", &["other", "batch"]),
        Parameter::number("statement", "computing of an SQL statement, median", (1, 100_000), "µs", "20"),
        Parameter::number("network", "time between calls, mean", (1, 1_000_000), "µs", "800"),
        Parameter::number("disk", "time of a write to the disk, mean", (1, 1_000_000), "µs", "80"),
    ],
    make: |values, scenario| {
        let batch = |choice: &str| (values.choice(choice) == "batch").then_some(Policy::Batch);
        let server = Server {
            statement_us: values.number("statement"),
            network_us: values.number("network"),
            disk_us: values.number("disk"),
        };
        let connections = values.load("connections", cpus(scenario));
        let warehouses = values.count("warehouses").min(connections);
        let users = (0..warehouses).map(|warehouse| {
            let before = |end: u32| u64::from(end) * u64::from(connections) / u64::from(warehouses);
            server.connections(warehouse, (before(warehouse + 1) - before(warehouse)) as u32)
        });
        let mut tasks: Vec<Task> = users.chain([server.leader()]).collect();
        for task in &mut tasks {
            task.attributes.policy = batch("policy");
        }
        for mut thread in server.log_threads() {
            // Said in every case: a default policy of the document is that of the connections alone.
            thread.attributes.policy = batch("all").or(Some(Policy::Other));
            tasks.push(thread);
        }
        tasks.push(server.journal());
        scenario.workload.tasks = tasks;
    },
};

/// A call that only sets or fetches variables: reading, parsing and answering it, median, µs.
const CALL_US: u64 = 30;
/// How long a page stays latched while a row of it changes, µs.
const LATCHED_US: u64 = 3;
/// How many warehouses have their ten districts on one page of 16 KiB (95 bytes a row and its header).
const WAREHOUSES_A_PAGE: u32 = 13;
/// What a leader computes in each of its two stages, for about ten transactions, µs.
const STAGE_US: u64 = 100;
/// HammerDB starts its users one after the other: the users of the next warehouse so much later, µs.
const RAMP_US: u64 = 8_000;

/// The times of a server.
struct Server {
    statement_us: u64,
    network_us: u64,
    disk_us: u64,
}

impl Server {
    /// The connections of a warehouse's users.
    fn connections(&self, warehouse: u32, users: u32) -> Task {
        let row = format!("row of warehouse {}", warehouse + 1);
        let districts = format!("page of districts {}", warehouse / WAREHOUSES_A_PAGE + 1);
        let statements = |count: u64| vec![run_about(self.statement_us * count, 0.5)];
        // Customer and warehouse, the district read and changed; then three statements for each of
        // ten items, and two more.
        let new_order = [statements(3), latched(&districts), statements(32), commit()].concat();
        // Its eight statements change the warehouse, the district and the customer.
        let changes = [latched("page of warehouses"), statements(2), latched(&districts), statements(5)].concat();
        let locked = [vec![lock(&row)], changes, commit(), vec![unlock(&row)]].concat();
        let payment = [statements(1), locked].concat();
        // Seven statements for each of ten districts.
        let delivery = [statements(70), commit()].concat();
        let orders = [self.transaction(new_order), self.transaction(payment)].concat();
        let phases = vec![("orders", 10, orders), ("delivery", 1, self.transaction(delivery))];
        let mut task = phased(&format!("connection{}", warehouse + 1), users, phases);
        task.delay_us = u64::from(warehouse) * RAMP_US;
        task
    }

    /// A transaction of three calls, the second of which does the work.
    fn transaction(&self, work: Vec<Event>) -> Vec<Event> {
        let small = || vec![run_about(CALL_US, 0.5), sleep_about(self.network_us)];
        let answer = vec![run(20), sleep_about(self.network_us)];
        operation("transaction", [small(), work, answer, small()].concat())
    }

    /// Who leads the group of transactions that commits. There is always one under way.
    fn leader(&self) -> Task {
        let flush = [run(STAGE_US), post("redo log"), wait("redo log is safe")];
        let sync = [run(10), sleep_about(self.disk_us), run(5), post("journal"), wait("journal is safe")];
        let done = [run(STAGE_US), Event::new(Action::Resume(GROUP.to_owned()))];
        task("group_leader", 1, flush.into_iter().chain(sync).chain(done).collect())
    }

    /// InnoDB's threads for the redo log: write it, sync it, tell who waits.
    fn log_threads(&self) -> [Task; 3] {
        let sync = vec![wait("written"), run(5), sleep_about(self.disk_us), run(5), post("synced")];
        [
            task("log_writer", 1, vec![wait("redo log"), run(10), post("written")]),
            task("log_flusher", 1, sync),
            task("log_flush_notifier", 1, vec![wait("synced"), run(5), post("redo log is safe")]),
        ]
    }

    /// The kernel's thread for the journal of ext4: the binary log has grown. It keeps its policy
    /// whatever the server's threads have.
    fn journal(&self) -> Task {
        let mut thread =
            task("jbd2", 1, vec![wait("journal"), run(10), sleep_about(self.disk_us), run(5), post("journal is safe")]);
        thread.attributes.policy = Some(Policy::Other);
        thread
    }
}

/// What the members of a group wait for.
const GROUP: &str = "group is committed";

/// A row changes while its page is latched.
fn latched(page: &str) -> Vec<Event> {
    vec![lock(page), run(LATCHED_US), unlock(page)]
}

/// The group under way ends first, and wakes everyone; the next group is the own one.
fn commit() -> Vec<Event> {
    let wait = || Event::new(Action::Suspend(GROUP.to_owned()));
    vec![wait(), run(4), wait()]
}
