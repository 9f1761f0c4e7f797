//! Compiles the code of an artifact to pipelines of wgpu.
use crate::cache::PipelineCache;
use crate::context::{Context, lock};
use crate::engine::Engine;
use crate::segments::Segment;
use cube_artifact::{Artifact, CodeFormat, ParamKind};
use cube_runtime::{ErrorKind, RuntimeError};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Maximum number of bind groups in the cache of a kernel.
const MAX_GROUPS: usize = 16;

/// A part of a buffer that is bound to a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound<'a> {
    pub segment: &'a Segment,
    pub offset: u64,
    pub size: u64,
}

impl Bound<'_> {
    /// The numbers that identify the part: the number of the segment, the offset and the size in bytes.
    fn key(&self) -> [u64; 3] {
        [self.segment.number, self.offset, self.size]
    }
}

impl PartialEq for Bound<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

/// A compiled kernel in one context.
pub(crate) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    /// Bytes of the uniform words of a launch.
    word_bytes: u64,
    /// The most recently created bind groups with the keys of their bindings, the newest at the end.
    groups: Mutex<Vec<(Vec<[u64; 3]>, wgpu::BindGroup)>>,
}

/// The features that an artifact can require, by their names in WebGPU and in wgpu.
pub(crate) const FEATURES: &[(&str, wgpu::Features)] = &[
    ("shader-f16", wgpu::Features::SHADER_F16),
    ("shader-f64", wgpu::Features::SHADER_F64),
    ("shader-i16", wgpu::Features::SHADER_I16),
    ("shader-int64", wgpu::Features::SHADER_INT64),
    ("shader-int64-atomic-all-ops", wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
    ("shader-float32-atomic", wgpu::Features::SHADER_FLOAT32_ATOMIC),
    ("subgroups", wgpu::Features::SUBGROUP),
];

/// The environment variable that selects the access to buffers: by bindings, or by addresses.
pub const BUFFERS_VARIABLE: &str = "CUBE_WGPU_BUFFERS";

/// The feature that an artifact requires if its code accesses buffers by addresses. wgpu has no such feature.
pub(crate) const ADDRESSES: &str = "buffer-device-address";

/// Whether the code of an artifact accesses buffers by addresses in its uniform words, and not by bindings.
pub(crate) fn by_address(artifact: &Artifact) -> bool {
    artifact.features.iter().any(|name| name == ADDRESSES)
}

/// Refuses an artifact that needs more features or bindings than the device has.
///
/// # Errors
/// [`ErrorKind::DeviceLimit`] with the name of the feature or the limit.
pub(crate) fn fits(artifact: &Artifact, context: &Context) -> Result<(), RuntimeError> {
    let has = context.device.features();
    for name in &artifact.features {
        let feature = FEATURES.iter().find(|(own, _)| own == name);
        let is_held = feature.is_some_and(|(_, feature)| has.contains(*feature));
        if !(is_held || name == ADDRESSES && context.addresses) {
            return Err(RuntimeError::device_limit(format!(
                "it needs the feature '{name}', which this device lacks; compile the kernel for a chip without it"
            )));
        }
    }
    // These limits are checked before wgpu compiles the code, because wgpu's messages do not name the kernel. A launch
    // checks the same limits for devices that load kernels without a check.
    let limits = &context.limits;
    let along =
        [limits.max_compute_workgroup_size_x, limits.max_compute_workgroup_size_y, limits.max_compute_workgroup_size_z];
    let (units, most) = (artifact.units_per_cube(), limits.max_compute_invocations_per_workgroup);
    let fits = artifact.cube_dim.iter().zip(along).all(|(dim, most)| *dim <= most);
    if !fits || units.is_none_or(|units| units > most) {
        return Err(RuntimeError::device_limit(format!(
            "its cube has {:?} units, but the device's limits are {along:?} and {most} in total; compile the kernel with a smaller cube dim",
            artifact.cube_dim
        )));
    }
    let (bytes, most) = (artifact.shared_bytes, limits.max_compute_workgroup_storage_size);
    if bytes > most {
        return Err(RuntimeError::device_limit(format!(
            "its cube uses {bytes} bytes of shared memory, but the device's limit is {most}; use smaller tiles"
        )));
    }
    let (buffers, most) = (bindings(artifact), context.limits.max_storage_buffers_per_shader_stage);
    if buffers > most as usize {
        return Err(RuntimeError::device_limit(format!(
            "it has {buffers} buffers, but the device's limit is {most} (maxStorageBuffersPerShaderStage); merge some buffers, or pass them by addresses ({BUFFERS_VARIABLE}=addresses)"
        )));
    }
    let (bytes, most) = (word_bytes(artifact), context.limits.max_uniform_buffer_binding_size);
    if bytes > most {
        return Err(RuntimeError::device_limit(format!(
            "its scalars take {bytes} bytes, but the device's limit is {most} (maxUniformBufferBindingSize); pass the scalars in a buffer"
        )));
    }
    Ok(())
}

fn buffers(artifact: &Artifact) -> usize {
    let own = artifact.params.iter().filter(|param| matches!(param.kind, ParamKind::Buffer { .. })).count();
    own + usize::from(!artifact.prints.is_empty())
}

/// The storage buffers that a launch binds.
fn bindings(artifact: &Artifact) -> usize {
    if by_address(artifact) { 0 } else { buffers(artifact) }
}

fn word_bytes(artifact: &Artifact) -> u64 {
    let scalars = artifact.params.iter().filter_map(|param| match param.kind {
        ParamKind::Scalar { elem } => Some(elem),
        ParamKind::Buffer { .. } => None,
    });
    let elems = scalars.chain(artifact.derived.iter().map(|derived| derived.elem));
    let scalars: u64 = elems.map(|elem| if elem.size() == 8 { 2 } else { 1 }).sum();
    // A length, and an address of two words if the buffer has no binding.
    let of_buffers = buffers(artifact) + 2 * (buffers(artifact) - bindings(artifact));
    let words = (of_buffers as u64 + scalars).next_multiple_of(4) + cube_artifact::GRID_WORDS;
    (4 * words).next_multiple_of(16)
}

impl Pipeline {
    /// Compiles a form of the code.
    ///
    /// # Errors
    /// wgpu or the driver refuses the code.
    pub fn new(
        artifact: &Artifact,
        context: &Context,
        cache: Option<&PipelineCache>,
        Form { aliased, first }: Form,
    ) -> Result<Self, RuntimeError> {
        let refused = |error: RuntimeError| match error.kind {
            ErrorKind::Driver => RuntimeError::invalid_artifact(format!(
                "{}; compile the kernel again with the matching cubec",
                error.message.trim_end()
            )),
            _ => error,
        };
        let entry = artifact.first_cubes.as_ref().filter(|_| first).map_or(&artifact.entry, |first| &first.entry);
        let module = module(artifact, entry, context, aliased).map_err(refused)?;
        let word_bytes = word_bytes(artifact);
        context
            .checked(|| {
                let layout = layout(artifact, &context.device, word_bytes, aliased);
                let whole = context.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: None,
                    bind_group_layouts: &[Some(&layout)],
                    ..Default::default()
                });
                let pipeline = context.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(&artifact.kernel),
                    layout: Some(&whole),
                    module: &module,
                    entry_point: Some(entry),
                    compilation_options: wgpu::PipelineCompilationOptions {
                        // wgpu does not have to zero shared memory: its content is undefined before a unit writes it.
                        zero_initialize_workgroup_memory: false,
                        ..Default::default()
                    },
                    cache: cache.map(PipelineCache::get),
                });
                Ok(Pipeline { pipeline, layout, word_bytes, groups: Mutex::default() })
            })
            .map_err(refused)
    }

    /// Returns the bind group for the given bindings from the cache, or creates it.
    ///
    /// # Errors
    /// wgpu refuses a binding.
    pub fn group(
        &self,
        context: &Context,
        bound: &[Bound<'_>],
        words: &wgpu::Buffer,
    ) -> Result<wgpu::BindGroup, RuntimeError> {
        let mut groups = lock(&self.groups);
        if let Some(at) = groups.iter().rposition(|(own, _)| own.iter().copied().eq(bound.iter().map(Bound::key))) {
            return Ok(groups[at].1.clone());
        }
        let part = |buffer, offset, size| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size: wgpu::BufferSize::new(size) })
        };
        let resources = bound.iter().map(|one| part(&one.segment.buffer, one.offset, one.size));
        let resources = resources.chain([part(words, 0, self.word_bytes)]).enumerate();
        let entries: Vec<_> =
            resources.map(|(at, resource)| wgpu::BindGroupEntry { binding: at as u32, resource }).collect();
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &self.layout, entries: &entries };
        let group = context.checked(|| Ok(context.device.create_bind_group(&descriptor)))?;
        if groups.len() == MAX_GROUPS {
            groups.remove(0);
        }
        groups.push((bound.iter().map(Bound::key).collect(), group.clone()));
        Ok(group)
    }
}

fn layout(artifact: &Artifact, device: &wgpu::Device, word_bytes: u64, aliased: bool) -> wgpu::BindGroupLayout {
    use wgpu::BufferBindingType::{Storage, Uniform};
    let own = artifact.params.iter().filter_map(|param| match param.kind {
        ParamKind::Buffer { access, .. } => Some(Storage { read_only: !aliased && !access.writes() }),
        ParamKind::Scalar { .. } => None,
    });
    let prints = (!artifact.prints.is_empty()).then_some(Storage { read_only: false });
    let bindings = own.chain(prints).take(bindings(artifact));
    let entry = |(at, ty): (usize, wgpu::BufferBindingType)| wgpu::BindGroupLayoutEntry {
        binding: at as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: ty == Uniform,
            min_binding_size: (ty == Uniform).then(|| wgpu::BufferSize::new(word_bytes)).flatten(),
        },
        count: None,
    };
    let entries: Vec<_> = bindings.chain([Uniform]).enumerate().map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

fn module(
    artifact: &Artifact,
    entry: &str,
    context: &Context,
    aliased: bool,
) -> Result<wgpu::ShaderModule, RuntimeError> {
    if artifact.format == CodeFormat::SPIRV {
        return words(artifact, entry, context, aliased);
    }
    let text = std::str::from_utf8(&artifact.code)
        .map_err(|_| RuntimeError::invalid_artifact("its code is not UTF-8; compile the kernel again"))?;
    let text = for_naga(text, aliased);
    // naga's bounds checks are off: the kernel contains bounds checks, or its author has promised that all accesses are
    // in bounds. naga's loop bounds are also off.
    let checks = wgpu::ShaderRuntimeChecks { bounds_checks: false, force_loop_bounding: false, ..Default::default() };
    let descriptor =
        wgpu::ShaderModuleDescriptor { label: Some(&artifact.kernel), source: wgpu::ShaderSource::Wgsl(text) };
    // SAFETY: the compiler made the code of the artifact. The code checks its accesses, or the kernel's author has
    // promised that all accesses are in bounds.
    context.checked(|| Ok(unsafe { context.device.create_shader_module_trusted(descriptor, checks) }))
}

/// Adapts a WGSL text to naga 30. naga 30 supports subgroups, but refuses the line `enable subgroups;`. If arguments share
/// a buffer, barriers order the accesses to buffers, even if the compiler found no order between the accesses to
/// each argument.
fn for_naga(text: &str, aliased: bool) -> Cow<'_, str> {
    const SUBGROUPS: &str = "enable subgroups;";
    let mut text = Cow::Borrowed(text);
    if text.contains(SUBGROUPS) {
        text = text.replacen(SUBGROUPS, "", 1).into();
    }
    if aliased {
        let line = |line: &str| match line.trim() {
            "workgroupBarrier();" => line.replacen(';', "; storageBarrier();", 1),
            own if own.starts_with("@group(0) @binding(") => {
                line.replacen("var<storage, read>", "var<storage, read_write>", 1)
            }
            _ => line.into(),
        };
        text = text.split_inclusive('\n').map(line).collect::<String>().into();
    }
    text
}

fn words(
    artifact: &Artifact,
    entry: &str,
    context: &Context,
    aliased: bool,
) -> Result<wgpu::ShaderModule, RuntimeError> {
    let (words, rest) = artifact.code.as_chunks();
    let mut words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    if !rest.is_empty() || !has_entry(&words, entry) {
        return Err(RuntimeError::invalid_artifact(format!(
            "its code is not a module of SPIR-V with the entry point '{entry}'; compile the kernel again"
        )));
    }
    if aliased {
        mark_as_aliased(&mut words);
    }
    #[cfg(all(feature = "spirv", not(target_arch = "wasm32")))]
    keep_subnormals(&mut words, &crate::vulkan::kept_subnormals(&context.device));
    let entry = wgpu::PassthroughShaderEntryPoint { name: entry.into(), workgroup_size: artifact.cube_dim.into() };
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        label: Some(artifact.kernel.as_str()),
        entry_points: vec![entry].into(),
        spirv: Some(words.into()),
        ..Default::default()
    };
    // SAFETY: as for WGSL. Tests of the compiler validate its modules with `spirv-val`. `fits` and the choice of the
    // chip guarantee that the device has all features of the module.
    context.checked(|| Ok(unsafe { context.device.create_shader_module_passthrough(descriptor) }))
}

/// The positions of the instructions in a SPIR-V module, and their numbers of words. `None` if the words are not a
/// complete module.
fn instructions(words: &[u32]) -> Option<Vec<Range<usize>>> {
    const MAGIC: u32 = 0x0723_0203;
    let ([MAGIC, ..], _) = words.split_at_checked(5)? else { return None };
    let (mut all, mut start) = (Vec::new(), 5);
    while let Some(first) = words.get(start) {
        let end = start + (first >> 16).max(1) as usize;
        words.get(start..end)?;
        all.push(start..end);
        start = end;
    }
    Some(all)
}

/// Whether the words are a complete SPIR-V module with the entry point `name`. A driver does not check the
/// module: some devices are lost if the entry point is missing.
fn has_entry(words: &[u32], name: &str) -> bool {
    const ENTRY_POINT: u32 = 15;
    let is_entry = |instruction: &[u32]| {
        let text: Vec<u8> = instruction.iter().skip(3).flat_map(|word| word.to_le_bytes()).collect();
        instruction[0] & 0xffff == ENTRY_POINT && text.split(|byte| *byte == 0).next() == Some(name.as_bytes())
    };
    instructions(words).is_some_and(|all| all.into_iter().any(|at| is_entry(&words[at])))
}

/// Replaces the decorations of read-only buffers in a SPIR-V module by `Aliased`. A driver can otherwise load elements of
/// a `NonWritable` buffer through a cache that does not contain the stores through other bindings of the buffer.
fn mark_as_aliased(words: &mut [u32]) {
    const DECORATE: u32 = 3 << 16 | 71;
    const ALIASED: u32 = 20;
    const NON_WRITABLE: u32 = 24;
    for at in instructions(words).unwrap_or_default() {
        if let [DECORATE, _, decoration @ NON_WRITABLE] = &mut words[at] {
            *decoration = ALIASED;
        }
    }
}

/// Adds the mode `DenormPreserve` to a SPIR-V module beside each mode `SignedZeroInfNanPreserve` whose width is in `widths`.
///
/// Without this mode, a device may replace subnormal numbers by zeros, as NVIDIA's driver does for 32 bits. Only the device knows
/// whether it has the mode, so a chip does not have it. Both modes belong to the same SPIR-V extension.
#[cfg(all(feature = "spirv", not(target_arch = "wasm32")))]
fn keep_subnormals(words: &mut Vec<u32>, widths: &[u32]) {
    const CAPABILITY: u32 = 2 << 16 | 17;
    const SIGNS: u32 = 4466;
    const SUBNORMALS: u32 = 4464;
    const EXECUTION_MODE: u32 = 4 << 16 | 16;
    const KEEPS_SIGNS: u32 = 4461;
    const KEEPS_SUBNORMALS: u32 = 4459;
    let Some(all) = instructions(words) else { return };
    let mode = |at: &Range<usize>| match words[at.clone()] {
        [EXECUTION_MODE, entry, KEEPS_SIGNS, width] if widths.contains(&width) => {
            Some([EXECUTION_MODE, entry, KEEPS_SUBNORMALS, width])
        }
        _ => None,
    };
    if !all.iter().any(|at| mode(at).is_some()) {
        return;
    }
    let mut changed = words[..5].to_vec();
    for at in &all {
        changed.extend_from_slice(&words[at.clone()]);
        changed.extend(mode(at).into_iter().flatten());
        if words[at.clone()] == [CAPABILITY, SIGNS] {
            changed.extend([CAPABILITY, SUBNORMALS]);
        }
    }
    *words = changed;
}

/// A form of a kernel's code, with its own pipeline.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Form {
    /// Whether every binding is writable, so that two bindings can share a buffer.
    pub aliased: bool,
    /// Whether the entry point is that of the first cubes ([`Artifact::first_cubes`]).
    pub first: bool,
}

/// The compiled pipelines of a kernel on one wgpu device.
pub(crate) struct Pipelines {
    pub engine: Arc<Engine>,
    compiled: [Option<Arc<Pipeline>>; 4],
}

impl Pipelines {
    /// No pipelines.
    pub fn new(engine: Arc<Engine>) -> Self {
        Pipelines { engine, compiled: Default::default() }
    }

    /// Returns the pipeline of a form. The first call for a form compiles the pipeline.
    ///
    /// # Errors
    /// The errors of `compile`.
    pub fn of(
        &mut self,
        form: Form,
        compile: impl FnOnce() -> Result<Pipeline, RuntimeError>,
    ) -> Result<Arc<Pipeline>, RuntimeError> {
        let own = &mut self.compiled[usize::from(form.aliased) + 2 * usize::from(form.first)];
        if let Some(known) = own {
            return Ok(Arc::clone(known));
        }
        Ok(Arc::clone(own.insert(Arc::new(compile()?))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_the_entry_point_are_refused() {
        let of = |name: &[u8; 4]| vec![0x0723_0203, 0, 0, 0, 0, 4 << 16 | 15, 5, 1, u32::from_le_bytes(*name)];
        assert!(has_entry(&of(b"run\0"), "run") && !has_entry(&of(b"ran\0"), "run") && !has_entry(&of(b"runs"), "run"));
        assert!(
            !has_entry(&of(b"run\0")[..8], "run") && !has_entry(&of(b"run\0")[1..], "run") && !has_entry(&[], "run")
        );
    }

    #[test]
    fn read_only_buffers_of_an_aliased_launch_are_decorated_as_aliased() {
        let decorate = |target, decoration| [3 << 16 | 71, target, decoration];
        // The word 24 of an instruction other than `OpDecorate`, and the id 24, stay.
        let module = |decoration| {
            let rest = [decorate(24, decoration), decorate(9, 30), [3 << 16 | 5, 24, 24]];
            [0x0723_0203, 0, 0, 0, 0].into_iter().chain(rest.concat()).collect::<Vec<u32>>()
        };
        let mut words = module(24);
        mark_as_aliased(&mut words);
        assert_eq!(words, module(20));
    }

    #[cfg(all(feature = "spirv", not(target_arch = "wasm32")))]
    #[test]
    fn modes_of_subnormal_numbers_are_those_of_the_device() {
        let capability = |number| vec![2 << 16 | 17, number];
        let mode = |mode, width| vec![4 << 16 | 16, 7, mode, width];
        let module = |parts: &[Vec<u32>]| [vec![0x0723_0203, 0, 0, 0, 0], parts.concat()].concat();
        let before = module(&[capability(1), capability(4466), mode(17, 32), mode(4461, 16), mode(4461, 32)]);
        let with = |widths: &[u32]| {
            let mut words = before.clone();
            keep_subnormals(&mut words, widths);
            words
        };
        let both = [mode(4461, 16), mode(4461, 32), mode(4459, 32)];
        let start = [capability(1), capability(4466), capability(4464), mode(17, 32)];
        assert_eq!(with(&[32]), module(&[start.to_vec(), both.to_vec()].concat()));
        assert_eq!(with(&[32, 16]).len(), with(&[32]).len() + 4);
        assert!(with(&[64]) == before && with(&[]) == before);
        let mut broken = before[..before.len() - 1].to_vec();
        keep_subnormals(&mut broken, &[32]);
        assert_eq!(broken, before[..before.len() - 1]);
    }

    #[test]
    fn bindings_of_an_aliased_launch_are_writable() {
        let text =
            "enable subgroups;\n@group(0) @binding(0) var<storage, read> x: array<f32>;\n// var<storage, read> y\n";
        assert_eq!(
            for_naga(text, false),
            "\n@group(0) @binding(0) var<storage, read> x: array<f32>;\n// var<storage, read> y\n"
        );
        assert_eq!(
            for_naga(text, true),
            "\n@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n// var<storage, read> y\n"
        );
        assert_eq!(
            for_naga("    workgroupBarrier();\nworkgroupBarrier(); storageBarrier();\n", true),
            "    workgroupBarrier(); storageBarrier();\nworkgroupBarrier(); storageBarrier();\n"
        );
        assert!(matches!(for_naga("fn k() {}", false), Cow::Borrowed(_)));
    }
}
