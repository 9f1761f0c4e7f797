//! Selects the forms of `ex2.approx` and `rcp.approx` that flush subnormal numbers to zero.
//!
//! ```text
//! ex2.approx.f32  %r2, %r1;        ex2.approx.ftz.f32  %r2, %r1;
//! ```
//!
//! The flag `afn` permits both forms (docs/reference/fast-math.md). Without `.ftz`, ptxas surrounds each instruction with
//! a comparison and two products, which scale subnormal numbers (CUDA 12.9, sm_90). LLVM selects the forms with `.ftz` only
//! for a function that flushes the results of all its operations.
use crate::ptx::{self, StatementKind};

const FORMS: [(&str, &str); 2] = [("ex2.approx.f32", "ex2.approx.ftz.f32"), ("rcp.approx.f32", "rcp.approx.ftz.f32")];

/// Replaces each instruction of the table. The function changes only these instructions.
pub(crate) fn flushed(text: &str) -> String {
    if !text.contains(".approx.f32") {
        return text.to_string();
    }
    ptx::edited(text, |function, edits| {
        for statement in &function.statements {
            let StatementKind::Instruction(one) = &statement.kind else { continue };
            let Some((kept, flushing)) = FORMS.iter().find(|(kept, _)| *kept == one.opcode) else { continue };
            if let Some(at) = text[statement.at..statement.end].find(kept) {
                let at = statement.at + at;
                edits.insert(at, (at + kept.len(), (*flushing).to_string()));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::flushed;

    #[test]
    fn changes_only_the_instructions_of_the_table() {
        let body = "\tex2.approx.f32 \t%r1, %r0;\n\t@%p1 rcp.approx.f32 \t%r2, %r1;\n\tdiv.approx.f32 \t%r3, %r2, %r1;\n\
                    \tex2.approx.ftz.f32 \t%r3, %r2; // ex2.approx.f32\n\trcp.rn.f32 \t%r4, %r3;\n\tret;\n";
        let kernel =
            |body: &str| format!(".visible .entry k(\n)\n{{\n\t.reg .pred \t%p<2>;\n\t.reg .b32 \t%r<9>;\n{body}}}\n");
        let expected = body.replacen("ex2.approx.f32 \t%r1", "ex2.approx.ftz.f32 \t%r1", 1).replacen(
            "@%p1 rcp.approx.f32",
            "@%p1 rcp.approx.ftz.f32",
            1,
        );
        assert_eq!(flushed(&kernel(body)), kernel(&expected));
    }
}
