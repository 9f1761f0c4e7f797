//! Outputs of log messages.
use super::LogLevel;
use crate::host::variables::{notice, variables};
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The level of the events that a logger sends to `tracing`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LogCrateLevel {
    /// `tracing::Level::INFO`.
    #[default]
    Info,
    /// `tracing::Level::DEBUG`.
    Debug,
    /// `tracing::Level::TRACE`.
    Trace,
}

/// The events to log, and the outputs of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggerConfig<L> {
    /// Path of a log file.
    pub file: Option<PathBuf>,
    /// Whether messages are appended to an existing file.
    pub append: bool,
    /// Whether messages go to standard output.
    pub stdout: bool,
    /// Whether messages go to standard error.
    pub stderr: bool,
    /// Level of the events that are sent to `tracing`. If the value is `None`, no events are sent.
    pub log: Option<LogCrateLevel>,
    /// Verbosity of the configuration section's log. The lowest level logs nothing.
    pub level: L,
}

impl<L: LogLevel> Default for LoggerConfig<L> {
    fn default() -> Self {
        LoggerConfig { file: None, append: true, stdout: false, stderr: false, log: None, level: L::default() }
    }
}

impl<L: LogLevel> LoggerConfig<L> {
    /// Applies a value of `CUBE_DEBUG_LOG`, which selects an output, and sets the verbosity to `level`. The value `0`
    /// disables the log.
    pub(super) fn to(&mut self, value: &str, level: L) {
        self.level = level;
        match value {
            "stdout" => self.stdout = true,
            "stderr" => self.stderr = true,
            "1" | "true" => self.file = Some(variables().temporary().join("cube.log")),
            "0" | "false" => self.level = L::NAMES[0].1,
            file => self.file = Some(file.into()),
        }
    }
}

/// Writes messages to the configured outputs. The writer keeps log files open.
#[derive(Debug, Default)]
pub struct LogWriter {
    files: Mutex<HashMap<PathBuf, Option<File>>>,
}

impl LogWriter {
    /// Writes one message to all outputs of `config`.
    pub fn write<L>(&self, config: &LoggerConfig<L>, message: &str) {
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
                // A failed write, for example on a full disk, does not stop the program.
                let _ = writeln!(file, "{message}");
            }
        }
    }
}

/// Opens the file. A failure is reported as a notice, once per file.
fn open(path: &Path, append: bool) -> Option<File> {
    let opened = File::options().create(true).write(true).append(append).truncate(!append).open(path);
    opened.map_err(|error| notice(format_args!("messages cannot be written to {}: {error}", path.display()))).ok()
}
