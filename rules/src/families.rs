//! The families of rules. Each family of rules is a text file.
use crate::parse::{self, Rule};
use std::sync::LazyLock;

/// The name and text of each family, in the order of the reference page.
pub const FAMILIES: &[(&str, &str)] = &[
    ("integer", include_str!("../families/integer.rules")),
    ("bits", include_str!("../families/bits.rules")),
    ("compare", include_str!("../families/compare.rules")),
    ("minmax", include_str!("../families/minmax.rules")),
    ("cast", include_str!("../families/cast.rules")),
    ("division", include_str!("../families/division.rules")),
    ("lanes", include_str!("../families/lanes.rules")),
    ("index", include_str!("../families/index.rules")),
    ("float", include_str!("../families/float.rules")),
    ("fast", include_str!("../families/fast.rules")),
    ("contract", include_str!("../families/contract.rules")),
    ("algebra", include_str!("../families/algebra.rules")),
    ("functions", include_str!("../families/functions.rules")),
];

/// All rules, in the order of the families.
///
/// # Panics
/// Panics if the text of a family is invalid; the tests of this crate detect an invalid text.
pub fn rules() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let family = |(name, text): &(&str, &str)| match parse::family(name, text) {
            Ok(rules) => rules,
            Err(why) => panic!("{why}"),
        };
        FAMILIES.iter().flat_map(family).collect()
    });
    &RULES
}
