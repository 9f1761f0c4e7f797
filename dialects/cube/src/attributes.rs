//! The keys of discardable attributes, which an operation can carry in addition to the attributes of its definition.
//! Every key has one constant here, and the reference page of the dialect lists this table.

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct AttributeKey {
    /// The key in text.
    pub name: &'static str,
    /// The operations that carry it.
    pub on: &'static str,
    /// The meaning of the attribute.
    pub summary: &'static str,
}

macro_rules! keys {
    ($($constant:ident = $name:literal on $on:literal, $summary:literal;)*) => {
        $(#[doc = $summary] pub const $constant: &str = $name;)*

        /// All keys, sorted by the operations that carry them.
        pub const ATTRIBUTE_KEYS: &[AttributeKey] =
            &[$(AttributeKey { name: $name, on: $on, summary: $summary }),*];
    };
}

keys! {
    TARGET = "cube.target" on "module", "The description of the chip that the module is compiled for: a `#cube.target`.";
    HOST = "cube.host" on "argument of a kernel", "The element type of the host program, if it differs from the kernel's.";
    ACCESS = "cube.access" on "argument of a kernel", "How the kernel uses the buffer: `read`, `write`, `read_write`, or `prints` for the buffer of printed text.";
    ALIGN = "cube.align" on "argument of a kernel", "Alignment in bytes of the first element of the buffer, which the launch checks.";
    NOALIAS = "cube.noalias" on "argument of a kernel", "No other argument of the launch overlaps the memory of this one.";
    LEN = "cube.len" on "argument of a kernel", "Which length the buffer has: that of its memory (`buffer`), or one that the host passes (`host`).";
    DERIVED = "cube.derived" on "argument of a kernel", "The expression from which the launcher computes the scalar.";
    PLANE_DIM = "cube.plane_dim" on "kernel", "The plane size, on targets that leave it open.";
    CUBE_COUNT = "cube.cube_count" on "kernel", "Three expressions, for x, y, z: the number of cubes to launch, if it differs from the number that the program requests.";
    RULES = "cube.rules" on "kernel, module", "Rewrite rules of the program for the pass `egraph`, an array of lines.";
    PRINTS = "cube.prints" on "kernel", "The formats of the kernel's `cube.print` operations.";
    SIMD_WIDTH = "cube.simd_width" on "kernel, function", "CPU: the number of units per vector.";
    SCRATCH_BYTES = "cube.scratch_bytes" on "function", "CPU: bytes of scratch memory that a call of the entry needs.";
    ARGUMENTS = "cube.arguments" on "function", "AMD: the names of the kernel's arguments.";
    DEBUG = "cube.debug" on "kernel, `cube.alloc`", "The kernel keeps its variables for debuggers; the memory holds such a variable.";
    UNROLL = "cube.unroll" on "loop", "Unrolling that the program requests: a factor, or the whole loop if the attribute has no value.";
    NARROW = "cube.narrow" on "loop", "The counter's type before it was widened.";
    UNIT_LOOP = "cube.unit_loop" on "loop", "CPU: the loop runs over the units or planes of a cube; the value names the axis.";
}
