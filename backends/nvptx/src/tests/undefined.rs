use super::{WRITING, define, undefined_reads};

#[test]
fn writing_instructions_are_in_alphabetical_order() {
    assert!(WRITING.is_sorted());
}

fn kernel(body: &str) -> String {
    format!(
        "//\n.version 8.0\n.visible .entry k(\n)\n{{\n\t.reg .pred \t%p<9>;\n\t.reg .b16 \t%rs<9>;\n\t.reg .b32 \t%r<9>;\n\
         \t.reg .b64 \t%rd<9>;\n\n\tmov.u32 \t%r1, %tid.x;\n{body}}}\n"
    )
}

/// The undefined registers of a body. Checks that the repair leaves no undefined register.
fn undefined(body: &str) -> Vec<String> {
    let text = kernel(body);
    let found = undefined_reads(&text);
    let (defined, is_defined) = define(&text);
    assert_eq!(is_defined, found.is_empty());
    assert_eq!(undefined_reads(&defined), [], "{defined}");
    if found.is_empty() {
        assert_eq!(defined, text);
    }
    found.into_iter().map(|read| read.register).collect()
}

#[test]
fn undefined_register_half_is_found_and_defined() {
    let body = "\tcvt.u16.u32 \t%rs2, %r1;\n\tmov.b32 \t%r2, {%rs2, %rs3};\n\tret;\n";
    let text = kernel(body);
    let found = undefined_reads(&text);
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].to_string(),
        "line 13: `mov.b32 %r2, {%rs2, %rs3};` in k reads %rs3, but a path to the instruction does not write the register"
    );
    let expected = text.replace("\tmov.u32 \t%r1", "\tmov.b16 \t%rs3, 0;\n\tmov.u32 \t%r1");
    assert_eq!(define(&text).0, expected);
}

#[test]
fn every_operand_and_guard_is_a_read() {
    for (body, registers) in [
        ("\tadd.s32 \t%r2, %r3, %r4;\n\tret;\n", &["%r3", "%r4"][..]),
        ("\tst.global.v2.b16 \t[%rd1+2], {%rs1, %rs2};\n\tret;\n", &["%rs1", "%rs2", "%rd1"]),
        ("\tld.global.b32 \t%r2, [%rd3];\n\tret;\n", &["%rd3"]),
        ("\tatom.global.add.u32 \t%r2, [%rd3], %r4;\n\tret;\n", &["%r4", "%rd3"]),
        ("\tred.global.add.u32 \t[%rd3], %r4;\n\tret;\n", &["%r4", "%rd3"]),
        ("\t@!%p2 bra \t$L;\n$L:\n\tret;\n", &["%p2"]),
        ("\tselp.b32 \t%r2, %r1, 7, %p3;\n\tret;\n", &["%p3"]),
        ("\tmov.b32 \t{%rs1, _}, %r5;\n\tret;\n", &["%r5"]),
        ("\tbar.sync \t%r6;\n\tret;\n", &["%r6"]),
        // An instruction that is not in the table is assumed to read all of its operands.
        ("\tfuture.b32 \t%r2, %r1;\n\tret;\n", &["%r2"]),
        ("\tadd.s32 \t%r2, %r2, 1;\n\tret;\n", &["%r2"]),
        ("\tshfl.sync.idx.b32 \t%r2|%p1, %r1, 0, 31, -1;\n\tselp.b32 \t%r3, %r2, 7, %p1;\n\tret;\n", &[]),
    ] {
        assert_eq!(undefined(body), registers, "{body}");
    }
}

#[test]
fn write_on_one_path_leaves_the_register_undefined() {
    let branch = "\tsetp.eq.b32 \t%p1, %r1, 0;\n\t@%p1 bra \t$ELSE;\n";
    let one = format!("{branch}\tmov.b32 \t%r2, 1;\n$ELSE:\n\tadd.s32 \t%r3, %r2, 1;\n\tret;\n");
    assert_eq!(undefined(&one), ["%r2"]);
    let both = format!(
        "{branch}\tmov.b32 \t%r2, 1;\n\tbra.uni \t$END;\n$ELSE:\n\tmov.b32 \t%r2, 2;\n$END:\n\tadd.s32 \t%r3, %r2, 1;\n\tret;\n"
    );
    assert!(undefined(&both).is_empty());
    let guarded = "\tsetp.eq.b32 \t%p1, %r1, 0;\n\t@%p1 mov.b32 \t%r2, 1;\n\tadd.s32 \t%r3, %r2, 1;\n\tret;\n";
    assert_eq!(undefined(guarded), ["%r2"]);
    let left = format!(
        "{branch}\tmov.b32 \t%r2, 1;\n\tbra.uni \t$END;\n$ELSE:\n\tret;\n$END:\n\tadd.s32 \t%r3, %r2, 1;\n\tret;\n"
    );
    assert!(undefined(&left).is_empty());
    let trapped = format!(
        "{branch}\tmov.b32 \t%r2, 1;\n\tbra.uni \t$END;\n$ELSE:\n\ttrap;\n$END:\n\tadd.s32 \t%r3, %r2, 1;\n\tret;\n"
    );
    assert!(undefined(&trapped).is_empty());
}

#[test]
fn loop_writes_reach_reads_only_after_the_first_iteration() {
    let body = |before: &str| {
        format!(
            "{before}$LOOP:\n\tadd.s32 \t%r3, %r2, 1;\n\tmov.b32 \t%r2, %r3;\n\tsetp.lt.s32 \t%p1, %r3, 9;\n\t@%p1 bra \t$LOOP;\n\tret;\n"
        )
    };
    assert_eq!(undefined(&body("")), ["%r2"]);
    assert!(undefined(&body("\tmov.b32 \t%r2, 0;\n")).is_empty());
}

#[test]
fn the_entry_can_be_the_head_of_a_loop() {
    let text = ".entry k()\n{\n\t.reg .b32 %r<3>;\n$L:\n\tadd.s32 \t%r1, %r1, 1;\n\tbra.uni \t$L;\n}\n";
    assert_eq!(undefined_reads(text).len(), 1);
    let defined = define(text).0;
    assert_eq!(defined, text.replace("$L:\n", "mov.b32 \t%r1, 0;\n\t$L:\n"));
    assert_eq!(undefined_reads(&defined), []);
}

#[test]
fn unreachable_reads_and_all_targets_of_an_indirect_branch_are_known() {
    let unreachable = "\tret;\n$L:\n\tadd.s32 \t%r3, %r2, 1;\n\tbra.uni \t$L;\n";
    assert!(undefined(unreachable).is_empty());
    let table = "$T: .branchtargets\n\t$A,\n\t$B;\n\tbrx.idx \t%r1, $T;\n$A:\n\tmov.b32 \t%r2, 1;\n$B:\n\tadd.s32 \t%r3, %r2, 1;\n\tret;\n";
    assert_eq!(undefined(table), ["%r2"]);
}

#[test]
fn registers_of_a_scope_are_defined_in_it() {
    let body = "\t{\n\t.reg .b64 \t%wide;\n\t.reg .pred \t%r1;\n\tmov.b64 \t%rd1, %wide;\n\tselp.b32 \t%r2, 1, 2, %r1;\n\t}\n\tret;\n";
    let text = kernel(body);
    let defined = define(&text).0;
    let expected = text.replace("\tmov.b64 \t%rd1", "\tmov.b64 \t%wide, 0;\n\tmov.pred \t%r1, 0;\n\tmov.b64 \t%rd1");
    assert_eq!(defined, expected);
    assert_eq!(undefined_reads(&defined), []);
}

#[test]
fn text_that_does_not_end_is_a_finding() {
    let found = undefined_reads(".entry k()\n{\n\tadd.s32 \t%r1, 1\n}\n");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].to_string(), "line 3: `add.s32 %r1, 1` does not end");
}
