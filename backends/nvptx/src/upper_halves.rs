//! Writes the upper half of a 64-bit sum with a product in a form that ptxas compiles to one instruction.
//!
//! ```text
//! mad.wide.u32  %rd33, %r11, %r130, %rd16;      {
//! mov.b64       {_, %r59}, %rd33;               .reg .b32       %half<5>;
//!                                               mov.b64         {%half0, %half1}, %rd16;
//!                                               mad.lo.cc.u32   %half2, %r11, %r130, %half0;
//!                                               madc.hi.u32     %r59, %r11, %r130, %half1;
//!                                               }
//! ```
//!
//! A division by a launch argument has this sum (`fast-division`). ptxas compiles the left form to an `IMAD.WIDE` and
//! two `IADD3`, and the right form to one `IMAD.HI` with a 64-bit addend (CUDA 12.9, sm_75 to sm_100, see
//! benches/results/2026-11-29-rules.md). Both forms are equal: the carry of the lower half is an operand of the upper
//! half (PTX ISA, extended-precision integer arithmetic).
//!
//! LLVM can also write the product as `mad.lo.s64` of two zero-extended numbers. A register is a zero-extended number if
//! every instruction that writes the register is a `cvt.u64.u32` or a load of 32 bits.
//!
//! The carry flag is a register of the unit. A sum stays as it is where a later instruction of the same block reads the
//! flag of an earlier one. Other instructions can be between the two instructions of a sum, if they do not write an operand.
use crate::{
    ptx::{self, Bank, Function, Instruction, Operand, StatementKind},
    undefined::written,
};
use std::collections::{HashMap, HashSet};

/// Rewrites each upper half of a sum whose lower half has no use. The function changes only these sums.
pub(crate) fn with_carry(text: &str) -> String {
    if !text.contains("mov.b64") {
        return text.to_string();
    }
    ptx::edited(text, |function, edits| {
        let registers = Registers::of(function);
        let carries = live_carries(function);
        for (at, statement) in function.statements.iter().enumerate() {
            let StatementKind::Instruction(part) = &statement.kind else { continue };
            let Some((sum_at, sum)) = registers.sum_of(function, at).filter(|_| !carries[at]) else { continue };
            let Some(new) = registers.upper_half(sum, part) else { continue };
            let sum = &function.statements[sum_at];
            // A scope between the two instructions can hide a register of the sum. LLVM's scope for an unused half
            // declares `tmp`.
            let hides = |bank: &Bank<'_>| (sum.end..=statement.at).contains(&bank.ready) && bank.base.starts_with('%');
            if function.banks.iter().any(hides) {
                continue;
            }
            let after = text.len() - text[sum.end..].trim_start().len();
            edits.insert(sum.at, (after, String::new()));
            edits.insert(statement.at, (statement.end, new));
        }
    })
}

/// The uses of the registers of a function.
struct Registers {
    /// The number of operands and guards that name a register.
    named: HashMap<usize, usize>,
    /// Whether all writes of a register are zero extensions of 32-bit numbers.
    extended: HashMap<usize, bool>,
}

// A load of 32 bits into a wider register extends the number (PTX ISA, `ld`).
fn is_extension(opcode: &str) -> bool {
    opcode == "cvt.u64.u32" || opcode.starts_with("ld.") && [".b32", ".u32"].iter().any(|ty| opcode.ends_with(ty))
}

impl Registers {
    fn of(function: &Function<'_>) -> Registers {
        let mut registers = Registers { named: HashMap::new(), extended: HashMap::new() };
        for statement in &function.statements {
            let StatementKind::Instruction(one) = &statement.kind else { continue };
            let operands = one.operands.iter().flat_map(|operand| &operand.registers);
            for register in operands.chain(one.guard.iter().flat_map(|(_, registers)| registers)) {
                *registers.named.entry(*register).or_default() += 1;
            }
            for register in written(one) {
                *registers.extended.entry(*register).or_insert(true) &= is_extension(one.opcode);
            }
        }
        registers
    }

    /// The instruction that writes the source of the `mov.b64` at `at`, in the same block, if no instruction between them
    /// writes one of its operands.
    fn sum_of<'f, 't>(&self, function: &'f Function<'t>, at: usize) -> Option<(usize, &'f Instruction<'t>)> {
        let StatementKind::Instruction(part) = &function.statements[at].kind else { return None };
        let source = part.operands.get(1).filter(|_| part.opcode == "mov.b64").and_then(single)?;
        let mut between: HashSet<usize> = HashSet::new();
        for before in (0..at).rev() {
            let StatementKind::Instruction(one) = &function.statements[before].kind else { return None };
            if one.opcode.starts_with("bra") || one.opcode.starts_with("brx") {
                return None;
            }
            if written(one).contains(&source) {
                let operands = one.operands.iter().skip(1).flat_map(|operand| &operand.registers);
                return operands.copied().all(|register| !between.contains(&register)).then_some((before, one));
            }
            between.extend(written(one));
        }
        None
    }

    /// The instructions that replace `sum` and `part`, if `part` takes the upper half of `sum` and neither the sum nor its
    /// lower half has another use.
    fn upper_half(&self, sum: &Instruction<'_>, part: &Instruction<'_>) -> Option<String> {
        let [whole, a, b, addend] = &sum.operands[..] else { return None };
        let [halves, source] = &part.operands[..] else { return None };
        let is_wide = match sum.opcode {
            "mad.wide.u32" => false,
            "mad.lo.s64" | "mad.lo.u64" => true,
            _ => return None,
        };
        let whole = single(whole)?;
        let unguarded = sum.guard.is_none() && part.guard.is_none();
        if !unguarded || part.opcode != "mov.b64" || single(source)? != whole || self.named.get(&whole) != Some(&2) {
            return None;
        }
        single(addend)?;
        let (lower, upper) = halves.text.strip_prefix('{')?.strip_suffix('}')?.split_once(',')?;
        let is_unused = match &halves.registers[..] {
            [_] => lower.trim() == "_",
            [lower, upper] => lower != upper && self.named.get(lower) == Some(&1),
            _ => false,
        };
        if !is_unused {
            return None;
        }
        let mut text = String::from("{\n\t.reg .b32 \t%half<5>;\n");
        let mut factors = Vec::new();
        for (i, factor) in [a, b].into_iter().enumerate() {
            let register = single(factor)?;
            if !is_wide {
                factors.push(factor.text.to_string());
                continue;
            }
            if self.extended.get(&register) != Some(&true) {
                return None;
            }
            text += &format!("\tcvt.u32.u64 \t%half{}, {};\n", i + 3, factor.text);
            factors.push(format!("%half{}", i + 3));
        }
        let (factors, upper) = (factors.join(", "), upper.trim());
        text += &format!("\tmov.b64 \t{{%half0, %half1}}, {};\n", addend.text);
        text += &format!("\tmad.lo.cc.u32 \t%half2, {factors}, %half0;\n");
        text += &format!("\tmadc.hi.u32 \t{upper}, {factors}, %half1;\n\t}}");
        Some(text)
    }
}

// The register of an operand that is exactly one register.
fn single(operand: &Operand<'_>) -> Option<usize> {
    match &operand.registers[..] {
        [register] if operand.text.starts_with('%') => Some(*register),
        _ => None,
    }
}

/// For each statement, whether an instruction after it in the same block reads a carry flag that an instruction before it
/// wrote.
fn live_carries(function: &Function<'_>) -> Vec<bool> {
    let mut live = false;
    let mut carries: Vec<bool> = function
        .statements
        .iter()
        .rev()
        .map(|statement| {
            let after = live;
            live = match &statement.kind {
                StatementKind::Instruction(one) => {
                    let mut words = one.opcode.split('.');
                    let reads = words.next().is_some_and(|name| matches!(name, "addc" | "subc" | "madc"));
                    reads || live && !words.any(|word| word == "cc")
                }
                _ => false,
            };
            after
        })
        .collect();
    carries.reverse();
    carries
}

#[cfg(test)]
mod tests {
    use super::with_carry;
    use crate::undefined::undefined_reads;

    const PAIR: &str = "\tmad.wide.u32 \t%rd3, %r1, %r2, %rd2;\n\tmov.b64 \t{_, %r4}, %rd3;\n";
    const LONG: &str = "\tcvt.u64.u32 \t%rd4, %r1;\n\tcvt.u64.u32 \t%rd5, %r2;\n\tmad.lo.s64 \t%rd3, %rd4, %rd5, %rd2;\n\
        \tmov.b64 \t{_, %r4}, %rd3;\n";

    fn kernel(body: &str) -> String {
        format!(
            ".visible .entry k(\n)\n{{\n\t.reg .pred \t%p<2>;\n\t.reg .b32 \t%r<9>;\n\t.reg .b64 \t%rd<9>;\n\
             \tmov.u32 \t%r1, %tid.x;\n\tld.param.b32 \t%r2, [k_param_0];\n\tld.param.b64 \t%rd2, [k_param_1];\n\
             {body}\tst.global.b32 \t[%rd2], %r4;\n\tret;\n}}\n"
        )
    }

    #[test]
    fn upper_half_of_a_sum_is_a_product_with_a_carry() {
        let older = PAIR.replace("mov.b64 \t{_, %r4}, %rd3;", "{ .reg .b32 tmp; mov.b64 {tmp, %r4}, %rd3; }");
        for (pair, factors) in [(PAIR, "%r1, %r2"), (&older, "%r1, %r2"), (LONG, "%half3, %half4")] {
            let text = with_carry(&kernel(pair));
            let [low, high] =
                ["mad.lo.cc.u32 \t%half2", "madc.hi.u32 \t%r4"].map(|head| format!("{head}, {factors}, "));
            assert!(text.contains(&format!("mov.b64 \t{{%half0, %half1}}, %rd2;\n\t{low}%half0;\n\t{high}%half1;")));
            assert!(!text.contains("%rd3") && !text.contains("tmp, "), "{text}");
            assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
            assert_eq!(undefined_reads(&text), []);
        }
    }

    #[test]
    fn other_sums_are_unchanged() {
        let signed = PAIR.replace("mad.wide.u32", "mad.wide.s32");
        let lower = PAIR.replace("{_, %r4}", "{%r4, _}");
        let both = PAIR.replace("{_, %r4}", "{%r5, %r4}") + "\tst.global.b32 \t[%rd2], %r5;\n";
        let again = format!("{PAIR}\tst.global.b64 \t[%rd2], %rd3;\n");
        let guarded = PAIR.replace("\tmov.b64", "\t@%p1 mov.b64");
        let between = PAIR.replace("\tmov.b64", "\tadd.s32 \t%r1, %r1, 1;\n\tmov.b64");
        let constant = PAIR.replace("%r2, %rd2", "4, %rd2");
        let apart = PAIR.replace("\tmov.b64", "$L__BB0_1:\n\tmov.b64");
        let signed_factor = LONG.replace("cvt.u64.u32 \t%rd5", "cvt.s64.s32 \t%rd5");
        let wide_factor = format!("\tmov.b64 \t%rd5, %rd2;\n{LONG}");
        let carry = format!("\tadd.cc.s32 \t%r6, %r1, %r2;\n{PAIR}\taddc.s32 \t%r7, %r1, %r2;\n");
        let shadowed = PAIR.replace("\tmov.b64 \t{_, %r4}, %rd3;", "{ .reg .b32 %r4; mov.b64 {_, %r4}, %rd3; }");
        for body in
            [shadowed, between, signed, lower, both, again, guarded, constant, apart, signed_factor, wide_factor, carry]
        {
            let text = kernel(&body);
            assert_eq!(with_carry(&text), text);
        }
        // An instruction between the two does not write an operand, and a load extends its number.
        let far = PAIR.replace("\tmov.b64", "\tadd.s32 \t%r6, %r1, 1;\n\tmov.b64");
        let loaded = LONG.replace("cvt.u64.u32 \t%rd4, %r1", "ld.global.b32 \t%rd4, [%rd2]");
        let signed = loaded.replace("b32", "s32");
        assert!([far, loaded].iter().all(|body| with_carry(&kernel(body)).contains("madc.hi.u32")));
        assert_eq!(with_carry(&kernel(&signed)), kernel(&signed));
        // The flag is not read after the sum.
        let dead = format!("\tadd.cc.s32 \t%r6, %r1, %r2;\n\taddc.s32 \t%r7, %r1, %r2;\n{PAIR}");
        assert!(with_carry(&kernel(&dead)).contains("madc.hi.u32"));
    }

    // The formulas of PTX for the two instructions, against the sum in 64 bits.
    #[test]
    fn both_forms_are_equal() {
        let numbers = [0, 1, 2, 3, 0x7fff_ffff, 0x8000_0000, 0xaaaa_aaab, 0xffff_fffe, 0xffff_ffff_u32];
        let addends = numbers.iter().flat_map(|low| numbers.map(|high| u64::from(high) << 32 | u64::from(*low)));
        for addend in addends {
            for (a, b) in numbers.iter().flat_map(|a| numbers.map(|b| (u64::from(*a), u64::from(b)))) {
                let (low, carry) = ((a * b) as u32).overflowing_add(addend as u32);
                let high = (((a * b) >> 32) as u32).wrapping_add((addend >> 32) as u32).wrapping_add(carry.into());
                let sum = (a * b).wrapping_add(addend);
                assert_eq!((high, low), ((sum >> 32) as u32, sum as u32), "{a} * {b} + {addend}");
            }
        }
    }
}
