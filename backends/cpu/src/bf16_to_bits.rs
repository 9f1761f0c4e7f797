//! CPU: a bf16 that remains after `promote-half-arithmetic` is only moved, so it becomes a 16-bit integer. The same
//! holds for every other narrow float except f16, because LLVM has no registers for them.
//!
//! ```mlir
//! %v = memref.load %x[%i] : memref<?xbf16>      ->   memref.load %x[%i] : memref<?xi16>
//! %s = arith.select %c, %v, %w : bf16           ->   arith.select %c, %v, %w : i16
//! ```
//!
//! LLVM keeps a bf16 in a register as an f32. A processor with an instruction for the conversion back (AVX512-BF16)
//! makes subnormal numbers zero, so a plain copy would change them. The pass does not change a kernel with bf16
//! arithmetic that `promote-half-arithmetic` does not know. Cost: linear.
use cube_ir::access::access_of;
use cube_ir::ops::{arith, builtin, memref, vector};
use cube_ir::{AttrExt, Op, OpKind, PassResult, Run, Type, TypeExt, ops::Dialect, pass};
use cube_passes::legalize::expand_conversions::fp8;
use cube_target::Element;

pass! {
    name: "bf16-to-bits",
    summary: "moves bf16 as 16 bits (CPU)",
    on: cube::KERNEL,
    level: Legal => Legal,
    dialects: ["arith", "memref"],
    statistics: ["values retyped", "kernels kept"],
    run: run,
}

/// Operations that move values of any type.
const MOVES: &[OpKind] = &[
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

/// Narrow floats that are moved as integers. f16 is not listed, because LLVM moves it directly.
fn moved() -> impl Iterator<Item = Element> {
    Element::computed().filter(|element| element.computed_in().is_some() && *element != Element::F16)
}

fn holds_moved(ty: Type<'_>) -> bool {
    let text = ty.to_string();
    moved().any(|element| text.contains(element.ir()))
}

fn as_integers(text: &str) -> String {
    moved().fold(text.to_string(), |text, element| text.replace(element.ir(), &format!("i{}", element.bits())))
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let all = run.root().walk();
    // Few types are of many values, and their text is what takes time.
    let mut seen: Vec<Type<'p>> = Vec::new();
    for value in all.iter().flat_map(|op| {
        op.results().chain(op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>()))
    }) {
        if !seen.contains(&value.ty()) {
            seen.push(value.ty());
        }
    }
    if !seen.into_iter().any(holds_moved) {
        return Ok(());
    }
    let computes = |op: &Op<'p>| {
        // Of atomics that combine, `expand-atomics` leaves exchanges alone of floats.
        let accesses = access_of(*op).is_some();
        let moves =
            MOVES.contains(&op.kind()) || accesses || op.kind().dialect() == Some(Dialect::Scf) || *op == run.root();
        !moves && op.operands().chain(op.results()).any(|v| holds_moved(v.ty()))
    };
    if all.iter().any(computes) {
        run.count("kernels kept", 1);
        return Ok(());
    }
    for op in all {
        for value in
            op.results().chain(op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>()))
        {
            let text = value.ty().to_string();
            let retyped = holds_moved(value.ty()).then(|| op.cx().parse_type(&as_integers(&text))).flatten();
            if let Some(ty) = retyped {
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
    let Some(value) = op.attr("value").filter(|v| v.value_type().is_some_and(holds_moved)) else { return };
    let name = value.value_type().map(|ty| ty.element().to_string()).unwrap_or_default();
    let Some(format) = Element::from_ir(&name).and_then(Element::format) else { return };
    let ty = op.result(0).ty();
    let bits = |number: f64| fp8::encode(format, number);
    let new = match (value.as_float(), value.as_elements()) {
        (Some(number), _) => Some(op.cx().int_attr(ty, bits(number))),
        (None, Some(elements)) => {
            let texts: Vec<String> = elements.iter().map(|e| bits(e.as_float().unwrap_or(0.0)).to_string()).collect();
            op.cx().parse_attr(&format!("dense<[{}]> : {ty}", texts.join(", ")))
        }
        _ => None,
    };
    if let Some(new) = new {
        op.set_attr("value", new);
    }
}
