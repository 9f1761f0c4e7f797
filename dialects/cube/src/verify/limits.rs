//! The limits of the language. The limits bound the memory and time of the compiler and the interpreter for one kernel,
//! also for a hostile source. The description of each chip has the limits of the chip, most of which are smaller.

/// Maximum comptime parameters of a kernel, and thus of the values in one compilation request.
pub(super) const MAX_PARAMS: usize = 1024;

/// Maximum number of arguments of a kernel. On NVIDIA GPUs, the size of all parameters is at most 32,764 bytes, and a
/// buffer needs up to 24 bytes.
pub(super) const MAX_ARGUMENTS: usize = 1024;

/// Maximum units of a cube. The interpreter and the CPU store the state of all units of a cube at the same time.
pub(super) const MAX_UNITS: u64 = 1 << 16;

/// Maximum bytes of one allocation of shared or local memory. The interpreter and the CPU reserve the bytes from the
/// memory of the host, and a chip without a limit has no other check.
pub(super) const MAX_ALLOCATION_BYTES: u64 = 1 << 28;
