//! Names in the generated WGSL: the kernel's own names if WGSL allows them.
use naga::keywords::wgsl::{BUILTIN_IDENTIFIERS, RESERVED};
use std::collections::HashSet;

/// Names that the generated text uses.
const OWN: &[&str] = &[
    "arguments",
    "Arguments",
    "cube_count",
    "cube_index",
    "cube_pos_x",
    "cube_pos_y",
    "cube_pos_z",
    "cube_total",
    "first_cube",
    "first_index",
    "is_nan",
    "max_nan",
    "max_num",
    "min_nan",
    "min_num",
    "order_of",
    "plane_count",
    "plane_dim",
    "run_time",
    "step_layer",
    "step_row",
    "step_x",
    "step_y",
    "uniform_word",
    "unit_index",
    "unit_pos",
    "unit_pos_plane",
    "workgroup_id",
];

/// The names in use at module level.
#[derive(Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A unique name that resembles `name`.
    pub fn fresh(&mut self, name: &str) -> String {
        let mut fresh = identifier(name);
        while is_used(&fresh) || self.taken.contains(&fresh) {
            fresh.push('_');
        }
        self.taken.insert(fresh.clone());
        fresh
    }
}

/// An identifier that resembles `name` and consists of letters and digits of any alphabet.
fn identifier(name: &str) -> String {
    let word: String = name.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
    // A name can begin with one `_`, but `_` alone is reserved.
    let word = match word.trim_start_matches('_') {
        "" => "name".to_string(),
        rest if rest.len() + 1 < word.len() => format!("_{rest}"),
        _ => word,
    };
    let begins = word.starts_with(|c: char| c == '_' || is_part(c) && c.is_alphabetic());
    if begins { word } else { format!("_{word}") }
}

// `is_alphanumeric` accepts characters that are not in WGSL's XID_Continue: numbers other than digits, such as ², and
// letters in circles.
fn is_part(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii() && c.is_alphabetic() && !is_excluded(c)
}

// Alphabetic characters outside of XID_Start: letters in circles, and marks that Unicode excludes for their
// compatibility forms.
fn is_excluded(c: char) -> bool {
    matches!(c, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}' | '\u{37a}' | '\u{e33}' | '\u{eb3}' | '\u{345}'
        | '\u{fc5e}'..='\u{fc63}' | '\u{fdfa}'..='\u{fdfb}' | '\u{fe70}'..='\u{fe7e}' | '\u{ff9e}'..='\u{ff9f}')
}

// Keywords, predeclared names, and names of the writer: a prefix and a number, or functions of planes.
fn is_used(name: &str) -> bool {
    let letter = name.chars().next().filter(char::is_ascii_lowercase).map_or(0, char::len_utf8);
    let prefix =
        ["shared_", "local_"].iter().find(|prefix| name.starts_with(**prefix)).map_or(letter, |prefix| prefix.len());
    let number = &name[prefix..];
    let numbered = prefix > 0 && !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    let of_planes =
        name.starts_with("plane_") && ["_u32", "_f16", "_f32", "_bool"].iter().any(|end| name.ends_with(end));
    let predeclared = RESERVED.contains(&name)
        || BUILTIN_IDENTIFIERS.contains(&name)
        || name.starts_with("subgroup") && !name.ends_with('_');
    numbered || of_planes || predeclared || OWN.contains(&name)
}

/// Text for a comment of one line, without line ends and control characters.
pub fn one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_wgsl_does_not_reserve_are_unchanged() {
        let mut names = Names::default();
        for (name, fresh) in [
            ("input", "input"),
            ("input", "input_"),
            ("loop", "loop_"),
            ("select", "select_"),
            ("v12", "v12_"),
            ("v", "v"),
            ("12", "_12"),
            ("a-b", "a_b"),
            ("a.b", "a_b_"),
            ("", "name"),
            ("__x", "_x"),
            ("größe", "größe"),
            ("输入", "输入"),
            ("вход", "вход"),
            ("Ⓐ", "name_"),
            ("unit_pos", "unit_pos_"),
            ("plane_sum", "plane_sum"),
            ("plane_addf_f32", "plane_addf_f32_"),
            ("shared_1", "shared_1_"),
            ("subgroupAdd", "subgroupAdd_"),
        ] {
            assert_eq!(names.fresh(name), fresh, "{name}");
        }
        assert_eq!(one_line("a\nb\u{2028}c\u{85}d"), "abcd");
    }
}
