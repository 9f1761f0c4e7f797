//! The keys of discardable attributes, which an operation can have in addition to the attributes of its definition.
//! This file has one constant for every key. The reference page of the dialect lists all keys of this file.
use cube_ir::{AttrExt, Op};

/// The author of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// The attribute can be part of a source text. A verifier, or the pass that reads the attribute, checks the
    /// attribute's value.
    Program,
    /// Only passes write the attribute. The driver refuses a source with the attribute, because later passes rely on
    /// the attribute.
    Compiler,
}

/// A row of the table of attribute keys.
#[derive(Clone, Copy, Debug)]
pub struct AttributeKey {
    /// The key as text.
    pub name: &'static str,
    /// The author of the attribute.
    pub by: Writer,
    /// The operations that can have the attribute.
    pub on: &'static str,
    /// The meaning of the attribute.
    pub summary: &'static str,
}

macro_rules! keys {
    ($($constant:ident = $name:literal by $by:ident on $on:literal, $summary:literal;)*) => {
        $(#[doc = $summary] pub const $constant: &str = $name;)*

        /// All keys, sorted by the operations that can have the attributes.
        pub const ATTRIBUTE_KEYS: &[AttributeKey] =
            &[$(AttributeKey { name: $name, by: Writer::$by, on: $on, summary: $summary }),*];
    };
}

keys! {
    TARGET = "cube.target" by Program on "module", "The description of the chip that the module is compiled for: a `#cube.target`.";
    HOST = "cube.host" by Program on "argument of a kernel", "The element type of the host program, if it differs from the kernel's.";
    ACCESS = "cube.access" by Program on "argument of a kernel", "The accesses of the kernel to the buffer: `read`, `write`, `read_write`, or `prints` for the buffer of printed text.";
    ALIGN = "cube.align" by Program on "argument of a kernel", "Alignment in bytes of the first element of the buffer, which the launch checks.";
    NOALIAS = "cube.noalias" by Program on "argument of a kernel", "No other argument of the launch overlaps the memory of this one.";
    LEN = "cube.len" by Program on "argument of a kernel", "The source of the length: the memory of the buffer (`buffer`), or the host (`host`).";
    DERIVED = "cube.derived" by Program on "argument of a kernel", "The expression from which the launcher computes the scalar.";
    CUBES = "cube.cubes" by Program on "argument of a kernel", "The buffer contains the number of cubes along x, y, z. The kernel runs these cubes, whichever number is launched.";
    PLANE_DIM = "cube.plane_dim" by Program on "kernel", "The plane size, on targets that support several.";
    DENY_CHECKS = "cube.deny_checks" by Program on "kernel", "The compiler refuses a kernel in which a bounds check remains.";
    CUBE_COUNT = "cube.cube_count" by Compiler on "kernel", "Three expressions, for x, y, z: the number of cubes to launch, if it differs from the number that the program requests.";
    OVERWRITTEN = "cube.overwritten" by Compiler on "kernel", "For each buffer that some launches overwrite completely: the expression that is 1 for these launches.";
    RULES = "cube.rules" by Program on "kernel, module", "Rewrite rules of the program for the pass `egraph`, an array of lines.";
    PRINTS = "cube.prints" by Compiler on "kernel", "The formats of the kernel's `cube.print` operations.";
    SIMD_WIDTH = "cube.simd_width" by Compiler on "kernel, function", "CPU: the number of units per vector.";
    SCRATCH_BYTES = "cube.scratch_bytes" by Compiler on "function", "CPU: bytes of scratch memory that a call of the entry requires.";
    ARGUMENTS = "cube.arguments" by Compiler on "function", "AMD: the names of the kernel's arguments.";
    DEBUG = "cube.debug" by Program on "kernel, `cube.alloc`", "On a kernel: variables are kept for debuggers. On an allocation: it contains such a variable.";
    SHARED_OFFSET = "cube.shared_offset" by Compiler on "`cube.alloc`, `memref.alloca`", "The offset in bytes of the allocation in the shared memory of the cube. Allocations with disjoint live ranges can overlap. Allocations without the attribute have their own memory.";
    LAUNCH_GUARD = "cube.launch_guard" by Compiler on "access", "The launcher evaluates the bounds check. An `inbounds` access runs only in launches in which the check succeeds, and a `checked` access only in other launches.";
    UNROLL = "cube.unroll" by Program on "loop", "The requested unrolling: a factor, or the complete loop if the attribute has no value.";
    NARROW = "cube.narrow" by Compiler on "loop", "The counter's type before it was widened.";
    LAYOUT_PROOF = "layout.proof" by Compiler on "access of a view", "The facts that pass `prove-layouts` has proven about the access, as text for readers.";
    LAYOUT_WIDTH = "layout.width" by Compiler on "access of a view", "Elements of the vector access that pass `layout-widen` has chosen.";
    LAYOUT_ALIGN = "layout.align" by Compiler on "access of a view", "Alignment of the vector access in bytes.";
    NVVM_KERNEL = "nvvm.kernel" by Compiler on "function", "NVIDIA: the function is a kernel.";
    NVVM_CUBE_DIM = "nvvm.reqntid" by Compiler on "function", "NVIDIA: units of a cube along x, y, z.";
    ROCDL_KERNEL = "rocdl.kernel" by Compiler on "function", "AMD: the function is a kernel.";
    ROCDL_CUBE_DIM = "rocdl.reqd_work_group_size" by Compiler on "function", "AMD: units of a cube along x, y, z.";
    ROCDL_UNITS = "rocdl.flat_work_group_size" by Compiler on "function", "AMD: minimum and maximum number of units of a cube.";
    LLVM_NOALIAS = "llvm.noalias" by Compiler on "argument of a function", "CPU: no other argument overlaps the memory of this one.";
}

/// Whether the requested unrolling of a loop is the factor 1, so that the loop has one copy of its body in the machine code.
pub fn has_one_body(op: Op<'_>) -> bool {
    op.attr(UNROLL).and_then(|factor| factor.as_int()) == Some(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_ir::OpKind;

    // `cargo xtask check` counts names of operations outside of this file. The length of a buffer is both a key and an
    // operation.
    #[test]
    fn no_other_key_is_the_name_of_an_operation() {
        let names = ATTRIBUTE_KEYS.iter().map(|key| key.name).filter(|name| OpKind::from_name(name) != OpKind::Unknown);
        assert_eq!(names.collect::<Vec<_>>(), [LEN]);
    }
}
