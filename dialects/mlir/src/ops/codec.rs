//! Converts attributes to cases and flags of the generated enumerations, and back.
use crate::{AttrExt, Cx};
use melior::ir::Attribute;

/// The enumeration case that an attribute encodes. An integer attribute is the number of the case. The text of any
/// other attribute ends in the name of the case.
pub fn case_of<T: Copy>(
    attr: Attribute<'_>,
    all: &[T],
    number: impl Fn(T) -> i64,
    word: impl Fn(T) -> &'static str,
) -> Option<T> {
    if let Some(value) = attr.as_int() {
        return all.iter().copied().find(|&case| number(case) == value);
    }
    let text;
    let own = match attr.enum_word() {
        Some(word) => word,
        None => {
            text = attr.to_string();
            text.trim_end_matches('>').rsplit([' ', '<']).next()?
        }
    };
    all.iter().copied().find(|&case| word(case) == own)
}

/// The flags of an attribute; `None` if it contains an unknown word.
pub fn flags_of<T: Copy>(attr: Attribute<'_>, all: &[(T, &'static str)], bits: impl Fn(T) -> u64) -> Option<u64> {
    if let Some(value) = attr.as_int() {
        return Some(value as u64);
    }
    let text = attr.to_string();
    let words = text.trim_end_matches('>').rsplit('<').next()?.split([',', '|']).map(str::trim);
    let flag = |word: &str| all.iter().find(|(_, own)| *own == word).map(|&(flag, _)| bits(flag));
    words.map(flag).try_fold(0, |set, flag| Some(set | flag?))
}

/// The names in a set of flags, without names of flag groups. The result for an empty set is the name of the
/// flag 0.
pub fn flag_words<T: Copy>(set: u64, all: &[(T, &'static str)], bits: impl Fn(T) -> u64) -> String {
    let holds = |flag: u64| if set == 0 { flag == 0 } else { flag.is_power_of_two() && set & flag != 0 };
    let words: Vec<&str> = all.iter().filter(|&&(flag, _)| holds(bits(flag))).map(|&(_, word)| word).collect();
    words.join(", ")
}

/// The attribute with the text `text`; panics if its dialect is not loaded.
pub fn written<'p>(cx: Cx<'p>, text: &str) -> Attribute<'p> {
    cx.parse_attr(text).unwrap_or_else(|| panic!("{text} is not an attribute: its dialect is not loaded"))
}
