//! The interface between the compiler and a runtime. The crate contains no LLVM, no device and no allocation
//! policy.
//!
//! * [`Artifact`]: the code of one kernel for one target, with all facts that a launch requires.
//! * [`Param`] and the calling conventions of the code formats: the form in which the code receives its arguments.
//! * [`Compiler`]: the trait through which a runtime calls the compiler.
//!
//! # Calling convention of `CodeFormat::ELF_OBJECT` (the CPU)
//!
//! The object defines one global function and has no undefined symbols:
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
//! `scratch` points to [`Artifact::scratch_bytes`] bytes, aligned to 128 bytes, with any content. No other call of the
//! entry function uses the scratch memory at the same time. If the size of the scratch memory is 0, the pointer to
//! the scratch memory can have any value. The scratch memory stores shared memory and values that live across
//! barriers, if they exceed the code's stack limit of 64 KiB.
//!
//! `buffers`, `info` and `scalars` can be dangling pointers if they have no entries. A buffer is aligned to the size of
//! one line and has less than 2^32 lines. The pointer to a buffer is not null, even if the buffer is empty. Two buffers
//! can overlap if the kernel writes neither of them. If the kernel writes one of two overlapping buffers, the two
//! buffers must consist of the same bytes, and the host must have marked one of the two buffers as in place. The code
//! can assume that no other cube accesses an element that the code writes. The code cannot assume that the pointers to
//! two buffers differ.
//!
//! Another thread cancels the launch by writing a value other than 0 to `stop`. The code polls `stop` in the iterations
//! of loops that are not proven to terminate. If the launch is cancelled, the code sets the highest bit of `stop` and
//! returns. The lower bits of `stop` are then the source line of the loop, or 0 if the line is unknown. The code
//! writes no other value to `stop`.
//!
//! The entry function runs the cubes with the linear indices `first_cube <= c < last_cube`, each with all of its units.
//! The linear index of a cube is `c = x + count_x * (y + count_y * z)`. Calls with disjoint ranges of cubes can run
//! concurrently on any threads.
//!
//! # Calling convention of `CodeFormat::PTX` (CUDA)
//!
//! The PTX text defines one `.entry` function. The driver stores the parameters of this function in constant memory.
//! The parameters of the entry function are the parameters in [`Artifact::params`] in order, followed by the
//! parameters in [`Artifact::derived`]. Each parameter is aligned to its own size:
//!
//! * a buffer: its address on the device as `.u64`, then its length in lines, the [`InfoWord::Length`] of it, as
//!   `.u64`;
//! * a scalar, of the host or derived: its value in a parameter of the same type (a `Bool` and integers of 8 bits take
//!   `.u8`).
//!
//! Buffers are aligned to the size of one line, and can overlap under the same conditions as on the CPU. `.reqntid`
//! fixes the cube dim, and the grid size is the cube count. A kernel that uses at most 48 KiB of shared memory declares
//! static variables. Above 48 KiB, all shared memory of a kernel is one `.extern .shared` array of
//! [`Artifact::shared_bytes`] bytes. A plane is a warp.
//!
//! # Calling convention of `CodeFormat::HSACO` (HIP)
//!
//! The code object has one kernel, whose descriptor is the symbol [`Artifact::entry`] with the suffix `.kd`. The
//! metadata of the code object lists the name, offset and size of each argument. The arguments are the arguments of
//! the PTX convention in the same order, followed by the hidden arguments of version 5 code objects. The launcher
//! fills the hidden arguments. A kernel that reads its cube counts requires `hidden_block_count_x`, `_y` and `_z`. A
//! buffer is coarse-grained memory of the device. The cube dim is `.reqd_workgroup_size`, and all shared memory is
//! static: a launch requests no dynamic bytes. A plane is a wave of [`Artifact::plane_dim`] lanes. On chips that
//! support only waves of 64 lanes, a plane has 64 lanes.
//!
//! # Calling convention of `CodeFormat::WGSL` (WebGPU)
//!
//! The WGSL text has one compute entry point, [`Artifact::entry`], or two, if [`Artifact::first_cubes`] names the second one. The
//! launcher then dispatches the first cubes and the other cubes separately. A workgroup of an entry point is a cube, and the
//! invocations of the workgroup are the units of the cube. All bindings belong to group 0:
//!
//! * binding `n` for buffer parameter number `n`, counted without the scalars: a storage buffer, read-only if and only
//!   if the parameter's access does not write; followed by the buffer of the prints, if there are any;
//! * the next binding for a uniform buffer of 4-byte words without gaps: the length of each of these buffers in lines,
//!   followed by each scalar of the host, and each derived one. A `Bool` is 0 or 1, and an `F16` is in the low half of
//!   its word. At the next multiple of 16 bytes, [`GRID_WORDS`] words describe the grid: the position of the dispatch's
//!   first cube along x, y and z, the step `x`, the cube count of the launch along x, y and z, and the step `y`. The
//!   workgroup `w` is the cube at `first + (w.x + w.y * x, w.y * y, w.z)`. Usually, the steps are 0 and 1. Most devices
//!   limit a dispatch to 65,535 workgroups along an axis, so the launcher splits a larger launch into several
//!   dispatches. With the step `y` of 0, one dispatch contains several rows of cubes that follow each other along x.
//!   Three words follow for the linear index of a cube in the launch: the index of the dispatch's first cube, the step
//!   `row`, and the step `layer`. The workgroup `w` is the cube with the index `first + w.x + w.y * row + w.z * layer`,
//!   modulo 2^32. The last word of the grid is the number of cubes in the launch, modulo 2^32. The declaration in the code
//!   can omit the last words of the uniform buffer.
//!
//! A bool in a buffer is one byte, so the size of a binding is rounded up to a multiple of 4 bytes. No two bindings
//! overlap unless both are read-only. [`Artifact::features`] names the required features of WebGPU. naga 30 supports
//! subgroups and refuses the line `enable subgroups;`, so a device that passes the text to naga removes that line. A
//! plane is a subgroup, whose units have consecutive `local_invocation_index`.
//!
//! # Calling convention of `CodeFormat::SPIRV` (Vulkan)
//!
//! The calling convention of SPIR-V equals the convention of WGSL, but the bindings belong to descriptor set 0 (not
//! group 0). The size of the uniform block is a multiple of 16 bytes. A 64-bit scalar occupies two words, the low word first.
//! [`Artifact::features`] contains wgpu's names of the Vulkan features that the module's capabilities require. wgpu
//! has no name for the features of 8-bit and 16-bit storage.
//!
//! If the features contain `buffer-device-address`, the buffers have no bindings, and the uniform block has the binding 0. The
//! address of each buffer, in the order of the lengths, follows the scalars as two words, the low word first. The words of
//! the grid follow the addresses.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod codes;
mod compiler;
mod consistency;
mod container;
pub mod cost;
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

/// The first instruction of a kernel that can be launched before the kernel before it has ended, in PTX for compute capability 9.0 and
/// later. The instruction waits for the end of the other kernel. The comment distinguishes it from such an instruction of other PTX,
/// which can stand behind memory accesses.
pub const WAIT_AT_START: &str = "griddepcontrol.wait; // for the end of the kernel before this one";

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

/// Number of words that describe the grid in the uniform buffer of WGSL and SPIR-V.
pub const GRID_WORDS: u64 = 12;

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
    /// The code: an ELF object, PTX text, or another format.
    #[serde(with = "serde_bytes")]
    pub code: Vec<u8>,
    /// The kernel's parameters in source order.
    pub params: Vec<Param>,
    /// The scalars that the runtime computes, in the order of their slots. Derived scalars follow the scalar
    /// parameters in the array of scalars.
    pub derived: Vec<DerivedParam>,
    /// The meanings of the words in the info array, in order.
    pub info: Vec<InfoWord>,
    /// The formats of the kernel's prints. If the kernel prints, the record buffer follows the other buffers, and its
    /// length follows the other info words.
    pub prints: Vec<prints::PrintFormat>,
    /// Units of a cube along x, y, z; each at least 1.
    pub cube_dim: [u32; 3],
    /// The expressions ([`derived::Derived::parse`]) of the cube counts along x, y, z, if each unit of the compiled
    /// code does the work of several units. The expressions depend on the requested cube counts, for example
    /// `cubes(0)`. The executed cubes are at most as many as the requested ones, but there can be more of them along x. If a launcher runs a number of cubes that differs from the values of the expressions, the
    /// results are wrong. `None` if the code runs the requested counts.
    pub cube_count: Option<[String; 3]>,
    /// The entry function of the first cubes of a launch, if it differs from [`Artifact::entry`].
    pub first_cubes: Option<FirstCubes>,
    /// The buffers that some launches overwrite completely, so that their earlier contents have no effect.
    pub overwritten: Vec<OverwrittenBuffer>,
    /// Whether the code checks accesses: a read out of bounds gives 0, and a write out of bounds is dropped.
    pub checked: bool,
    /// Bytes of shared memory of one cube.
    pub shared_bytes: u32,
    /// Bytes of scratch memory for each call of the entry function; 0 for most kernels, and for all targets
    /// except the CPU.
    pub scratch_bytes: u64,
    /// Number of units of a plane, if the code requires a fixed number. The last plane of a cube can have
    /// fewer units.
    pub plane_dim: Option<u32>,
    /// Maximum number of units of a launch, along each axis and in total. `absolute_pos` must fit `u32`.
    pub unit_limit: Option<u64>,
    /// Names of the features that the device must have, for example `avx512f`, or `shader-f16` of WebGPU.
    pub features: Vec<String>,
}

/// One parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The name of the parameter in the source, or `arg{n}` if the source has no name for it.
    pub name: String,
    /// Kind of the parameter.
    pub kind: ParamKind,
}

/// A scalar of the kernel that the runtime computes from the other arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DerivedParam {
    /// Name of the parameter in the code.
    pub name: String,
    /// `u32` or `u64`. The runtime truncates the value to this type.
    pub elem: ElemType,
    /// The expression ([`derived::Derived::parse`]).
    pub expression: String,
}

/// The entry function of the first cubes of a launch. [`Artifact::entry`] contains only the code of the other cubes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstCubes {
    /// Symbol of the entry function in [`Artifact::code`].
    pub entry: String,
    /// Index into [`Artifact::derived`]. The executed cubes whose position along x is below this scalar are the first cubes.
    pub derived: u32,
}

/// A buffer that the kernel only writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverwrittenBuffer {
    /// Index into [`Artifact::params`].
    pub param: u32,
    /// The expression ([`derived::Derived::parse`]) that is 1 for a launch that writes each byte of the buffer. A
    /// launch can have another argument in the same memory. The expression then has no meaning.
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
        /// Required alignment of the buffer's address in bytes, if it is greater than the alignment of a line; a
        /// power of two.
        align: u32,
        /// How the kernel accesses the buffer.
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
    /// No access: the kernel reads at most the length, the shape and the strides. The buffer can have any length and
    /// alignment, within the rules of the device for bindings.
    Unaccessed,
}

impl BufferAccess {
    /// Whether the kernel can write to the buffer.
    pub fn writes(self) -> bool {
        matches!(self, BufferAccess::Write | BufferAccess::ReadWrite)
    }
}

/// The meaning of one 64-bit word in the info array of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InfoWord {
    /// The length, in lines, of the buffer with the parameter number `param`.
    Length {
        /// Index into [`Artifact::params`].
        param: u32,
    },
}
