//! Where messages go.
use super::Level;
use crate::host::variables::notice;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The level of events for `tracing`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LogCrateLevel {
    /// Info.
    #[default]
    Info,
    /// Debug.
    Debug,
    /// Trace.
    Trace,
}

/// What is told, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggerConfig<L> {
    /// A file.
    pub file: Option<PathBuf>,
    /// Whether the file keeps what was in it.
    pub append: bool,
    /// Standard output.
    pub stdout: bool,
    /// Standard error.
    pub stderr: bool,
    /// Events of `tracing`.
    pub log: Option<LogCrateLevel>,
    /// How much.
    pub level: L,
}

impl<L: Level> Default for LoggerConfig<L> {
    fn default() -> Self {
        LoggerConfig { file: None, append: true, stdout: false, stderr: false, log: None, level: L::default() }
    }
}

impl<L: Level> LoggerConfig<L> {
    /// The place that `CUBE_DEBUG_LOG` names, and how much is told there; `0` takes all of it back.
    pub(super) fn to(&mut self, value: &str, level: L) {
        self.level = level;
        match value {
            "stdout" => self.stdout = true,
            "stderr" => self.stderr = true,
            "1" | "true" => self.file = Some(std::env::temp_dir().join("cube.log")),
            "0" | "false" => self.level = L::NAMES[0].1,
            file => self.file = Some(file.into()),
        }
    }
}

/// Writes messages to the places of a configuration; files stay open.
#[derive(Debug, Default)]
pub struct Sink {
    files: Mutex<HashMap<PathBuf, Option<File>>>,
}

impl Sink {
    /// Tells a message.
    pub fn tell<L>(&self, config: &LoggerConfig<L>, message: &str) {
        if config.stdout {
            println!("{message}");
        }
        if config.stderr {
            eprintln!("{message}");
        }
        match config.log {
            Some(LogCrateLevel::Info) => tracing::info!("{message}"),
            Some(LogCrateLevel::Debug) => tracing::debug!("{message}"),
            Some(LogCrateLevel::Trace) => tracing::trace!("{message}"),
            None => {}
        }
        if let Some(path) = &config.file {
            let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
            let file = files.entry(path.clone()).or_insert_with(|| open(path, config.append));
            if let Some(file) = file {
                // A full disk is no reason to stop computing.
                let _ = writeln!(file, "{message}");
            }
        }
    }
}

/// The file; where it cannot be opened that is told once.
fn open(path: &Path, append: bool) -> Option<File> {
    let opened = File::options().create(true).write(true).append(append).truncate(!append).open(path);
    opened.map_err(|error| notice(format_args!("messages cannot be written to {}: {error}", path.display()))).ok()
}
