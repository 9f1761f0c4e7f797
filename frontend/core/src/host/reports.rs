//! What the environment asks to be written down about each kernel.
//!
//! | variable | what is written |
//! |---|---|
//! | `CUBE_DUMP=folder` | the kernel as text, and its module after every phase; `cube-run` runs each of these files |
//! | `CUBE_TRACE=folder` | a folder a kernel: every pass with what it changed and remarked, and the code; edited files are taken back |
//! | `CUBE_EXPLAIN=1` | a screen a kernel on standard error: widths of accesses, checks that are left, what was not done and why |
use cube_artifact::{CompileError, Reports, Target, codes};
use std::path::{Path, PathBuf};

/// What the environment asks for.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    dump: Option<PathBuf>,
    trace: Option<PathBuf>,
    explain: bool,
}

impl Wishes {
    /// As the environment has it.
    pub fn from_env() -> Self {
        Self::of(|name| std::env::var_os(name).map(PathBuf::from))
    }

    fn of(variable: impl Fn(&str) -> Option<PathBuf>) -> Self {
        // The compiler is another process, and the program may change its folder.
        let folder = |name| {
            let path = variable(name).filter(|path| !path.as_os_str().is_empty())?;
            Some(std::path::absolute(&path).unwrap_or(path))
        };
        let explain = variable("CUBE_EXPLAIN").is_some_and(|v| !v.as_os_str().is_empty() && v.as_os_str() != "0");
        Wishes { dump: folder("CUBE_DUMP"), trace: folder("CUBE_TRACE"), explain }
    }

    /// What the compiler is asked for, for a kernel of this text.
    pub fn reports(&self, name: &str, text: &str, target: &Target) -> Reports {
        let mut hash = blake3::Hasher::new();
        hash.update(text.as_bytes()).update(target.to_string().as_bytes());
        let stem = format!("{name}-{}", &hash.finalize().to_hex()[..8]);
        let below = |folder: &PathBuf| folder.join(&stem).to_string_lossy().into_owned();
        let (dump, trace) = (self.dump.as_ref().map(below), self.trace.as_ref().map(below));
        Reports { dump, trace, explain: self.explain }
    }

    /// Makes the folders, and writes the kernel's text where it is asked for.
    ///
    /// # Errors
    /// A folder cannot be made or written.
    pub fn begin(&self, reports: &Reports, text: &str) -> Result<(), CompileError> {
        let refused = |variable: &str, folder: &Path, error: std::io::Error| {
            let folder = folder.display();
            CompileError::new(
                codes::ENVIRONMENT,
                format!(
                    "{variable} names the folder {folder}, which cannot be written: {error}; name another, or unset it"
                ),
            )
        };
        if let (Some(folder), Some(stem)) = (&self.dump, &reports.dump) {
            let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(format!("{stem}.mlir"), text));
            written.map_err(|error| refused("CUBE_DUMP", folder, error))?;
        }
        if let Some(folder) = &self.trace {
            std::fs::create_dir_all(folder).map_err(|error| refused("CUBE_TRACE", folder, error))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_absolute_and_zero_explains_nothing() {
        let wishes = Wishes::of(|name| match name {
            "CUBE_TRACE" => Some("here".into()),
            "CUBE_EXPLAIN" => Some("0".into()),
            _ => None,
        });
        let reports = wishes.reports("k", "text", &Target::cpu());
        let trace = reports.trace.unwrap();
        assert!(trace.starts_with('/') && trace.contains("/here/k-"), "{trace}");
        assert!(!reports.explain && reports.dump.is_none());
        assert!(Wishes::of(|_| Some("1".into())).explain);
        assert!(Wishes::of(|_| Some("".into())).reports("k", "", &Target::cpu()).is_empty());
    }

    #[test]
    fn a_folder_that_cannot_be_is_told_with_its_variable() {
        for variable in ["CUBE_DUMP", "CUBE_TRACE"] {
            let wishes = Wishes::of(|name| (name == variable).then(|| "/dev/null/below".into()));
            let told = wishes.begin(&wishes.reports("k", "text", &Target::cpu()), "text").unwrap_err().to_string();
            let words = [variable, "CUBE0923", "/dev/null/below", "name another, or unset it"];
            assert!(words.iter().all(|word| told.contains(word)), "{told}");
        }
    }

    #[test]
    fn kernels_of_one_name_and_targets_of_one_kernel_have_places_of_their_own() {
        let wishes = Wishes::of(|name| (name == "CUBE_TRACE").then(|| "t".into()));
        let gpu: Target = "nvptx:sm_90".parse().unwrap();
        let places =
            [("a", Target::cpu()), ("b", Target::cpu()), ("a", gpu)].map(|(t, to)| wishes.reports("k", t, &to));
        assert!(places[0] != places[1] && places[0] != places[2] && places[1] != places[2]);
    }
}
