//! Stage files: the text of a module between two passes, from which a compilation can resume.
//!
//! ```text
//! // cube-stage: after 14 remove-checks of phase optimize for cpu
//! // cube-launch: {"kernel":"scale", ...}
//! module { ... }
//! ```
//!
//! The first line of a stage file names the last pass that has run. The second line contains the launch properties, if
//! the module no longer contains them. The two lines of the header are comments, so MLIR's tools can read the file. The
//! output of MLIR's tools does not contain the comments.
use crate::{Pipeline, launch_info::LaunchInfo};
use cube_artifact::Artifact;
use cube_ir::SessionError;
use std::fmt::Write;

const STAGE: &str = "// cube-stage: ";
const LAUNCH: &str = "// cube-launch: ";

/// The header of a stage file: the point at which a compilation resumes.
pub(crate) struct StageFile {
    /// Number of passes that ran before the file was written.
    pub passes: usize,
    /// The launch properties, for stages at level legal or later.
    pub launch: Option<Artifact>,
}

/// The header lines of a stage file.
pub(crate) fn header(passes: usize, pass: &str, phase: &str, target: &str, launch: Option<&LaunchInfo>) -> String {
    let mut text = format!("{STAGE}after {passes} {pass} of phase {phase} for {target}\n");
    if let Some(launch) = launch {
        let json = serde_json::to_string(&launch.clone().without_code()).unwrap_or_default();
        let _ = writeln!(text, "{LAUNCH}{json}");
    }
    text
}

/// Reads the header of a source; `None` for a source without a header.
///
/// # Errors
/// The pipeline does not contain the stage, or the stage is for another target.
pub(crate) fn read(source: &[u8], pipeline: &Pipeline, name: &str) -> Result<Option<StageFile>, SessionError> {
    let Some(text) = source.strip_prefix(STAGE.as_bytes()) else { return Ok(None) };
    let text = String::from_utf8_lossy(text.get(..text.len().min(1 << 20)).unwrap_or(text));
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let refuse =
        |why: String| SessionError::from(cube_ir::diagnostic!(CUBE0951.header { name, mark: STAGE, line: first, why }));
    let words: Vec<&str> = first.split(' ').collect();
    let ["after", passes, pass, "of", "phase", phase, "for", target] = words[..] else {
        return Err(refuse("expected 'after NUMBER PASS of phase PHASE for TARGET'".into()));
    };
    let Ok(passes) = passes.parse::<usize>() else { return Err(refuse(format!("'{passes}' is not a number"))) };
    let steps = pipeline.phases.iter().flat_map(|p| p.steps.iter().map(|s| (p.name, s.name())));
    let found = passes.checked_sub(1).and_then(|at| steps.clone().nth(at));
    if found != Some((phase, pass)) {
        let actual =
            found.map_or("has no such pass".into(), |(phase, pass)| format!("has {pass} of phase {phase} there"));
        return Err(refuse(format!("the pipeline for {} {actual}", pipeline.target.backend)));
    }
    let backend = target.split(':').next().unwrap_or_default();
    let own = pipeline.phases.last().is_some_and(|last| last.name == phase);
    if own && backend != pipeline.target.backend {
        return Err(refuse(format!("phase {phase} for {backend} does not continue for {}", pipeline.target.backend)));
    }
    let launch = lines.next().and_then(|line| line.strip_prefix(LAUNCH)).map(|json| {
        let artifact: Artifact =
            serde_json::from_str(json).map_err(|e| refuse(format!("its second line is damaged: {e}")))?;
        // An artifact requires non-empty code, so a placeholder is set.
        Artifact { code: vec![0], ..artifact.clone() }
            .check()
            .map_err(|e| refuse(format!("its second line is wrong: {e}")))?;
        Ok::<_, SessionError>(artifact)
    });
    Ok(Some(StageFile { passes, launch: launch.transpose()? }))
}
