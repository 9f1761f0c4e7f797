//! Stored answers of z3, each with the hash of its question. A test asks z3 only for a question without a stored answer, and
//! for a part of the stored questions on each day.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

/// z3 answers each stored question again on one day in `PARTS` days.
const PARTS: u64 = 32;

/// A file of answers. With `BLESS=1`, the tests ask all questions again and write the file.
pub struct Answers {
    file: PathBuf,
    stored: BTreeMap<String, String>,
    used: Mutex<BTreeMap<String, String>>,
    bless: bool,
}

impl Answers {
    /// Reads a file of the crate that is tested.
    pub fn load(file: &str) -> Answers {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let rows = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
        let stored = rows.map(|(hash, answer)| (hash.into(), answer.into())).collect();
        Answers { file, stored, used: Mutex::default(), bless: std::env::var_os("BLESS").is_some() }
    }

    /// The answer on one line: the stored answer, or the answer of `z3`. `None` without z3 and a stored answer.
    pub fn of(&self, question: &str, z3: impl Fn(&str) -> Option<String>) -> Option<String> {
        let hash = blake3::hash(question.as_bytes());
        let key = hash.to_hex()[..32].to_owned();
        let day = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86400);
        let again = u64::from(hash.as_bytes()[0]) % PARTS == day % PARTS;
        let stored = self.stored.get(&key).filter(|_| !self.bless);
        if let Some(stored) = stored.filter(|_| !again) {
            return Some(stored.clone());
        }
        let now = z3(question).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        // Whether z3 decides a question depends on its version and on the load of the machine.
        if let (Some(now), Some(stored)) = (now.as_deref().and_then(decision), stored.and_then(|text| decision(text))) {
            assert_eq!(now, stored, "{} has another answer for {key}", self.file.display());
        }
        let answer = stored.cloned().or(now)?;
        if self.bless {
            self.write(key, &answer);
        }
        Some(answer)
    }

    fn write(&self, key: String, answer: &str) {
        let mut used = self.used.lock().expect("no test panics here");
        used.insert(key, answer.into());
        let head =
            "# Answers of z3 by the hashes of the questions. `BLESS=1` with the test of the same name writes them.\n";
        let rows: String = used.iter().map(|(hash, answer)| format!("{hash} {answer}\n")).collect();
        std::fs::write(&self.file, head.to_owned() + &rows).expect("the file is written");
    }
}

/// The first word of an answer that decides its question.
fn decision(answer: &str) -> Option<&str> {
    answer.split(' ').next().filter(|word| ["sat", "unsat"].contains(word))
}
