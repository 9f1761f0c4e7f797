//! Parses the remark options of the command line, and writes the remarks of the passes.
use crate::input;
use cube_artifact::CompileError;
use cube_driver::{PassInfo, PassInstrumentation};
use cube_ir::{
    OwnedModule, SessionError,
    remarks::{Remark, RemarkFilter, RemarkKind},
};
use regex_lite::Regex;
use std::{fmt::Write, ops::ControlFlow, sync::Arc};

/// The remark options of a command line.
#[derive(Clone, Default)]
pub struct RemarkOptions {
    /// The kinds of remarks to print: `passed`, `missed`, `analysis`; an empty text prints all kinds. `None`
    /// prints nothing.
    pub text: Option<String>,
    /// A regular expression for the names of passes.
    pub filter: Option<String>,
    /// A file to which the tool writes remarks in LLVM's format.
    pub yaml: Option<String>,
    /// Options of `mlir-opt` that request remarks, such as `--remarks-filter`, with their values.
    pub upstream: Vec<(String, String)>,
}

/// The options of `mlir-opt` that select remarks, each with the kinds that it selects. Cube's passes emit no
/// remarks of the kind `failed`.
const SELECTING_OPTIONS: [(&str, &[RemarkKind]); 5] = [
    ("remarks-filter", &RemarkKind::ALL),
    ("remarks-filter-passed", &[RemarkKind::Passed]),
    ("remarks-filter-missed", &[RemarkKind::Missed]),
    ("remarks-filter-analyse", &[RemarkKind::Analysis]),
    ("remarks-filter-failed", &[]),
];
/// Options of `mlir-opt` for the destination of remarks. The options for the destination do not affect Cube's
/// own remarks, which are diagnostics or LLVM's YAML.
const DESTINATION_OPTIONS: [&str; 3] = ["remark-format", "remark-policy", "remarks-output-file"];

impl RemarkOptions {
    /// The remark options as options of `cube-opt`, for a child process.
    pub fn words(&self) -> Vec<String> {
        let parts = [("", &self.text), ("-yaml", &self.yaml), ("-filter", &self.filter)];
        parts.iter().filter_map(|(name, value)| Some(format!("--cube-remarks{name}={}", value.as_ref()?))).collect()
    }

    /// Whether an option of `mlir-opt` requests remarks.
    pub fn is_of_upstream(name: &str) -> bool {
        DESTINATION_OPTIONS.contains(&name) || SELECTING_OPTIONS.iter().any(|(option, _)| *option == name)
    }

    // The kinds and passes that options of `mlir-opt` select.
    fn picks(&self) -> Result<Vec<(&'static [RemarkKind], Regex)>, String> {
        let file = self.upstream.iter().find(|(name, value)| {
            DESTINATION_OPTIONS.contains(&name.as_str()) && !["emitRemark", "all"].contains(&value.as_str())
        });
        if let Some((name, value)) = file {
            return Err(format!(
                "--{name}={value} would omit the remarks of Cube's passes; write the remarks with --cube-remarks-yaml=FILE"
            ));
        }
        let selected = |(name, value): &(String, String)| {
            let (_, kinds) = SELECTING_OPTIONS.iter().find(|(option, _)| option == name)?;
            Some(regex(value).map(|regex| (*kinds, regex)))
        };
        self.upstream.iter().filter_map(selected).collect()
    }

    /// The selection of remarks; `None` if no remarks are requested.
    ///
    /// # Errors
    /// A kind of remark is unknown, or the regular expression is invalid. The error text describes the wrong
    /// usage.
    pub fn pick(&self) -> Result<Option<RemarkFilter>, String> {
        let picks = self.picks()?;
        if self.text.is_none() && self.yaml.is_none() && picks.is_empty() {
            return match &self.filter {
                Some(_) => Err("a filter of remarks requires remarks; request text or YAML as well".into()),
                None => Ok(None),
            };
        }
        let words: Vec<&str> =
            self.text.iter().flat_map(|t| t.split(',')).map(str::trim).filter(|w| !w.is_empty()).collect();
        if let Some(wrong) = words.iter().find(|word| RemarkKind::ALL.iter().all(|k| k.word() != **word)) {
            let hint = cube_backend::suggestion(wrong, RemarkKind::ALL.iter().map(|k| k.word()));
            let hint = hint.map(|s| format!("; did you mean {s}?")).unwrap_or_default();
            return Err(format!("{wrong} is an unknown kind of remark; choose one of passed, missed, analysis{hint}"));
        }
        let kinds: Vec<RemarkKind> =
            RemarkKind::ALL.into_iter().filter(|k| words.is_empty() || words.contains(&k.word())).collect();
        let filter = regex(self.filter.as_deref().unwrap_or(""))?;
        let own = self.text.is_some() || self.yaml.is_some();
        let picked = move |pass: &str, kind: RemarkKind| {
            own && kinds.contains(&kind) && filter.is_match(pass)
                || picks.iter().any(|(kinds, filter)| kinds.contains(&kind) && filter.is_match(pass))
        };
        Ok(Some(Arc::new(picked)))
    }

    /// Whether the tool prints remarks.
    pub fn prints(&self) -> bool {
        self.text.is_some() || !self.upstream.is_empty()
    }

    /// Writes remarks: with `print`, as text to standard error; if requested, as YAML to a file.
    ///
    /// # Errors
    /// The YAML file cannot be written.
    pub fn finish(&self, mut remarks: Vec<Remark>, print: bool) -> Result<(), CompileError> {
        remarks.sort_by(|a, b| a.function.cmp(&b.function));
        if print && self.prints() {
            remarks.iter().for_each(|remark| eprintln!("{}", line(remark)));
        }
        match &self.yaml {
            Some(file) => input::write(file, yaml(&remarks).as_bytes()),
            None => Ok(()),
        }
    }
}

/// Collects the remarks of a compilation.
pub struct Collector {
    /// The requested remarks.
    pub pick: Option<RemarkFilter>,
    /// The remarks that were collected so far.
    pub remarks: Vec<Remark>,
}

impl PassInstrumentation for Collector {
    fn each_pass(&self) -> bool {
        false
    }

    fn start(&mut self, _: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        if self.pick.is_some() {
            module.session().request_remarks(self.pick.clone());
        }
        ControlFlow::Continue(())
    }

    fn after(&mut self, _: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        self.remarks.extend(module.take_remarks());
        ControlFlow::Continue(())
    }

    fn failed(&mut self, _: &PassInfo<'_>, module: &OwnedModule<'_>, _: &SessionError) {
        self.remarks.extend(module.take_remarks());
    }
}

fn regex(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|e| format!("'{text}' is not a regular expression: {e}"))
}

fn line(remark: &Remark) -> String {
    let location =
        remark.location.as_ref().map(|p| format!("{}:{}:{}: ", p.file, p.line, p.column)).unwrap_or_default();
    format!("{location}remark: {}", remark.message())
}

/// Formats remarks as in LLVM's YAML files (llvm/lib/Remarks/YAMLRemarkSerializer.cpp).
fn yaml(remarks: &[Remark]) -> String {
    let mut text = String::new();
    for remark in remarks {
        let kind = match remark.kind {
            RemarkKind::Passed => "Passed",
            RemarkKind::Missed => "Missed",
            RemarkKind::Analysis => "Analysis",
        };
        let _ = writeln!(
            text,
            "--- !{kind}\nPass:            {}\nName:            {}",
            quoted(remark.pass),
            quoted(&remark.rule)
        );
        if let Some(location) = &remark.location {
            let file = quoted(&location.file);
            let _ = writeln!(
                text,
                "DebugLoc:        {{ File: {file}, Line: {}, Column: {} }}",
                location.line, location.column
            );
        }
        let _ = writeln!(
            text,
            "Function:        {}\nArgs:\n  - Reason:          {}",
            quoted(&remark.function),
            quoted(&remark.explanation())
        );
        if let Some(suggestion) = &remark.suggestion {
            let _ = writeln!(text, "  - String:          '; '\n  - Suggestion:      {}", quoted(suggestion));
        }
        text += "...\n";
    }
    text
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''").replace(|c: char| c.is_control(), " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_ir::remarks::Decision;

    #[test]
    fn quotes_in_yaml_are_doubled() {
        let remark = Remark {
            kind: RemarkKind::Missed,
            decision: Decision::CheckStays,
            pass: "p",
            rule: "r".into(),
            function: "k".into(),
            location: None,
            reason: "it's 'so'\n".into(),
            suggestion: Some("do".into()),
        };
        assert_eq!(
            yaml(&[remark]),
            "--- !Missed\nPass:            'p'\nName:            'r'\nFunction:        'k'\nArgs:\n  - Reason:          'the check stays, because it''s ''so'' '\n  - String:          '; '\n  - Suggestion:      'do'\n...\n"
        );
    }

    #[test]
    fn wrong_options_are_reported() {
        let options = |text: Option<&str>, filter: Option<&str>| RemarkOptions {
            text: text.map(Into::into),
            filter: filter.map(Into::into),
            ..RemarkOptions::default()
        };
        let refused = |options: RemarkOptions| options.pick().err().unwrap_or_default();
        assert_eq!(
            refused(options(Some("mised"), None)),
            "mised is an unknown kind of remark; choose one of passed, missed, analysis; did you mean missed?"
        );
        assert!(refused(options(Some(""), Some("("))).starts_with("'(' is not a regular expression"));
        assert!(refused(options(None, Some("a"))).contains("requires remarks"));
        let upstream =
            RemarkOptions { upstream: vec![("remark-format".into(), "yaml".into())], ..RemarkOptions::default() };
        assert!(refused(upstream).contains("--cube-remarks-yaml=FILE"));
    }
}
