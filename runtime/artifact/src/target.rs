//! Names of targets: `cpu`, `cpu:x86-64-v3`, `nvptx:sm_90a`, `amdgpu:gfx1100`.
use crate::{Message, messages::Language};
use serde::{Deserialize, Serialize};

/// Target of compiled code: a backend and, optionally, a chip.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// Name of the backend, for example `cpu`.
    pub backend: String,
    /// Name of the chip as the backend spells it, for example `sm_90a`; `None` selects the backend's default
    /// chip.
    pub chip: Option<String>,
}

/// A target that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetError(pub Message);

impl std::fmt::Display for TargetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.words(Language::Mlir))
    }
}

impl std::error::Error for TargetError {}

impl Target {
    /// The CPU on which this program runs.
    pub fn cpu() -> Self {
        Target { backend: "cpu".into(), chip: None }
    }
}

impl std::str::FromStr for Target {
    type Err = TargetError;

    /// Parses `BACKEND` or `BACKEND:CHIP`. The driver checks that the backend exists.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        let (backend, chip) = match text.split_once(':') {
            Some((backend, chip)) => (backend, Some(chip)),
            None => (text, None),
        };
        let word = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
        if !word(backend) || chip.is_some_and(|c| !word(c)) {
            return Err(TargetError(crate::diagnostic!(CUBE0500.form { text })));
        }
        Ok(Target { backend: backend.into(), chip: chip.map(Into::into) })
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.chip {
            Some(chip) => write!(f, "{}:{chip}", self.backend),
            None => f.write_str(&self.backend),
        }
    }
}
