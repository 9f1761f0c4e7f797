//! Checks that every example of the dialect runs without a finding.
use super::kernel_files;
use crate::{Arg, Find, Options, Program, ProgramParamKind, run};
use cube_dialect::{kernels_of, ops::OPS};
use cube_ir::Session;

/// Number of lines of each buffer, which suffices for the units of every example.
const LINES: usize = 512;

fn argument(kind: ProgramParamKind) -> Option<Arg> {
    Some(match kind {
        ProgramParamKind::Scalar { derived: true, .. } | ProgramParamKind::Prints => return None,
        ProgramParamKind::Scalar { bits: 64, .. } => Arg::Scalar(2f64.to_bits()),
        ProgramParamKind::Scalar { .. } => Arg::Scalar(3),
        ProgramParamKind::Buffer { bytes, line, tensor, .. } => {
            let elements = LINES * line as usize;
            // Small integers. As floats, the same bits are subnormal numbers.
            let value = |i: usize| ((i % 7 + 1) as u64).to_le_bytes()[..bytes as usize].to_vec();
            let bytes = (0..elements).flat_map(value).collect();
            match tensor {
                true => Arg::Tensor { bytes, initialised: true, shape: vec![8, 16], strides: vec![16, 1] },
                false => Arg::Buffer { bytes, initialised: true },
            }
        }
    })
}

#[test]
fn every_example_runs_as_it_is_written() {
    cube_passes::register();
    let mut files = Vec::new();
    for (dialect, ops) in [("cube", OPS), ("layout", cube_layout_dialect::ops::OPS)] {
        let own = kernel_files(&format!("../dialects/{dialect}/examples"));
        for op in ops {
            let name = op.name.split('.').next_back().unwrap_or_default();
            assert!(own.iter().any(|(file, _)| file == name), "{} has no example", op.name);
        }
        files.extend(own);
    }
    let mut run_kernels = 0;
    for (name, text) in &files {
        let session = Session::new();
        let module = session.parse(text.as_bytes(), name).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        for kernel in kernels_of(module.op()) {
            let program = Program::decode(kernel, &[]).unwrap_or_else(|d| panic!("{name}: {d:?}"));
            let mut args: Vec<Arg> = program.params.iter().filter_map(|p| argument(p.kind)).collect();
            let options = Options { find: Find::FAULTS, ..Options::default() };
            let outcome = run(&program, &mut args, [1, 1, 1], &options).unwrap_or_else(|f| panic!("{name}: {f}"));
            // All units of a cube write the same number to one line, which is still a race.
            let expected = if name == "topology" { "races" } else { "" };
            let found: Vec<&str> = outcome.findings.iter().map(|f| f.kind.word()).collect();
            assert_eq!(found.join(","), expected, "{name}: {:?}", outcome.findings);
            run_kernels += 1;
        }
    }
    assert!(run_kernels >= OPS.len() + cube_layout_dialect::ops::OPS.len() - 1, "only {run_kernels} kernels were run");
}
