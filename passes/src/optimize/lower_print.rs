//! Lowers debug prints to records in a buffer, which the runtime formats as lines.
//!
//! ```mlir
//! cube.print "{}: {}"(%i, %v) : i32, f32     %at = cube.atomic_rmw addi 3, %prints[0]     // words of the record
//!                                            scf.if %at < words - 4 { %prints[2 + %at ...] = 1, %i, bits of %v }
//! ```
//!
//! The kernel gets the buffer as its last argument, with `cube.access = "prints"`. The kernel's attribute
//! `cube.prints` contains the format texts and value types; `runtime/artifact/src/prints.rs` defines the layout of
//! the records. A print therefore works in the same way on every target, and requires no vendor library. The
//! runtime counts lines that do not fit into the buffer. The lines have the order in which units reach the prints.
//! Cost: an atomic operation and a few stores per print.
use crate::write::inbounds;
use cube_dialect::attributes::{ACCESS, NOALIAS, PRINTS};
use cube_dialect::{BufferType, Combine, element_of, ops};
use cube_ir::ops::{arith, cube, scf};
use cube_ir::{AttrExt, Builder, Failed, PassResult, Run, Type, TypeExt, Val, pass, upstream::IntCmp};
use cube_target::{Class, HostType};

pass! {
    name: "lower-print",
    summary: "turns debug prints into records that the runtime reads",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "cube", "scf", "vector"],
    statistics: ["prints"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    let prints: Vec<ops::Print<'p>> = run.root().walk().into_iter().filter_map(ops::Print::of).collect();
    if prints.is_empty() {
        return Ok(());
    }
    let cx = run.cx();
    let ty = BufferType::array(cx.int(32)).get();
    let attrs = [(ACCESS, cx.str_attr("prints")), (NOALIAS, cx.unit_attr())];
    let buffer = kernel.add_argument("prints", ty, &attrs).ok_or(Failed)?;
    let mut formats = Vec::new();
    for print in prints {
        let values: Vec<(&str, u64)> = print.values().iter().map(|v| kind_of(v.ty())).collect();
        let fails = print.fails().is_some();
        let kinds: Vec<String> = values.iter().map(|(name, lanes)| format!("{name}x{lanes}")).collect();
        let text = print.text().and_then(|t| t.as_str()).unwrap_or("");
        let mark = if fails { "!" } else { "" };
        formats.push(cx.str_attr(&format!("{mark}{}|{text}", kinds.join(","))));
        let b = run.before(print.op());
        if fails {
            atomic(b, Combine::MaxUI, b.int(cx.int(32), formats.len() as i64), buffer, 1);
        }
        record(b, buffer, formats.len() as i64, &print.values());
        run.erase(print.op());
        run.count("prints", 1);
    }
    kernel.op().set_attr(PRINTS, cx.array_attr(&formats));
    Ok(())
}

// The representation of a value in a record: the type that the runtime reads, and the number of lanes. Floats narrower
// than f32 are stored as f32.
fn kind_of(ty: Type<'_>) -> (&'static str, u64) {
    let host = match element_of(ty) {
        Some(element) => match element.class() {
            Class::Bool => HostType::Bool.name(),
            Class::Float if element.bits() > HostType::F32.element().bits() => HostType::F64.name(),
            Class::Float => HostType::F32.name(),
            Class::Int => element.ir(),
        },
        None => HostType::I32.name(),
    };
    (host, ty.element_count())
}

fn record<'p>(b: Builder<'p>, buffer: Val<'p>, number: i64, values: &[Val<'p>]) {
    let word = b.cx().int(32);
    let mut words = vec![b.int(word, number)];
    for value in values {
        words_of(b, *value, &mut words);
    }
    let count = words.len() as i64;
    let at = atomic(b, Combine::AddI, b.int(word, count), buffer, 0);
    // Words 0 and 1 precede all records, so a record that begins at `at` ends below `at + 2 + count`.
    let length = b.op(cube::BUFFER_LEN).operands(&[buffer]).result(word).value();
    let room = b.op(cube::SUBUI_SAT).operands(&[length, b.int(word, count + 1)]).result(word).value();
    let fits = b.cmpi(IntCmp::Ult, at, room);
    b.op(scf::IF)
        .operands(&[fits])
        .body(&[], |b, _| {
            for (i, value) in words.iter().enumerate() {
                let index = b.addi(at, b.int(word, 2 + i as i64));
                b.op(cube::STORE).operands(&[*value, buffer, index]).attr("bounds", inbounds(b)).build();
            }
            b.op(scf::YIELD).build();
        })
        .empty_region()
        .build();
}

// Emits an atomic operation on one of the first words, which every buffer of records has.
fn atomic<'p>(b: Builder<'p>, kind: Combine, value: Val<'p>, buffer: Val<'p>, at: i64) -> Val<'p> {
    let step = b.op(cube::ATOMIC_RMW).operands(&[value, buffer, b.int(b.cx().int(32), at)]);
    step.attr("kind", kind.attr(b.cx())).attr("bounds", inbounds(b)).result(b.cx().int(32)).value()
}

// Appends the words of a value, lane by lane.
fn words_of<'p>(b: Builder<'p>, value: Val<'p>, words: &mut Vec<Val<'p>>) {
    let ty = value.ty();
    if ty.lanes().is_some() {
        b.lanes(value).into_iter().for_each(|lane| words_of(b, lane, words));
        return;
    }
    let (word, bits) = (b.cx().int(32), ty.bits().unwrap_or(32));
    let value = match (ty.is_fp(), bits) {
        (true, 64) => b.cast(arith::BITCAST, value, b.cx().int(64)),
        (true, _) if ty == b.cx().f32() => b.cast(arith::BITCAST, value, word),
        (true, _) => b.cast(arith::BITCAST, b.cast(cube::CAST, value, b.cx().f32()), word),
        _ => value,
    };
    match value.ty().bits().unwrap_or(32) {
        32 => words.push(value),
        64 => {
            words.push(b.cast(arith::TRUNCI, value, word));
            words.push(b.cast(arith::TRUNCI, b.shrui(value, b.int(value.ty(), 32)), word));
        }
        _ => words.push(b.cast(arith::EXTUI, value, word)),
    }
}
