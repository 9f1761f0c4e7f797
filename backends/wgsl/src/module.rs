//! The module around a kernel: bindings, shared memory, functions and the entry point.
//!
//! The convention is documented at `CodeFormat::WGSL` in `runtime/artifact`.
use crate::memory::{Array, key};
use crate::names::{Names, one_line};
use crate::planes;
use crate::scalar::Scalar;
use crate::state::Wgsl;
use cube_backend::BufferAccess;
use cube_dialect::{Memory, kernels_of, memory_of, ops};
use cube_ir::ops::memref;
use cube_ir::{Op, Val};
use cube_structured::{Buffer, MemorySizes, ModuleInfo, Split, Writer, Written, refusal, region};
use cube_target::Target;
use std::collections::{BTreeSet, HashMap};

/// Built-in values: the name in this crate, WGSL's name, and the type.
const BUILTINS: &[(&str, &str, &str)] = &[
    ("workgroup_id", "workgroup_id", "vec3<u32>"),
    ("plane_dim", "subgroup_size", "u32"),
    ("unit_index", "local_invocation_index", "u32"),
    ("unit_pos", "local_invocation_id", "vec3<u32>"),
    ("unit_pos_plane", "subgroup_invocation_id", "u32"),
];

const RUN_TIME: &str = "\
// A number that is not a constant expression.
fn run_time(number: u32) -> u32 {
    return number;
}
";

/// The declarations before the entry point.
#[derive(Default)]
struct Declarations {
    names: Names,
    /// The names inside the uniform block.
    members: Names,
    /// Buffers, in the order of their bindings.
    buffers: Vec<String>,
    /// The buffers that the first cubes access as vectors, each with the number of its binding.
    vectors: Vec<(usize, String)>,
    /// The words of the uniform block: lengths, then scalars, then derived scalars.
    words: Vec<String>,
    shared: Vec<String>,
    local: Vec<String>,
    sizes: MemorySizes,
}

/// Writes the module's kernel for a chip.
///
/// # Errors
/// WGSL or the chip lacks an operation of the kernel; the error locates the first such operation.
pub fn write(module: Op<'_>, target: &Target) -> Written<(String, ModuleInfo)> {
    let [kernel] = kernels_of(module)[..] else {
        return Err(refusal("wgsl", module, "the module must have one kernel"));
    };
    let mut state = Wgsl::of(kernel, target);
    let mut all = Declarations::default();
    let split = Split::of(kernel);
    let name = all.names.fresh(kernel.name());
    let first_name = split.map(|_| all.names.fresh(&format!("{}_first", kernel.name())));
    let mut arguments = arguments(kernel, split, &mut state, &mut all)?;
    let allocations = allocations(kernel.op(), &mut state, &mut all)?;
    if let Some(why) = all.sizes.beyond_limit(target) {
        return Err(refusal("wgsl", kernel.op(), why));
    }
    let mut entries = Vec::new();
    for (name, is_first) in [(Some(name.clone()), false), (first_name.clone(), true)] {
        let Some(name) = name else { continue };
        state.begin(if is_first { std::mem::take(&mut arguments.vectors) } else { HashMap::new() });
        let mut w = Writer::inside(&state);
        w.split = split.map(|split| (split, is_first));
        arguments.names.iter().chain(&allocations).for_each(|(value, names)| w.name(*value, names.clone()));
        for (value, lane) in &arguments.computed {
            w.define(kernel.op(), *value, vec![lane.clone()])?;
        }
        region(&mut w, kernel.op(), 0)?;
        let body = w.finish();
        // The positions use built-in values.
        entries.push(EntryPoint { name, is_first, cube: state.cube_positions(), builtins: state.builtins(), body });
    }
    let text = assembled(kernel, target, &state, &all, &entries);
    let features = [("enable f16;", "shader-f16"), ("enable subgroups;", "subgroups")];
    let features = features.iter().filter(|(line, _)| text.lines().any(|own| own == *line));
    let features = features.map(|(_, name)| name.to_string()).collect();
    let first_cubes = split.zip(first_name).map(|(split, name)| split.first_cubes(name));
    let (accesses, shared_bytes, plane_dim) = (arguments.accesses, all.sizes.shared, state.units.needed_plane_dim());
    Ok((text, ModuleInfo { entry: name, first_cubes, accesses, features, shared_bytes, plane_dim }))
}

/// The arguments of a kernel in the generated WGSL.
#[derive(Default)]
struct Arguments<'p> {
    /// For each SSA value of an argument: the names of its array and length, or of its word in the uniform
    /// block.
    names: Vec<(Val<'p>, Vec<String>)>,
    /// Scalars that are computed from a word of the uniform block, with the WGSL expression.
    computed: Vec<(Val<'p>, String)>,
    accesses: Vec<BufferAccess>,
    /// The buffers that the first cubes access as vectors.
    vectors: HashMap<usize, Array>,
}

/// An entry point, and the built-in values that it uses.
struct EntryPoint {
    name: String,
    is_first: bool,
    /// The positions of the cube that the body uses: the name and the expression of each.
    cube: Vec<(&'static str, String)>,
    builtins: BTreeSet<&'static str>,
    body: String,
}

fn arguments<'p>(
    kernel: ops::Kernel<'p>,
    split: Option<Split<'p>>,
    state: &mut Wgsl,
    all: &mut Declarations,
) -> Written<Arguments<'p>> {
    let lacks = |value: Val<'p>| refusal("wgsl", kernel.op(), format!("WGSL has no type {}", value.ty()));
    let all_arguments = cube_structured::Arguments::of(kernel);
    let mut found = Arguments { accesses: all_arguments.accesses(), ..Default::default() };
    for Buffer { name, value, access } in all_arguments.buffers {
        let name = all.names.fresh(&name);
        let array = Array::of(value, name.clone()).ok_or_else(|| lacks(value))?;
        let mode = if access.is_some_and(|access| !access.writes()) { "read" } else { "read_write" };
        if mode == "read" {
            state.read_only.insert(key(value));
        }
        if let Some(lanes) = split.and_then(|split| split.vector_lanes(value, &array.layout)) {
            let (name, layout) = (all.names.fresh(&format!("{name}_vectors")), array.layout.of_vectors(lanes));
            let vectors = Array { name, layout, ..array.clone() };
            let declared = format!("var<storage, {mode}> {}: {}; // for the first cubes", vectors.name, vectors.ty());
            all.vectors.push((all.buffers.len(), declared));
            found.vectors.insert(key(value), vectors);
        }
        all.buffers.push(format!("var<storage, {mode}> {name}: {};", array.ty()));
        let length = all.members.fresh(&format!("{name}_len"));
        all.words.push(format!("{length}: u32,"));
        found.names.push((value, vec![name, format!("arguments.{length}")]));
        state.arrays.insert(key(value), array);
    }
    for (name, value) in all_arguments.scalars {
        let name = all.members.fresh(&name);
        let ty = Scalar::of(value.ty()).ok_or_else(|| lacks(value))?;
        let word = format!("arguments.{name}");
        match ty {
            Scalar::Bool => found.computed.push((value, format!("{word} != 0u"))),
            Scalar::Half => found.computed.push((value, format!("f16(unpack2x16float({word}).x)"))),
            Scalar::Byte | Scalar::Short => return Err(lacks(value)),
            Scalar::Word | Scalar::Float => found.names.push((value, vec![word])),
        }
        all.words.push(format!("{name}: {},", if ty == Scalar::Float { "f32" } else { "u32" }));
    }
    Ok(found)
}

// An allocation inside a loop is one variable, so all allocations are declared outside of the control flow.
fn allocations<'p>(kernel: Op<'p>, state: &mut Wgsl, all: &mut Declarations) -> Written<Vec<(Val<'p>, Vec<String>)>> {
    let mut named = Vec::new();
    for op in kernel.walk().into_iter().filter(|op| op.is(memref::ALLOCA)) {
        let value = op.result(0);
        let shared = memory_of(value) == Memory::Shared;
        let number = if shared { all.shared.len() } else { all.local.len() } + 1;
        let name = format!("{}_{number}", if shared { "shared" } else { "local" });
        let lacks = || refusal("wgsl", op, format!("WGSL has no memory of {}", value.ty()));
        let array = Array::of(value, name.clone()).ok_or_else(lacks)?;
        let length = array.length().ok_or_else(lacks)?;
        if shared {
            all.shared.push(format!("var<workgroup> {name}: {};", array.ty()));
        } else {
            all.local.push(format!("var {name}: {};", array.ty()));
        }
        all.sizes.add(value, array.bytes());
        named.push((value, vec![name, length]));
        state.arrays.insert(key(value), array);
    }
    Ok(named)
}

fn assembled(
    kernel: ops::Kernel<'_>,
    target: &Target,
    state: &Wgsl,
    all: &Declarations,
    entries: &[EntryPoint],
) -> String {
    let mut functions = state.helpers();
    let bodies: String = entries.iter().map(|entry| entry.body.as_str()).collect();
    let uses = |functions: &[String], name: &str| {
        bodies.contains(&format!("{name}(")) || functions.iter().any(|text| text.contains(&format!("{name}(")))
    };
    if ["min_num", "max_num", "min_nan", "max_nan"].iter().any(|name| uses(&functions, name)) {
        functions.insert(0, planes::ORDER.into());
    }
    if uses(&functions, "plane_count") {
        functions.insert(0, planes::COUNT.into());
    }
    if uses(&functions, "run_time") {
        functions.insert(0, RUN_TIME.into());
    }
    let builtins: BTreeSet<&str> = entries.iter().flat_map(|entry| entry.builtins.iter().copied()).collect();
    let mut text = format!("// Kernel {} for {}.\n", one_line(kernel.name()), target.name());
    if let Some(width) = state.units.needed_plane_dim() {
        text += &format!("// Subgroups have {width} units: the launch refuses other devices.\n");
    }
    let parts = [all.buffers.concat(), all.shared.concat(), all.local.concat(), functions.concat(), bodies];
    if parts.iter().any(|part| part.contains("f16")) && target.capabilities.iter().any(|one| one == "f16") {
        text += "enable f16;\n";
    }
    if state.has_subgroups && parts[3..].iter().any(|part| part.contains("subgroup"))
        || builtins.iter().any(|name| name.contains("plane"))
    {
        text += "enable subgroups;\n";
    }
    text += "\n";
    let mut members = all.words.clone();
    let of_index = ["cube_index", "cube_total"].iter().any(|name| builtins.contains(name));
    let of_grid = of_index || builtins.contains("cube_count") || entries.iter().any(|entry| !entry.cube.is_empty());
    let axes = ["first_cube: vec3<u32>,", "step_x: u32,", "cube_count: vec3<u32>,", "step_y: u32,"];
    let index = ["first_index: u32,", "step_row: u32,", "step_layer: u32,", "cube_total: u32,"];
    members.extend(axes.map(String::from).into_iter().filter(|_| of_grid));
    members.extend(index.map(String::from).into_iter().filter(|_| of_index));
    if !members.is_empty() {
        text += &format!("struct Arguments {{\n    {}\n}}\n\n", members.join("\n    "));
    }
    let bound = all.buffers.iter().enumerate().chain(all.vectors.iter().map(|(number, buffer)| (*number, buffer)));
    bound.for_each(|(number, buffer)| text += &format!("@group(0) @binding({number}) {buffer}\n"));
    if !members.is_empty() {
        text += &format!("@group(0) @binding({}) var<uniform> arguments: Arguments;\n\n", all.buffers.len());
    }
    all.shared.iter().for_each(|line| text += &format!("{line}\n"));
    if state.uses_uniform_word() {
        text += "// A condition that is the same for all units, which workgroupUniformLoad makes uniform for WGSL.\n";
        text += "var<workgroup> uniform_word: u32;\n";
    }
    if !all.shared.is_empty() || state.uses_uniform_word() {
        text += "\n";
    }
    functions.iter().for_each(|function| text += &format!("{}\n\n", function.trim_end()));
    let entries = entries.iter().map(|entry| entry.text(state.units.in_code(), &all.local));
    text + &entries.collect::<Vec<_>>().join("\n")
}

impl EntryPoint {
    fn text(&self, [x, y, z]: [u32; 3], local: &[String]) -> String {
        let comment = if self.is_first { "// The cubes below first_cubes along x.\n" } else { "" };
        let mut text = format!("{comment}@compute @workgroup_size({x}, {y}, {z})\nfn {}(", self.name);
        let used = BUILTINS.iter().filter(|(name, ..)| self.builtins.contains(name));
        let parameters: Vec<String> =
            used.map(|(name, builtin, ty)| format!("\n    @builtin({builtin}) {name}: {ty},")).collect();
        if !parameters.is_empty() {
            text += &format!("{}\n", parameters.concat());
        }
        text += ") {\n";
        for (name, value) in &self.cube {
            text += &format!("    let {name} = {value};\n");
        }
        local.iter().for_each(|line| text += &format!("    {line}\n"));
        text + &self.body + "}\n"
    }
}
