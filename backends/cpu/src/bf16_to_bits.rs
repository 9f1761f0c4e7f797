//! CPU: replaces the type bf16 by a 16-bit integer, because `promote-half-arithmetic` leaves only copies of bf16
//! values. All other narrow floats except f16 also become integers, because LLVM has no registers for these types.
//!
//! ```mlir
//! %v = memref.load %x[%i] : memref<?xbf16>      ->   memref.load %x[%i] : memref<?xi16>
//! %s = arith.select %c, %v, %w : bf16           ->   arith.select %c, %v, %w : i16
//! ```
//!
//! LLVM keeps a bf16 in a register as an f32. The AVX512-BF16 instruction that converts f32 to bf16 flushes subnormal
//! numbers to zero. With this instruction, a plain copy of a bf16 would change subnormal numbers. The pass does not
//! change a kernel with bf16 arithmetic that `promote-half-arithmetic` does not support. Cost: linear.
use cube_dialect::element_of;
use cube_ir::access::access_of;
use cube_ir::ops::{arith, builtin, memref, vector};
use cube_ir::{AttrExt, Attribute, Cx, MemRef, Op, OpKind, PassResult, Run, Type, TypeExt, ops::Dialect, pass};
use cube_passes::legalize::expand_conversions::fp8;
use cube_target::Element;

pass! {
    name: "bf16-to-bits",
    summary: "loads and stores bf16 values as integers of 16 bits (CPU)",
    on: cube::KERNEL,
    level: Legal | Mixed => Any,
    dialects: ["arith", "memref"],
    statistics: ["values retyped", "kernels kept"],
    run: run,
}

/// Operations that copy, load or store values of any type.
const COPY_OPS: &[OpKind] = &[
    arith::SELECT,
    arith::BITCAST,
    arith::CONSTANT,
    builtin::UNREALIZED_CONVERSION_CAST,
    memref::ALLOCA,
    memref::DIM,
    vector::BROADCAST,
    vector::EXTRACT,
    vector::EXTRACT_STRIDED_SLICE,
    vector::FROM_ELEMENTS,
    vector::INSERT,
    vector::INSERT_STRIDED_SLICE,
    vector::SHAPE_CAST,
    vector::SHUFFLE,
    vector::TO_ELEMENTS,
];

/// Narrow floats that become integers. LLVM supports f16 in registers, so f16 is not included.
fn narrow_floats() -> impl Iterator<Item = Element> {
    Element::computed().filter(|element| element.computed_in().is_some() && *element != Element::F16)
}

// The narrow float in a type: the type itself, the element of a line, or the element of memory.
fn narrow_float_of(ty: Type<'_>) -> Option<Element> {
    let line = MemRef::of(ty).map_or(ty, |memref| memref.line);
    element_of(line.element()).filter(|element| narrow_floats().any(|narrow| narrow == *element))
}

fn has_narrow_float(ty: Type<'_>) -> bool {
    narrow_float_of(ty).is_some()
}

// The type with an integer instead of the narrow float.
fn as_integers<'p>(cx: Cx<'p>, ty: Type<'p>) -> Option<Type<'p>> {
    let integer = cx.int(narrow_float_of(ty)?.bits());
    Some(match MemRef::of(ty) {
        Some(memref) => MemRef { line: memref.line.with_element(integer), ..memref }.ty(cx),
        None => ty.with_element(integer),
    })
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let all = run.root().walk();
    // Many values share few types.
    let mut seen: Vec<Type<'p>> = Vec::new();
    for value in all.iter().flat_map(|op| {
        op.results().chain(op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>()))
    }) {
        if !seen.contains(&value.ty()) {
            seen.push(value.ty());
        }
    }
    if !seen.into_iter().any(has_narrow_float) {
        return Ok(());
    }
    let computes = |op: &Op<'p>| {
        // `expand-atomics` expands all combining atomics of floats, and leaves only exchanges.
        let accesses = access_of(*op).is_some();
        let moves =
            COPY_OPS.contains(&op.kind()) || accesses || op.kind().dialect() == Some(Dialect::Scf) || *op == run.root();
        !moves && op.operands().chain(op.results()).any(|v| has_narrow_float(v.ty()))
    };
    if all.iter().any(computes) {
        run.count("kernels kept", 1);
        return Ok(());
    }
    for op in all {
        for value in
            op.results().chain(op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>()))
        {
            if let Some(ty) = as_integers(op.cx(), value.ty()) {
                value.set_type(ty);
                run.count("values retyped", 1);
            }
        }
        if op.is(arith::CONSTANT) {
            constant(op);
        }
    }
    let kernel = run.root();
    let types: Vec<Type<'p>> = kernel.body().map(|b| b.args().map(|a| a.ty()).collect()).unwrap_or_default();
    kernel.set_attr("function_type", run.cx().type_attr(run.cx().function(&types, &[])));
    Ok(())
}

fn constant(op: Op<'_>) {
    let Some(value) = op.attr("value").filter(|v| v.value_type().is_some_and(has_narrow_float)) else { return };
    let Some(format) = value.value_type().and_then(narrow_float_of).and_then(Element::format) else { return };
    let ty = op.result(0).ty();
    let bits = |number: f64| fp8::encode(format, number);
    let new = match (value.as_float(), value.as_elements()) {
        (Some(number), _) => Some(op.cx().int_attr(ty, bits(number))),
        (None, Some(elements)) => {
            let one = |e: &Attribute<'_>| op.cx().int_attr(ty.element(), bits(e.as_float().unwrap_or(0.0)));
            op.cx().elements_attr(ty, &elements.iter().map(one).collect::<Vec<_>>())
        }
        _ => None,
    };
    if let Some(new) = new {
        op.set_attr("value", new);
    }
}
