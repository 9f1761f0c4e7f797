//! Code objects and the chips that run them.

/// The processor in HIP's name of a chip, for example `gfx90a` in `gfx90a:sramecc+:xnack-`.
pub(crate) fn processor(arch: &str) -> &str {
    arch.split(':').next().unwrap_or(arch)
}

/// Whether a device runs code for a chip. A code object runs only on the processor for which it was compiled. The name
/// of a chip can end in the plane width of the code. `None` for an unknown name.
pub(crate) fn runs(device: &str, code: &str) -> Option<bool> {
    let code = code.split('-').next().unwrap_or(code);
    let digits = code.strip_prefix("gfx")?;
    let known = digits.len() >= 3 && digits.chars().all(|c| c.is_ascii_hexdigit());
    known.then(|| processor(device) == code)
}

#[cfg(test)]
mod tests {
    use super::{processor, runs};

    #[test]
    fn code_runs_on_its_own_processor_alone() {
        assert_eq!(processor("gfx90a:sramecc+:xnack-"), "gfx90a");
        assert_eq!(runs("gfx90a:sramecc+:xnack-", "gfx90a"), Some(true));
        assert_eq!(runs("gfx1100", "gfx1100-wave64"), Some(true));
        assert_eq!(runs("gfx1100", "gfx1101"), Some(false));
        assert_eq!(runs("gfx942", "gfx90a"), Some(false));
        for chip in ["", "gfx", "sm_90a", "gfx9x0", "native"] {
            assert_eq!(runs("gfx942", chip), None, "{chip}");
        }
    }
}
