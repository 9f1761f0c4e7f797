//! Choices on disk: a text file for each tuner and device, a line for each key.
use crate::host::config::GlobalConfig;
use crate::host::variables::notice;
use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// The first word of a line, with the version of its form.
const FORM: &str = "cube-autotune-1";

/// The choices of a file.
#[derive(Debug, Default)]
pub struct Kept {
    file: PathBuf,
    choices: HashMap<(String, String), usize>,
}

/// A name as that of a file.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

impl Kept {
    /// The choices of a tuner for a device, where the configuration keeps them.
    pub fn of(device: &str, tuner: &str) -> Self {
        Self::below(&GlobalConfig::get().autotune.cache.root(), device, tuner)
    }

    fn below(root: &Path, device: &str, tuner: &str) -> Self {
        let file = root.join("autotune").join(plain(device)).join(format!("{}.txt", plain(tuner)));
        let text = fs::read_to_string(&file).unwrap_or_default();
        let choices = text.lines().filter_map(read).collect();
        Kept { file, choices }
    }

    /// The choice for a key, of candidates with that sum.
    pub fn find(&self, key: &str, sum: &str) -> Option<usize> {
        self.choices.get(&(key.to_string(), sum.to_string())).copied()
    }

    /// Keeps a choice. A disk that cannot be written is told once, and is no reason to stop computing.
    pub fn keep(&mut self, key: &str, sum: &str, index: usize) {
        self.choices.insert((key.to_string(), sum.to_string()), index);
        // One write of a whole line: other processes may do the same.
        let line = format!("{FORM}\t{}\t{index}\t{}\n", sum.escape_debug(), key.escape_debug());
        let folder = self.file.parent().map_or(Ok(()), fs::create_dir_all);
        let opened = folder.and_then(|()| fs::File::options().create(true).append(true).open(&self.file));
        if let Err(error) = opened.and_then(|mut file| file.write_all(line.as_bytes())) {
            static TOLD: Once = Once::new();
            let file = self.file.display();
            TOLD.call_once(|| {
                notice(format_args!("choices among kernels cannot be kept in {file}: {error}; they hold for this run"))
            });
        }
    }
}

/// A line that was kept; the later of two for a key counts, and what cannot be read counts for nothing.
fn read(line: &str) -> Option<((String, String), usize)> {
    let [form, sum, index, key] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    (form == FORM).then_some(((unescape(key)?, unescape(sum)?), index.parse().ok()?))
}

/// The text before `escape_debug`.
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

    #[test]
    fn choices_are_found_again_by_key_and_sum() {
        let root = std::env::temp_dir().join(format!("cube-kept-{}", std::process::id()));
        let key = "Key { name: \"a\\b\t\u{7f}\", n: 3 }\nsecond";
        let mut kept = Kept::below(&root, "cpu: 0", "mine::sum");
        assert_eq!(kept.find(key, "s"), None);
        kept.keep(key, "s", 2);
        kept.keep(key, "s", 1);
        kept.keep("other", "s", 0);
        let file = root.join("autotune/cpu--0/mine--sum.txt");
        let broken = fs::read_to_string(&file).unwrap() + "cube-autotune-1\ts\tx\tother\nnonsense";
        fs::write(&file, broken).unwrap();
        let again = Kept::below(&root, "cpu: 0", "mine::sum");
        let found = [(key, "s"), (key, "t"), ("other", "s"), ("third", "s")].map(|(key, sum)| again.find(key, sum));
        assert_eq!(found, [Some(1), None, Some(0), None]);
        fs::remove_dir_all(root).unwrap();
    }
}
