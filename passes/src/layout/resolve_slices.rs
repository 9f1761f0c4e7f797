//! Replaces accesses of slices by accesses of the underlying buffers.
//!
//! ```mlir
//! %s = cube.slice %x[%a to %b]             %n = %b - %a, or 0                    // only if the kernel reads the length
//! %v = cube.load %s[%i] checked            %j = %i < %n ? %a + %i : 2^32 - 1     // outside of every buffer
//!                                          %v = cube.load %x[%j] checked
//! ```
//!
//! A slice is a part of a buffer, and the buffer must be known at each use of the slice. The pass refuses a slice that
//! a branch or loop selects. For a slice from line `a` to line `b` and an index `i` less than the slice's
//! length, the sum `a + i` is less than `b` and therefore cannot wrap. Invariant: no slice remains. Cost:
//! linear.
use cube_dialect::{Bounds, BufferKind, BufferType, access_of, bounds_of, ops, proof_of};
use cube_ir::{Builder, Failed, Op, PassResult, Run, Val, pass, upstream::IntCmp};
use std::collections::HashMap;

pass! {
    name: "resolve-slices",
    summary: "replaces accesses of slices by accesses of their buffers",
    on: cube::KERNEL,
    level: Source => Flat,
    dialects: ["cube", "arith"],
    statistics: ["accesses resolved"],
    run: run,
}

/// The range of a buffer that a slice denotes.
#[derive(Clone, Copy)]
struct Part<'p> {
    buffer: Val<'p>,
    /// The offset of the slice in the buffer, in lines.
    offset: Val<'p>,
    /// The length of the slice, in lines.
    len: Val<'p>,
    /// The number of accessible lines: the length, or fewer if a slice of a slice extends beyond its source.
    limit: Val<'p>,
}

impl<'p> Part<'p> {
    /// The range after the replacement of its values.
    fn updated(self, replacements: &HashMap<Val<'p>, Val<'p>>) -> Part<'p> {
        let follow = |mut value: Val<'p>| {
            while let Some(next) = replacements.get(&value) {
                value = *next;
            }
            value
        };
        Part { offset: follow(self.offset), len: follow(self.len), limit: follow(self.limit), ..self }
    }
}

fn is_slice(value: Val<'_>) -> bool {
    BufferType::of(value.ty()).is_some_and(|b| b.kind == BufferKind::Slice)
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let mut all = run.root().walk();
    if !all.iter().any(|op| op.is(ops::Slice::KIND)) {
        run.unchanged();
        return Ok(());
    }
    let mut parts: HashMap<Val<'p>, Part<'p>> = HashMap::new();
    // Slices are visited in program order, because a slice precedes its uses. `walk` would visit nested operations
    // first.
    for slice in in_program_order(run.root()) {
        let part = part_of(slice, &parts);
        parts.insert(slice.op().result(0), part);
    }
    all.retain(|op| op.operands().any(is_slice));
    // The pass replaces the length of a slice by a value. Another slice can use this length as a bound.
    let mut replacements = HashMap::new();
    for op in all {
        resolve(run, op, &parts, &mut replacements)?;
    }
    // The last slice is erased first, because a slice of a slice uses its source.
    for slice in in_program_order(run.root()).into_iter().rev() {
        run.erase(slice.op());
    }
    Ok(())
}

fn in_program_order<'p>(root: Op<'p>) -> Vec<ops::Slice<'p>> {
    let mut found = Vec::new();
    let mut open: Vec<Op<'p>> = vec![root];
    while let Some(op) = open.pop() {
        found.extend(ops::Slice::of(op));
        let inner: Vec<Op<'p>> = op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.ops()).collect();
        open.extend(inner.into_iter().rev());
    }
    found
}

fn part_of<'p>(slice: ops::Slice<'p>, parts: &HashMap<Val<'p>, Part<'p>>) -> Part<'p> {
    let b = Builder::before(slice.op());
    let len = sub_sat(b, slice.end(), slice.start());
    match parts.get(&slice.buffer()) {
        None => Part { buffer: slice.buffer(), offset: slice.start(), len, limit: len },
        Some(whole) => Part {
            buffer: whole.buffer,
            offset: b.addi(whole.offset, slice.start()),
            len,
            limit: b.minui(len, sub_sat(b, whole.limit, slice.start())),
        },
    }
}

fn sub_sat<'p>(b: Builder<'p>, x: Val<'p>, y: Val<'p>) -> Val<'p> {
    b.op(ops::SubuiSat::KIND).operands(&[x, y]).result(x.ty()).value()
}

fn resolve<'p>(
    run: &mut Run<'p>,
    op: Op<'p>,
    parts: &HashMap<Val<'p>, Part<'p>>,
    replacements: &mut HashMap<Val<'p>, Val<'p>>,
) -> PassResult {
    if op.is(ops::Slice::KIND) {
        return Ok(());
    }
    let known = op.operands().find(|o| is_slice(*o)).and_then(|slice| parts.get(&slice));
    let known = known.map(|part| part.updated(replacements));
    let b = run.before(op);
    match (known, access_of(op)) {
        (Some(part), Some(access)) => {
            let absolute_index = b.addi(part.offset, access.index);
            // A proof bounds the index by the length of the slice. The select keeps this bound in the new index.
            let index = if bounds_of(op) == Some(Bounds::Checked) || proof_of(op).is_some() {
                let inside = b.cmpi(IntCmp::Ult, access.index, part.limit);
                b.select(inside, absolute_index, b.int(absolute_index.ty(), -1))
            } else {
                absolute_index
            };
            op.set_operand(access.buffer_operand, part.buffer);
            op.set_operand(access.buffer_operand + 1, index);
            run.count("accesses resolved", 1);
        }
        (Some(part), None) if op.is(ops::Len::KIND) => {
            replacements.insert(op.result(0), part.len);
            run.replace(op, &[part.len]);
        }
        (Some(part), None) if op.is(ops::BufferLen::KIND) => {
            let whole = b.op(ops::BufferLen::KIND).operands(&[part.buffer]).result(part.len.ty()).value();
            let value = b.minui(part.limit, sub_sat(b, whole, part.offset));
            replacements.insert(op.result(0), value);
            run.replace(op, &[value]);
        }
        _ => {
            op.error(cube_ir::diagnostic!(CUBE0312.chosen));
            return Err(Failed);
        }
    }
    Ok(())
}
