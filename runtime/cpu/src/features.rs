//! Checks that this CPU has the features that an artifact requires.
use cube_runtime::RuntimeError;
use std::path::Path;

/// Refuses an artifact that requires features with unknown names, or features that this CPU lacks.
pub(crate) fn check(required: &[String]) -> Result<(), RuntimeError> {
    for name in required {
        match detected(name) {
            Some(true) => {}
            Some(false) => {
                return Err(RuntimeError::device_limit(format!(
                    "it needs the CPU feature '{name}', which this CPU lacks; compile the kernel for this machine (target cpu) or an older chip"
                )));
            }
            None => {
                return Err(RuntimeError::device_limit(format!(
                    "it needs the CPU feature '{name}', which is not known on {}; compile the kernel for this machine (target cpu)",
                    std::env::consts::ARCH
                )));
            }
        }
    }
    Ok(())
}

/// Width in bits of the widest vector registers of this CPU.
pub(crate) fn load_bits() -> u32 {
    let has = |name: &str| detected(name) == Some(true);
    match (has("avx512f"), has("avx")) {
        (true, _) => 512,
        (_, true) => 256,
        _ => 128,
    }
}

/// The names of all features that this CPU has.
pub(crate) fn all() -> Vec<String> {
    NAMES.iter().filter(|name| detected(name) == Some(true)).map(|name| name.to_string()).collect()
}

/// Size in bytes of each data cache of a processor, as Linux reports it, starting with the cache nearest to the core.
/// The result is empty if the system reports no caches.
pub(crate) fn cache_bytes(folder: &Path) -> Vec<u64> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let read = |name: &str| std::fs::read_to_string(entry.path().join(name)).unwrap_or_default();
        let (level, size, kind) = (read("level"), read("size"), read("type"));
        if kind.trim() == "Instruction" {
            continue;
        }
        let size = size.trim();
        let (digits, unit) = size.split_at(size.find(|c: char| !c.is_ascii_digit()).unwrap_or(size.len()));
        let shift = match unit {
            "" => 0,
            "K" => 10,
            "M" => 20,
            "G" => 30,
            _ => continue,
        };
        if let (Ok(level), Ok(size)) = (level.trim().parse::<u32>(), digits.parse::<u64>()) {
            found.push((level, size << shift));
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|(level, _)| *level);
    found.into_iter().map(|(_, size)| size).collect()
}

/// Defines `by_name`, which returns whether this CPU has a feature, or `None` for an unknown name. `"llvm" = "rust"` is
/// a feature whose names in LLVM and in Rust differ.
macro_rules! detect {
    ($macro:ident: [$($feature:tt)*] $($llvm:literal = $rust:tt),*) => {
        /// The features for which Rust has a name.
        const NAMES: &[&str] = &[$($feature),*];

        fn by_name(name: &str) -> Option<bool> {
            match name {
                $($feature => Some(std::arch::$macro!($feature)),)*
                $($llvm => Some(std::arch::$macro!($rust)),)*
                _ => None,
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
fn detected(name: &str) -> Option<bool> {
    // LLVM lists these features for a chip, but Rust has no names for them.
    match name {
        "64bit" | "cmov" | "cx8" | "mmx" | "x87" => Some(true),
        // Every 64-bit CPU with SSE4.2 has both of these features.
        "crc32" | "sahf" => by_name("sse4.2"),
        _ => by_name(name),
    }
}

#[cfg(target_arch = "x86_64")]
detect!(is_x86_feature_detected:
        ["sse" "sse2" "sse3" "ssse3" "sse4.1" "sse4.2" "sse4a" "avx" "avx2" "fma" "f16c" "bmi1" "bmi2" "lzcnt" "popcnt" "movbe"
        "adx" "aes" "sha" "pclmulqdq" "rdrand" "rdseed" "fxsr" "xsave" "xsaveopt" "xsavec" "xsaves" "cmpxchg16b" "tbm" "rtm"
        "avx512f" "avx512cd" "avx512dq" "avx512bw" "avx512vl" "avx512ifma" "avx512vbmi" "avx512vbmi2" "avx512vnni"
        "avx512bitalg" "avx512vpopcntdq" "avx512bf16" "avx512fp16" "avx512vp2intersect" "gfni" "vaes" "vpclmulqdq"
        "avxvnni" "avxifma" "avxneconvert" "avxvnniint8" "avxvnniint16"]
        "bmi" = "bmi1", "cx16" = "cmpxchg16b", "pclmul" = "pclmulqdq", "rdrnd" = "rdrand"
);

#[cfg(target_arch = "aarch64")]
fn detected(name: &str) -> Option<bool> {
    by_name(name)
}

#[cfg(target_arch = "aarch64")]
detect!(is_aarch64_feature_detected:
        ["neon" "fp" "asimd" "fp16" "fhm" "dotprod" "bf16" "i8mm" "sve" "sve2" "lse" "lse2" "rdm" "crc" "aes" "sha2" "sha3" "jsconv"
        "fcma" "rcpc" "frintts" "flagm" "sb" "dpb"]
        "fullfp16" = "fp16", "fp16fml" = "fhm", "complxnum" = "fcma", "fp-armv8" = "fp"
);

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const NAMES: &[&str] = &[];

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn detected(_name: &str) -> Option<bool> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_cpu_features_pass_the_check() {
        let all = all();
        assert_eq!(check(&all), Ok(()));
        #[cfg(target_arch = "x86_64")]
        assert!(all.contains(&"sse2".into()) && !all.contains(&"tbm".into()), "{all:?}");
        assert!(load_bits() >= 128 && load_bits().is_power_of_two());
    }

    #[test]
    fn caches_are_read_in_order_without_those_of_instructions() {
        let folder = tempfile::tempdir().unwrap();
        let files =
            [("3", "2M", "Unified"), ("1", "32K", "Instruction"), ("1", "48K", "Data"), ("2", "what", "Unified")];
        for (i, (level, size, kind)) in files.into_iter().enumerate() {
            let index = folder.path().join(format!("index{i}"));
            std::fs::create_dir(&index).unwrap();
            for (name, text) in [("level", level), ("size", size), ("type", kind)] {
                std::fs::write(index.join(name), format!("{text}\n")).unwrap();
            }
        }
        assert_eq!(cache_bytes(folder.path()), [48 << 10, 2 << 20]);
        assert_eq!(cache_bytes(&folder.path().join("none")), Vec::<u64>::new());
    }

    #[test]
    fn unknown_cpu_feature_is_rejected() {
        let error = check(&["avx9000".into()]).unwrap_err();
        assert!(error.message.contains("'avx9000', which is not known on"), "{error}");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn baseline_x86_64_features_pass_and_impossible_sets_fail() {
        assert_eq!(check(&["sse2".into(), "fxsr".into(), "cx8".into()]), Ok(()));
        // The feature tbm exists only on AMD's Bulldozer CPUs, and avx512fp16 on Intel's Sapphire Rapids and later
        // CPUs, so no CPU has both.
        let error = check(&["tbm".into(), "avx512fp16".into()]).unwrap_err();
        assert!(error.message.contains("which this CPU lacks"), "{error}");
    }
}
