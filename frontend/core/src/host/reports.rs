//! Reports about each kernel, which environment variables request.
//!
//! | variable | report |
//! |---|---|
//! | `CUBE_DUMP=folder` | the kernel as text, and its module after every phase; `cube-run` executes each of these files |
//! | `CUBE_TRACE=folder` | one folder per kernel: changes and remarks of every pass, and the code; edited files are compiled instead |
//! | `CUBE_EXPLAIN=1` | one screen per kernel on standard error: access widths, remaining checks, missed optimisations with reasons |
use cube_artifact::{CompileError, Reports, Target, Variables};
use std::path::{Path, PathBuf};

/// The reports that environment variables request.
#[derive(Clone, Debug, Default)]
pub struct ReportRequests {
    dump: Option<PathBuf>,
    trace: Option<PathBuf>,
    pub(crate) explain: bool,
}

impl ReportRequests {
    /// Reads the report requests from `variables`.
    pub fn of_variables(variables: &Variables) -> Self {
        Self::of(|name| variables.get(name).map(PathBuf::from))
    }

    fn of(variable: impl Fn(&str) -> Option<PathBuf>) -> Self {
        // Paths become absolute, because the compiler is another process and the program can change
        // its folder.
        let folder = |name| {
            let path = variable(name).filter(|path| !path.as_os_str().is_empty())?;
            Some(std::path::absolute(&path).unwrap_or(path))
        };
        let explain = variable("CUBE_EXPLAIN").is_some_and(|v| !v.as_os_str().is_empty() && v.as_os_str() != "0");
        ReportRequests { dump: folder("CUBE_DUMP"), trace: folder("CUBE_TRACE"), explain }
    }

    /// The compiler options that request the reports for the kernel with the text `text`. `instance` returns the
    /// kernel's name with types and values.
    pub fn reports(&self, name: &str, instance: &dyn Fn() -> String, text: &str, target: &Target) -> Reports {
        if self.dump.is_none() && self.trace.is_none() && !self.explain {
            return Reports::default();
        }
        let instance = instance();
        let mut hash = blake3::Hasher::new();
        hash.update(text.as_bytes()).update(target.to_string().as_bytes());
        let suffix = part_of_name(instance.strip_prefix(name).unwrap_or_default());
        let stem = format!("{name}{suffix}-{}", &hash.finalize().to_hex()[..8]);
        let below = |folder: &PathBuf| folder.join(&stem).to_string_lossy().into_owned();
        let (dump, trace) = (self.dump.as_ref().map(below), self.trace.as_ref().map(below));
        Reports { dump, trace, explain: self.explain, instance, notes: Vec::new() }
    }

    /// Creates the report folders, and writes the kernel's text if `CUBE_DUMP` is set.
    ///
    /// # Errors
    /// A report folder cannot be created or written.
    pub fn begin(&self, reports: &Reports, text: &str) -> Result<(), CompileError> {
        let folder_error = |variable: &str, folder: &Path, error: std::io::Error| {
            let folder = folder.display();
            CompileError::from(cube_artifact::diagnostic!(CUBE0923.folder { variable, folder, error }))
        };
        if let (Some(folder), Some(stem)) = (&self.dump, &reports.dump) {
            let written = std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::write(format!("{stem}.mlir"), format!("{}{text}", reports.instance_comment())));
            written.map_err(|error| folder_error("CUBE_DUMP", folder, error))?;
        }
        if let Some(folder) = &self.trace {
            std::fs::create_dir_all(folder).map_err(|error| folder_error("CUBE_TRACE", folder, error))?;
        }
        Ok(())
    }
}

/// Maximum number of characters for types and values in a file name.
const MAX_STEM: usize = 60;

/// Converts types and values to a part of a file name: `<F = f32>(tile = 16)` becomes `-F-f32-tile-16`.
fn part_of_name(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let name: String = words.flat_map(|word| ["-", word]).collect();
    name[..name.len().min(MAX_STEM)].trim_end_matches('-').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports_of(requests: &ReportRequests, instance: &str, text: &str, target: &Target) -> Reports {
        requests.reports("k", &|| instance.to_string(), text, target)
    }

    #[test]
    fn report_paths_are_absolute_and_zero_disables_explanations() {
        let requests = ReportRequests::of(|name| match name {
            "CUBE_TRACE" => Some("here".into()),
            "CUBE_EXPLAIN" => Some("0".into()),
            _ => None,
        });
        let reports = reports_of(&requests, "k", "text", &Target::cpu());
        let trace = reports.trace.unwrap();
        assert!(trace.starts_with('/') && trace.contains("/here/k-"), "{trace}");
        assert!(!reports.explain && reports.dump.is_none());
        assert!(ReportRequests::of(|_| Some("1".into())).explain);
        assert!(reports_of(&ReportRequests::of(|_| Some("".into())), "k<F = f32>", "", &Target::cpu()).is_empty());
    }

    #[test]
    fn an_invalid_folder_is_reported_with_its_variable() {
        for variable in ["CUBE_DUMP", "CUBE_TRACE"] {
            let requests = ReportRequests::of(|name| (name == variable).then(|| "/dev/null/below".into()));
            let report =
                requests.begin(&reports_of(&requests, "k", "text", &Target::cpu()), "text").unwrap_err().to_string();
            let words =
                [variable, "CUBE0923", "/dev/null/below", "set the variable to another folder, or unset the variable"];
            assert!(words.iter().all(|word| report.contains(word)), "{report}");
        }
    }

    #[test]
    fn kernels_of_one_name_and_targets_of_one_kernel_have_separate_files() {
        let requests = ReportRequests::of(|name| (name == "CUBE_TRACE").then(|| "t".into()));
        let gpu: Target = "nvptx:sm_90".parse().unwrap();
        let reports =
            [("a", Target::cpu()), ("b", Target::cpu()), ("a", gpu)].map(|(t, to)| reports_of(&requests, "k", t, &to));
        assert!(reports[0] != reports[1] && reports[0] != reports[2] && reports[1] != reports[2]);
    }

    #[test]
    fn files_are_named_by_types_and_values() {
        let requests = ReportRequests::of(|name| (name == "CUBE_DUMP").then(|| "d".into()));
        let name = |instance: &str| {
            let dump = reports_of(&requests, instance, "text", &Target::cpu()).dump.unwrap();
            let name = Path::new(&dump).file_name().unwrap().to_string_lossy().into_owned();
            name.rsplit_once('-').unwrap().0.to_string()
        };
        assert_eq!(name("k"), "k");
        assert_eq!(name("k<F = f32>(tile = 16, path = \"../a\")"), "k-F-f32-tile-16-path-a");
        assert_eq!(name(&format!("k(v = {})", "x/".repeat(99))).len(), "k".len() + MAX_STEM);
    }
}
