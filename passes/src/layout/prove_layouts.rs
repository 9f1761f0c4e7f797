//! Records the proven properties of each access through a layout.
//!
//! ```mlir
//! layout.load %v at <(_,?,?)>(%unit, %cube) ...
//!   {layout.proof = {width = 8, alignment = 16, sectors = 64, packed = 64}}
//! ```
//!
//! One access can load or store `width` lines, at an address that is a multiple of `alignment` bytes. Only the modes
//! `partial` and the axes `ragged` need a predicate. `below` bounds the offsets. `sectors` and `packed` count memory
//! sectors of the first plane of the first cube. `degree` and `cycles` count bank conflicts in shared memory. The
//! counts of sectors and bank conflicts are present if the coordinates depend only on the unit's position. The cost is
//! the number of operations times the number of elements of an access.
use super::proof::{PROOF, Proof, base_alignment, prove};
use cube_dialect::{Bounds, BufferKind, bounds_of, ops};
use cube_ir::{Op, PassResult, Run, pass};
use cube_layout_dialect::{Layouts, View, access_of};

pass! {
    name: "prove-layouts",
    summary: "proves the bounds, width, alignment, sectors and bank conflicts of accesses through layouts",
    on: cube::KERNEL,
    level: Source => Source,
    dialects: ["cube", "layout"],
    statistics: ["accesses proven inside", "accesses with predicates"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let mut layouts = Layouts::default();
    for op in run.root().walk() {
        if access_of(op).is_none() {
            continue;
        }
        // The pass `fold-layouts` has already reported a refused view.
        let Ok(view) = layouts.accessed(op) else { continue };
        let proof = prove(&view, run.root());
        if let Some(attr) = run.cx().parse_attr(&proof.text()) {
            op.set_attr(PROOF, attr);
        }
        let inside = proof.partial.is_empty() && proof.ragged.is_empty();
        run.count(if inside { "accesses proven inside" } else { "accesses with predicates" }, 1);
        explain(run, op, &view, &proof);
    }
    Ok(())
}

fn unchecked(kernel: Op<'_>) -> bool {
    ops::Kernel::of(kernel).is_some_and(|kernel| kernel.unchecked().is_some())
}

fn explain<'p>(run: &Run<'p>, op: Op<'p>, view: &View<'p>, proof: &Proof) {
    let Some(buffer) = view.buffer_type() else { return };
    let bytes = proof.width * buffer.line_bytes();
    let what = match (view.count(), proof.width) {
        (Some(1), _) | (_, 1) => "one element".to_string(),
        (_, width) => format!("{width} elements"),
    };
    run.analysis(
        op,
        "width",
        format_args!("an access moves {what}: {bytes} bytes at a multiple of {} bytes", proof.alignment),
    );
    if proof.width == 1 && view.count().is_some_and(|n| n > 1) && base_alignment(view) < 16 {
        run.missed(
            op,
            "alignment",
            format_args!("the address of the first line is only known to be a multiple of {}", base_alignment(view)),
            "set cube.align = 16 on the argument, which the launch checks",
        );
    }
    let promised = bounds_of(op).map_or(unchecked(run.root()), |b| b == Bounds::Inbounds);
    let then =
        if promised { "the kernel promises that the access is in bounds" } else { "the access gets a predicate" };
    for number in &proof.partial {
        run.analysis(op, "bounds", format_args!("coordinate {number} can exceed its mode; {then}"));
    }
    for number in &proof.ragged {
        run.analysis(
            op,
            "bounds",
            format_args!("tiles extend beyond axis {number} of the tensor, so the access gets a predicate"),
        );
    }
    if let Some((sectors, packed)) = proof.sectors {
        run.analysis(
            op,
            "sectors",
            format_args!("the first plane accesses {sectors} sectors; packed elements would need {packed}"),
        );
    }
    if let Some((degree, cycles)) = proof.banks.filter(|_| buffer.kind == BufferKind::Shared) {
        match degree {
            0 | 1 => run.analysis(op, "banks", format_args!("no bank conflict, {cycles} cycles")),
            _ => run.missed(
                op,
                "banks",
                format_args!("a bank conflict of degree {degree}, {cycles} cycles"),
                "compute a swizzle or a padding with `synthesize` of cube-layout",
            ),
        }
    }
}
