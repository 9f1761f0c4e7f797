//! Whether this CPU has what an artifact requires.
use cube_runtime::RuntimeError;

/// Refuses an artifact whose features this CPU lacks or nobody knows.
pub(crate) fn check(required: &[String]) -> Result<(), RuntimeError> {
    for name in required {
        match detected(name) {
            Some(true) => {}
            Some(false) => {
                return Err(RuntimeError::device_limit(format!(
                    "it needs the CPU feature '{name}', which this CPU lacks: compile it for this machine (target cpu) or an older chip"
                )));
            }
            None => {
                return Err(RuntimeError::device_limit(format!(
                    "it needs the CPU feature '{name}', which is not known on {}: compile it for this machine (target cpu)",
                    std::env::consts::ARCH
                )));
            }
        }
    }
    Ok(())
}

/// `Some(whether this CPU has it)`, or `None` for a name that is none; `"llvm" = "rust"` lists the names that differ.
macro_rules! detect {
    ($name:expr, $macro:ident: [$($feature:tt)*] $($llvm:literal = $rust:tt),*) => {
        match $name {
            $($feature => Some(std::arch::$macro!($feature)),)*
            $($llvm => Some(std::arch::$macro!($rust)),)*
            _ => None,
        }
    };
}

#[cfg(target_arch = "x86_64")]
fn detected(name: &str) -> Option<bool> {
    // All x86-64 CPUs have these; LLVM lists them for a chip, Rust has no name for them.
    if ["64bit", "cmov", "cx8", "mmx", "x87", "crc32", "sahf"].contains(&name) {
        return Some(true);
    }
    detect!(name, is_x86_feature_detected:
        ["sse" "sse2" "sse3" "ssse3" "sse4.1" "sse4.2" "sse4a" "avx" "avx2" "fma" "f16c" "bmi1" "bmi2" "lzcnt" "popcnt" "movbe"
        "adx" "aes" "sha" "pclmulqdq" "rdrand" "rdseed" "fxsr" "xsave" "xsaveopt" "xsavec" "xsaves" "cmpxchg16b" "tbm" "rtm"
        "avx512f" "avx512cd" "avx512dq" "avx512bw" "avx512vl" "avx512ifma" "avx512vbmi" "avx512vbmi2" "avx512vnni"
        "avx512bitalg" "avx512vpopcntdq" "avx512bf16" "avx512fp16" "avx512vp2intersect" "gfni" "vaes" "vpclmulqdq"
        "avxvnni" "avxifma" "avxneconvert" "avxvnniint8" "avxvnniint16"]
        "bmi" = "bmi1", "cx16" = "cmpxchg16b", "pclmul" = "pclmulqdq", "rdrnd" = "rdrand"
    )
}

#[cfg(target_arch = "aarch64")]
fn detected(name: &str) -> Option<bool> {
    detect!(name, is_aarch64_feature_detected:
        ["neon" "fp" "asimd" "fp16" "fhm" "dotprod" "bf16" "i8mm" "sve" "sve2" "lse" "lse2" "rdm" "crc" "aes" "sha2" "sha3" "jsconv"
        "fcma" "rcpc" "frintts" "flagm" "sb" "dpb"]
        "fullfp16" = "fp16", "fp16fml" = "fhm", "complxnum" = "fcma", "fp-armv8" = "fp"
    )
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn detected(_name: &str) -> Option<bool> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_none_is_refused_as_such() {
        let error = check(&["avx9000".into()]).unwrap_err();
        assert!(error.message.contains("'avx9000', which is not known on"), "{error}");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn what_every_x86_64_has_passes_and_what_no_cpu_has_together_does_not() {
        assert_eq!(check(&["sse2".into(), "fxsr".into(), "cx8".into()]), Ok(()));
        // tbm is of AMD's Bulldozer line, avx512fp16 of Intel's Sapphire Rapids and later.
        let error = check(&["tbm".into(), "avx512fp16".into()]).unwrap_err();
        assert!(error.message.contains("which this CPU lacks"), "{error}");
    }
}
