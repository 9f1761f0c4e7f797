//! Kernels in WGSL, and functions that build artifacts from them.
use cube_artifact::{Artifact, BufferAccess, CodeFormat, ElemType, InfoWord, Param, ParamKind, Target};
use cube_runtime::{Buffer, Device};
use cube_runtime_wgpu::{Code, Options, WgpuDevice};
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// `x[i] *= a`.
pub const SCALE: &str = "
struct Arguments { x_len: u32, a: f32, first_cube: vec3<u32>, step_x: u32, cube_count: vec3<u32>, step_y: u32 }
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<uniform> arguments: Arguments;
@compute @workgroup_size(64, 1, 1) fn scale(@builtin(workgroup_id) cube: vec3<u32>, @builtin(local_invocation_id) unit: vec3<u32>) {
    let absolute_pos = (cube + arguments.first_cube + cube.y * arguments.step_x) * 64u + unit;
    if absolute_pos.x < arguments.x_len { x[absolute_pos.x] *= arguments.a; }
}
";

/// `y[i] = x[i] + 1`.
pub const ADD: &str = "
struct Arguments { x_len: u32, y_len: u32, first_cube: vec3<u32>, step_x: u32, cube_count: vec3<u32>, step_y: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> arguments: Arguments;
@compute @workgroup_size(64, 1, 1) fn add(@builtin(workgroup_id) cube: vec3<u32>, @builtin(local_invocation_id) unit: vec3<u32>) {
    let absolute_pos = (cube + arguments.first_cube + cube.y * arguments.step_x) * 64u + unit;
    if absolute_pos.x < arguments.y_len { y[absolute_pos.x] = x[absolute_pos.x] + 1.0; }
}
";

/// Adds 1 to `x[n]` for each cube at linear position `n` of the grid, if the words of the linear index have the same result, and
/// the number of cubes is the product of the counts.
pub const CUBES: &str = "
struct Arguments { x_len: u32, first_cube: vec3<u32>, step_x: u32, cube_count: vec3<u32>, step_y: u32, first_index: u32, step_row: u32, step_layer: u32, cube_total: u32 }
@group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>>;
@group(0) @binding(1) var<uniform> arguments: Arguments;
@compute @workgroup_size(1, 1, 1) fn cubes(@builtin(workgroup_id) id: vec3<u32>) {
    let cube_pos = arguments.first_cube + vec3<u32>(id.x + id.y * arguments.step_x, id.y * arguments.step_y, id.z);
    let at = cube_pos.x + arguments.cube_count.x * (cube_pos.y + arguments.cube_count.y * cube_pos.z);
    let index = arguments.first_index + id.x + id.y * arguments.step_row + id.z * arguments.step_layer;
    let total = arguments.cube_count.x * arguments.cube_count.y * arguments.cube_count.z;
    if at < arguments.x_len && index == at && arguments.cube_total == total { atomicAdd(&x[at], 1u); }
}
";

/// `x[i] = n + computed`, where the launcher computes the last word.
pub const COMPUTED: &str = "
struct Arguments { x_len: u32, n: u32, computed: u32 }
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<uniform> arguments: Arguments;
@compute @workgroup_size(64, 1, 1) fn computed(@builtin(local_invocation_id) unit: vec3<u32>) {
    if unit.x < arguments.x_len { x[unit.x] = arguments.n + arguments.computed; }
}
";

/// `x[cube] += by + n`, where `by` is 100 for the first cubes and 1 for the others, along x and y. The launcher computes the
/// number of first cubes.
pub const SPLIT: &str = "
struct Arguments { x_len: u32, n: u32, first: u32, first_cube: vec3<u32>, step_x: u32, cube_count: vec3<u32>, step_y: u32, first_index: u32, step_row: u32, step_layer: u32 }
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(0) var<storage, read_write> x_vectors: array<vec4<u32>>;
@group(0) @binding(1) var<uniform> arguments: Arguments;
fn position(id: vec3<u32>) -> u32 {
    let cube_pos = arguments.first_cube + vec3<u32>(id.x + id.y * arguments.step_x, id.y * arguments.step_y, id.z);
    let at = cube_pos.x + arguments.cube_count.x * (cube_pos.y + arguments.cube_count.y * cube_pos.z);
    let index = arguments.first_index + id.x + id.y * arguments.step_row + id.z * arguments.step_layer;
    return select(arguments.x_len, at, at == index);
}
@compute @workgroup_size(1, 1, 1) fn split(@builtin(workgroup_id) id: vec3<u32>) {
    let at = position(id);
    if at < arguments.x_len { x[at] += 1u + arguments.n; }
}
@compute @workgroup_size(1, 1, 1) fn split_first(@builtin(workgroup_id) id: vec3<u32>) {
    let at = position(id);
    if at < arguments.x_len { x_vectors[at >> 2u][at & 3u] += 100u + arguments.n; }
}
";

/// Opens any adapter that runs code of this format; an error if the machine has no adapter.
pub fn device(code: Code) -> Result<WgpuDevice, cube_runtime::RuntimeError> {
    WgpuDevice::open(&Options { code, ..Options::default() })
}

fn buffer(name: &str, elem: ElemType, access: BufferAccess) -> Param {
    Param { name: name.into(), kind: ParamKind::Buffer { elem, line: 1, align: 1, access } }
}

/// The artifact of a WGSL text, in the code format that the device runs.
pub fn artifact(device: &WgpuDevice, text: &str) -> Artifact {
    let (x, y) = (buffer("x", ElemType::F32, BufferAccess::ReadWrite), buffer("y", ElemType::F32, BufferAccess::Write));
    let a = Param { name: "a".into(), kind: ParamKind::Scalar { elem: ElemType::F32 } };
    let (entry, params, cube_dim) = match text {
        ADD => ("add", vec![buffer("x", ElemType::F32, BufferAccess::Read), y], [64, 1, 1]),
        COMPUTED => {
            let n = Param { name: "n".into(), kind: ParamKind::Scalar { elem: ElemType::U32 } };
            ("computed", vec![buffer("x", ElemType::U32, BufferAccess::Write), n], [64, 1, 1])
        }
        SPLIT => {
            let n = Param { name: "n".into(), kind: ParamKind::Scalar { elem: ElemType::U32 } };
            ("split", vec![buffer("x", ElemType::U32, BufferAccess::ReadWrite), n], [1, 1, 1])
        }
        CUBES => ("cubes", vec![buffer("x", ElemType::U32, BufferAccess::ReadWrite)], [1, 1, 1]),
        _ => ("scale", vec![x, a], [64, 1, 1]),
    };
    let is_words = device.target().backend == "spirv";
    let buffers = params.iter().enumerate().filter(|(_, p)| matches!(p.kind, ParamKind::Buffer { .. }));
    let info = buffers.map(|(index, _)| InfoWord::Length { param: index as u32 }).collect();
    Artifact {
        kernel: entry.into(),
        entry: entry.into(),
        target: Target { ..device.target().clone() },
        format: if is_words { CodeFormat::SPIRV } else { CodeFormat::WGSL },
        code: if is_words { words(text) } else { text.into() },
        params,
        derived: vec![],
        info,
        cube_dim,
        checked: true,
        shared_bytes: 0,
        scratch_bytes: 0,
        prints: vec![],
        overwritten: vec![],
        plane_dim: None,
        cube_count: None,
        unit_limit: Some(1 << 32),
        first_cubes: None,
        features: vec![],
    }
}

/// The SPIR-V module that naga generates for a WGSL text.
fn words(text: &str) -> Vec<u8> {
    let module = naga::front::wgsl::parse_str(text).expect("valid WGSL");
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(&module).expect("valid WGSL");
    let options = naga::back::spv::Options::default();
    let words = naga::back::spv::write_vec(&module, &info, &options, None).expect("a module");
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Writes an array of numbers to a buffer.
pub fn write(device: &WgpuDevice, buffer: &Buffer, values: &[f32]) {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    device.write(buffer, 0, &bytes).unwrap();
}

/// Reads the numbers in a buffer.
pub fn read(device: &WgpuDevice, buffer: &Buffer) -> Vec<f32> {
    let mut bytes = vec![0; buffer.size() as usize];
    device.read(buffer, 0, &mut bytes).unwrap();
    bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}
