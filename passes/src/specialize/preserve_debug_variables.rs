//! Stores the values of named source variables in memory, so that a debugger can read them.
//!
//! ```mlir
//! %v = cube.load %x[%i] loc("v"("scale.mlir":4:8))     %slot = cube.alloc {cube.debug} : !cube.local<1 x f32>
//!                                                      %v = cube.load %x[%i] loc("scale.mlir":4:8)
//!                                                      cube.store %v, %slot[0] loc("v: f32"("scale.mlir":4:8))
//! ```
//!
//! The attribute `cube.debug` of the kernel lists the names of its buffers. The location of an operation names its
//! results: `loc("NAME"(...))`, with commas between several names. Values with the same name and type share one memory
//! slot, which contains the last assigned value. The location of the store contains the name and type, with which
//! `attach-debug-info` identifies the slot. `structured-mem2reg` keeps slots, because only the debugger reads them.
//! After each barrier or plane operation, the pass stores each variable again. On the CPU, units run one after the
//! other between barriers, and a debugger must read the variables of the running unit. The pass runs only for code with
//! debug information. Cost: the number of barriers times the number of variables.
use crate::write::inbounds;
use cube_dialect::attributes::DEBUG;
use cube_dialect::{
    BufferKind, BufferType, KernelArg, KernelFacts, ScalarArg, is_number, ops, properties::is_collective,
};
use cube_ir::{Builder, Location, Op, PassResult, Run, Type, TypeExt, Val, location_of, name_of, pass};
use std::collections::BTreeMap;

pass! {
    name: "preserve-debug-variables",
    summary: "stores named values in memory, so that a debugger can read the values",
    on: cube::KERNEL,
    level: Source => Source,
    dialects: ["arith", "cube"],
    statistics: ["values kept"],
    run: run,
}

struct DebugSlots<'p> {
    kernel: Op<'p>,
    /// The memory slots by the name and type of the variable in the source.
    slots: BTreeMap<String, (Val<'p>, Type<'p>)>,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    let facts = kernel.facts();
    let mut keep = DebugSlots { kernel: run.root(), slots: BTreeMap::new() };
    let all = run.root().walk();
    keep.known(&all);
    let mut kept = 0;
    for op in &all {
        for block in op.regions().flat_map(|region| region.blocks()).collect::<Vec<_>>() {
            let Some(first) = behind_slots(block.first()) else { continue };
            for value in block.args() {
                let name = argument(value, &facts).map(|scalar| scalar.name.clone());
                let name = name.or_else(|| name_of(value.location()));
                kept += keep.value(value, name.as_deref(), first, &facts);
            }
        }
        let names = name_of(op.location()).filter(|_| op.results().len() > 0);
        let (Some(names), Some(next)) = (names, op.next()) else { continue };
        for (value, name) in op.results().zip(names.split(',')) {
            kept += keep.value(value, Some(name.trim()), next, &facts);
        }
        op.set_location(plain(*op, op.location()));
    }
    for op in &all {
        if let Some(next) = op.next().filter(|_| is_collective(*op)) {
            keep.refresh(Builder::before(next).with_location(plain(*op, op.location())));
        }
    }
    let buffers: Vec<_> = facts.args.iter().map(|arg| run.cx().str_attr(&buffer(arg))).collect();
    run.root().set_attr(DEBUG, run.cx().array_attr(&buffers));
    run.count("values kept", kept);
    Ok(())
}

// Name and element type of a buffer; empty for other arguments.
fn buffer(arg: &KernelArg<'_>) -> String {
    let KernelArg::Buffer(buffer) = arg else { return String::new() };
    let element = buffer.host.map_or_else(|| spelt(buffer.ty.element, false), str::to_string);
    match buffer.ty.line {
        1 => format!("{}: {element}", buffer.name),
        lanes => format!("{}: vector<{lanes}x{element}>", buffer.name),
    }
}

// The first operation after the slots of the front end. The front end creates these slots at the start of the block,
// and emits their stores.
fn behind_slots(first: Option<Op<'_>>) -> Option<Op<'_>> {
    std::iter::successors(first, |op| op.next()).find(|op| !(op.is(ops::Alloc::KIND) && op.attr(DEBUG).is_some()))
}

// The location without the name of a variable.
fn plain<'p>(op: Op<'p>, at: Location<'p>) -> Location<'p> {
    location_of(at).map_or(at, |place| op.cx().file_location(&place.file, place.line, place.column))
}

impl<'p> DebugSlots<'p> {
    // Finds the slots that the front end has created.
    fn known(&mut self, all: &[Op<'p>]) {
        let Some(start) = self.kernel.body().and_then(|b| b.first()) else { return };
        for alloc in all.iter().filter(|op| op.is(ops::Alloc::KIND) && op.attr(DEBUG).is_some()) {
            let slot = alloc.result(0);
            let name = slot.uses().iter().find_map(|(user, _)| name_of(user.location()));
            let line = BufferType::of(slot.ty()).map(|ty| ty.line_type(alloc.cx()));
            let (Some(name), Some(line)) = (name, line) else { continue };
            if *alloc != start {
                alloc.move_before(start);
            }
            self.slots.insert(name, (slot, line));
        }
    }

    /// Stores one value. Returns 1 if the value has a name and can be stored, otherwise 0.
    fn value(&mut self, value: Val<'p>, name: Option<&str>, before: Op<'p>, facts: &KernelFacts<'p>) -> u64 {
        let Some(name) = name.filter(|name| !name.is_empty() && is_number(value.ty())) else { return 0 };
        let at = value.def().map_or(value.location(), |op| op.location());
        let label = format!("{name}: {}", shown(value, facts));
        let b = Builder::before(before).with_location(self.kernel.cx().named_location(&label, plain(before, at)));
        let slot = self.slot(label, value.ty());
        store(b, value, slot);
        1
    }

    fn slot(&mut self, label: String, line: Type<'p>) -> Val<'p> {
        let kernel = self.kernel;
        let make = || {
            let cx = kernel.cx();
            let first = kernel.body().and_then(|b| b.first()).expect("a kernel ends in a return");
            let size = Some(cx.int_attr(cx.int(32), 1));
            let (element, lanes) = (line.element(), line.element_count() as u32);
            let ty = BufferType { kind: BufferKind::Local, element, line: lanes, size }.get();
            let b = Builder::before(first).with_location(plain(kernel, kernel.location()));
            (b.op(ops::Alloc::KIND).attr(DEBUG, cx.unit_attr()).result(ty).value(), line)
        };
        self.slots.entry(label).or_insert_with(make).0
    }

    fn refresh(&self, b: Builder<'p>) {
        for (label, (slot, line)) in &self.slots {
            let b = b.with_location(b.cx().named_location(label, b.location()));
            let load = b.op(ops::Load::KIND).operands(&[*slot, zero(b)]).attr("bounds", inbounds(b)).result(*line);
            store(b, load.value(), *slot);
        }
    }
}

fn store<'p>(b: Builder<'p>, value: Val<'p>, slot: Val<'p>) {
    b.op(ops::Store::KIND).operands(&[value, slot, zero(b)]).attr("bounds", inbounds(b)).build();
}

fn zero<'p>(b: Builder<'p>) -> Val<'p> {
    b.int(b.cx().int(32), 0)
}

fn argument<'f, 'p>(value: Val<'p>, facts: &'f KernelFacts<'p>) -> Option<&'f ScalarArg<'p>> {
    facts.args.iter().find_map(|arg| match arg {
        KernelArg::Scalar(scalar) if scalar.value == value => Some(scalar),
        _ => None,
    })
}

// The type as the debugger shows it. Integers of the IR are signless. An argument has the signedness of its host type.
// Positions and lengths are shown as unsigned, all other integers as signed.
fn shown<'p>(value: Val<'p>, facts: &KernelFacts<'p>) -> String {
    let host = argument(value, facts).and_then(|scalar| scalar.host).map(str::to_string);
    let unsigned = value.def().is_some_and(|op| op.is(ops::Topology::KIND) || op.is(ops::Len::KIND));
    host.unwrap_or_else(|| spelt(value.ty(), unsigned))
}

fn spelt(ty: Type<'_>, unsigned: bool) -> String {
    match ty.bits() {
        Some(1) if ty.is_scalar() && ty.is_int() => "bool".into(),
        Some(bits) if ty.is_scalar() && ty.is_int() && unsigned => format!("u{bits}"),
        _ => format!("{ty}"),
    }
}
