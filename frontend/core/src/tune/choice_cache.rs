//! Choices on disk. Each pair of tuner and device has a text file with one line per key.
use crate::host::config::GlobalConfig;
use crate::host::variables::notice;
use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// First field of a line in a choice file: the file format and its version.
const FORMAT: &str = "cube-autotune-1";

/// The choices of a tuner for a device, in a file.
#[derive(Debug, Default)]
pub struct ChoiceCache {
    file: PathBuf,
    choices: HashMap<(String, String), usize>,
}

/// Replaces the characters of a name that are unsafe in file names.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

impl ChoiceCache {
    /// Reads the choices of a tuner for a device, from the configured folder.
    pub fn of(device: &str, tuner: &str) -> Self {
        Self::below(&GlobalConfig::folder_of(&GlobalConfig::get().autotune.cache), device, tuner)
    }

    fn below(root: &Path, device: &str, tuner: &str) -> Self {
        let file = root.join("autotune").join(plain(device)).join(format!("{}.txt", plain(tuner)));
        let text = fs::read_to_string(&file).unwrap_or_default();
        let choices = text.lines().filter_map(read).collect();
        ChoiceCache { file, choices }
    }

    /// The index of the stored choice for a key and a checksum of the candidates.
    pub fn find(&self, key: &str, sum: &str) -> Option<usize> {
        self.choices.get(&(key.to_string(), sum.to_string())).copied()
    }

    /// Stores a choice. The first failed write is reported as a notice. A failed write does not stop the
    /// program.
    pub fn keep(&mut self, key: &str, sum: &str, index: usize) {
        self.choices.insert((key.to_string(), sum.to_string()), index);
        // The whole line is written at once, because other processes can append to the same file.
        let line = format!("{FORMAT}\t{}\t{index}\t{}\n", sum.escape_debug(), key.escape_debug());
        let folder = self.file.parent().map_or(Ok(()), fs::create_dir_all);
        let opened = folder.and_then(|()| fs::File::options().create(true).append(true).open(&self.file));
        if let Err(error) = opened.and_then(|mut file| file.write_all(line.as_bytes())) {
            static REPORTED: Once = Once::new();
            let file = self.file.display();
            REPORTED.call_once(|| {
                notice(format_args!("autotune choices cannot be written to {file}: {error}; they are lost at exit"))
            });
        }
    }
}

/// Parses a line. A later line replaces an earlier line with the same key. Invalid lines are ignored.
fn read(line: &str) -> Option<((String, String), usize)> {
    let [form, sum, index, key] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    (form == FORMAT).then_some(((unescape(key)?, unescape(sum)?), index.parse().ok()?))
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

    #[test]
    fn choices_are_found_again_by_key_and_sum() {
        let root = std::env::temp_dir().join(format!("cube-kept-{}", std::process::id()));
        let key = "Key { name: \"a\\b\t\u{7f}\", n: 3 }\nsecond";
        let mut cache = ChoiceCache::below(&root, "cpu: 0", "mine::sum");
        assert_eq!(cache.find(key, "s"), None);
        cache.keep(key, "s", 2);
        cache.keep(key, "s", 1);
        cache.keep("other", "s", 0);
        let file = root.join("autotune/cpu--0/mine--sum.txt");
        let broken = fs::read_to_string(&file).unwrap() + "cube-autotune-1\ts\tx\tother\nnonsense";
        fs::write(&file, broken).unwrap();
        let again = ChoiceCache::below(&root, "cpu: 0", "mine::sum");
        let found = [(key, "s"), (key, "t"), ("other", "s"), ("third", "s")].map(|(key, sum)| again.find(key, sum));
        assert_eq!(found, [Some(1), None, Some(0), None]);
        fs::remove_dir_all(root).unwrap();
    }
}
