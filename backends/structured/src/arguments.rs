//! The arguments of a kernel in the order of its bindings; `CodeFormat::WGSL` and `CodeFormat::SPIRV` of
//! `runtime/artifact` define the order.
use crate::Scalar;
use cube_backend::{BufferAccess, is_unaccessed};
use cube_dialect::attributes::ACCESS;
use cube_dialect::{KernelArg, ops};
use cube_ir::access::{Access, accesses_of};
use cube_ir::{AttrExt, MemRef, Val};

/// A storage buffer.
#[derive(Clone, Debug)]
pub struct Buffer<'p> {
    pub name: String,
    pub value: Val<'p>,
    /// The kernel's accesses to the buffer. `None` for the buffer of printed records, which the runtime
    /// allocates.
    pub access: Option<BufferAccess>,
}

/// Storage buffers, and the scalars that follow the buffer lengths in the uniform block.
#[derive(Clone, Debug, Default)]
pub struct Arguments<'p> {
    pub buffers: Vec<Buffer<'p>>,
    pub scalars: Vec<(String, Val<'p>)>,
}

/// All accesses to a memref; empty if the memref has other uses.
pub fn accesses_to<'p>(memory: Val<'p>) -> Vec<Access<'p>> {
    memory.uses().into_iter().flat_map(|(op, _)| accesses_of(op)).filter(|access| access.buffer == memory).collect()
}

// The access in the attribute `cube.access`. If the attribute is missing, the access is derived from the uses of the
// memref.
fn access_to(memory: Val<'_>, promised: Option<&str>) -> Option<BufferAccess> {
    let all = accesses_to(memory);
    let (reads, writes) = (all.iter().any(|access| access.kind.reads()), all.iter().any(|a| a.kind.writes()));
    match (promised, (reads, writes)) {
        (Some("prints"), _) => None,
        _ if is_unaccessed(memory) => Some(BufferAccess::Unaccessed),
        (Some("read"), _) => Some(BufferAccess::Read),
        (Some("write"), _) => Some(BufferAccess::Write),
        (Some(_), _) | (None, (true, true)) => Some(BufferAccess::ReadWrite),
        (None, (false, true)) => Some(BufferAccess::Write),
        (None, (_, false)) => Some(BufferAccess::Read),
    }
}

impl<'p> Arguments<'p> {
    /// Groups the arguments of a kernel at level `legal` into buffers, scalars and derived scalars.
    pub fn of(kernel: ops::Kernel<'p>) -> Arguments<'p> {
        let attrs = kernel.arg_attrs().and_then(|attrs| attrs.as_array()).unwrap_or_default();
        let (mut found, mut derived) = (Arguments::default(), Vec::new());
        for (position, arg) in kernel.facts().args.into_iter().enumerate() {
            let promised = attrs.get(position).and_then(|all| all.entry(ACCESS)).and_then(|access| access.as_str());
            let KernelArg::Scalar(arg) = arg else { continue };
            match MemRef::of(arg.value.ty()) {
                Some(_) => {
                    let access = access_to(arg.value, promised);
                    found.buffers.push(Buffer { name: arg.name, value: arg.value, access });
                }
                None if arg.derived.is_some() => derived.push((arg.name, arg.value)),
                None => found.scalars.push((arg.name, arg.value)),
            }
        }
        // The buffer of prints follows the buffers of the host. Derived scalars follow all other scalars.
        found.buffers.sort_by_key(|buffer| buffer.access.is_none());
        found.scalars.extend(derived);
        found
    }

    /// Words of the uniform block before the words of the grid.
    pub fn words(&self) -> u32 {
        let is_wide = |value: Val<'_>| Scalar::of(value.ty()).is_some_and(|ty| ty.bits() == 64);
        let scalars = self.scalars.iter().map(|(_, value)| 1 + u32::from(is_wide(*value)));
        self.buffers.len() as u32 + scalars.sum::<u32>()
    }

    /// The accesses to the buffers of the host.
    pub fn accesses(&self) -> Vec<BufferAccess> {
        self.buffers.iter().filter_map(|buffer| buffer.access).collect()
    }
}
