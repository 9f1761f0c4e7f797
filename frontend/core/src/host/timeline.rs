//! The timeline of a program, as a file in the Chrome trace format (`CUBE_PROFILE=trace.json`).
//!
//! The file is an array of events, which chrome://tracing and Perfetto show. The process `host` has a track for each
//! thread of the program, with the calls that compile, load, launch and copy. Each device is a process of the trace,
//! with a track for each queue. The track of a queue shows the execution of its commands. The file is complete after
//! each event, so a crash of the program loses no earlier event.
use super::core::Session;
use super::variables::{notice, variables};
use cube_runtime::{Clock, Queue, RuntimeError};
use std::cell::Cell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Result, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The process of the host's tracks.
const HOST: u64 = 1;

/// The end of the file, which the next event overwrites.
const END: &str = "\n]\n";

/// A file with the events of a program.
pub struct Timeline {
    start: Instant,
    state: Mutex<State>,
}

struct State {
    /// `None` after a failed write.
    file: Option<File>,
    /// The end of the last event of each track. A track is a process and a thread of the file.
    tracks: HashMap<(u64, u64), Duration>,
    devices: u64,
}

/// Number of the calling thread in the file.
fn thread_number() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: Cell<u64> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed)));
    NUMBER.get()
}

/// The timeline that `CUBE_PROFILE` requests. All devices of the process write to one timeline.
pub(super) fn of_process() -> Option<Arc<Timeline>> {
    static TIMELINE: OnceLock<Option<Arc<Timeline>>> = OnceLock::new();
    TIMELINE
        .get_or_init(|| {
            let path = variables().get("CUBE_PROFILE").filter(|path| !path.is_empty())?;
            match Timeline::new(Path::new(path)) {
                Ok(timeline) => Some(Arc::new(timeline)),
                Err(error) => {
                    let path = path.to_string_lossy();
                    notice(RuntimeError::environment(format!(
                        "the file of CUBE_PROFILE, {path}, cannot be created: {error}; set the variable to a writable path"
                    )));
                    None
                }
            }
        })
        .clone()
}

/// A call of the host, from its creation to its drop.
pub(super) struct Span<'a> {
    timeline: &'a Timeline,
    kind: &'static str,
    name: String,
    bytes: Option<u64>,
    start: Duration,
}

impl Drop for Span<'_> {
    fn drop(&mut self) {
        let event = Event { kind: self.kind, name: &self.name, bytes: self.bytes, clock: None };
        let mut state = self.timeline.lock();
        let end = self.timeline.start.elapsed();
        state.event((HOST, thread_number()), &event, self.start, end);
    }
}

struct Event<'a> {
    kind: &'a str,
    name: &'a str,
    bytes: Option<u64>,
    clock: Option<Clock>,
}

impl Timeline {
    /// Creates the file, with the name of the host's process.
    pub fn new(path: &Path) -> Result<Timeline> {
        let mut file = File::create(path)?;
        let host = named("process_name", HOST, 0, "host");
        file.write_all(format!("[\n{host}{END}").as_bytes())?;
        let state = State { file: Some(file), tracks: HashMap::new(), devices: HOST };
        Ok(Timeline { start: Instant::now(), state: Mutex::new(state) })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a device. Returns the number of its process in the file.
    pub(super) fn add_device(&self, name: &str) -> u64 {
        let mut state = self.lock();
        state.devices += 1;
        let device = state.devices;
        state.write(&named("process_name", device, 0, &format!("device {name}")));
        device
    }

    /// Starts a call of the host.
    pub(super) fn span(&self, kind: &'static str, name: &str, bytes: Option<u64>) -> Span<'_> {
        Span { timeline: self, kind, name: name.to_string(), bytes, start: self.start.elapsed() }
    }

    /// Writes a command of a device that ended now and took `time`. `earliest` is the time of its submission.
    fn command(&self, track: (u64, u64), event: &Event<'_>, time: Duration, earliest: Duration) {
        let mut state = self.lock();
        let end = self.start.elapsed();
        // If several threads wait for one queue, the time that a thread measures also contains the commands of the
        // other threads.
        let last = state.tracks.get(&track).copied().unwrap_or_default();
        state.event(track, event, end.saturating_sub(time).max(earliest).max(last), end);
    }
}

impl State {
    fn event(&mut self, track: (u64, u64), event: &Event<'_>, start: Duration, end: Duration) {
        let (process, thread) = track;
        if self.tracks.insert(track, end).is_none() {
            let kind = if process == HOST { "thread" } else { "queue" };
            self.write(&named("thread_name", process, thread, &format!("{kind} {thread}")));
        }
        let micros = |time: Duration| time.as_nanos() as f64 / 1e3;
        let (ts, dur) = (micros(start), micros(end.saturating_sub(start)));
        let (kind, name) = (text(event.kind), text(event.name));
        let mut args = Vec::new();
        args.extend(event.bytes.map(|bytes| format!("\"bytes\":{bytes}")));
        args.extend(event.clock.map(|clock| match clock {
            Clock::Device => "\"clock\":\"device\"".to_string(),
            Clock::Host => "\"clock\":\"host\"".to_string(),
        }));
        let args = args.join(",");
        self.write(&format!(
            "{{\"name\":{name},\"cat\":{kind},\"ph\":\"X\",\"ts\":{ts:.3},\"dur\":{dur:.3},\"pid\":{process},\"tid\":{thread},\"args\":{{{args}}}}}"
        ));
    }

    /// Appends an event. After a failed write, the timeline ends.
    fn write(&mut self, event: &str) {
        let Some(file) = &mut self.file else { return };
        let mut append = || {
            file.seek(SeekFrom::End(-(END.len() as i64)))?;
            file.write_all(format!(",\n{event}{END}").as_bytes())
        };
        if let Err(error) = append() {
            self.file = None;
            notice(RuntimeError::environment(format!("the file of CUBE_PROFILE ends early: {error}; free some space")));
        }
    }
}

/// The event that names a process or a thread.
fn named(what: &str, process: u64, thread: u64, name: &str) -> String {
    let name = text(name);
    format!("{{\"name\":\"{what}\",\"ph\":\"M\",\"pid\":{process},\"tid\":{thread},\"args\":{{\"name\":{name}}}}}")
}

/// Formats a text as a string of JSON.
fn text(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

impl Session {
    /// Submits and counts a command. If the program has a timeline, the call waits for the command and writes its time.
    pub(super) fn timed(
        &self,
        kind: &'static str,
        name: &str,
        bytes: Option<u64>,
        work: impl FnOnce() -> std::result::Result<(), RuntimeError>,
    ) -> std::result::Result<(), RuntimeError> {
        let Some((timeline, device)) = &self.timeline else {
            return work().inspect(|()| self.counters.command(kind, bytes));
        };
        let span = timeline.span(kind, name, bytes);
        let mut work = Some(work);
        let (time, clock) = self.device.measure_on(self.queue, &mut || work.take().map_or(Ok(()), |work| work()))?;
        let track = (*device, queue_number(self.queue));
        self.counters.command(kind, bytes);
        timeline.command(track, &Event { kind, name, bytes, clock: Some(clock) }, time, span.start);
        Ok(())
    }
}

fn queue_number(queue: Queue) -> u64 {
    queue.index() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_texts_of_json() {
        assert_eq!(text("a \"b\"\\\n\u{e9}"), "\"a \\\"b\\\"\\\\\\u000a\u{e9}\"");
    }

    #[test]
    fn commands_of_one_queue_do_not_overlap_and_start_after_their_submission() {
        let path = std::env::temp_dir().join(format!("cube-timeline-{}.json", std::process::id()));
        let timeline = Timeline::new(&path).unwrap();
        let device = timeline.add_device("d");
        let event = Event { kind: "launch", name: "k", bytes: None, clock: Some(Clock::Device) };
        for _ in 0..3 {
            // This time is longer than the program's run time, as for an inexact clock of the device.
            timeline.command((device, 0), &event, Duration::from_secs(1000), Duration::from_nanos(5));
        }
        let written = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let field = |line: &str, name: &str| -> f64 {
            let rest = line.split_once(&format!("\"{name}\":")).unwrap().1;
            rest.split([',', '}']).next().unwrap().parse().unwrap()
        };
        let slices: Vec<_> = written.lines().filter(|line| line.contains("\"X\"")).collect();
        assert_eq!(slices.len(), 3, "{written}");
        assert_eq!(field(slices[0], "ts"), 0.005);
        for pair in slices.windows(2) {
            let end = field(pair[0], "ts") + field(pair[0], "dur");
            assert!(field(pair[1], "ts") >= end - 0.002 && field(pair[1], "dur") >= 0.0, "{written}");
        }
        assert!(written.starts_with("[\n{") && written.ends_with("}\n]\n"), "{written}");
    }
}
