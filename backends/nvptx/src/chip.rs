//! Names of chips.

/// The compute capability of a chip, for example 90 for `sm_90a`; 0 for an unknown name.
pub(crate) fn capability(chip: &str) -> u32 {
    chip.trim_start_matches("sm_").trim_end_matches('a').parse().unwrap_or(0)
}
