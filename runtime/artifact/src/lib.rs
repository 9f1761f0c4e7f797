//! The interface between the compiler and a runtime. It contains no LLVM, no device and no allocation policy.
//!
//! * [`Artifact`]: the code of one kernel for one target, with all facts that a launch requires.
//! * [`Param`] and the *CPU calling convention* below: how arguments reach the code.
//! * [`Compiler`]: the only trait through which the runtime side calls the compiler side.
//!
//! # Calling convention of `CodeFormat::ELF_OBJECT` (the CPU)
//!
//! The object defines one global function with no undefined symbols:
//!
//! ```c
//! struct Launch {
//!     void *const *buffers;    // one pointer per buffer parameter, in parameter order
//!     const uint64_t *info;    // Artifact::info words, in order (lengths, later shapes and strides)
//!     const uint64_t *scalars; // one 8-byte slot per scalar parameter, then per derived one, value in the low bytes
//!     uint32_t cube_count[3];  // x, y, z
//!     uint32_t stop;           // 0 until the launch is cancelled
//! };
//! void entry(struct Launch *launch, uint64_t first_cube, uint64_t last_cube, void *scratch);
//! ```
//!
//! `scratch` points to [`Artifact::scratch_bytes`] bytes, aligned to 128 bytes, with any content. No other call uses
//! them while this one runs. The pointer can have any value if the size is 0. The bytes store shared memory and values
//! that live across barriers, if they exceed the stack limit: the code itself uses at most 64 KiB of stack for them.
//!
//! `buffers`, `info` and `scalars` can be dangling pointers if they have no entries. A buffer is aligned to the size of
//! one line, has less than 2^32 lines, and its pointer is not null even if its length is 0. Two buffers overlap only if
//! neither is written, or if they are the same bytes and the host has marked one as in place. Code can then assume that
//! other cubes do not access an element that it writes, but not that two pointers differ.
//!
//! Another thread cancels the launch by any other value of `stop`. Code polls it in the iterations of loops that are
//! not proven to terminate. It then sets the highest bit of `stop`, and in the other bits the line of the loop in the
//! kernel's source, or 0, and returns. The code writes no other value there.
//!
//! The entry runs the cubes with linear index `first_cube <= c < last_cube`, `c = x + count_x * (y + count_y * z)`, each with all of
//! its units. Calls with disjoint ranges can run concurrently on any threads.
//!
//! # Calling convention of `CodeFormat::PTX` (CUDA)
//!
//! The text defines one `.entry` function, whose parameters the driver keeps in constant memory. They are, in the order of
//! [`Artifact::params`] and then of [`Artifact::derived`], each aligned to its own size:
//!
//! * a buffer: its address on the device as `.u64`, then its length in lines, the [`InfoWord::Length`] of it, as `.u64`;
//! * a scalar, of the host or derived: its value in a parameter of the same type (a `Bool` and integers of 8 bits take `.u8`).
//!
//! Buffers are aligned to the size of one line and overlap as on the CPU. The cube dim is fixed by `.reqntid`; cubes along x, y, z
//! are the grid. Up to 48 KiB of shared memory are static variables of the code. Above 48 KiB, all shared memory is one
//! `.extern .shared` array of [`Artifact::shared_bytes`] bytes. A plane is a warp.
//!
//! # Calling convention of `CodeFormat::HSACO` (HIP)
//!
//! The code object has one kernel, whose descriptor is the symbol [`Artifact::entry`] with the suffix `.kd`. Its
//! metadata lists the arguments with their names, offsets and sizes: the arguments of PTX in the same order, then the
//! hidden arguments of code object version 5, which the launcher fills. A kernel that reads its cube counts requires
//! `hidden_block_count_x`, `_y` and `_z`. A buffer is coarse-grained memory of the device. The cube dim is
//! `.reqd_workgroup_size`, and all shared memory is static: a launch requests no dynamic bytes. A plane is a wave of
//! [`Artifact::plane_dim`] lanes, or of 64 lanes on chips with this width only.
//!
//! # Calling convention of `CodeFormat::WGSL` (WebGPU)
//!
//! The text has one compute entry point, [`Artifact::entry`], whose workgroup has the units of a cube; the workgroups of a dispatch are
//! the cubes. All bindings are of group 0:
//!
//! * binding `n` for buffer parameter number `n`, counted without the scalars: a storage buffer, read-only if and only if the
//!   parameter's access is [`BufferAccess::Read`]; followed by the buffer of the prints, if there are any;
//! * the next binding for a uniform buffer of 4-byte words without gaps: the length of each of these buffers in lines, followed by
//!   each scalar of the host, and each derived one. A `Bool` is 0 or 1, an `F16` is in the low half of its word. From the next
//!   multiple of 16 bytes on, [`GRID_WORDS`] describe the grid: the first cube of the dispatch along x, y, z, a word without meaning, the
//!   cubes of the launch along x, y, z. The code reads its position in the grid from them, so that a launch beyond the limit of a
//!   dispatch (65,535 along an axis on most devices) is several dispatches. The code can declare less of the block.
//!
//! Bools of a buffer are bytes, so a binding ends at a multiple of 4 bytes. No two bindings overlap unless both are read-only.
//! [`Artifact::features`] names the required features of WebGPU. naga 30 supports subgroups and refuses the line
//! `enable subgroups;`, so a device that passes the text to naga removes that line. A plane is a subgroup, whose units have
//! consecutive `local_invocation_index`.
//!
//! # Calling convention of `CodeFormat::SPIRV` (Vulkan)
//!
//! The convention equals WGSL's, in descriptor set 0. The uniform block has words of 4 bytes; a scalar of 64 bits takes
//! two, the low one first. [`Artifact::features`] has the names that wgpu has for the features of Vulkan behind the
//! module's capabilities. Storage of 8 and 16 bits has no such name.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod codes;
mod compiler;
mod consistency;
mod container;
pub mod derived;
mod diagnostic;
mod format;
pub mod messages;
pub mod prints;
pub mod protocol;
mod suggestion;
mod target;
#[cfg(test)]
mod tests;
mod value;
mod variables;

pub use compiler::{CompileError, CompileOptions, Compiler, Reports};
pub use container::{ARTIFACT_VERSION, ArtifactError};
pub use cube_target::HostType as ElemType;
pub use diagnostic::Diagnostic;
pub use format::CodeFormat;
pub use suggestion::suggestion;
pub use target::{Target, TargetError};
pub use value::{Argument, ArgumentKind, Message, Severity, SourceLocation};
pub use variables::Variables;

use serde::{Deserialize, Serialize};

/// Words of the grid in the uniform buffer of WGSL and SPIR-V.
pub const GRID_WORDS: u64 = 7;

/// The compiled form of one kernel for one [`Target`], with all facts that a launch requires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// Name of the kernel in the source (`@name` without the `@`).
    pub kernel: String,
    /// Symbol of the entry function in [`Artifact::code`].
    pub entry: String,
    /// The target of the code.
    pub target: Target,
    /// The encoding of [`Artifact::code`].
    pub format: CodeFormat,
    /// The code itself: an ELF object, PTX text, assembly text, ...
    #[serde(with = "serde_bytes")]
    pub code: Vec<u8>,
    /// The kernel's parameters in source order.
    pub params: Vec<Param>,
    /// Scalars that the runtime computes, in order. They follow the scalar parameters in the array of scalars.
    pub derived: Vec<DerivedParam>,
    /// The words of the info struct, in order.
    pub info: Vec<InfoWord>,
    /// The formats of the kernel's prints. If there are prints, the record buffer follows the other buffers, and its length follows the
    /// other info words.
    pub prints: Vec<prints::PrintFormat>,
    /// Units of a cube along x, y, z; each at least 1.
    pub cube_dim: [u32; 3],
    /// The expressions ([`derived::Derived::parse`]) of the executed cube counts along x, y, z, if the compiler assigned the work of
    /// several units to one. They depend on the requested cubes, `cubes(0)`. A launcher that runs other counts gets wrong results. `None`
    /// if the code runs the requested counts.
    pub cube_count: Option<[String; 3]>,
    /// Whether out-of-bounds accesses are checked (reads give 0, writes are dropped) in the code.
    pub checked: bool,
    /// Bytes of shared memory of one cube.
    pub shared_bytes: u32,
    /// Bytes of scratch memory for each call of the entry; 0 for most kernels and for all targets except the CPU.
    pub scratch_bytes: u64,
    /// Number of units of a plane, if the code fixes it. The last plane of a cube can have fewer units.
    pub plane_dim: Option<u32>,
    /// Maximum number of units of a launch, along each axis and in total. `absolute_pos` must fit `u32`.
    pub unit_limit: Option<u64>,
    /// Features that the device must have, by name (for example `avx512f`, or `shader-f16` of WebGPU).
    pub features: Vec<String>,
}

/// One parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The name in the source, or `arg{n}` if the source has none.
    pub name: String,
    /// Kind of the parameter.
    pub kind: ParamKind,
}

/// A scalar of the kernel that the runtime computes from the other arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DerivedParam {
    /// Name of the parameter in the code.
    pub name: String,
    /// `u32` or `u64`. The value is truncated to this type.
    pub elem: ElemType,
    /// The expression ([`derived::Derived::parse`]).
    pub expression: String,
}

/// Kind of a kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParamKind {
    /// A buffer of lines: `length` lines of `line` elements each.
    Buffer {
        /// Type of one element.
        elem: ElemType,
        /// Elements of a line, at least 1.
        line: u32,
        /// Alignment of the buffer's address in bytes, if it is greater than the alignment of a line; a power of two.
        align: u32,
        /// Access of the kernel to the buffer.
        access: BufferAccess,
    },
    /// A scalar passed by value.
    Scalar {
        /// Type of the parameter on the host.
        elem: ElemType,
    },
}

/// Access of a kernel to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BufferAccess {
    /// Only reads.
    Read,
    /// Only writes.
    Write,
    /// Reads and writes.
    ReadWrite,
}

impl BufferAccess {
    /// Whether the kernel can write to the buffer.
    pub fn writes(self) -> bool {
        self != BufferAccess::Read
    }
}

/// One 64-bit word of the info struct of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InfoWord {
    /// Length, in lines, of the buffer that is parameter number `param`.
    Length {
        /// Index into [`Artifact::params`].
        param: u32,
    },
}
