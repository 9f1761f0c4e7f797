//! What the environment asks to be written down about each kernel.
//!
//! | variable | what is written |
//! |---|---|
//! | `CUBE_DUMP=folder` | the kernel as text, and its module after every phase; `cube-run` runs each of these files |
//! | `CUBE_TRACE=folder` | a folder a kernel: every pass with what it changed and remarked, and the code; edited files are taken back |
//! | `CUBE_EXPLAIN=1` | a screen a kernel on standard error: widths of accesses, checks that are left, what was not done and why |
use cube_artifact::{CompileError, Reports, Target, Variables};
use std::path::{Path, PathBuf};

/// What the environment asks for.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    dump: Option<PathBuf>,
    trace: Option<PathBuf>,
    pub(crate) explain: bool,
}

impl Wishes {
    /// As the variables say.
    pub fn of_variables(variables: &Variables) -> Self {
        Self::of(|name| variables.get(name).map(PathBuf::from))
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

    /// What the compiler is asked for, for a kernel of this text; `instance` is its name with types and values.
    pub fn reports(&self, name: &str, instance: &dyn Fn() -> String, text: &str, target: &Target) -> Reports {
        if self.dump.is_none() && self.trace.is_none() && !self.explain {
            return Reports::default();
        }
        let instance = instance();
        let mut hash = blake3::Hasher::new();
        hash.update(text.as_bytes()).update(target.to_string().as_bytes());
        let words = part_of_name(instance.strip_prefix(name).unwrap_or_default());
        let stem = format!("{name}{words}-{}", &hash.finalize().to_hex()[..8]);
        let below = |folder: &PathBuf| folder.join(&stem).to_string_lossy().into_owned();
        let (dump, trace) = (self.dump.as_ref().map(below), self.trace.as_ref().map(below));
        Reports { dump, trace, explain: self.explain, instance }
    }

    /// Makes the folders, and writes the kernel's text where it is asked for.
    ///
    /// # Errors
    /// A folder cannot be made or written.
    pub fn begin(&self, reports: &Reports, text: &str) -> Result<(), CompileError> {
        let refused = |variable: &str, folder: &Path, error: std::io::Error| {
            let folder = folder.display();
            CompileError::from(cube_artifact::diagnostic!(CUBE0923.folder { variable, folder, error }))
        };
        if let (Some(folder), Some(stem)) = (&self.dump, &reports.dump) {
            let written = std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::write(format!("{stem}.mlir"), format!("{}{text}", reports.instance_comment())));
            written.map_err(|error| refused("CUBE_DUMP", folder, error))?;
        }
        if let Some(folder) = &self.trace {
            std::fs::create_dir_all(folder).map_err(|error| refused("CUBE_TRACE", folder, error))?;
        }
        Ok(())
    }
}

/// Characters of types and values in the name of a file.
const MOST: usize = 60;

/// Types and values as part of the name of a file: `<F = f32>(tile = 16)` is `-F-f32-tile-16`.
fn part_of_name(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let name: String = words.flat_map(|word| ["-", word]).collect();
    name[..name.len().min(MOST)].trim_end_matches('-').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(wishes: &Wishes, instance: &str, text: &str, target: &Target) -> Reports {
        wishes.reports("k", &|| instance.to_string(), text, target)
    }

    #[test]
    fn paths_are_absolute_and_zero_explains_nothing() {
        let wishes = Wishes::of(|name| match name {
            "CUBE_TRACE" => Some("here".into()),
            "CUBE_EXPLAIN" => Some("0".into()),
            _ => None,
        });
        let reports = asked(&wishes, "k", "text", &Target::cpu());
        let trace = reports.trace.unwrap();
        assert!(trace.starts_with('/') && trace.contains("/here/k-"), "{trace}");
        assert!(!reports.explain && reports.dump.is_none());
        assert!(Wishes::of(|_| Some("1".into())).explain);
        assert!(asked(&Wishes::of(|_| Some("".into())), "k<F = f32>", "", &Target::cpu()).is_empty());
    }

    #[test]
    fn a_folder_that_cannot_be_is_told_with_its_variable() {
        for variable in ["CUBE_DUMP", "CUBE_TRACE"] {
            let wishes = Wishes::of(|name| (name == variable).then(|| "/dev/null/below".into()));
            let told = wishes.begin(&asked(&wishes, "k", "text", &Target::cpu()), "text").unwrap_err().to_string();
            let words = [variable, "CUBE0923", "/dev/null/below", "name another, or unset it"];
            assert!(words.iter().all(|word| told.contains(word)), "{told}");
        }
    }

    #[test]
    fn kernels_of_one_name_and_targets_of_one_kernel_have_places_of_their_own() {
        let wishes = Wishes::of(|name| (name == "CUBE_TRACE").then(|| "t".into()));
        let gpu: Target = "nvptx:sm_90".parse().unwrap();
        let places =
            [("a", Target::cpu()), ("b", Target::cpu()), ("a", gpu)].map(|(t, to)| asked(&wishes, "k", t, &to));
        assert!(places[0] != places[1] && places[0] != places[2] && places[1] != places[2]);
    }

    #[test]
    fn files_are_named_by_types_and_values() {
        let wishes = Wishes::of(|name| (name == "CUBE_DUMP").then(|| "d".into()));
        let name = |instance: &str| {
            let dump = asked(&wishes, instance, "text", &Target::cpu()).dump.unwrap();
            let name = Path::new(&dump).file_name().unwrap().to_string_lossy().into_owned();
            name.rsplit_once('-').unwrap().0.to_string()
        };
        assert_eq!(name("k"), "k");
        assert_eq!(name("k<F = f32>(tile = 16, path = \"../a\")"), "k-F-f32-tile-16-path-a");
        assert_eq!(name(&format!("k(v = {})", "x/".repeat(99))).len(), "k".len() + MOST);
    }
}
