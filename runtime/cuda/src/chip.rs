//! Decides which chips run the code that was compiled for a given chip.

/// The compute capability of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Capability {
    pub major: u32,
    pub minor: u32,
}

impl std::fmt::Display for Capability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sm_{}{}", self.major, self.minor)
    }
}

impl Capability {
    /// The compute capability that a chip name such as `sm_90` states.
    pub fn of(name: &str) -> Option<Capability> {
        let number: u32 = name.strip_prefix("sm_")?.parse().ok()?;
        Some(Capability { major: number / 10, minor: number % 10 })
    }

    /// Whether PTX for `chip` runs on this device. `sm_80` runs on 8.0 and all later versions, `sm_100f` on 10.0 and
    /// later versions with the same major number, and `sm_90a` only on 9.0 (PTX ISA 9.0, section 11.1.2, `.target`).
    /// `None` for an unknown name.
    pub fn runs(self, chip: &str) -> Option<bool> {
        let name = chip.strip_prefix("sm_")?;
        let digits = name.trim_end_matches(['a', 'f']);
        let number: u32 = digits.parse().ok().filter(|n| (10..10_000).contains(n))?;
        let wanted = Capability { major: number / 10, minor: number % 10 };
        match &name[digits.len()..] {
            "" => Some(self >= wanted),
            "a" => Some(self == wanted),
            "f" => Some(self.major == wanted.major && self.minor >= wanted.minor),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Capability;

    #[test]
    fn baseline_code_runs_on_later_chips_and_specific_code_on_its_chip() {
        let runs = |major, minor, chip| Capability { major, minor }.runs(chip);
        assert_eq!(runs(9, 0, "sm_90a"), Some(true));
        assert_eq!(runs(9, 0, "sm_80"), Some(true));
        assert_eq!(runs(9, 0, "sm_100"), Some(false));
        assert_eq!(runs(10, 0, "sm_90"), Some(true));
        assert_eq!(runs(10, 0, "sm_90a"), Some(false));
        assert_eq!(runs(10, 3, "sm_100f"), Some(true));
        assert_eq!(runs(12, 0, "sm_100f"), Some(false));
        for chip in ["sm_", "sm_9x", "gfx90a", "sm_90af", "native", "sm_5"] {
            assert_eq!(runs(9, 0, chip), None, "{chip}");
        }
    }
}
