//! CPU: a kernel becomes a function that runs a range of cubes, with loops over cubes and units.
//!
//! ```mlir
//! cube.kernel @scale(...) cube_dim(256)    llvm.func @scale(%launch, %first: i64, %last: i64)   // the entry
//!                                          llvm.func internal @scale.body(%x: ptr, %x_len, ..., %first, %last) {
//!                                            scf.for %cube = %first to %last { scf.for %unit = 0 to 256 { ... } }
//! ```
//!
//! A kernel whose cubes extend only along x, and that reads only its absolute position, gets a single loop over
//! positions. A kernel with barriers or plane operations already has loops over its units (`split-barrier-regions`,
//! `vectorize-spmd`) and gets the loop over cubes. `cube_order.rs` selects the order of the cubes. Memory of cubes and
//! units is on the stack or in the scratch memory of the call (`allocations.rs`). `runtime/artifact` defines the calling convention. Pointers are not `noalias`,
//! because two arguments can be the same buffer. In vectorised code, LLVM checks arguments for overlap once per range
//! of cubes. A kernel with gathers, whose bounds LLVM does not know, gets a second body with `noalias` pointers, and
//! the entry function checks the buffers (`version_aliases.rs`). Cost: linear.
use super::{allocations::Allocations, cube_order, fix_plane_dim::lanes_of, split, version_aliases};
use cube_dialect::attributes::{DEBUG, LLVM_NOALIAS, PLANE_DIM, SIMD_WIDTH};
use cube_dialect::{KernelFacts, TopologyKind as T, UnitLoop, ops, unit_loop_count};
use cube_ir::ops::{arith, llvm};
use cube_ir::{AttrExt, Builder, Failed, Linkage, Op, PassResult, Run, Type, TypeExt, Val, pass};
use cube_passes::levels;
use cube_to_llvm::{
    fast_math,
    kernel_parts::{Function, UnitPosition, body_of, is_buffer, memref, replace_topology, unit_attrs, used},
    lower_loop_cancellation, saturating_sums,
};
use std::collections::HashMap;

pass! {
    name: "emit-unit-loops",
    summary: "turns a kernel into loops over cubes and units (CPU)",
    on: builtin::MODULE,
    level: Legal | Mixed => Device,
    dialects: ["llvm", "scf", "arith", "memref", "gpu"],
    statistics: [
        "kernels turned into one flat loop",
        "kernels with a body for buffers that do not overlap",
        "kernels whose cubes run in bands",
    ],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    fast_math::forbid_estimates(run.root());
    for kernel in cube_dialect::kernels_of(run.root()) {
        lower(run, kernel)?;
    }
    Ok(())
}

fn lower<'p>(run: &mut Run<'p>, kernel: ops::Kernel<'p>) -> PassResult {
    levels::check(kernel.op(), &split::MIXED)?;
    let facts = kernel.facts();
    let cx = run.cx();
    let (ptr, i32t, i64t) = (cx.llvm_ptr(0), cx.int(32), cx.int(64));
    let block = kernel.block().ok_or(Failed)?;
    let params: Vec<Val<'p>> = block.args().collect();
    let mut args: Vec<(Type<'p>, &'static [&'static str])> = Vec::new();
    for value in &params {
        match is_buffer(*value) {
            true => args.extend([(ptr, &[][..]), (i64t, &[])]),
            false => args.push((value.ty(), &[])),
        }
    }
    let allocations = Allocations::of(kernel.op())?;
    if allocations.scratch_bytes > 0 {
        args.push((ptr, &[LLVM_NOALIAS]));
    }
    let has_cancellation_points = lower_loop_cancellation::has_cancellation_points(kernel.op());
    if has_cancellation_points {
        args.push((ptr, &[]));
    }
    args.extend([i32t, i32t, i32t, i64t, i64t].map(|ty| (ty, &[][..])));
    let split = split::is_split(kernel.op())?;
    let flat = !split && flat_loop(kernel.op(), &facts);
    let lanes = lanes_of(kernel.op());
    let in_bands = !flat && cube_order::reuses_rows_and_columns(kernel.op());
    if in_bands {
        run.count("kernels whose cubes run in bands", 1);
    }
    if flat {
        run.count("kernels turned into one flat loop", 1);
    }
    let name = body_of(facts.name);
    let is_plain = flat && allocations.scratch_bytes == 0 && !has_cancellation_points;
    let apart = match is_plain && kernel.op().attr(DEBUG).is_none() {
        true => version_aliases::pairs(kernel.op(), &params),
        false => vec![],
    };
    let body = Function { name: name.clone(), args: args.clone(), linkage: Linkage::Internal, attrs: vec![] };
    let mut placed = None;
    let function = body.build(kernel.op(), |b, values| {
        bind(b, &params, values);
        let (mut given, rest) = values.split_at(values.len() - 5);
        let (count, first, last) = ([rest[0], rest[1], rest[2]], rest[3], rest[4]);
        if let Some((stop, others)) = given.split_last().filter(|_| has_cancellation_points) {
            lower_loop_cancellation::add_polls(kernel.op(), *stop);
            given = others;
        }
        allocations.emit(b, given.last().copied());
        let launch = Launch { dim: facts.cube_dim, count, lanes, in_bands };
        placed = Some(match (flat, split) {
            (true, _) => flat_nest(b, launch, first, last),
            (_, true) => over_cubes(b, launch, first, last),
            _ => nest(b, launch, first, last),
        });
    });
    let (position, innermost) = placed.ok_or(Failed)?;
    allocations.erase(run);
    block.splice_before(innermost);
    let loops = lower_loops(run, function)?;
    replace_topology(run, function, |op| if split { position_at(op, position, &loops) } else { position });
    saturating_sums::lower(run, function);
    if let Some(buffers) = kernel.op().attr(DEBUG).and_then(|names| names.as_array()) {
        // The pointer of each buffer; the buffer's length follows.
        let empty = cx.str_attr("");
        let labels = params.iter().enumerate().flat_map(|(i, value)| match (buffers.get(i), is_buffer(*value)) {
            (Some(label), true) => vec![*label, empty],
            (None, true) => vec![empty, empty],
            (_, false) => vec![empty],
        });
        function.set_attr(DEBUG, cx.array_attr(&labels.collect::<Vec<_>>()));
    }
    let extra = [
        (allocations.scratch_bytes > 0).then_some(ExtraArgument::Scratch),
        has_cancellation_points.then_some(ExtraArgument::CancellationWord),
    ];
    if !apart.is_empty() {
        let copy = Builder::before(function).insert_copy(function);
        copy.set_attr("sym_name", cx.str_attr(&name_apart(&name)));
        let attributes = args.iter().map(|(ty, names)| match *ty == ptr {
            true => unit_attrs(cx, &[LLVM_NOALIAS]),
            false => unit_attrs(cx, names),
        });
        copy.set_attr("arg_attrs", cx.array_attr(&attributes.collect::<Vec<_>>()));
        run.count("kernels with a body for buffers that do not overlap", 1);
    }
    let extra: Vec<ExtraArgument> = extra.into_iter().flatten().collect();
    let main = entry(&facts, &params, &extra, &name, &apart, kernel.op());
    allocations.set_scratch_bytes(main);
    for fact in [PLANE_DIM, SIMD_WIDTH] {
        if let Some(value) = kernel.op().attr(fact) {
            main.set_attr(fact, value);
        }
    }
    run.erase(kernel.op());
    Ok(())
}

// Creates the kernel's arguments from the function's arguments.
fn bind<'p>(b: Builder<'p>, params: &[Val<'p>], values: &[Val<'p>]) {
    let mut next = values.iter();
    let mut take = || *next.next().expect("one value or two an argument");
    for param in params {
        let value = if is_buffer(*param) {
            let (pointer, length) = (take(), take());
            memref(b, param.ty(), pointer, length)
        } else {
            take()
        };
        param.replace_all_uses(value);
    }
}

// One loop over positions is possible if units differ only in their linear position and cubes lie along x. Then
// `absolute_pos = unit + dim * linear cube position` for any shape of the grid.
fn flat_loop(kernel: Op<'_>, facts: &KernelFacts<'_>) -> bool {
    facts.cube_dim[1] == 1 && facts.cube_dim[2] == 1 && used(kernel).into_iter().all(has_value_in_flat_loop)
}

// A flat loop counts the absolute position. The position of a unit in its cube and the position of a cube are not
// available.
fn has_value_in_flat_loop(kind: T) -> bool {
    let inputs = kind.inputs();
    kind == T::AbsolutePos || !inputs.unit && !inputs.cube
}

type Nest<'p> = (UnitPosition<'p>, Op<'p>);

fn yield_of<'p>(loop_op: Op<'p>) -> Op<'p> {
    loop_op.body().and_then(|b| b.terminator()).expect("loops end in a yield")
}

/// Values that are uniform over all cubes of a call.
#[derive(Clone, Copy)]
struct Launch<'p> {
    dim: [u32; 3],
    count: [Val<'p>; 3],
    lanes: u32,
    /// Whether the cubes run in bands of rows.
    in_bands: bool,
}

impl<'p> Launch<'p> {
    fn position(self, unit: [Val<'p>; 3], cube: [Val<'p>; 3]) -> UnitPosition<'p> {
        let Launch { dim, count, lanes, .. } = self;
        UnitPosition { unit, cube, count, dim, absolute: None, lanes }
    }
}

fn flat_nest<'p>(b: Builder<'p>, launch: Launch<'p>, first: Val<'p>, last: Val<'p>) -> Nest<'p> {
    let (i32t, i64t) = (b.cx().int(32), b.cx().int(64));
    let units = b.int(i64t, i64::from(launch.dim[0]));
    let mut absolute = None;
    let loop_op = b.for_range(b.muli(first, units), b.muli(last, units), b.int(i64t, 1), |b, at| {
        // The runtime refuses launches of more than 2^32 units, so no bit is lost.
        absolute = Some(b.trunc_nuw(at, i32t));
    });
    let zero = b.with_location(b.location()).int(i32t, 0);
    zero.def().expect("a constant").move_before(loop_op);
    (UnitPosition { absolute, ..launch.position([zero; 3], [zero; 3]) }, yield_of(loop_op))
}

// The loop over cubes, and the position of the cube. The second result is the insertion point of the body.
fn cubes<'p>(
    b: Builder<'p>,
    launch: Launch<'p>,
    first: Val<'p>,
    last: Val<'p>,
    body: impl FnOnce(Builder<'p>, [Val<'p>; 3]),
) -> Op<'p> {
    let (i32t, i64t) = (b.cx().int(32), b.cx().int(64));
    let wide = launch.count.map(|c| b.cast(arith::EXTUI, c, i64t));
    b.for_range(first, last, b.int(i64t, 1), |b, linear| {
        let cube =
            if launch.in_bands { cube_order::in_bands(b, linear, wide) } else { cube_order::in_rows(b, linear, wide) };
        body(b, cube.map(|c| b.trunc_nuw(c, i32t)));
    })
}

fn nest<'p>(b: Builder<'p>, launch: Launch<'p>, first: Val<'p>, last: Val<'p>) -> Nest<'p> {
    let (i32t, i64t) = (b.cx().int(32), b.cx().int(64));
    let (zero, one) = (b.int(i64t, 0), b.int(i64t, 1));
    let sizes = launch.dim.map(|d| b.int(i64t, i64::from(d)));
    let mut placed = None;
    cubes(b, launch, first, last, |b, cube| {
        b.for_range(zero, sizes[2], one, |b, z| {
            b.for_range(zero, sizes[1], one, |b, y| {
                b.for_range(zero, sizes[0], one, |b, x| {
                    let unit = [x, y, z].map(|u| b.trunc_nuw(u, i32t));
                    placed = Some(launch.position(unit, cube));
                });
            });
        });
    });
    let position = placed.expect("the bodies ran");
    let innermost = position.unit[0].def().and_then(|d| d.parent()).expect("inside the loop");
    (position, yield_of(innermost))
}

// Emits the loop over cubes for a kernel that already contains loops over units.
fn over_cubes<'p>(b: Builder<'p>, launch: Launch<'p>, first: Val<'p>, last: Val<'p>) -> Nest<'p> {
    let zero = b.int(b.cx().int(32), 0);
    let mut placed = None;
    let loop_op = cubes(b, launch, first, last, |_, cube| placed = Some(launch.position([zero; 3], cube)));
    (placed.expect("the body ran"), yield_of(loop_op))
}

/// The loops that replace the loops over units.
type Loops<'p> = HashMap<Op<'p>, UnitLoop>;

// Replaces the loops over units by counted loops. Units and planes of a cube have 32-bit numbers, so truncation of the
// counter loses no bit.
fn lower_loops<'p>(run: &mut Run<'p>, function: Op<'p>) -> Result<Loops<'p>, Failed> {
    let mut loops = Loops::new();
    let (i32t, i64t) = (run.cx().int(32), run.cx().int(64));
    for op in function.walk() {
        let Some(unit_loop) = UnitLoop::of(op) else { continue };
        let (Some(body), Some(count)) = (op.body(), unit_loop_count(op)) else { return Err(Failed) };
        let b = run.before(op);
        let count = b.int(i64t, count.into());
        let loop_op = b.for_range(b.int(i64t, 0), count, b.int(i64t, 1), |_, _| {});
        let inside = loop_op.body().ok_or(Failed)?;
        body.splice_inside(inside.terminator().ok_or(Failed)?);
        for (user, number) in body.arg(0).uses() {
            let b = run.before(user);
            if user.is(arith::INDEX_CASTUI) && user.result(0).ty() == i32t {
                user.set_operand(0, inside.arg(0));
                run.replace(user, &[b.trunc_nuw(inside.arg(0), i32t)]);
            } else {
                user.set_operand(number, b.cast(arith::INDEX_CASTUI, inside.arg(0), b.cx().index()));
            }
        }
        run.erase(op);
        loops.insert(loop_op, unit_loop);
    }
    Ok(loops)
}

// The position of the unit that runs `op`, computed from the counters of the enclosing loops.
fn position_at<'p>(op: Op<'p>, mut position: UnitPosition<'p>, loops: &Loops<'p>) -> UnitPosition<'p> {
    let b = Builder::before(op);
    let i32t = b.cx().int(32);
    for around in op.ancestors() {
        let (Some(unit_loop), Some(body)) = (loops.get(&around), around.body()) else { continue };
        let iteration = b.trunc_nuw(body.arg(0), i32t);
        if let UnitLoop::Unit(axis) = unit_loop {
            position.unit[*axis] = iteration;
        }
    }
    position
}

/// The additional arguments of a body, after the kernel's arguments and cube counts.
#[derive(Clone, Copy)]
enum ExtraArgument {
    /// The call's scratch memory.
    Scratch,
    /// The address of the cancellation word of the launch.
    CancellationWord,
}

/// Offset of the cancellation word in the launch structure.
const CANCELLATION_OFFSET: usize = 36;

/// Index of the entry function's argument that points to the scratch memory of the call.
const SCRATCH: usize = 3;

/// The name of a body for buffers that do not overlap.
fn name_apart(body: &str) -> String {
    format!("{body}.apart")
}

// Loads the arguments from the launch structure and calls the body. `apart` lists the pairs of buffers that do not
// overlap in a launch of the second body.
fn entry<'p>(
    facts: &KernelFacts<'p>,
    params: &[Val<'p>],
    extra: &[ExtraArgument],
    body: &str,
    apart: &[[usize; 2]],
    kernel: Op<'p>,
) -> Op<'p> {
    let cx = kernel.cx();
    let (ptr, i32t, i64t) = (cx.llvm_ptr(0), cx.int(32), cx.int(64));
    let function = Function {
        name: facts.name.to_string(),
        args: [ptr, i64t, i64t, ptr].map(|ty| (ty, &[][..])).to_vec(),
        linkage: Linkage::External,
        attrs: vec![],
    };
    function.build(kernel, |b, values| {
        let address = |base: Val<'p>, bytes: usize| {
            b.op(llvm::GETELEMENTPTR)
                .operands(&[base])
                .attr("rawConstantIndices", cx.i32_array(&[bytes as i32]))
                .attr("elem_type", cx.type_attr(cx.int(8)))
                .result(ptr)
                .value()
        };
        let field = |base: Val<'p>, ty: Type<'p>, bytes: usize| {
            b.op(llvm::LOAD).operands(&[address(base, bytes)]).result(ty).value()
        };
        let (buffers, info, scalars) = (field(values[0], ptr, 0), field(values[0], ptr, 8), field(values[0], ptr, 16));
        let (mut buffer, mut scalar) = (0, 0);
        let mut arguments = Vec::new();
        let mut extents = HashMap::new();
        for (number, param) in params.iter().enumerate() {
            if is_buffer(*param) {
                let (pointer, length) = (field(buffers, ptr, 8 * buffer), field(info, i64t, 8 * buffer));
                let bytes = version_aliases::element_bytes(*param);
                extents.insert(number, version_aliases::Extent { pointer, length, bytes });
                arguments.extend([pointer, length]);
                buffer += 1;
            } else {
                arguments.push(scalar_at(b, field, scalars, 8 * scalar, param.ty()));
                scalar += 1;
            }
        }
        arguments.extend(extra.iter().map(|extra| match extra {
            ExtraArgument::Scratch => values[SCRATCH],
            ExtraArgument::CancellationWord => address(values[0], CANCELLATION_OFFSET),
        }));
        arguments.extend([0, 1, 2].map(|axis| field(values[0], i32t, 24 + 4 * axis)));
        arguments.extend([values[1], values[2]]);
        let call = |b: Builder<'p>, name: &str| {
            b.op(llvm::CALL)
                .operands(&arguments)
                .attr("callee", cx.symbol_attr(name))
                .attr("operandSegmentSizes", cx.i32_array(&[arguments.len() as i32, 0]))
                .attr("op_bundle_sizes", cx.i32_array(&[]))
                .build();
            vec![]
        };
        let pairs: Vec<_> = apart.iter().map(|pair| pair.map(|number| extents[&number])).collect();
        match version_aliases::are_apart(b, &pairs) {
            Some(condition) => _ = b.if_else(condition, &[], |b| call(b, &name_apart(body)), |b| call(b, body)),
            None => _ = call(b, body),
        }
    })
}

// A bool is a byte in its slot. Any nonzero byte is true.
fn scalar_at<'p>(
    b: Builder<'p>,
    field: impl Fn(Val<'p>, Type<'p>, usize) -> Val<'p>,
    scalars: Val<'p>,
    bytes: usize,
    ty: Type<'p>,
) -> Val<'p> {
    if ty.bits() != Some(1) {
        return field(scalars, ty, bytes);
    }
    let byte = field(scalars, b.cx().int(8), bytes);
    b.cmpi(cube_ir::upstream::IntCmp::Ne, byte, b.int(b.cx().int(8), 0))
}

#[cfg(test)]
mod tests {
    use super::{T, has_value_in_flat_loop};
    use std::collections::BTreeSet;

    #[test]
    fn flat_loop_has_sizes_and_the_absolute_position_only() {
        let kept = T::ALL.iter().copied().filter(|kind| has_value_in_flat_loop(*kind)).map(T::word);
        let kept: BTreeSet<String> = kept.map(String::from).collect();
        let sizes = ["cube_dim", "cube_count", "cube_cluster_dim"];
        let sizes = sizes.iter().flat_map(|size| ["", "_x", "_y", "_z"].map(|axis| format!("{size}{axis}")));
        let expected: BTreeSet<String> = sizes.chain(["absolute_pos".into(), "plane_dim".into()]).collect();
        assert_eq!(kept, expected);
    }
}
