//! Lets a kernel be launched before the kernel before it has ended.
//!
//! ```text
//! .visible .entry scale(...)        .visible .entry scale(...)
//! {                                 {
//!     .reg .b32 %r<5>;                  .reg .b32 %r<5>;
//!     ld.param.b64 ...                  griddepcontrol.wait;
//!                                       ld.param.b64 ...
//! ```
//!
//! A queue of small kernels spends most of its time between two kernels. With the launch attribute
//! `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`, the device sets up the cubes of a kernel while the last cubes of the kernel
//! before it end. The first instruction of the kernel then waits until all memory accesses of the other kernel are complete
//! and visible. Without the attribute, the instruction has no effect. It requires compute capability 9.0.
//!
//! The instruction is written into the text, because LLVM's intrinsic has no effect on memory for LLVM, so a load could
//! move before it.
use cube_artifact::WAIT_AT_START;

/// Writes the instruction at the start of each entry of `ptx`.
pub(crate) fn wait_at_start(ptx: &str) -> String {
    let mut edited = String::with_capacity(ptx.len() + 128);
    // Whether the text is in the head of an entry, or between its brace and its first instruction.
    let (mut in_head, mut in_declarations) = (false, false);
    for line in ptx.split_inclusive('\n') {
        let code = line.trim_start();
        in_head |= code.split("//").next().is_some_and(|code| code.contains(".entry "));
        if in_declarations && !(code.is_empty() || code.starts_with('.') || code.starts_with("//")) {
            edited += "\t";
            edited += WAIT_AT_START;
            edited += "\n";
            in_declarations = false;
        }
        if in_head && code.starts_with('{') {
            (in_head, in_declarations) = (false, true);
        }
        edited += line;
    }
    edited
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_the_first_instruction_of_each_entry() {
        let text = ".version 7.8\n\n\t// .globl\ta\n.visible .entry a(\n\t.param .u64 a_param_0\n)\n.reqntid 4\n{\n\t.reg .b32 \t%r<2>;\n\n// %bb.0:\n\t.loc 1 1 1\n\tmov.b32 \t%r1, 7;\n\tret;\n}\n.func f()\n{\n\tret;\n}\n.entry b()\n{\n$L__BB0:\n\tret;\n}\n";
        let edited = wait_at_start(text);
        assert_eq!(edited.matches(WAIT_AT_START).count(), 2, "{edited}");
        assert!(edited.contains(&format!("\t.loc 1 1 1\n\t{WAIT_AT_START}\n\tmov.b32")), "{edited}");
        assert!(edited.contains(&format!("{{\n\t{WAIT_AT_START}\n$L__BB0:")), "{edited}");
        assert_eq!(edited.replace(&format!("\t{WAIT_AT_START}\n"), ""), text);
    }
}
