//! Results of candidates on disk. Each pair of tuner and device has a text file with one line per result.
//!
//! Each line ends with a checksum of its other fields, and an incomplete line is ignored. A process that is killed
//! while it writes a line, or a full disk, therefore cannot cause a wrong result. A process that continues the work of
//! a killed process reads the results that were written.
use super::{AutotuneError, TuneOutcome};
use crate::host::config::GlobalConfig;
use crate::host::variables::notice;
use std::collections::HashMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

/// First field of a line in a file of results: the file format and its version.
const FORMAT: &str = "cube-autotune-2";

/// The number of measurements without a result after which a candidate is excluded. A measurement has no result if the
/// process ended during the measurement.
const MAX_STARTS: u32 = 2;

/// The stored result of one candidate for one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Record {
    outcome: Option<TuneOutcome>,
    /// Number of measurements that began after the last result.
    starts: u32,
}

/// The results of a tuner's candidates for a device, in a file.
#[derive(Debug, Default)]
pub struct ChoiceCache {
    file: PathBuf,
    /// The results, by the text of the key and the identity of the candidate.
    records: HashMap<(String, String), Record>,
}

/// Replaces the characters of a name that are unsafe in file names.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

impl ChoiceCache {
    /// Reads the results of a tuner for a device, from the configured folder.
    pub fn of(device: &str, tuner: &str) -> Self {
        Self::below(&GlobalConfig::folder_of(&GlobalConfig::get().autotune.cache), device, tuner)
    }

    fn below(root: &Path, device: &str, tuner: &str) -> Self {
        let file = root.join("autotune").join(plain(device)).join(format!("{}.txt", plain(tuner)));
        let mut cache = ChoiceCache { file, records: HashMap::new() };
        // A damaged file can contain bytes that are not text.
        let bytes = fs::read(&cache.file).unwrap_or_default();
        for line in String::from_utf8_lossy(&bytes).lines().filter_map(Line::read) {
            cache.add(line);
        }
        cache
    }

    fn add(&mut self, line: Line) {
        let record = self.records.entry((line.key, line.candidate)).or_default();
        match line.outcome {
            Some(outcome) => *record = Record { outcome: Some(outcome), starts: 0 },
            None => record.starts += 1,
        }
    }

    /// The stored result of a candidate for a key. A candidate with [`MAX_STARTS`] measurements that ended with their
    /// process has failed.
    pub fn find(&self, key: &str, candidate: &str) -> Option<TuneOutcome> {
        if !self.is_excluded(key, candidate) {
            return self.records.get(&(key.to_string(), candidate.to_string()))?.outcome.clone();
        }
        let reason = format!("{MAX_STARTS} processes ended during the measurement of the candidate");
        Some(TuneOutcome::Failed(AutotuneError::Unknown(reason)))
    }

    /// Whether processes ended during the measurement of a candidate. See [`ChoiceCache::find`].
    pub fn is_excluded(&self, key: &str, candidate: &str) -> bool {
        let record = self.records.get(&(key.to_string(), candidate.to_string()));
        record.is_some_and(|record| record.starts >= MAX_STARTS)
    }

    /// Stores that a measurement begins.
    pub fn begin(&mut self, key: &str, candidate: &str, name: &str) {
        self.write(Line { key: key.into(), candidate: candidate.into(), name: name.into(), outcome: None });
    }

    /// Stores a result. For a candidate that was not measured because of the budget or its predicted time, nothing is stored.
    pub fn keep(&mut self, key: &str, candidate: &str, name: &str, outcome: &TuneOutcome) {
        if !matches!(outcome, TuneOutcome::OutOfBudget | TuneOutcome::PredictedSlow { .. }) {
            let (key, candidate, name) = (key.into(), candidate.into(), name.into());
            self.write(Line { key, candidate, name, outcome: Some(outcome.clone()) });
        }
    }

    /// Adds a line to the file. The first failed write is reported as a notice. A failed write does not stop the program.
    fn write(&mut self, line: Line) {
        let text = line.to_string();
        self.add(line);
        let append = || {
            self.file.parent().map_or(Ok(()), fs::create_dir_all)?;
            let mut file = fs::File::options().create(true).read(true).append(true).open(&self.file)?;
            // If the file ends with an incomplete line, the new entry begins on a new line.
            let mut last = [b'\n'];
            if file.seek(SeekFrom::End(0))? > 0 {
                file.seek(SeekFrom::End(-1))?;
                file.read_exact(&mut last)?;
            }
            let separator = if last == [b'\n'] { "" } else { "\n" };
            // The whole line is written by one call, because other processes can append to this file at the same time.
            file.write_all(format!("{separator}{text}\n").as_bytes())
        };
        if let Err(error) = append() {
            static REPORTED: Once = Once::new();
            let file = self.file.display();
            REPORTED.call_once(|| {
                notice(format_args!("autotune results cannot be written to {file}: {error}; they are lost at exit"))
            });
        }
    }
}

/// A line of a file of results. Without an outcome, the line records the start of a measurement.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    key: String,
    candidate: String,
    name: String,
    outcome: Option<TuneOutcome>,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, value) = match &self.outcome {
            None => ("started", String::new()),
            Some(TuneOutcome::Measured(time)) => ("measured", format!("{} ns", time.as_nanos())),
            Some(TuneOutcome::Rejected(reason)) => ("rejected", reason.to_string()),
            Some(TuneOutcome::Failed(reason)) => ("failed", reason.to_string()),
            Some(TuneOutcome::OutOfBudget) => ("out of budget", String::new()),
            Some(TuneOutcome::PredictedSlow { .. }) => ("predicted slow", String::new()),
        };
        let fields =
            [&self.candidate, kind, &value, &self.name, &self.key].map(|field| field.escape_debug().to_string());
        let text = format!("{FORMAT}\t{}", fields.join("\t"));
        write!(f, "{text}\t{}", checksum(&text))
    }
}

fn checksum(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..8].to_string()
}

impl Line {
    /// Parses a line; `None` for an incomplete line or a line of another format.
    fn read(line: &str) -> Option<Line> {
        let (text, sum) = line.rsplit_once('\t')?;
        if sum != checksum(text) {
            return None;
        }
        let [form, fields @ ..]: [&str; 6] = text.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let [candidate, kind, value, name, key] = fields.map(unescape);
        let (kind, value) = (kind?, value?);
        let reason = |value: String| AutotuneError::Unknown(value);
        let outcome = match kind.as_str() {
            _ if form != FORMAT => return None,
            "started" => None,
            "measured" => Some(TuneOutcome::Measured(Duration::from_nanos(value.strip_suffix(" ns")?.parse().ok()?))),
            "rejected" => Some(TuneOutcome::Rejected(reason(value))),
            "failed" => Some(TuneOutcome::Failed(reason(value))),
            _ => return None,
        };
        Some(Line { key: key?, candidate: candidate?, name: name?, outcome })
    }
}

/// Computes the inverse of `str::escape_debug`.
fn unescape(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match rest.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            'u' => {
                let number: String = rest.by_ref().skip(1).take_while(|c| *c != '}').collect();
                char::from_u32(u32::from_str_radix(&number, 16).ok()?)?
            }
            other => other,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(ns: u64) -> TuneOutcome {
        TuneOutcome::Measured(Duration::from_nanos(ns))
    }

    fn failed(reason: &str) -> TuneOutcome {
        TuneOutcome::Failed(AutotuneError::Unknown(reason.into()))
    }

    #[test]
    fn results_are_found_again_by_key_and_candidate() {
        let root = tempfile::tempdir().unwrap();
        let cache = || ChoiceCache::below(root.path(), "cpu: 0", "mine::sum");
        let key = "Key { name: \"a\\b\t\u{7f}\", n: 3 }\nsecond";
        let mut written = cache();
        assert_eq!(written.find(key, "s"), None);
        written.keep(key, "s", "one", &time(2));
        written.keep(key, "s", "one", &time(1));
        written.keep("other", "s", "a\tb", &failed("first line\nsecond line"));
        written.keep("other", "t", "two", &TuneOutcome::OutOfBudget);
        let file = root.path().join("autotune/cpu--0/mine--sum.txt");
        let text = fs::read_to_string(&file).unwrap();
        // Changed lines, another format, and bytes that are not text.
        let changed: Vec<_> = text.lines().map(|line| line.replace(" ns", "7 ns").replace("other", "third")).collect();
        let other = b"\n\xff\tnonsense\ncube-autotune-1\ts\t0\tother";
        fs::write(&file, [text.as_bytes(), changed.join("\n").as_bytes(), other].concat()).unwrap();
        let again = cache();
        let found = [(key, "s"), (key, "t"), ("other", "s"), ("other", "t"), ("third", "s")];
        let expected = [Some(time(1)), None, Some(failed("first line\nsecond line")), None, None];
        assert_eq!(found.map(|(key, candidate)| again.find(key, candidate)), expected);
        // The next result is found even if the file does not end with a line end.
        cache().keep("fourth", "s", "one", &time(4));
        assert_eq!(cache().find("fourth", "s"), Some(time(4)));
    }

    #[test]
    fn every_prefix_of_a_file_has_only_complete_results() {
        let root = tempfile::tempdir().unwrap();
        let cache = || ChoiceCache::below(root.path(), "d", "t");
        let mut written = cache();
        let outcomes = [time(123), failed("why"), time(1234)];
        for (number, outcome) in outcomes.iter().enumerate() {
            written.keep("k", &number.to_string(), "name", outcome);
        }
        let file = root.path().join("autotune/d/t.txt");
        let text = fs::read(&file).unwrap();
        let ends: Vec<usize> = (0..text.len()).filter(|at| text[*at] == b'\n').collect();
        for length in 0..=text.len() {
            fs::write(&file, &text[..length]).unwrap();
            let read = cache();
            for (number, outcome) in outcomes.iter().enumerate() {
                let expected = (ends[number] <= length).then(|| outcome.clone());
                assert_eq!(read.find("k", &number.to_string()), expected, "{length} bytes, result {number}");
            }
        }
    }

    #[test]
    fn a_candidate_that_ends_two_processes_has_failed() {
        let root = tempfile::tempdir().unwrap();
        let cache = || ChoiceCache::below(root.path(), "d", "t");
        cache().begin("k", "c", "n");
        assert_eq!(cache().find("k", "c"), None, "one process can end for another reason");
        cache().begin("k", "c", "n");
        assert!(
            matches!(cache().find("k", "c"), Some(TuneOutcome::Failed(reason)) if reason.to_string().contains("2 processes ended"))
        );
        cache().keep("k", "c", "n", &time(5));
        assert_eq!(cache().find("k", "c"), Some(time(5)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_keeps_the_results_in_memory() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("t.txt");
        std::os::unix::fs::symlink("/dev/full", &file).unwrap();
        let mut cache = ChoiceCache { file, records: HashMap::new() };
        cache.keep("k", "c", "n", &time(5));
        assert_eq!(cache.find("k", "c"), Some(time(5)));
    }
}
