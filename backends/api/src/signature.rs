//! The launch interface of an artifact, read from a kernel at level flat, before buffers become memrefs.
use cube_artifact::{
    BufferAccess, DerivedParam, ElemType, InfoWord, OverwrittenBuffer, Param, ParamKind, derived::Derived,
    prints::PrintFormat,
};
use cube_dialect::attributes::{OVERWRITTEN, PRINTS};
use cube_dialect::{
    AccessKind, BufferKind, BufferType, KernelArg, KernelFacts, access_of, element_bytes, element_of, ops,
    shared_offset,
};
use cube_ir::ops::memref;
use cube_ir::{AttrExt, Attribute, MemRef, MemorySpace, Message, Op, Type, TypeExt, Val};
use cube_target::SHARED_ALIGNMENT;

/// The launch interface of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// The host's parameters, in the order of the arguments.
    pub params: Vec<Param>,
    /// Parameters that the runtime computes from the host's parameters.
    pub derived: Vec<DerivedParam>,
    /// The words of the launch's info buffer, in order.
    pub info: Vec<InfoWord>,
    /// Expressions for the executed cube counts along x, y, z, if they differ from the requested counts.
    pub cube_count: Option<[String; 3]>,
    /// The buffers that some launches overwrite completely.
    pub overwritten: Vec<OverwrittenBuffer>,
    /// Format strings of the kernel's `cube.print` operations.
    pub prints: Vec<PrintFormat>,
}

/// The signature of a kernel.
///
/// # Errors
/// An argument whose type has no corresponding host type, or an attribute of the launch that is not valid.
pub fn signature(facts: &KernelFacts<'_>) -> Result<Signature, Message> {
    let no_host_type = |name: &str| cube_ir::diagnostic!(CUBE0507.argument { name, kernel: facts.name });
    let Signature { mut params, mut derived, mut info, .. } = Signature::default();
    for (index, arg) in facts.args.iter().enumerate() {
        let param = match arg {
            // The runtime's own buffer, after all other arguments.
            KernelArg::Buffer(b) if b.access == Some("prints") => continue,
            KernelArg::Buffer(b) => {
                info.push(InfoWord::Length { param: index as u32 });
                let access = match is_unaccessed(b.value) {
                    true => BufferAccess::Unaccessed,
                    false => declared(b.access).unwrap_or_else(|| observed(b.value)),
                };
                let elem = host_type(b.host, b.ty.element).ok_or_else(|| no_host_type(&b.name))?;
                Param {
                    name: b.name.clone(),
                    kind: ParamKind::Buffer { elem, line: b.ty.line, align: b.align, access },
                }
            }
            KernelArg::Scalar(s) if s.derived.is_some() => {
                let elem = if s.ty.bits() == Some(64) { ElemType::U64 } else { ElemType::U32 };
                let expression = s.derived.unwrap_or_default().into();
                derived.push(DerivedParam { name: s.name.clone(), elem, expression });
                continue;
            }
            KernelArg::Scalar(s) => {
                let elem = host_type(s.host, s.ty).ok_or_else(|| no_host_type(&s.name))?;
                Param { name: s.name.clone(), kind: ParamKind::Scalar { elem } }
            }
        };
        params.push(param);
    }
    let formats = facts.op.attr(PRINTS).and_then(|a| a.as_array()).unwrap_or_default();
    let format = |entry: &Attribute<'_>| {
        let format = entry.as_str().and_then(PrintFormat::of_attribute);
        format.ok_or_else(|| cube_ir::diagnostic!(CUBE0156.format { entry }))
    };
    let prints = formats.iter().map(format).collect::<Result<_, _>>()?;
    for text in facts.cube_count.iter().flatten() {
        Derived::parse(text).map_err(|why| cube_ir::diagnostic!(CUBE0156.cubes { why: format!(": {why}") }))?;
    }
    let cube_count = facts.cube_count.map(|counts| counts.map(String::from));
    let overwritten = overwritten(facts)?;
    Ok(Signature { params, derived, info, cube_count, overwritten, prints })
}

// The buffers that some launches overwrite completely, in the order of the parameters.
fn overwritten(facts: &KernelFacts<'_>) -> Result<Vec<OverwrittenBuffer>, Message> {
    let Some(all) = facts.op.attr(OVERWRITTEN) else { return Ok(vec![]) };
    let mut buffers = vec![];
    for (param, arg) in facts.args.iter().enumerate() {
        if let KernelArg::Buffer(buffer) = arg
            && let Some(text) = all.entry(&buffer.name).and_then(|text| text.as_str())
        {
            Derived::parse(text)
                .map_err(|why| cube_ir::diagnostic!(CUBE0156.overwritten { why: format!(": {why}") }))?;
            buffers.push(OverwrittenBuffer { param: param as u32, expression: text.into() });
        }
    }
    Ok(buffers)
}

/// The maximum number of units of a launch; `None` for no maximum. The maximum is 2^32 if the kernel reads a topology
/// value that counts units of the launch, because topology values are `u32`.
pub fn unit_limit(facts: &KernelFacts<'_>) -> Option<u64> {
    let counts = |t: ops::Topology<'_>| t.kind().counts_units_of_launch();
    facts.op.walk().into_iter().filter_map(ops::Topology::of).any(counts).then_some(1 << 32)
}

/// Bytes of shared memory for one cube, with each allocation aligned. Allocations to which a pass assigned offsets can
/// overlap. At level flat the number does not contain the memory that the passes of phase `legalize` add; at level
/// legal the number is complete.
pub fn shared_bytes(facts: &KernelFacts<'_>) -> u64 {
    let (mut planned, mut others) = (0u64, 0u64);
    for op in facts.op.walk() {
        let Some(bytes) = shared_size(op).map(|bytes| bytes.next_multiple_of(SHARED_ALIGNMENT)) else { continue };
        match shared_offset(op) {
            Some(offset) => planned = planned.max(offset.saturating_add(bytes)),
            None => others = others.saturating_add(bytes),
        }
    }
    planned.saturating_add(others)
}

// The bytes of an allocation of shared memory; `None` for other operations.
fn shared_size(op: Op<'_>) -> Option<u64> {
    if ops::Alloc::of(op).is_some() {
        let buffer = BufferType::of(op.result(0).ty()).filter(|buffer| buffer.kind == BufferKind::Shared)?;
        return Some(buffer.lines()?.saturating_mul(buffer.line_bytes()));
    }
    if !op.is(memref::ALLOCA) {
        return None;
    }
    let memory = MemRef::of(op.result(0).ty()).filter(|memory| memory.space == MemorySpace::Workgroup)?;
    let line = memory.line.element_count() * element_bytes(memory.line)?;
    Some(memory.length?.saturating_mul(line))
}

fn host_type(named: Option<&str>, ty: Type<'_>) -> Option<ElemType> {
    ElemType::storing(named.or_else(|| Some(element_of(ty)?.ir()))?)
}

fn declared(word: Option<&str>) -> Option<BufferAccess> {
    match word? {
        "read" => Some(BufferAccess::Read),
        "write" => Some(BufferAccess::Write),
        _ => Some(BufferAccess::ReadWrite),
    }
}

/// Whether a kernel reads at most the length, the shape and the strides of a buffer. Each other use counts as an access.
pub fn is_unaccessed(buffer: Val<'_>) -> bool {
    // At level legal, the length is a dimension.
    let properties =
        [ops::Len::KIND, ops::BufferLen::KIND, ops::Shape::KIND, ops::Stride::KIND, ops::Rank::KIND, memref::DIM];
    buffer.uses().into_iter().all(|(op, _)| properties.contains(&op.kind()))
}

fn observed(buffer: Val<'_>) -> BufferAccess {
    let uses = buffer.uses();
    let kinds: Vec<AccessKind> = uses.iter().filter_map(|(op, _)| Some(access_of(*op)?.kind)).collect();
    let stored = kinds.iter().any(|kind| kind.writes());
    let loaded = kinds.iter().any(|kind| !matches!(kind, AccessKind::Store | AccessKind::AtomicStore));
    match (loaded, stored) {
        (true, true) => BufferAccess::ReadWrite,
        (false, true) => BufferAccess::Write,
        _ => BufferAccess::Read,
    }
}
