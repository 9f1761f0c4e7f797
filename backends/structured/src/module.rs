//! The properties of a module that a launch requires, and the check of the module's memory sizes.
use cube_backend::{BufferAccess, CodeFormat, Emitted, FirstCubes};
use cube_dialect::{Memory, memory_of};
use cube_ir::{Op, SessionError, Val, location_of};
use cube_target::{SpaceKind, Target};
use std::fmt::Display;

/// The properties of a kernel's code that a launch requires.
#[derive(Clone, Debug, Default)]
pub struct ModuleInfo {
    /// The name of the entry point.
    pub entry: String,
    /// The entry point of the first cubes, if the code has one.
    pub first_cubes: Option<FirstCubes>,
    /// The kernel's accesses to each buffer of the host.
    pub accesses: Vec<BufferAccess>,
    /// The WebGPU features that the kernel requires.
    pub features: Vec<String>,
    /// Bytes of shared memory of a cube.
    pub shared_bytes: u64,
    /// The plane width that the kernel requires.
    pub plane_dim: Option<u32>,
}

impl ModuleInfo {
    /// The part of the artifact that a backend produces.
    pub fn emitted(self, code: Vec<u8>, format: CodeFormat) -> Emitted {
        let mut emitted = Emitted::new(code, format);
        emitted.entry = Some(self.entry);
        emitted.first_cubes = self.first_cubes;
        emitted.accesses = Some(self.accesses);
        emitted.features = self.features;
        emitted.shared_bytes = Some(self.shared_bytes);
        emitted.plane_dim = self.plane_dim;
        emitted
    }
}

/// Creates the error for an operation that a target does not support, with the operation's location. A constant that a
/// pass created has no location, so its error has the location of the enclosing operation.
pub fn refusal(target: &str, op: Op<'_>, why: impl Display) -> SessionError {
    let mut error = SessionError::at(op, cube_ir::diagnostic!(CUBE0410.refused { target, why }));
    let location = std::iter::once(op).chain(op.ancestors()).find_map(|op| location_of(op.location()));
    error.diagnostics.iter_mut().for_each(|diagnostic| diagnostic.location = location.clone());
    error
}

/// The sizes in bytes of a kernel's allocations.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemorySizes {
    pub shared: u64,
    pub local: u64,
}

impl MemorySizes {
    /// Adds an allocation. An allocation of shared memory begins at a multiple of 16 bytes.
    pub fn add(&mut self, allocation: Val<'_>, bytes: u64) {
        match memory_of(allocation) {
            Memory::Shared => self.shared = self.shared.saturating_add(bytes.next_multiple_of(16)),
            _ => self.local = self.local.saturating_add(bytes),
        }
    }

    /// The reason why a kernel is refused, if its shared or local memory exceeds the target's limit. `None` if the memory
    /// fits, or if devices can have more shared memory than the target description guarantees.
    pub fn beyond_limit(&self, target: &Target) -> Option<String> {
        let sums = [(SpaceKind::Shared, self.shared, "shared"), (SpaceKind::Local, self.local, "local")];
        sums.into_iter().find_map(|(space, bytes, word)| {
            let most = target.space(space)?.static_bytes.filter(|most| bytes > *most)?;
            if space == SpaceKind::Shared && target.limits.guaranteed {
                return None;
            }
            Some(format!("it needs {bytes} bytes of {word} memory, but the chip has {most}"))
        })
    }
}
