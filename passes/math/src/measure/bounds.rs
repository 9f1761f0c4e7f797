//! `docs/ulp.toml`, read.

const FILE: &str = include_str!("../../../../docs/ulp.toml");

/// The published bound of a function in a format (`"f32"`, `"f64"`), in ULP.
pub fn bound(format: &str, function: &str) -> Option<f64> {
    let mut section = "";
    for line in FILE.lines().map(|l| l.split('#').next().unwrap_or("").trim()) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if let Some((key, value)) = line.split_once('=')
            && section == format
            && key.trim() == function
        {
            return value.trim().parse().ok();
        }
    }
    None
}
