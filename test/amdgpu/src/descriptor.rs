//! Checks every bit of a kernel descriptor (LLVM, "User Guide for AMDGPU Backend", "Kernel Descriptor").
use crate::metadata::Kernel;

/// The families of chips whose descriptors differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// gfx90a, gfx942, gfx950.
    Gfx9,
    Gfx10,
    Gfx11,
    Gfx12,
}

impl Family {
    fn of(chip: &str) -> Family {
        match chip.get(..5) {
            Some("gfx10") => Family::Gfx10,
            Some("gfx11") => Family::Gfx11,
            Some("gfx12") => Family::Gfx12,
            _ => Family::Gfx9,
        }
    }
}

/// A field of the descriptor: its name, its first byte, its lowest bit, the number of its bits, and the required value.
type Field = (&'static str, usize, u32, u32, u64);

const RSRC3: usize = 44;
const RSRC1: usize = 48;
const RSRC2: usize = 52;
const PROPERTIES: usize = 56;

/// The denormals of a float type are kept in operands and in results (`FLOAT_DENORM_MODE_FLUSH_NONE`).
const KEPT: u64 = 3;

impl Kernel {
    /// The fields of the kernel descriptor that differ from the metadata, from the cube of `dim` units, or from the
    /// float mode of Cube. In the float mode of Cube, floats round to the nearest number, and subnormal numbers are
    /// kept.
    pub fn descriptor_differs(&self, chip: &str, dim: [u32; 3]) -> Vec<String> {
        let Ok(bytes) = <[u8; 64]>::try_from(self.descriptor.as_slice()) else {
            return vec!["the kernel descriptor is absent".into()];
        };
        let bits = |from: usize, low: u32, count: u32| {
            let word = bytes[from..].iter().take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            if count == 64 { word } else { word >> low & ((1 << count) - 1) }
        };
        let mut wrong = Vec::new();
        let mut known = [0u8; 64];
        // The instructions to prefetch are a hint, in units of 128 bytes. LLVM's estimate of the code can be one unit less.
        let (most, width) = if Family::of(chip) == Family::Gfx12 { (255, 8) } else { (63, 6) };
        let code = self.entry.bytes.div_ceil(128).min(most);
        let prefetched = bits(RSRC3, 4, width).clamp(code.saturating_sub(1), code);
        // Where shared memory limits the planes of a compute unit, LLVM rounds the registers up to the number that the limit leaves.
        let limited = self.number("group_segment_fixed_size") > 0;
        for (name, from, low, count, expected) in self.fields_of_descriptor(chip, bits(RSRC2, 7, 3), prefetched, dim) {
            let found = bits(from, low, count);
            let rounded = limited && name.starts_with("GRANULATED_W") && found > expected;
            if found != expected && !rounded {
                wrong.push(format!("the descriptor has {found} for {name}, and not {expected}"));
            }
            (low..low + count).for_each(|bit| known[from + bit as usize / 8] |= 1 << (bit % 8));
        }
        // Every other bit is reserved, or requests something that no kernel of Cube uses.
        let other = (0..64).filter(|at| bytes[*at] & !known[*at] != 0);
        wrong.extend(other.map(|at| format!("the descriptor has bits {:#x} in byte {at}", bytes[at] & !known[at])));
        if !self.entry.code.is_multiple_of(256) {
            wrong.push(format!("the code begins at {:#x}, which is not a multiple of 256", self.entry.code));
        }
        wrong
    }

    /// The number of user registers: scalar registers that the launcher fills. On gfx1100 in planes of 32 lanes, these
    /// registers and the registers with the cube's position are 16 in total.
    fn user_registers(&self, chip: &str, ids: u64, private_buffer: bool) -> u64 {
        let used = if self.number("kernarg_segment_size") > 0 { 2 } else { 0 } + if private_buffer { 4 } else { 0 };
        let padded = chip == "gfx1100" && self.number("wavefront_size") == 32;
        if padded { 16 - u64::from(ids.count_ones()) } else { used }
    }

    fn fields_of_descriptor(&self, chip: &str, ids: u64, prefetched: u64, dim: [u32; 3]) -> Vec<Field> {
        let family = Family::of(chip);
        let old = family == Family::Gfx9;
        let half = self.number("wavefront_size") == 32;
        let (vgprs, accumulators) = (self.number("vgpr_count"), self.number("agpr_count"));
        let private = self.number("private_segment_fixed_size");
        // A chip of gfx9 and a plane of 32 lanes allocate 8 registers at once, and planes of 64 lanes of RDNA allocate 4.
        let blocks = |count: u64, size: u64| count.max(1).div_ceil(size) - 1;
        // Chips without scratch instructions have the address of local memory in four registers.
        let private_buffer = family == Family::Gfx10 || chip == "gfx90a";
        let arguments = self.number("kernarg_segment_size") > 0;
        // The descriptor requests no unit position for an axis with one unit.
        let axes = if dim[2] > 1 { 2 } else { u64::from(dim[1] > 1) };
        let mut fields = vec![
            ("GROUP_SEGMENT_FIXED_SIZE", 0, 0, 32, self.number("group_segment_fixed_size")),
            ("PRIVATE_SEGMENT_FIXED_SIZE", 4, 0, 32, private),
            ("KERNARG_SIZE", 8, 0, 32, self.number("kernarg_segment_size")),
            ("KERNEL_CODE_ENTRY_BYTE_OFFSET", 16, 0, 64, self.entry.code.wrapping_sub(self.entry.descriptor)),
            ("GRANULATED_WORKITEM_VGPR_COUNT", RSRC1, 0, 6, blocks(vgprs, if old || half { 8 } else { 4 })),
            (
                "GRANULATED_WAVEFRONT_SGPR_COUNT",
                RSRC1,
                6,
                4,
                if old { blocks(self.number("sgpr_count"), 8) } else { 0 },
            ),
            ("FLOAT_ROUND_MODE_32", RSRC1, 12, 2, 0),
            ("FLOAT_ROUND_MODE_16_64", RSRC1, 14, 2, 0),
            ("FLOAT_DENORM_MODE_32", RSRC1, 16, 2, KEPT),
            ("FLOAT_DENORM_MODE_16_64", RSRC1, 18, 2, KEPT),
            ("ENABLE_DX10_CLAMP", RSRC1, 21, 1, u64::from(family != Family::Gfx12)),
            ("ENABLE_IEEE_MODE", RSRC1, 23, 1, u64::from(family != Family::Gfx12)),
            // A cube runs on one compute unit (WGP_MODE is 0).
            ("MEM_ORDERED", RSRC1, 30, 1, u64::from(!old)),
            ("FWD_PROGRESS", RSRC1, 31, 1, u64::from(!old)),
            ("ENABLE_PRIVATE_SEGMENT", RSRC2, 0, 1, u64::from(private > 0)),
            ("USER_SGPR_COUNT", RSRC2, 1, 5, self.user_registers(chip, ids, private_buffer)),
            ("ENABLE_SGPR_WORKGROUP_ID_X", RSRC2, 7, 1, 1),
            // The tests in the emulator check that a kernel receives the cube counts that it uses.
            ("ENABLE_SGPR_WORKGROUP_ID_Y and _Z", RSRC2, 8, 2, ids >> 1),
            ("ENABLE_VGPR_WORKITEM_ID", RSRC2, 11, 2, axes),
            ("ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER", PROPERTIES, 0, 1, u64::from(private_buffer)),
            ("ENABLE_SGPR_KERNARG_SEGMENT_PTR", PROPERTIES, 3, 1, u64::from(arguments)),
            ("ENABLE_WAVEFRONT_SIZE32", PROPERTIES, 10, 1, u64::from(half)),
            ("USES_DYNAMIC_STACK", PROPERTIES, 11, 1, u64::from(self.text("uses_dynamic_stack") == "true")),
        ];
        fields.extend(match family {
            // The accumulation registers follow the other registers at a multiple of 4.
            Family::Gfx9 => Some(("ACCUM_OFFSET", RSRC3, 0, 6, blocks(vgprs.saturating_sub(accumulators), 4))),
            Family::Gfx10 => None,
            Family::Gfx11 => Some(("INST_PREF_SIZE", RSRC3, 4, 6, prefetched)),
            Family::Gfx12 => Some(("INST_PREF_SIZE", RSRC3, 4, 8, prefetched)),
        });
        fields
    }
}
