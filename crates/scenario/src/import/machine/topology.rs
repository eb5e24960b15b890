//! A machine's CPUs from `lscpu -J` (with `-e` or without), the domains of `/proc/schedstat`, and the
//! names of domains in debugfs. Not for its kernel.

use std::collections::{BTreeMap, BTreeSet};

use schedlab_sim::SiblingNumbering;
use serde_json::Value;

use crate::document::{MOST_CPUS, Machine};
use crate::import::schedstat::{Cpu, Snapshot};

use super::{MachineReport, count};

/// Nodes, last-level caches, cores and threads of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    nodes: u32,
    llcs: u32,
    cores: u32,
    threads: u32,
    /// Whether CPU 1 is on the core of CPU 0, where the source tells.
    adjacent: Option<bool>,
}

/// The machine, by the best source there is.
pub(super) fn machine<'f>(
    lscpu: impl Iterator<Item = (&'f str, &'f str)>,
    schedstat: impl Iterator<Item = (&'f str, &'f str)>,
    domain_names: impl Iterator<Item = (&'f str, &'f str)>,
    report: &mut MachineReport,
) -> Machine {
    let mut found: Option<Counts> = None;
    // The table of all CPUs says more than the summary, and goes before.
    let mut lscpu: Vec<_> = lscpu.collect();
    lscpu.sort_by_key(|(_, text)| !text.contains("\"cpus\""));
    for (file, text) in lscpu {
        match of_lscpu(text) {
            Ok((counts, uneven)) => {
                take(file, counts, &mut found, report);
                if let Some(uneven) = uneven {
                    report.not_used(file, uneven);
                }
            }
            Err(why) => report.not_used(file, why),
        }
    }
    // The files of debugfs are domains/cpu0/domain1/name.
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    for (file, text) in domain_names {
        let mut parts = file.rsplit('/').skip(1);
        let (level, cpu) = (parts.next(), parts.next());
        if let (Some(level), Some("cpu0")) = (level.and_then(|part| part.strip_prefix("domain")?.parse().ok()), cpu) {
            names.insert(level, text.trim().to_owned());
            report.used(file, format!("domain {level} of CPU 0 is {}", text.trim()));
        }
    }
    for (file, text) in schedstat {
        match Snapshot::parse(text) {
            Ok(snapshot) => match of_domains(&snapshot, &names) {
                Some(counts) => take(file, counts, &mut found, report),
                None => {
                    report.not_used(file, "its CPUs differ from each other in their domains: counts cannot say that")
                }
            },
            Err(error) => report.not_used(file, error.to_string()),
        }
    }
    match found {
        Some(Counts { nodes, llcs, cores, threads, adjacent }) => {
            let part = |whole: u32, of: u32| (whole / of.max(1)).max(1);
            Machine {
                nodes,
                llcs_per_node: part(llcs, nodes),
                cores_per_llc: part(cores, llcs),
                threads_per_core: part(threads, cores),
                sibling_numbering: match adjacent {
                    Some(true) if threads > cores => SiblingNumbering::Adjacent,
                    _ => SiblingNumbering::Split,
                },
                ..Machine::default()
            }
        }
        None => {
            report.not_used("", "no file tells of the CPUs (lscpu -J does): one is taken");
            Machine::default()
        }
    }
}

/// Takes the counts unless a better source has given others.
fn take(file: &str, counts: Counts, found: &mut Option<Counts>, report: &mut MachineReport) {
    let Counts { nodes, llcs, cores, threads, adjacent } = counts;
    let words = [(threads, "CPU"), (cores, "core"), (llcs, "last-level cache"), (nodes, "node")]
        .map(|(number, one)| count(number, one))
        .join(", ");
    if u64::from(threads) > MOST_CPUS {
        return report.not_used(file, format!("{words}: at most {MOST_CPUS} CPUs are modelled"));
    }
    match found {
        None => {
            report.used(file, words);
            *found = Some(counts);
        }
        Some(known) if *known == (Counts { adjacent: known.adjacent, ..counts }) => {
            known.adjacent = known.adjacent.or(adjacent);
            report.used(file, format!("{words} (as before)"));
        }
        Some(_) => report.not_used(file, format!("{words}: another file says otherwise and goes before")),
    }
}

/// The counts of `lscpu -J`; in words what of it is uneven.
fn of_lscpu(text: &str) -> Result<(Counts, Option<String>), String> {
    let root: Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    if let Some(cpus) = root.get("cpus").and_then(Value::as_array) {
        return of_table(cpus);
    }
    let mut fields = BTreeMap::new();
    gather(root.get("lscpu").unwrap_or(&Value::Null), &mut fields);
    let number = |key: &str| fields.get(key).and_then(|text| text.split_whitespace().next()?.parse::<u32>().ok());
    // Those that are on: the others do not run tasks.
    let on = fields.get("On-line CPU(s) list").and_then(|list| count_of_list(list));
    let all = number("CPU(s)").ok_or("there is no field \"CPU(s):\"")?;
    let cpus = on.unwrap_or(all).max(1);
    let threads = number("Thread(s) per core").unwrap_or(1).max(1);
    let cores = (cpus / threads).max(1);
    let nodes = number("NUMA node(s)").unwrap_or(1).max(1);
    let sockets = number("Socket(s)").or(number("Cluster(s)")).unwrap_or(1).max(1);
    let instances = |key: &str| {
        let text = fields.get(key)?;
        text.split_once('(')?.1.split_whitespace().next()?.parse::<u32>().ok()
    };
    let llcs = instances("L3").or(instances("L2")).unwrap_or(sockets).clamp(1, cores);
    let uneven =
        [(cpus % threads != 0, "threads"), (cores % llcs != 0, "last-level caches"), (llcs % nodes != 0, "nodes")];
    let uneven: Vec<&str> = uneven.into_iter().filter(|(uneven, _)| *uneven).map(|(_, what)| what).collect();
    let uneven =
        (!uneven.is_empty()).then(|| format!("the {} do not divide evenly: rounded down", uneven.join(" and ")));
    // Nodes within one cache: the cache is split as its nodes are.
    let llcs = llcs.max(nodes);
    Ok((Counts { nodes, llcs, cores, threads: cores * threads, adjacent: None }, uneven))
}

/// The fields of `lscpu -J`, those of children too, without the colon.
fn gather(list: &Value, fields: &mut BTreeMap<String, String>) {
    for entry in list.as_array().into_iter().flatten() {
        if let (Some(field), Some(data)) =
            (entry.get("field").and_then(Value::as_str), entry.get("data").and_then(Value::as_str))
        {
            let key = field.trim().trim_end_matches(':').trim_end_matches(" cache").to_owned();
            fields.entry(key).or_insert_with(|| data.trim().to_owned());
        }
        gather(entry.get("children").unwrap_or(&Value::Null), fields);
    }
}

/// The counts of `lscpu -J -e`: a row for each CPU.
fn of_table(rows: &[Value]) -> Result<(Counts, Option<String>), String> {
    let text = |row: &Value, key: &str| match row.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let is_on = |row: &&Value| match row.get("online") {
        Some(Value::Bool(on)) => *on,
        Some(Value::String(text)) => text != "no",
        _ => true,
    };
    let on: Vec<&Value> = rows.iter().filter(is_on).collect();
    if on.is_empty() {
        return Err("no CPU is in the table".to_owned());
    }
    let distinct = |of: &dyn Fn(&Value) -> Option<String>| {
        let all: BTreeSet<String> = on.iter().filter_map(|row| of(row)).collect();
        u32::try_from(all.len()).unwrap_or(u32::MAX).max(1)
    };
    let place = |row: &Value| Some(format!("{:?} {:?}", text(row, "node"), text(row, "socket")));
    let cores = distinct(&|row| Some(format!("{:?} {:?}", place(row), text(row, "core")?)));
    // l1d:l1i:l2:l3, each the number of the cache.
    let caches = |row: &Value| {
        let last = text(row, "l1d:l1i:l2:l3")?.rsplit(':').next()?.to_owned();
        (last != "-" && !last.is_empty()).then_some(last)
    };
    let has_caches = on.iter().all(|row| caches(row).is_some());
    let nodes = distinct(&|row| text(row, "node"));
    let llcs = if has_caches { distinct(&caches) } else { distinct(&place) };
    let threads = u32::try_from(on.len()).unwrap_or(u32::MAX);
    let uneven = (threads % cores != 0 || cores % llcs != 0 || llcs.max(nodes) % nodes != 0)
        .then(|| "cores, caches or nodes differ in size: rounded down".to_owned());
    // The rows are in the order of the CPUs.
    let core = |row: &Value| Some((place(row), text(row, "core")?));
    let adjacent = on.get(1).map(|second| core(on[0]).is_some() && core(on[0]) == core(second));
    Ok((Counts { nodes, llcs: llcs.max(nodes), cores, threads, adjacent }, uneven))
}

/// How many CPUs a list such as `0-3,8` names.
fn count_of_list(list: &str) -> Option<u32> {
    list.split(',')
        .map(|part| {
            let (first, last) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
            let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
            last.checked_sub(first)?.checked_add(1)
        })
        .sum()
}

/// The counts by the domains of the CPUs: SMT spans a core, MC a last-level cache, PKG (DIE) a node.
/// Up to version 16 they have no names; then debugfs's are taken, or what their sizes suggest.
fn of_domains(snapshot: &Snapshot, names: &BTreeMap<u32, String>) -> Option<Counts> {
    let cpus = u32::try_from(snapshot.cpus.len()).ok()?;
    let of_cpu = |cpu: &Cpu| {
        let levels = cpu.domains.len();
        let (mut smt, mut mc, mut pkg) = (1, None, None);
        for domain in &cpu.domains {
            let size = domain.cpus.len() as u32;
            let known = domain.name.as_ref().or_else(|| names.get(&domain.level)).map(String::as_str);
            match known.unwrap_or_else(|| guess(domain.level, levels, size)) {
                "SMT" => smt = size,
                // Clusters share an L2 within a last-level cache.
                "CLS" => {}
                "MC" => mc = Some(size),
                "PKG" | "DIE" => pkg = Some(size),
                _ => {}
            }
        }
        let llc = mc.unwrap_or(smt);
        // Domains that would be as large as those below are left out by the kernel.
        let node = pkg.unwrap_or(llc);
        (smt, llc, node)
    };
    let first = of_cpu(snapshot.cpus.first()?);
    let even = snapshot.cpus.iter().all(|cpu| of_cpu(cpu) == first);
    let (smt, llc, node) = first;
    let divides = smt > 0 && llc % smt == 0 && node % llc == 0 && cpus % node == 0;
    let zero = snapshot.cpus.iter().find(|cpu| cpu.cpu == 0);
    let adjacent = zero.and_then(|cpu| cpu.domains.first()).map(|lowest| lowest.cpus.contains(&1));
    (even && divides).then(|| Counts {
        nodes: cpus / node,
        llcs: cpus / llc,
        cores: cpus / smt,
        threads: cpus,
        adjacent,
    })
}

/// What a domain without a name most likely is.
fn guess(level: u32, levels: usize, size: u32) -> &'static str {
    let smt = levels > 1 && size <= 2;
    match (level, smt) {
        (0, true) => "SMT",
        (0, false) => "MC",
        (1, _) => "MC",
        (2, _) => "PKG",
        _ => "NUMA",
    }
}
