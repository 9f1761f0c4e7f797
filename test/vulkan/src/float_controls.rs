//! WGSL whose signed zeros, infinities and NaN a device must preserve, which WGSL itself cannot express.
use crate::{Code, Error};
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};

const CAPABILITY: u32 = 17;
const EXTENSION: u32 = 10;
const EXECUTION_MODE: u32 = 16;
const FLOAT_TYPE: u32 = 22;
const PRESERVE_CAPABILITY: u32 = 4466;
const PRESERVE_MODE: u32 = 4461;

/// Translates a text to SPIR-V by naga, and puts the entry point under `SignedZeroInfNanPreserve` of
/// `SPV_KHR_float_controls` for each width of floats in it. A kernel that differs from the interpreter as WGSL and is
/// equal in this form differs only in behaviour that WGSL leaves to the device.
///
/// # Errors
/// [`Error::Invalid`] for text that naga refuses.
pub fn float_controls(text: &str) -> Result<Code, Error> {
    let invalid = |why: String| Error::Invalid(why);
    let text = text.replacen("enable subgroups;", "", 1);
    let module = naga::front::wgsl::parse_str(&text).map_err(|e| invalid(e.emit_to_string(&text)))?;
    let has = Capabilities::SHADER_FLOAT16 | Capabilities::SUBGROUP;
    let info = Validator::new(ValidationFlags::all(), has)
        .subgroup_stages(naga::valid::ShaderStages::COMPUTE)
        .subgroup_operations(naga::valid::SubgroupOperationSet::all())
        .validate(&module)
        .map_err(|e| invalid(e.emit_to_string(&text)))?;
    let words = spv::write_vec(&module, &info, &spv::Options::default(), None).map_err(|e| invalid(e.to_string()))?;
    preserving(&words).map(Code::Spirv).ok_or_else(|| invalid("the words of naga are cut".into()))
}

/// The module with the capability, the extension, and a mode of its entry point for each width of floats.
fn preserving(words: &[u32]) -> Option<Vec<u32>> {
    let (header, mut rest) = words.split_at_checked(5)?;
    let mut instructions = Vec::new();
    while let Some(first) = rest.first() {
        let (instruction, behind) = rest.split_at_checked((first >> 16) as usize)?;
        instructions.push(instruction);
        rest = behind;
    }
    let code = |instruction: &[u32]| instruction[0] & 0xffff;
    let floats = instructions.iter().filter(|one| code(one) == FLOAT_TYPE);
    let widths: Vec<u32> = floats.filter_map(|one| one.get(2).copied()).collect();
    let mut all = header.to_vec();
    all.extend([2 << 16 | CAPABILITY, PRESERVE_CAPABILITY]);
    let mut extended = false;
    for instruction in instructions {
        if code(instruction) != CAPABILITY && !extended {
            let name = b"SPV_KHR_float_controls\0\0";
            all.push((name.len() as u32 / 4 + 1) << 16 | EXTENSION);
            all.extend(name.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)));
            extended = true;
        }
        all.extend(instruction);
        if code(instruction) == EXECUTION_MODE {
            let entry = *instruction.get(1)?;
            widths.iter().for_each(|width| all.extend([4 << 16 | EXECUTION_MODE, entry, PRESERVE_MODE, *width]));
        }
    }
    Some(all)
}
