//! The launch side of an artifact, read off a kernel at level flat, before buffers become memrefs.
use cube_artifact::{Access, ElemType, InfoWord, Param, ParamKind};
use cube_dialect::{KernelArg, KernelFacts, TopologyKind, ops};
use cube_ir::{Type, Val};

/// Parameters and info words of a kernel, in the order of its arguments.
///
/// # Errors
/// The name of an argument whose type has no host type.
pub fn signature(facts: &KernelFacts<'_>) -> Result<(Vec<Param>, Vec<InfoWord>), String> {
    let mut params = Vec::new();
    let mut info = Vec::new();
    for (index, arg) in facts.args.iter().enumerate() {
        let param = match arg {
            KernelArg::Buffer(b) => {
                info.push(InfoWord::Length { param: index as u32 });
                let access = declared(b.access).unwrap_or_else(|| observed(b.value));
                let elem = host_type(b.host, b.ty.element).ok_or(&b.name)?;
                Param { name: b.name.clone(), kind: ParamKind::Buffer { elem, line: b.ty.line, access } }
            }
            KernelArg::Scalar(s) => {
                let elem = host_type(s.host, s.ty).ok_or(&s.name)?;
                Param { name: s.name.clone(), kind: ParamKind::Scalar { elem } }
            }
        };
        params.push(param);
    }
    Ok((params, info))
}

/// The most units a launch may have: 2^32 where the kernel reads an absolute position, which is a `u32`.
pub fn unit_limit(facts: &KernelFacts<'_>) -> Option<u64> {
    let absolute = |t: ops::Topology<'_>| (t.kind() as usize) < TopologyKind::UnitPos as usize;
    facts.op.walk().into_iter().filter_map(ops::Topology::of).any(absolute).then_some(1 << 32)
}

fn host_type(named: Option<&str>, ty: Type<'_>) -> Option<ElemType> {
    if let Some(name) = named {
        return ElemType::from_name(name);
    }
    match ty.to_string().as_str() {
        "i1" => Some(ElemType::Bool),
        name => ElemType::from_name(name),
    }
}

fn declared(word: Option<&str>) -> Option<Access> {
    match word? {
        "read" => Some(Access::Read),
        "write" => Some(Access::Write),
        _ => Some(Access::ReadWrite),
    }
}

fn observed(buffer: Val<'_>) -> Access {
    let uses = buffer.uses();
    let stored = uses.iter().any(|(op, number)| op.is("cube.store") && *number == 1);
    let loaded = uses.iter().any(|(op, _)| op.is("cube.load"));
    match (loaded, stored) {
        (true, true) => Access::ReadWrite,
        (false, true) => Access::Write,
        _ => Access::Read,
    }
}
