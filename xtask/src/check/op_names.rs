//! Passes and backends name operations by kind (docs/why/typed-operations.md). A literal that looks like an operation's
//! name is counted, and the number in the ceiling file only decreases.

use super::{Tree, Verdict};

/// The ceiling: one number.
const CEILING: &str = "xtask/op-names.txt";

/// Dialect prefixes of counted literals.
const DIALECTS: &[&str] = &[
    "arith", "builtin", "cf", "cube", "func", "gpu", "layout", "llvm", "math", "memref", "nvvm", "rocdl", "scf", "ub",
    "vector",
];

/// Names of attributes, and of the fields of a kernel's arguments.
const ATTRIBUTES: &[&str] = &[
    "cube.access",
    "cube.align",
    "cube.arguments",
    "cube.debug",
    "cube.derived",
    "cube.len",
    "cube.unit_loop",
    "cube.narrow",
    "cube.noalias",
    "cube.plane_dim",
    "cube.prints",
    "cube.proof",
    "cube.scratch_bytes",
    "cube.simd_width",
    "cube.uniform",
    "cube.unroll",
    "layout.align",
    "layout.proof",
    "layout.width",
    "llvm.noalias",
    "nvvm.kernel",
    "nvvm.reqntid",
    "rocdl.flat_work_group_size",
    "rocdl.kernel",
    "rocdl.reqd_work_group_size",
];

/// Prefixes of LLVM's intrinsic functions, which are not MLIR operations.
const INTRINSICS: &[&str] = &["llvm.amdgcn.", "llvm.intr.", "llvm.nvvm.", "vector.reduce."];

pub fn check(tree: &Tree) -> Verdict {
    let counted =
        |file: &&str| file.starts_with("passes/src/") || file.starts_with("backends/") && file.contains("/src/");
    let mut places = Vec::new();
    for file in tree.with_ending(".rs").filter(counted) {
        let source = tree.read(file);
        let names = names_in(&source);
        places.extend(names.into_iter().map(|(line, name)| format!("{file}:{line}: {name:?}")));
    }
    let Ok(ceiling) = tree.read(CEILING).trim().parse::<usize>() else {
        return Verdict::Broken(vec![format!(
            "{CEILING}: holds one number, the largest count of operation names that are texts"
        )]);
    };
    let count = places.len();
    match count.cmp(&ceiling) {
        std::cmp::Ordering::Equal => Verdict::Listed(format!("{count} names of operations are texts"), places),
        std::cmp::Ordering::Less => Verdict::Broken(vec![format!(
            "{CEILING}: only {count} names of operations are texts now; write {count}, so that no new one comes in"
        )]),
        std::cmp::Ordering::Greater => {
            let rule = format!(
                "{count} names of operations are texts, {ceiling} at most: use the constants of cube_ir::ops, or add the name of \
                 an attribute to the list in xtask/src/check/op_names.rs"
            );
            Verdict::Broken(std::iter::once(rule).chain(places).collect())
        }
    }
}

// The literals of a source that look like names of operations, with their lines; comments do not count.
fn names_in(source: &str) -> Vec<(usize, &str)> {
    let lines = source.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let texts = lines.flat_map(|(at, line)| line.split('"').skip(1).step_by(2).map(move |text| (at + 1, text)));
    texts.filter(|(_, text)| is_name(text)).collect()
}

fn is_name(text: &str) -> bool {
    let Some((dialect, rest)) = text.split_once('.') else { return false };
    DIALECTS.contains(&dialect)
        && rest.chars().all(|c| c.is_ascii_alphanumeric() || "_.*".contains(c))
        && !ATTRIBUTES.contains(&text)
        && !INTRINSICS.iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_and_attributes_do_not() {
        let source = "// \"arith.addi\"\nif op.is(\"arith.addi\") && name.starts_with(\"cube.plane_\") {\n    op.attr(\"cube.align\");\n    \
                      refuse(\"cube.load is refused\", \"llvm.intr.exp\", \"arith\", \"scf.*\");\n}\n";
        assert_eq!(names_in(source), [(2, "arith.addi"), (2, "cube.plane_"), (4, "scf.*")]);
    }
}
