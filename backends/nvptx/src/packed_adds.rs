//! Works around a miscompilation of ptxas, which loses constants in packed additions of 16-bit integers.
//!
//! ```text
//! add.s16x2  %r36, %r33, %r34;        {
//!                                     .reg .b16  %low<2>, %high<2>;
//!                                     mov.b32    {%low0, %high0}, %r33;
//!                                     mov.b32    {%low1, %high1}, %r34;
//!                                     add.s16    %low0, %low0, %low1;
//!                                     add.s16    %high0, %high0, %high1;
//!                                     mov.b32    %r36, {%low0, %high0};
//!                                     }
//! ```
//!
//! If an operand is a constant and only one half of the sum is used, ptxas computes `VIADD.16x2 R0, R0, 0x0` and loses
//! the constant. The loss occurs with CUDA 13.0 (sm_90 and sm_100, `-O1` and up) and with the driver's compiler.
//! Minima, maxima and packed additions of floats keep their constants. The workaround replaces a packed addition of
//! integers by one addition per half. If both operands are loaded from memory, ptxas does not know their values, so the
//! packed addition stays. A load out of bounds has the value zero, and the loss of a zero does not change a sum. ptxas
//! removes the addition of an unused half. The addition of a used half costs as much as LLVM's subtraction and
//! multiplication of 16-bit integers.
use crate::{
    ptx::{self, Function, Instruction, Operand, Statement, StatementKind},
    undefined::written,
};
use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
};

/// Replaces each packed addition that can have a constant operand by one addition per half. The function
/// changes only packed additions.
pub(crate) fn split(text: &str) -> String {
    // Most kernels contain no packed addition.
    if !text.contains("16x2") {
        return text.to_string();
    }
    ptx::edited(text, |function, edits| {
        let constant = maybe_constant(function);
        for (statement, one) in instructions(function).filter(|(_, one)| is_packed_add(one)) {
            let [sum, operands @ ..] = &one.operands[..] else { continue };
            let stays = |register: &usize| !constant.contains(register);
            if operands.iter().all(|operand| operand.registers.first().is_some_and(stays)) {
                continue;
            }
            let mut halves = String::new();
            write(&mut halves, one, sum, operands);
            edits.insert(statement.at, (statement.end, halves));
        }
    })
}

fn instructions<'f, 't>(
    function: &'f Function<'t>,
) -> impl Iterator<Item = (&'f Statement<'t>, &'f Instruction<'t>)> + use<'f, 't> {
    function.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Instruction(one) => Some((statement, one)),
        _ => None,
    })
}

fn is_packed_add(one: &Instruction<'_>) -> bool {
    matches!(one.opcode, "add.s16x2" | "add.u16x2") && one.operands.len() == 3
}

/// Registers that can contain constants other than zero. A register outside of the returned set contains a
/// zero, a value from global or shared memory, or a copy or packed sum of registers outside of the set.
fn maybe_constant(function: &Function<'_>) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut users: HashMap<usize, Vec<usize>> = HashMap::new();
    for (_, one) in instructions(function) {
        let sources = sources(one);
        for register in written(one) {
            match &sources {
                Some(sources) => sources.iter().for_each(|source| users.entry(*source).or_default().push(*register)),
                None => _ = found.insert(*register),
            }
        }
    }
    let mut open: Vec<usize> = found.iter().copied().collect();
    while let Some(register) = open.pop() {
        let more = users.get(&register).into_iter().flatten();
        open.extend(more.filter(|user| found.insert(**user)));
    }
    found
}

/// The source registers of an instruction's result; `None` if the result can be a constant regardless of the
/// sources.
fn sources(one: &Instruction<'_>) -> Option<Vec<usize>> {
    if ["ld.global", "ld.shared"].iter().any(|load| one.opcode.starts_with(load)) {
        return Some(vec![]);
    }
    let operands = one.operands.get(1..)?;
    let copies = one.opcode == "mov.b32" && !one.operands[0].text.starts_with('{');
    let known = |operand: &Operand<'_>| operand.registers.len() == 1 || copies && operand.text == "0";
    let sums = copies || is_packed_add(one);
    (sums && operands.iter().all(known))
        .then(|| operands.iter().flat_map(|operand| operand.registers.clone()).collect())
}

fn write(text: &mut String, one: &Instruction<'_>, sum: &Operand<'_>, operands: &[Operand<'_>]) {
    let guard = one.guard.as_ref().map_or(String::new(), |(guard, _)| format!("{guard} "));
    text.push_str("{\n\t.reg .b16 \t%low<2>;\n\t.reg .b16 \t%high<2>;\n");
    for (i, operand) in operands.iter().enumerate() {
        _ = writeln!(text, "\tmov.b32 \t{{%low{i}, %high{i}}}, {};", operand.text);
    }
    text.push_str("\tadd.s16 \t%low0, %low0, %low1;\n\tadd.s16 \t%high0, %high0, %high1;\n");
    _ = write!(text, "\t{guard}mov.b32 \t{}, {{%low0, %high0}};\n\t}}", sum.text);
}

#[cfg(test)]
mod tests {
    use super::split;
    use crate::undefined::undefined_reads;

    fn kernel(body: &str) -> String {
        format!(
            ".visible .entry k(\n)\n{{\n\t.reg .b32 \t%r<9>;\n\t.reg .b64 \t%rd<2>;\n\tmov.b64 \t%rd1, 0;\n{body}\tret;\n}}\n"
        )
    }

    #[test]
    fn an_addition_of_a_constant_is_written_for_each_half() {
        let text = kernel("\tld.global.b32 \t%r1, [%rd1];\n\tmov.b32 \t%r2, 8323199;\n\tadd.s16x2 \t%r3, %r1, %r2;\n");
        let split = split(&text);
        assert!(!split.contains("16x2"), "{split}");
        for line in ["{%low0, %high0}, %r1;", "{%low1, %high1}, %r2;", "mov.b32 \t%r3, {%low0, %high0};"] {
            assert!(split.contains(line), "{line} is not in {split}");
        }
        assert_eq!(undefined_reads(&split), []);
    }

    #[test]
    fn packed_add_of_loaded_values_is_unchanged() {
        let text = kernel(
            "\tld.global.v2.b32 \t{%r1, %r2}, [%rd1];\n\tld.shared.b32 \t%r3, [%rd1];\n\tadd.s16x2 \t%r4, %r1, %r2;\n\
             \tadd.s16x2 \t%r5, %r4, %r3;\n",
        );
        assert_eq!(split(&text), text);
    }

    #[test]
    fn packed_add_of_zero_in_a_loop_is_unchanged() {
        let text = kernel(
            "\tmov.b32 \t%r1, 0;\n\tmov.b32 \t%r2, %r1;\n$L:\n\tld.global.b32 \t%r3, [%rd1];\n\tadd.s16x2 \t%r4, %r2, %r3;\n\
             \tmov.b32 \t%r2, %r4;\n\tbra.uni \t$L;\n",
        );
        assert_eq!(split(&text), text);
        let seven = text.replace("%r1, 0;", "%r1, 7;");
        assert!(!split(&seven).contains("16x2"));
    }

    #[test]
    fn possible_constant_operand_splits_packed_add() {
        for write in [
            "mov.b32 \t%r1, 7;",
            "@%r8 mov.b32 \t%r1, 7;",
            "mov.b32 \t%r1, {%r7, %r8};",
            "ld.param.b32 \t%r1, [k_param_0];",
            "and.b32 \t%r1, %r1, 7;",
            "add.s16x2 \t%r1, %r1, 7;",
        ] {
            let loads = "\tld.global.v2.b32 \t{%r1, %r2}, [%rd1];\n";
            let text = kernel(&format!("{loads}\t{write}\n\tadd.s16x2 \t%r3, %r1, %r2;\n"));
            assert!(!split(&text).contains("16x2"), "{write}");
        }
    }

    #[test]
    fn other_packed_operations_with_constants_are_unchanged() {
        for op in ["min.s16x2", "max.u16x2", "add.rn.f16x2", "add.rn.bf16x2"] {
            let text = kernel(&format!("\tmov.b32 \t%r1, 7;\n\t{op} \t%r2, %r1, %r1;\n"));
            assert_eq!(split(&text), text);
        }
    }
}
