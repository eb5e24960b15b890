//! Snapshots of every version, small and by hand.

use super::*;

fn numbers(count: usize, from: u64) -> String {
    (from..from + count as u64).map(|number| format!(" {number}")).collect()
}

fn snapshot(version: u32, timestamp: u64, from: u64) -> String {
    let name = if version == 17 { "MC " } else { "" };
    let domain = numbers(domain_counters(version), from);
    let cpu = numbers(9, from);
    format!(
        "version {version}\ntimestamp {timestamp}\ncpu0{cpu}\ndomain0 {name}00000003{domain}\ncpu1{cpu}\ndomain0 {name}00000003{domain}\n"
    )
}

#[test]
fn every_version_is_read_and_subtracted() {
    for version in 15..=17 {
        let first = Snapshot::parse(&snapshot(version, 100, 5)).unwrap();
        let second = Snapshot::parse(&snapshot(version, 350, 12)).unwrap();
        let difference = first.until(&second).unwrap();
        assert_eq!((difference.version, difference.timestamp, difference.cpus.len()), (version, 250, 2));
        assert_eq!(difference.cpus[1].counters, [7; 9]);
        let domain = &difference.cpus[0].domains[0];
        assert_eq!((domain.cpus.as_slice(), domain.name.as_deref()), (&[0, 1][..], (version == 17).then_some("MC")));
        assert_eq!(domain.counters, vec![7; domain_counters(version)]);
        assert_eq!(difference.sum().unwrap().counters, [14; 9]);
        let text = difference.to_text();
        assert!(text.contains("\nTime elapsed (in jiffies)                                        :         250\n"));
        assert!(text.contains(
            "\nschedule() left the processor idle                               :          14  (   100.00% )\n"
        ));
        assert!(text.contains(
            "\nload_balance() count on cpu idle                                 :           7  $       35.71 $\n"
        ));
    }
}

#[test]
fn the_order_of_categories_is_the_versions() {
    let place = |version: u32, category: &str| {
        let first = Snapshot::parse(&snapshot(version, 1, 0)).unwrap();
        first.until(&first).unwrap().to_text().find(category).unwrap()
    };
    assert!(place(15, "<Category idle>") < place(15, "<Category busy>"));
    assert!(place(16, "<Category busy>") < place(16, "<Category idle>"));
    let text = {
        let first = Snapshot::parse(&snapshot(17, 1, 0)).unwrap();
        first.until(&first).unwrap().to_text()
    };
    assert!(text.contains("imbalance in number of tasks on cpu busy") && !text.contains("imbalance sum"));
    assert!(text.contains("\nCPU 0, DOMAIN MC CPUS <0, 1>\n"));
    assert!(
        text.lines()
            .filter(|line| line.contains("<Category") || line.contains("<Wakeup"))
            .all(|line| line.len() == 100)
    );
}

#[test]
fn what_is_wrong_is_said() {
    let good = snapshot(15, 100, 5);
    for (text, part) in [
        (String::new(), "line 1: expected `version N`"),
        ("cpu0 1 2".to_owned(), "this begins with \"cpu0 1 2\""),
        (good.replace("version 15", "version 14"), "version 14 of /proc/schedstat is not read"),
        (good.replace("version 15", "version 99999999999"), "version 99999999999"),
        ("version 15\ntimestamp 4\n".to_owned(), "there is no line of a CPU"),
        (good.replace("cpu0 5", "cpu0"), "line 3: expected 9 numbers, there are 8"),
        (good.replace("cpu0 5", "cpu0 x"), "line 3: expected 9 numbers, one is \"x\""),
        (good.replace("cpu1", "cpu0"), "line 5: cpu0 is there twice"),
        (good.replace("00000003", "0000000g"), "line 4: expected a mask of CPUs"),
        (snapshot(17, 1, 1).replace("version 17", "version 16"), "line 4: expected a mask of CPUs"),
        (good.replace("cpu0 5", "core0 5"), "line 3: expected `timestamp`, `cpuN` or `domainN`"),
        ("version 15\ndomain0 1 2\n".to_owned(), "line 2: expected 36 numbers, there are 1"),
    ] {
        let error = Snapshot::parse(&text).unwrap_err().to_string();
        assert!(error.contains(part), "{error:?} has no {part:?}");
    }
}

#[test]
fn two_that_do_not_go_together_are_refused() {
    let parse = |text: &str| Snapshot::parse(text).unwrap();
    let first = parse(&snapshot(15, 100, 5));
    let said = |second: &Snapshot| first.until(second).unwrap_err().to_string();
    assert!(said(&parse(&snapshot(16, 200, 9))).contains("version 15 and the second of version 16"));
    assert!(said(&parse(&snapshot(15, 99, 9))).contains("taken before the first"));
    let mut other = parse(&snapshot(15, 200, 9));
    other.cpus.pop();
    assert!(said(&other).contains("2 CPUs and 1 CPUs"));
    let mut other = parse(&snapshot(15, 200, 9));
    other.cpus[1].domains.clear();
    assert!(said(&other).contains("the domains of cpu1"));
    let mut other = parse(&snapshot(15, 200, 9));
    other.cpus[0].counters[6] = 1;
    assert!(said(&other).contains("cpu0 rq_cpu_time went back from 11 to 1"));
}

#[test]
fn a_counter_of_32_bits_may_go_round() {
    let mut first = Snapshot::parse(&snapshot(15, 1, 0)).unwrap();
    let mut second = first.clone();
    first.cpus[0].counters[2] = u64::from(u32::MAX) - 1;
    second.cpus[0].counters[2] = 3;
    assert_eq!(first.until(&second).unwrap().cpus[0].counters[2], 5);
}

#[test]
fn masks_of_many_cpus() {
    assert_eq!(cpus_of_mask("1,00000001"), Some(vec![0, 32]));
    assert_eq!(cpus_of_mask("00000000"), None);
    assert_eq!(cpus_of_mask("x"), None);
}
