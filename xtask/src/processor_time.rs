//! Processor times of processes, from Linux's `/proc`.

/// The times of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// User and system time of the process and of the children that it waited for, in seconds.
    pub seconds: f64,
    /// Whether the process has ended, and its parent has not waited for it yet.
    pub ended: bool,
}

/// Linux reports times in hundredths of a second.
const TICKS: f64 = 100.0;

/// The times of the process `id`; `None` if the process does not exist, and on systems without `/proc`.
pub fn of(id: u32) -> Option<Times> {
    parse(&std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

// The text is `ID (NAME) STATE ...`. The name can contain parentheses. The four times are the fields 14 to 17.
fn parse(stat: &str) -> Option<Times> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11..15)?.iter().map(|field| field.parse::<u64>());
    let ticks = ticks.sum::<Result<u64, _>>().ok()?;
    Some(Times { seconds: ticks as f64 / TICKS, ended: fields[0] == "Z" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn times_are_the_fields_14_to_17() {
        let stat = |state: &str| parse(&format!("7 (a) b) {state} 1 7 7 0 -1 0 5 5 5 5 100 20 3000 4 20 0 1"));
        assert_eq!(stat("S"), Some(Times { seconds: 31.24, ended: false }));
        assert_eq!(stat("Z"), Some(Times { seconds: 31.24, ended: true }));
        assert_eq!(parse("7 (a) S 1 7"), None);
    }

    #[test]
    fn times_of_an_ended_process_include_its_children() {
        let mut child = Command::new("sh");
        // The inner shell counts. The outer shell waits for it.
        child.args(["-c", "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; :"]).stdout(Stdio::null());
        let mut child = child.spawn().unwrap();
        while of(child.id()).is_some_and(|times| !times.ended) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let times = of(child.id());
        child.wait().unwrap();
        assert!(times.is_some_and(|times| times.ended && times.seconds > 0.02), "{times:?}");
    }
}
