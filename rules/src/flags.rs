//! Fast-math flags of an operation, with the same bits as `arith.fastmath`.
use std::fmt;
use std::ops::BitOr;

/// A set of fast-math flags. Each flag has the same bit as in the attribute `arith.fastmath` of MLIR 22.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flags(pub u8);

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);
    /// Sums and products can be reassociated.
    pub const REASSOC: Flags = Flags(1);
    /// No operand and no result is NaN.
    pub const NNAN: Flags = Flags(2);
    /// No operand and no result is infinite.
    pub const NINF: Flags = Flags(4);
    /// The sign of a zero operand or result is insignificant.
    pub const NSZ: Flags = Flags(8);
    /// A division can be replaced by a product with the reciprocal.
    pub const ARCP: Flags = Flags(16);
    /// A product and a sum can be fused.
    pub const CONTRACT: Flags = Flags(32);
    /// A function can be approximated.
    pub const AFN: Flags = Flags(64);

    /// All flags with their names, in the order of the bits.
    pub const NAMED: [(&'static str, Flags); 7] = [
        ("reassoc", Flags::REASSOC),
        ("nnan", Flags::NNAN),
        ("ninf", Flags::NINF),
        ("nsz", Flags::NSZ),
        ("arcp", Flags::ARCP),
        ("contract", Flags::CONTRACT),
        ("afn", Flags::AFN),
    ];

    /// The flags that permit different rounding, and not only a different treatment of special values.
    pub const APPROXIMATE: Flags = Flags(1 | 16 | 32 | 64);

    /// Whether the set contains all flags of `other`.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the set contains a flag of `other`.
    pub fn intersects(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    /// The flags of the set that are not in `other`.
    pub fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// Each flag of the set.
    pub fn each(self) -> impl Iterator<Item = Flags> {
        Flags::NAMED.into_iter().map(|(_, flag)| flag).filter(move |flag| self.has(*flag))
    }

    /// Parses a list of flags such as `nnan,nsz`. `fast` sets all flags, `none` sets no flag. `None` for an unknown
    /// word.
    pub fn parse(list: &str) -> Option<Flags> {
        list.split([',', ' ']).filter(|word| !word.is_empty()).try_fold(Flags::NONE, |all, word| {
            let one = match word {
                "none" => Flags::NONE,
                "fast" => Flags(127),
                _ => Flags::NAMED.iter().find(|(name, _)| *name == word)?.1,
            };
            Some(all | one)
        })
    }
}

impl BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Flags::NAMED.iter().filter(|(_, flag)| self.has(*flag)).map(|(name, _)| *name).collect();
        f.write_str(if names.is_empty() { "none" } else { "" })?;
        f.write_str(&names.join(","))
    }
}
