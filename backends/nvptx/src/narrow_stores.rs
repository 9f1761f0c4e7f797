//! Works around a miscompilation of ptxas, which can compile a store of a part of a register as a conversion.
//!
//! ```text
//! add.rn.f32  %r22, %r21, 0f3F800000;        add.rn.f32  %r22, %r21, 0f3F800000;
//! st.shared.b8  [%rd13], %r22;               and.b32     %part0, %r22, 255;
//!                                            st.shared.b8  [%rd13], %part0;
//! ```
//!
//! A narrow store writes the low bits of the register (PTX ISA, relaxed type-checking of source operands), and LLVM
//! relies on this rule. If a float instruction wrote the stored register, ptxas does not store the low bits, but
//! converts the *number* to an integer and stores the integer. For example, the low byte of 4.25 is 0x00, but a
//! one-byte store of 4.25 stores 0x04. The fault occurs with driver 580.159.04 on sm_90, for `st.b8`, `st.u8` and
//! `st.b16` in any space. ptxas stores the result of an integer instruction unchanged, so this pass inserts an
//! integer instruction before the store. ptxas removes the inserted instruction if the store was already correct.
use std::fmt::Write;

/// Inserts an integer instruction before each store of a part of a register.
pub(crate) fn take_parts(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len() + ptx.len() / 16);
    for line in ptx.split_inclusive('\n') {
        match store(line) {
            Some(store) => store.write(&mut text),
            None => text.push_str(line),
        }
    }
    text
}

/// A store whose registers are wider than the stored value.
struct Store<'t> {
    /// The part of the store's text that precedes the stored registers.
    before: &'t str,
    /// Stored bits of each register.
    bits: u32,
    /// The stored registers, and their bits; `None` if the text needs no change.
    values: Vec<(&'t str, Option<u32>)>,
    /// Whether the registers are in braces.
    is_vector: bool,
}

fn store(line: &str) -> Option<Store<'_>> {
    let word = line.split_whitespace().next()?;
    if !word.starts_with("st.") || word.starts_with("st.param") {
        return None;
    }
    let bits = word.rsplit('.').next()?.trim_start_matches(char::is_alphabetic).parse().ok()?;
    let (before, after) = line.trim_end().strip_suffix(';')?.rsplit_once("], ")?;
    let inner = after.strip_prefix('{').and_then(|inner| inner.strip_suffix('}'));
    let values: Vec<_> = inner
        .unwrap_or(after)
        .split(',')
        .map(|value| (value.trim(), register_bits(value.trim()).filter(|width| *width > bits)))
        .collect();
    let any = values.iter().any(|(_, width)| width.is_some());
    any.then_some(Store { before, bits, values, is_vector: inner.is_some() })
}

// LLVM names registers by their width.
fn register_bits(name: &str) -> Option<u32> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse::<u32>().ok()?;
    match &name[..name.len() - digits.len()] {
        "%rs" => Some(16),
        "%r" => Some(32),
        "%rd" => Some(64),
        _ => None,
    }
}

impl Store<'_> {
    fn write(&self, text: &mut String) {
        let mut stored = Vec::new();
        text.push_str("\t{\n");
        for (i, (value, width)) in self.values.iter().enumerate() {
            let Some(width) = width else {
                stored.push(value.to_string());
                continue;
            };
            let mask = (1u64 << self.bits) - 1;
            _ = writeln!(text, "\t.reg .b{width} \t%part{i};");
            _ = writeln!(text, "\tand.b{width} \t%part{i}, {value}, {mask};");
            stored.push(format!("%part{i}"));
        }
        let stored = stored.join(", ");
        let stored = if self.is_vector { format!("{{{stored}}}") } else { stored };
        _ = writeln!(text, "{}], {stored};\n\t}}", self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::take_parts;

    #[test]
    fn register_parts_are_extracted_by_an_integer_instruction() {
        let given = "\tst.shared.b8 \t[%rd13+1], %r22;\n\tst.global.v2.b16 \t[%rd1], {%r3, %rs4};\n";
        let expected = "\t{\n\t.reg .b32 \t%part0;\n\tand.b32 \t%part0, %r22, 255;\n\tst.shared.b8 \t[%rd13+1], %part0;\n\t}\n\
            \t{\n\t.reg .b32 \t%part0;\n\tand.b32 \t%part0, %r3, 65535;\n\tst.global.v2.b16 \t[%rd1], {%part0, %rs4};\n\t}\n";
        assert_eq!(take_parts(given), expected);
        let wide = take_parts("\tst.local.b32 \t[%SP+8], %rd7;\n");
        assert!(wide.contains("and.b64 \t%part0, %rd7, 4294967295;"), "{wide}");
        assert!(take_parts("\tst.b8 \t[%rd1], %rs1;\n").contains("and.b16 \t%part0, %rs1, 255;"));
    }

    #[test]
    fn other_instructions_are_unchanged() {
        for line in [
            "\tst.global.b32 \t[%rd6], %r37;\n",
            "\tst.global.v4.b32 \t[%rd6], {%r1, %r2, %r3, %r4};\n",
            "\tst.global.b8 \t[%rd6], 7;\n",
            "\tst.param.b8 \t[func_retval0], %r1;\n",
            "\tld.global.b8 \t%rs1, [%rd4];\n",
            "// st.global.b8 [%rd1], %r1;\n",
            "$L__BB0_2:\n",
            "\tret",
        ] {
            assert_eq!(take_parts(line), line);
        }
    }
}
