//! The tables of tolerances for tests and comparisons, as text and as lookup functions.

/// `tables/tolerance.toml`: the tolerances of results against the interpreter.
pub const TOLERANCE: &str = include_str!("../tables/tolerance.toml");

/// `tables/ulp.toml`: the published error bounds of the math functions.
pub const ULP: &str = include_str!("../tables/ulp.toml");

/// The section, the name and the value of each line of a table, without quotes and comments.
pub fn entries(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let mut section = "";
    table.lines().filter_map(move |line| {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        }
        let line = if line.starts_with('#') { "" } else { line };
        let (name, value) = line.split_once(" = ")?;
        let value = value.split(" #").next().unwrap_or(value);
        Some((section, name.trim_matches('"'), value.trim().trim_matches('"')))
    })
}

/// The published error bound of a function in a format (`"f32"`, `"f64"`), in units in the last place of the exact
/// result.
pub fn bound(format: &str, function: &str) -> Option<f64> {
    entries(ULP).find(|(section, name, _)| *section == format && *name == function)?.2.parse().ok()
}
