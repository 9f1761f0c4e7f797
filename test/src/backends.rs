//! The backends on which this machine can run kernels, as `cube-run --list-backends` prints them.

use crate::toolbox::Toolbox;
use std::process::Command;

/// One backend in the output of `cube-run --list-backends`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    /// The name of the backend as an argument of `--backend`.
    pub name: String,
    /// The reason why this machine cannot run the backend; `None` if the machine can run it.
    pub absent: Option<String>,
}

/// Parses the output of `cube-run --list-backends`. Each line of the output is `NAME present DETAIL` or
/// `NAME absent REASON`.
///
/// # Errors
/// A line is malformed, or the line of an absent backend has no reason.
pub fn parse(list: &str) -> Result<Vec<Backend>, String> {
    list.lines().filter(|line| !line.trim().is_empty()).map(parse_line).collect()
}

fn parse_line(line: &str) -> Result<Backend, String> {
    let mut words = line.split_whitespace();
    let (name, state) = (words.next().unwrap_or_default().to_string(), words.next());
    let reason = words.collect::<Vec<_>>().join(" ");
    match state {
        Some("present") => Ok(Backend { name, absent: None }),
        Some("absent") if !reason.is_empty() => Ok(Backend { name, absent: Some(reason) }),
        _ => Err(format!("`{line}` is neither `NAME present DETAIL` nor `NAME absent REASON`")),
    }
}

/// Runs `cube-run --list-backends` and parses its output.
///
/// # Errors
/// The tool fails, or prints an invalid list of backends.
pub fn list(tools: &Toolbox) -> Result<Vec<Backend>, String> {
    let output = Command::new(&tools.cube).args(["run", "--list-backends"]).output();
    let output = output.map_err(|error| format!("{} did not start: {error}", tools.cube.display()))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`cube run --list-backends` ended with {}: {}", output.status, stderr.trim()));
    }
    let backends = parse(&String::from_utf8_lossy(&output.stdout))?;
    if backends.is_empty() { Err("`cube run --list-backends` printed nothing".into()) } else { Ok(backends) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn present_and_absent_backends_are_distinguished() {
        let backends = parse("cpu   present 8 threads\ncuda\tabsent  no CUDA driver\n").unwrap();
        assert_eq!(backends[0], Backend { name: "cpu".into(), absent: None });
        assert_eq!(backends[1].absent.as_deref(), Some("no CUDA driver"));
    }

    #[test]
    fn absent_backend_requires_a_reason() {
        assert!(parse("cuda absent").is_err());
        assert!(parse("cuda maybe x").unwrap_err().contains("neither"));
    }
}
