//! "Did you mean" for operations of Cube's dialects and for passes, which MLIR's own messages only call unknown. The
//! module also returns hints for other errors of MLIR's parser, if `Session` has a better message for the error.
use cube_backend::suggestion;
use cube_dialect::ops::OPS;
use cube_ir::{Session, is_reworded};
use cube_layout_dialect::ops::OPS as LAYOUT;

/// The hints that the tool adds to the messages of MLIR's parser about `source`. To find the hints, the
/// function parses `source` again.
pub fn of_text(source: &str) -> Vec<String> {
    let better = match Session::new().parse(source.as_bytes(), "") {
        Err(error) => error.diagnostics.into_iter().map(|d| d.message).filter(|text| is_reworded(text)).collect(),
        Ok(_) => Vec::new(),
    };
    unknown_op(source).into_iter().chain(better).collect()
}

/// A hint for the first word of `source` that is at the position of an operation name but does not name an
/// operation.
pub fn unknown_op(source: &str) -> Option<String> {
    let mut words = source.lines().filter_map(|line| {
        let code = line.split("//").next().unwrap_or("");
        let statement = code.rsplit_once(" = ").map_or(code, |(_, rest)| rest).trim_start();
        let statement = statement.trim_start_matches('"');
        let end = statement.find(|c: char| !c.is_ascii_alphanumeric() && !"._".contains(c)).unwrap_or(statement.len());
        statement.get(..end).filter(|word| word.starts_with("cube.") || word.starts_with("layout."))
    });
    let wrong = words.find(|word| OPS.iter().chain(LAYOUT).all(|op| op.name != *word))?;
    let near = suggestion(wrong, OPS.iter().chain(LAYOUT).map(|op| op.name))?;
    Some(format!("unknown operation {wrong}; did you mean {near}?"))
}

/// Finds the first name in a pipeline that does not name a pass, and returns the most similar name of a pass.
pub fn unknown_pass(pipeline: &str) -> Option<&'static str> {
    cube_driver::register();
    let anchors = ["builtin.module", "cube.kernel", "cube.func", "func.func", "llvm.func", "gpu.module", "any"];
    let mut bare = String::new();
    let mut depth = 0;
    for c in pipeline.chars() {
        depth += i32::from(c == '{');
        bare.push(if depth > 0 { ',' } else { c });
        depth -= i32::from(c == '}');
    }
    let names =
        bare.split(|c: char| "(),".contains(c)).map(str::trim).filter(|w| !w.is_empty() && !anchors.contains(w));
    let own = |name: &str| cube_driver::passes().any(|p| p.name == name);
    let wrong = names.into_iter().find(|name| !own(name) && !cube_ir::is_registered_pass(name))?;
    suggestion(wrong, cube_driver::passes().map(|p| p.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_operation_is_named() {
        let hint = unknown_op("  %v = cube.lod %x[%i] : !cube.array<f32> -> f32").unwrap();
        assert_eq!(hint, "unknown operation cube.lod; did you mean cube.load?");
        assert_eq!(
            unknown_op("cube.kernel @k(%x: !cube.array<f32> {cube.host = \"f32\"}) {\n  cube.return // cube.retrun"),
            None
        );
    }

    #[test]
    fn options_and_anchors_are_not_passes() {
        let hint = unknown_pass("builtin.module(cube.kernel(specialize{params=N=8},expand-cheks),cse)");
        assert_eq!(hint, Some("expand-checks"));
        assert_eq!(unknown_pass("builtin.module(canonicalize{max-iterations=3},cube.kernel(cse))"), None);
    }
}
