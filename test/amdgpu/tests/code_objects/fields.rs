//! The fields of a code object's metadata, each with the value that the artifact requires.
use cube_amdgpu_test::metadata::{Kernel, Notes};
use cube_artifact::{Artifact, ParamKind};

/// The explicit arguments in the calling convention of `CodeFormat::HSACO`: name, bytes and kind.
fn arguments(artifact: &Artifact) -> Vec<(String, u64, &'static str)> {
    let mut all = Vec::new();
    let buffer = |name: &str| [(name.to_string(), 8, "global_buffer"), (format!("{name}_len"), 8, "by_value")];
    for param in &artifact.params {
        match &param.kind {
            ParamKind::Buffer { .. } => all.extend(buffer(&param.name)),
            ParamKind::Scalar { elem } => all.push((param.name.clone(), elem.size() as u64, "by_value")),
        }
    }
    all.extend(artifact.derived.iter().map(|one| (one.name.clone(), one.elem.size() as u64, "by_value")));
    all
}

/// The differences between a code object's metadata and the artifact.
pub fn wrong(artifact: &Artifact, notes: &Notes, kernel: &Kernel, code: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut same = |field: &str, found: String, expected: String| {
        if found != expected {
            wrong.push(format!("{field} is {found} and not {expected}"));
        }
    };
    let chip = artifact.target.chip.clone().unwrap_or_default();
    let named = chip.split('-').next().unwrap_or_default();
    let described = cube_target::Target::known("amdgpu", &chip).map(|target| target.planes.width);
    let lanes = artifact.plane_dim.or(described).unwrap_or_default();
    let units: u32 = artifact.cube_dim.iter().product();
    same("amdhsa.target", notes.target.clone(), format!("amdgcn-amd-amdhsa--{named}"));
    same("amdhsa.version", format!("{:?}", notes.version), "[1, 2]".into());
    same(".name", kernel.text("name"), artifact.entry.clone());
    same(".symbol", kernel.text("symbol"), format!("{}.kd", artifact.entry));
    same(".wavefront_size", kernel.text("wavefront_size"), lanes.to_string());
    same(".max_flat_workgroup_size", kernel.text("max_flat_workgroup_size"), units.to_string());
    same(".reqd_workgroup_size", format!("{:?}", kernel.required), format!("{:?}", artifact.cube_dim));
    // The artifact counts shared memory in multiples of 16 bytes.
    let lds = kernel.number("group_segment_fixed_size").checked_next_multiple_of(16).unwrap_or(u64::MAX);
    same(".group_segment_fixed_size", lds.to_string(), artifact.shared_bytes.to_string());
    let align = kernel.arguments.iter().map(|own| own.size).max().unwrap_or(0).max(4);
    same(".kernarg_segment_align", kernel.text("kernarg_segment_align"), align.to_string());
    same(".uniform_work_group_size", kernel.text("uniform_work_group_size"), "1".into());
    same(".uses_dynamic_stack", kernel.text("uses_dynamic_stack"), "false".into());
    let visible = kernel.arguments.iter().take_while(|own| !own.kind.starts_with("hidden_"));
    let mut found: Vec<_> = visible.map(|own| (own.name.clone(), own.size, own.kind.as_str())).collect();
    let mut expected = arguments(artifact);
    // The compiler names the arguments for prints.
    if !artifact.prints.is_empty() {
        let own = found.len().saturating_sub(2);
        expected.extend(
            found[own..]
                .iter()
                .map(|(name, ..)| name.clone())
                .zip([(8, "global_buffer"), (8, "by_value")])
                .map(|(name, (size, kind))| (name, size, kind)),
        );
    }
    // LLVM adds a number to a name that already exists.
    for (found, (expected, ..)) in found.iter_mut().zip(&expected).skip(artifact.params.len()) {
        if found.0.trim_end_matches(|c: char| c.is_ascii_digit()) == expected {
            found.0.clone_from(expected);
        }
    }
    same(".args", format!("{found:?}"), format!("{expected:?}"));
    // As HIP packs arguments, each follows the previous argument at a multiple of its size.
    let mut end = 0;
    for own in &kernel.arguments {
        if !own.kind.starts_with("hidden_") {
            same(
                &format!(".offset of {}", own.name),
                own.offset.to_string(),
                u64::next_multiple_of(end, own.size).to_string(),
            );
        } else if own.offset < end {
            same(&format!(".offset of {}", own.kind), own.offset.to_string(), format!("at least {end}"));
        }
        end = own.offset + own.size;
    }
    let number = |field: &str| kernel.number(field);
    let explicit = kernel.arguments.iter().filter(|own| !own.kind.starts_with("hidden_"));
    for own in &kernel.arguments {
        let space = if own.kind == "global_buffer" { "global" } else { "" };
        same(&format!(".address_space of {}{}", own.name, own.kind), own.space.clone(), space.into());
    }
    let start = explicit.map(|own| own.offset + own.size).max().unwrap_or(0);
    let hidden: Vec<_> = kernel.arguments.iter().filter(|own| own.kind.starts_with("hidden_")).collect();
    // A kernel that does not use the cube counts has no hidden arguments.
    let (expected, bytes) = if hidden.is_empty() { (vec![], start) } else { hidden_arguments(start) };
    let hidden: Vec<_> = hidden.iter().map(|own| (own.kind.clone(), own.offset, own.size)).collect();
    same("the hidden arguments", format!("{hidden:?}"), format!("{expected:?}"));
    same(".kernarg_segment_size", number("kernarg_segment_size").to_string(), bytes.to_string());
    let flags =
        if ["gfx90a", "gfx942", "gfx950"].contains(&named) { vec![named, "xnack", "sramecc"] } else { vec![named] };
    same("the flags of the file", format!("{:?}", notes.flags), format!("{flags:?}"));
    // Only these chips have accumulation registers.
    same(".agpr_count", kernel.text("agpr_count"), if flags.len() > 1 { "0" } else { "" }.into());
    same(".vgpr_spill_count", kernel.text("vgpr_spill_count"), "0".into());
    let uses = |starts: &str| code.iter().any(|op| op.starts_with(starts));
    // Scalar registers are saved in lanes of vector registers.
    let saves = number("sgpr_spill_count");
    same(".sgpr_spill_count", (saves > 0 && !uses("v_writelane") || saves == u64::MAX).to_string(), "false".into());
    let local = number("private_segment_fixed_size") > 0;
    same("the use of local memory", (uses("scratch_") || uses("buffer_")).to_string(), local.to_string());
    let registers = if chip.starts_with("gfx9") { 512 } else { 256 };
    let above = [("vgpr_count", registers), ("sgpr_count", 112)].into_iter();
    wrong.extend(
        above.filter(|(field, most)| number(field) > *most).map(|(field, most)| format!("{field} is above {most}")),
    );
    wrong.extend(kernel.descriptor_differs(named, artifact.cube_dim));
    wrong
}

/// The hidden arguments of a kernel whose other arguments end at byte `start`, and the bytes of all arguments (LLVM, "User Guide
/// for AMDGPU Backend", "Code Object V5 Metadata").
fn hidden_arguments(start: u64) -> (Vec<(String, u64, u64)>, u64) {
    let first = start.next_multiple_of(8);
    let axes = |name: &str, at: u64, size: u64| {
        ["x", "y", "z"]
            .into_iter()
            .zip(0..)
            .map(move |(axis, n)| (format!("hidden_{name}_{axis}"), first + at + n * size, size))
            .collect::<Vec<_>>()
    };
    let mut all =
        [axes("block_count", 0, 4), axes("group_size", 12, 2), axes("remainder", 18, 2), axes("global_offset", 40, 8)]
            .concat();
    all.push(("hidden_grid_dims".into(), first + 64, 2));
    (all, first + 256)
}
