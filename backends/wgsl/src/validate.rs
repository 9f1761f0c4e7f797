//! naga parses and validates all generated WGSL before the backend returns it.
use cube_ir::{SessionError, guarded, quiet_panics};
use cube_target::Target;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Maximum depth of nested blocks in a WGSL function.
const DEEPEST: usize = 127;

/// Whether the blocks of a text are nested deeper than WGSL allows. Each level is indented by four spaces.
pub fn is_too_deep(text: &str) -> bool {
    text.lines().any(|line| (line.len() - line.trim_start_matches(' ').len()) / 4 >= DEEPEST)
}

/// Parses and validates a text for a chip.
///
/// # Errors
/// Wraps the message of naga, or of a panic in naga, in an error CUBE0418. The error is in the generated
/// WGSL, not in the kernel.
pub fn validate(text: &str, target: &Target) -> Result<(), SessionError> {
    quiet_panics();
    let checked = guarded(|| check(text, target)).unwrap_or_else(|panic| Err(format!("naga panicked: {panic}")));
    checked.map_err(|why| SessionError::from(cube_ir::diagnostic!(CUBE0418.invalid { why })))
}

fn check(text: &str, target: &Target) -> Result<(), String> {
    let has = |feature: &str| target.capabilities.iter().any(|one| one == feature);
    // Every WGSL implementation can pack f16 numbers into words.
    let mut capabilities = Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    capabilities.set(Capabilities::SHADER_FLOAT16, has("f16"));
    capabilities.set(Capabilities::SUBGROUP, has("subgroups"));
    // naga 30 supports subgroups, but does not know the name of WGSL's extension for subgroups.
    let text = &text.replacen("enable subgroups;", "                 ", 1);
    let mut front = naga::front::wgsl::Frontend::new();
    let module = front.parse(text).map_err(|error| error.emit_to_string(text))?;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.validate(&module).map(drop).map_err(|error| error.emit_to_string(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let target = Target::known("wgsl", "core").expect("a chip of the table");
        let error = validate(text, &target).expect_err("the text is wrong");
        assert_eq!(error.diagnostics[0].code.as_deref(), Some("CUBE0418"));
        error.diagnostics[0].message.clone()
    }

    #[test]
    fn invalid_wgsl_is_rejected_with_the_message_of_naga() {
        assert!(refused("fn f( {}").contains("expected"));
        assert!(refused("fn f() -> u32 { return 1.5f; }").contains("return"));
        // The text uses a feature that the chip lacks.
        assert!(!refused("enable f16;\nfn f(x: f16) -> f16 { return x; }").is_empty());
    }

    #[test]
    fn blocks_are_counted_by_their_lines() {
        let nested = |depth: usize| (0..=depth).map(|n| format!("{:1$}{{\n", "", 4 * n)).collect::<String>();
        assert!(!is_too_deep(&nested(DEEPEST - 1)) && is_too_deep(&nested(DEEPEST)));
    }
}
