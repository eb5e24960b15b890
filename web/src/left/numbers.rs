//! Lists of numbers as they are typed: `1024 512`, or shorter `1024*4 512*4`; lists of CPUs.
//! Not for the document, which has JSON lists.

use schedlab_view::topology::{cpu_list, read_cpu_list};

use crate::parts::whole;

/// The list as it is typed, equal neighbours together.
pub(super) fn write(list: &[u64]) -> String {
    let mut runs: Vec<(u64, usize)> = Vec::new();
    for &value in list {
        match runs.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => runs.push((value, 1)),
        }
    }
    let run = |(value, count): &(u64, usize)| if *count == 1 { value.to_string() } else { format!("{value}*{count}") };
    runs.iter().map(run).collect::<Vec<_>>().join(" ")
}

/// Reads what was typed: as many numbers as there are CPUs, or none.
///
/// # Errors
/// What was expected, in words.
pub(super) fn read(text: &str, least: u64, most: u64, cpus: u64) -> Result<Vec<u64>, String> {
    let mut list = Vec::new();
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        let (value, count) = word.split_once('*').unwrap_or((word, "1"));
        let (value, count) = (whole(value, least, most)?, whole(count, 1, cpus)?);
        list.extend(std::iter::repeat_n(value, count as usize));
        if list.len() as u64 > cpus {
            break;
        }
    }
    let enough = list.is_empty() || list.len() as u64 == cpus;
    if enough { Ok(list) } else { Err(format!("one for each of the {cpus} CPUs, such as {least}*{cpus}")) }
}

/// A list of CPUs as it is typed: `0-3,8`.
pub(super) fn write_cpus(cpus: &[u32]) -> String {
    let mut ascending = cpus.to_vec();
    ascending.sort_unstable();
    ascending.dedup();
    cpu_list(&ascending)
}

/// Reads a list of CPUs of a machine that has so many; nothing typed: none.
///
/// # Errors
/// What was expected, in words.
pub(super) fn read_cpus(text: &str, cpus: u64) -> Result<Option<Vec<u32>>, String> {
    let most = u32::try_from(cpus.saturating_sub(1)).unwrap_or(u32::MAX);
    match read_cpu_list(text, most) {
        Ok(list) if list.is_empty() => Ok(None),
        Ok(list) => Ok(Some(list)),
        Err(_) => Err(format!("CPUs from 0 to {most}, such as 0-{most}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_typed_short_and_read_back() {
        let list = [1024, 1024, 512, 446, 446];
        assert_eq!(write(&list), "1024*2 512 446*2");
        assert_eq!(read(&write(&list), 1, 1024, 5), Ok(list.to_vec()));
        assert_eq!(read("", 1, 1024, 5), Ok(Vec::new()));
        for bad in ["1", "1024*9", "1025*5", "x", "1*", "0*5"] {
            assert!(read(bad, 1, 1024, 5).is_err(), "{bad}");
        }
    }

    #[test]
    fn cpus_are_those_of_the_machine() {
        assert_eq!(read_cpus(&write_cpus(&[5, 0, 1]), 8), Ok(Some(vec![0, 1, 5])));
        assert_eq!(read_cpus(" ", 8), Ok(None));
        assert_eq!(read_cpus("0-8", 8), Err("CPUs from 0 to 7, such as 0-7".to_owned()));
    }
}
