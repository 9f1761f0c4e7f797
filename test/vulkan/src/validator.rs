//! Runs the SPIR-V validator `spirv-val`.
use std::io::Write;
use std::process::{Command, Stdio};

/// Validates SPIR-V words with `spirv-val` for an environment such as `vulkan1.3`.
///
/// # Errors
/// The message of the validator, or a message that the program is missing (package `spirv-tools`).
pub fn spirv_val(code: &[u8], environment: &str) -> Result<(), String> {
    let mut command = Command::new("spirv-val");
    command.args(["--target-env", environment, "-"]);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().map_err(|error| format!("spirv-val of the package spirv-tools: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(code).map_err(|error| format!("spirv-val reads no words: {error}"))?;
    }
    let output = child.wait_with_output().map_err(|error| format!("spirv-val: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            Err(format!("spirv-val: {}", String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_spirv_words_are_rejected() {
        let error = spirv_val(&[3, 2, 35, 7, 0, 6, 1, 0], "vulkan1.3").expect_err("the header is cut");
        assert!(error.contains("Invalid SPIR-V"), "{error}");
    }
}
