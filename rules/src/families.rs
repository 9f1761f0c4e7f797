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

/// The line of a rule, which is parsed when the rule is used.
#[derive(Debug)]
pub(crate) struct Source {
    /// `FAMILY/NAME`; unique.
    pub name: &'static str,
    /// The argument of the line `types` that precedes the rule.
    pub types: &'static str,
    /// `PATTERN => REPLACEMENT if GUARD with FLAGS`, with single spaces.
    pub text: &'static str,
    /// The name of the outermost operation of the pattern.
    pub root: &'static str,
    /// The names of the other operations of the pattern.
    pub inner: &'static [&'static str],
}

// The rules of each family. The build script writes this list.
static SOURCES: &[(&str, &[Source])] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The lines of all rules, in the order of [`rules`].
pub(crate) fn sources() -> impl Iterator<Item = &'static Source> {
    let family =
        |(name, _): &(&str, &str)| SOURCES.iter().find(|(other, _)| other == name).map_or(&[][..], |(_, own)| own);
    FAMILIES.iter().flat_map(family)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_the_build_script_has_the_lines_of_all_rules() {
        let listed: Vec<_> = sources().map(|own| (own.name, own.types, own.text)).collect();
        let parsed: Vec<_> =
            rules().iter().map(|rule| (rule.name.as_str(), rule.types.as_str(), rule.text.as_str())).collect();
        assert_eq!(listed, parsed);
        assert_eq!(SOURCES.len(), FAMILIES.len(), "each file of families/ is in FAMILIES");
    }
}
