//! Memory by address. `decode/lowered.rs` describes the pointers.
use super::state::{Machine, Unit};
use crate::findings::{FindingKind, UnitCoordinates};
use crate::memory::Buffer;
use crate::program::{ADDRESS_BITS, AtomicKind, Code, Inst};
use crate::topology::{TopologyPosition, topology};
use cube_dialect::TopologyKind;

// The buffer and the offset in it; `None` if the `bytes` bytes are not in bounds.
fn locate(buffers: &[Buffer], address: u64, bytes: usize) -> Option<(usize, usize)> {
    let number = ((address >> ADDRESS_BITS) as usize).checked_sub(1)?;
    let at = (address & ((1 << ADDRESS_BITS) - 1)) as usize;
    let there = buffers.get(number)?.bytes.len();
    (at.checked_add(bytes)? <= there).then_some((number, at))
}

fn get(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

fn set(bytes: &mut [u8], value: u64) {
    let size = bytes.len();
    bytes.copy_from_slice(&value.to_le_bytes()[..size]);
}

pub(super) fn read(buffers: &[Buffer], slots: &mut [u64], inst: &Inst, bool: bool) {
    let (size, lanes) = (inst.imm as usize, inst.lanes as usize);
    let out = inst.dst as usize..inst.dst as usize + lanes;
    let Some((number, at)) = locate(buffers, slots[inst.a as usize], size * lanes) else {
        return slots[out].fill(0);
    };
    let bytes = buffers[number].bytes[at..].chunks_exact(size);
    for (out, bytes) in slots[out].iter_mut().zip(bytes) {
        let value = get(bytes);
        *out = if bool { u64::from(value != 0) } else { value };
    }
}

pub(super) fn write(buffers: &mut [Buffer], slots: &[u64], inst: &Inst) {
    let (size, lanes) = (inst.imm as usize, inst.lanes as usize);
    if let Some((number, at)) = locate(buffers, slots[inst.a as usize], size * lanes) {
        let bytes = buffers[number].bytes[at..].chunks_exact_mut(size);
        for (bytes, value) in bytes.zip(&slots[inst.c as usize..inst.c as usize + lanes]) {
            set(bytes, *value);
        }
    }
}

pub(super) fn atomic(buffers: &mut [Buffer], slots: &mut [u64], inst: &Inst, kind: AtomicKind) {
    let place = locate(buffers, slots[inst.a as usize], inst.lanes as usize);
    let bytes = place.map(|(number, at)| &mut buffers[number].bytes[at..at + inst.lanes as usize]);
    let old = bytes.as_ref().map_or(0, |bytes| get(bytes));
    let value = slots[inst.c as usize];
    let new = match kind {
        AtomicKind::Load => None,
        AtomicKind::Store => Some(value),
        AtomicKind::Rmw(f) => Some(f(old, value, inst.imm)),
        AtomicKind::Cas => (slots[inst.imm as usize] == old).then_some(value),
    };
    if let (Some(bytes), Some(new)) = (bytes, new) {
        set(bytes, new);
    }
    if !matches!(kind, AtomicKind::Store) {
        slots[inst.dst as usize] = old;
    }
}

impl Machine<'_> {
    /// Reports an access to an address outside of all buffers.
    pub(super) fn watch_address(&mut self, unit: &mut Unit, pc: usize, inst: &Inst) {
        let bytes = match inst.code {
            Code::AtomicAt(_) => inst.lanes,
            _ => inst.imm * inst.lanes,
        };
        let address = unit.slots[inst.a as usize];
        if locate(&self.buffers, address, bytes as usize).is_none() {
            let (number, at) = (address >> ADDRESS_BITS, address & ((1 << ADDRESS_BITS) - 1));
            let name = (number as usize).checked_sub(1).map_or("nothing".into(), |buffer| self.name(buffer));
            self.report(unit.at, pc, FindingKind::Ub, None, || {
                format!("accesses byte {at} of {name}, which is out of bounds")
            });
        }
        let lanes = match inst.code {
            Code::Read { .. } => inst.lanes,
            Code::AtomicAt(_) => 1,
            _ => 0,
        };
        unit.poison[inst.dst as usize..(inst.dst + lanes) as usize].fill(0);
    }

    /// A topology value of the unit in the current iteration.
    pub(super) fn topology_value(&self, unit: &Unit, inst: &Inst, kind: TopologyKind) -> u64 {
        let [a, b, c] = [inst.a, inst.b, inst.c].map(|slot| unit.slots[slot as usize]);
        let dim = self.program.cube_dim;
        let own = [a as u32, b as u32, c as u32];
        let (count, cluster, plane_dim) = (self.cube_count, self.cluster_dim, self.plane_dim);
        let at = UnitCoordinates { unit: own, cube: unit.at.cube };
        u64::from(topology(kind, &TopologyPosition { at, dim, count, cluster, plane_dim }))
    }
}
