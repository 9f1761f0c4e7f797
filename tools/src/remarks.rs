//! Remarks of the passes: what is asked for on the command line, and where they go.
use crate::input;
use cube_artifact::CompileError;
use cube_ir::remarks::{Kind, Remark, request, take};
use regex_lite::Regex;
use std::fmt::Write;

/// What the command line says of remarks.
#[derive(Clone, Default)]
pub struct Wish {
    /// Kinds to print, of passed, missed, analysis; empty for all. `None` prints nothing.
    pub text: Option<String>,
    /// A regular expression for the names of passes.
    pub filter: Option<String>,
    /// A file in LLVM's format.
    pub yaml: Option<String>,
}

impl Wish {
    /// The same wish as options of `cube-opt`, for a child.
    pub fn words(&self) -> Vec<String> {
        let parts = [("", &self.text), ("-yaml", &self.yaml), ("-filter", &self.filter)];
        parts.iter().filter_map(|(name, value)| Some(format!("--cube-remarks{name}={}", value.as_ref()?))).collect()
    }

    /// Asks the passes; with `diagnostics` remarks are emitted at operations, for MLIR to print.
    ///
    /// # Errors
    /// A kind that there is not, or what is no regular expression: the text of a usage error.
    pub fn start(&self, diagnostics: bool) -> Result<(), String> {
        if self.text.is_none() && self.yaml.is_none() {
            return match &self.filter {
                Some(_) => Err("a filter of remarks needs remarks: ask for text or YAML as well".into()),
                None => Ok(()),
            };
        }
        let words: Vec<&str> =
            self.text.iter().flat_map(|t| t.split(',')).map(str::trim).filter(|w| !w.is_empty()).collect();
        if let Some(wrong) = words.iter().find(|word| Kind::ALL.iter().all(|k| k.word() != **word)) {
            let hint = cube_backend::suggestion(wrong, Kind::ALL.iter().map(|k| k.word()));
            let hint = hint.map(|s| format!("; did you mean {s}?")).unwrap_or_default();
            return Err(format!("{wrong} is no kind of remark; kinds are passed, missed, analysis{hint}"));
        }
        let kinds: Vec<Kind> =
            Kind::ALL.into_iter().filter(|k| words.is_empty() || words.contains(&k.word())).collect();
        let filter = self.filter.as_deref().unwrap_or("");
        let filter = Regex::new(filter).map_err(|e| format!("'{filter}' is no regular expression: {e}"))?;
        request(
            Box::new(move |pass, kind| kinds.contains(&kind) && filter.is_match(pass)),
            diagnostics && self.text.is_some(),
        );
        Ok(())
    }

    /// Writes what there is: text to standard error with `print`, YAML to its file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(&self, print: bool) -> Result<(), CompileError> {
        let remarks = take();
        if print && self.text.is_some() {
            remarks.iter().for_each(|remark| eprintln!("{}", line(remark)));
        }
        match &self.yaml {
            Some(file) => input::write(file, yaml(&remarks).as_bytes()),
            None => Ok(()),
        }
    }
}

fn line(remark: &Remark) -> String {
    let place = remark.place.as_ref().map(|p| format!("{}:{}:{}: ", p.file, p.line, p.column)).unwrap_or_default();
    format!("{place}remark: {}", remark.message())
}

/// LLVM's format of optimisation remarks (llvm/lib/Remarks/YAMLRemarkSerializer.cpp).
fn yaml(remarks: &[Remark]) -> String {
    let mut text = String::new();
    for remark in remarks {
        let kind = match remark.kind {
            Kind::Passed => "Passed",
            Kind::Missed => "Missed",
            Kind::Analysis => "Analysis",
        };
        let _ = writeln!(
            text,
            "--- !{kind}\nPass:            {}\nName:            {}",
            quoted(remark.pass),
            quoted(&remark.rule)
        );
        if let Some(place) = &remark.place {
            let file = quoted(&place.file);
            let _ =
                writeln!(text, "DebugLoc:        {{ File: {file}, Line: {}, Column: {} }}", place.line, place.column);
        }
        let _ = writeln!(
            text,
            "Function:        {}\nArgs:\n  - Reason:          {}",
            quoted(&remark.function),
            quoted(&remark.reason)
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

    #[test]
    fn quotes_in_yaml_are_doubled() {
        let remark = Remark {
            kind: Kind::Missed,
            pass: "p",
            rule: "r".into(),
            function: "k".into(),
            place: None,
            reason: "it's 'so'\n".into(),
            suggestion: Some("do".into()),
        };
        assert_eq!(
            yaml(&[remark]),
            "--- !Missed\nPass:            'p'\nName:            'r'\nFunction:        'k'\nArgs:\n  - Reason:          'it''s ''so'' '\n  - String:          '; '\n  - Suggestion:      'do'\n...\n"
        );
    }

    #[test]
    fn wrong_wishes_are_told() {
        let wish = |text: Option<&str>, filter: Option<&str>| Wish {
            text: text.map(Into::into),
            filter: filter.map(Into::into),
            yaml: None,
        };
        assert_eq!(
            wish(Some("mised"), None).start(false).unwrap_err(),
            "mised is no kind of remark; kinds are passed, missed, analysis; did you mean missed?"
        );
        assert!(wish(Some(""), Some("(")).start(false).unwrap_err().starts_with("'(' is no regular expression"));
        assert!(wish(None, Some("a")).start(false).unwrap_err().contains("needs remarks"));
    }
}
