//! Removes loads of known values, and stores that no operation reads.
//!
//! ```mlir
//! cube.store %v, %x[%i] inbounds         cube.store %v, %x[%i] inbounds
//! %a = cube.load %x[%i]                  // %a is %v
//! %b = cube.load %y[%j] checked          %b = cube.load %y[%j] checked
//! scf.if %c {                            scf.if %c {
//!   %d = cube.load %y[%j] checked          // %d is %b
//! }                                      }
//! cube.store %b, %l[%i]                  // goes, if nothing reads before the next one
//! cube.store %d, %l[%i]                  cube.store %d, %l[%i]
//! ```
//!
//! The value at an address is known after an access, until an operation can write the memory (`analysis/effects.rs`). A
//! checked store out of bounds is dropped, and a checked load out of bounds returns zero. The pass therefore forwards a
//! stored value only if the store is declared or proven to be in bounds. At synchronisation operations and atomic
//! operations, other units can write or read all memory except local memory. Invariant: if another unit can read memory
//! without a data race, the pass does not change the content of that memory. Cost: the size of the kernel times the
//! depth of nesting. The pass tracks at most 64 values at a time.
use crate::analysis::constants::int_of;
use crate::analysis::effects::{Writes, may_share};
use cube_dialect::{AccessKind, Bounds, BufferKind, BufferType, access_of, bounds_of, element_of, is_atomic, ops};
use cube_ir::properties::is_terminator;
use cube_ir::{Op, PassResult, Run, TypeExt, Val, access::all_accesses, pass};
use cube_target::Element as ElementType;
use std::collections::{HashMap, HashSet};

/// Maximum number of values that are known at a time. If this maximum is reached, the pass forgets the oldest
/// known value.
const MAX_KNOWN: usize = 64;

pass! {
    name: "reuse-accesses",
    summary: "removes loads of known values, and stores of values that no operation reads",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["cube"],
    statistics: ["loads of loaded values", "loads of stored values", "stores removed", "loads kept"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let mut changed = false;
    for alloc in run.root().walk().into_iter().filter(|op| op.is(ops::Alloc::KIND)) {
        changed |= only_written(run, alloc);
    }
    let mut walk = Walk { run, lost: HashMap::new(), removed: HashSet::new(), inside: HashMap::new() };
    if let Some(block) = walk.run.root().regions().next().and_then(|region| region.first_block()) {
        walk.block(&block.ops(), Contents::default());
    }
    changed |= !walk.removed.is_empty();
    if !changed {
        run.unchanged();
    }
    Ok(())
}

// Removes the stores to memory that no operation reads.
fn only_written<'p>(run: &mut Run<'p>, alloc: Op<'p>) -> bool {
    let uses = alloc.result(0).uses();
    let is_store = |op: Op<'p>, operand: usize| {
        access_of(op).is_some_and(|access| access.kind == AccessKind::Store && access.buffer_operand == operand)
    };
    if uses.is_empty() || !uses.iter().all(|(user, operand)| is_store(*user, *operand)) {
        return false;
    }
    for (store, _) in uses {
        run.passed(store, "never-read", "nothing reads this memory, so the store is removed");
        run.count("stores removed", 1);
        run.erase(store);
    }
    true
}

/// An address: buffer and index, as the program writes them.
type Element<'p> = (Val<'p>, Val<'p>);

/// The values that are known before an operation, and the stores that are pending.
#[derive(Clone, Default)]
struct Contents<'p> {
    /// Addresses with their values, the oldest first. The flag is `true` if a store defined the value, and
    /// `false` if a load defined it.
    values: Vec<(Element<'p>, Val<'p>, bool)>,
    /// Stores of this block that no operation has read yet.
    unread: Vec<(Element<'p>, Op<'p>)>,
}

struct Walk<'a, 'p> {
    run: &'a mut Run<'p>,
    /// For each address with an unknown value: the last operation that can have changed the value.
    lost: HashMap<Element<'p>, Op<'p>>,
    removed: HashSet<Op<'p>>,
    /// For each operation with regions, the writes inside of the regions, and whether one of these writes is an
    /// atomic operation. The table ensures that the analysis walks each operation only once.
    inside: HashMap<Op<'p>, (Writes<'p>, bool)>,
}

impl<'p> Walk<'_, 'p> {
    fn block(&mut self, ops: &[Op<'p>], mut known: Contents<'p>) {
        for op in ops.iter().filter(|op| !is_terminator(**op)) {
            let plain = access_of(*op).filter(|access| !access.kind.is_atomic());
            match plain.map(|access| (access.kind, (access.buffer, access.index), access.value)) {
                Some((AccessKind::Load, accessed, _)) => self.load(*op, accessed, &mut known),
                Some((AccessKind::Store, accessed, Some(value))) => self.store(*op, accessed, value, &mut known),
                _ => self.other(*op, &mut known),
            }
        }
    }

    fn load(&mut self, op: Op<'p>, accessed: Element<'p>, known: &mut Contents<'p>) {
        let same = known.values.iter().find(|(at, value, _)| *at == accessed && value.ty() == op.result(0).ty());
        if let Some((_, value, stored)) = same.copied() {
            let (rule, what, count) = match stored {
                true => ("stored", "the value of the store to the same element", "loads of stored values"),
                false => ("loaded", "the value that was loaded from the same element", "loads of loaded values"),
            };
            self.run.passed(op, rule, format_args!("{what} is used instead of this load"));
            self.run.count(count, 1);
            self.removed.insert(op);
            self.run.replace(op, &[value]);
            return;
        }
        if let Some(writer) = self.lost.get(&accessed) {
            let (rule, why, way) = why_lost(*writer, accessed.0);
            self.run.count("loads kept", 1);
            self.run.missed(op, rule, format_args!("the element is read again, because {why}"), way);
        }
        known.unread.retain(|((buffer, _), _)| !may_share(*buffer, accessed.0));
        self.learn(accessed, op.result(0), false, known);
    }

    fn store(&mut self, op: Op<'p>, accessed: Element<'p>, value: Val<'p>, known: &mut Contents<'p>) {
        let overwritten =
            known.unread.iter().position(|(at, first)| *at == accessed && first.operand(0).ty() == value.ty());
        if let Some(first) = overwritten.map(|n| known.unread.remove(n).1) {
            self.run.passed(
                first,
                "overwritten",
                "the next store to the same element overwrites it, so the store is removed",
            );
            self.run.count("stores removed", 1);
            self.removed.insert(first);
            self.run.erase(first);
        }
        let writes = Writes::of(op);
        self.forget(op, known, |at| writes.to(at.0).is_some() && !is_apart(at, accessed, value));
        known.unread.push((accessed, op));
        if known.unread.len() > MAX_KNOWN {
            known.unread.remove(0);
        }
        if bounds_of(op) == Some(Bounds::Inbounds) && is_kept_whole(accessed.0, value) {
            self.learn(accessed, value, true, known);
        }
    }

    // Handles all operations except plain loads and stores, for example operations with regions, atomic
    // operations and synchronisation.
    fn other(&mut self, op: Op<'p>, known: &mut Contents<'p>) {
        let silent = op.regions().len() == 0 && all_accesses(op).is_some_and(|all| all.is_empty());
        if !self.inside.contains_key(&op) {
            self.scan_regions(op);
        }
        let Some((writes, atomic)) = self.inside.remove(&op) else { return };
        if silent && writes.is_empty() {
            return;
        }
        known.unread.clear();
        let others = writes.convergent_op().is_some() || atomic;
        self.forget(op, known, |at| writes.to(at.0).is_some() || others && !is_local(at.0));
        for region in op.regions() {
            for block in region.blocks() {
                let inside = Contents { values: known.values.clone(), unread: vec![] };
                self.block(&block.ops(), inside);
            }
        }
    }

    // Inner operations come first, so that each operation is walked only once.
    fn scan_regions(&mut self, op: Op<'p>) {
        let (mut writes, mut atomic) = (Writes::default(), is_atomic(op));
        writes.note(op);
        for inner in op.regions().flat_map(|region| region.blocks()).flat_map(|block| block.ops()) {
            if inner.regions().len() == 0 {
                writes.note(inner);
                atomic |= is_atomic(inner);
                continue;
            }
            self.scan_regions(inner);
            if let Some((own, with_atomic)) = self.inside.get(&inner) {
                writes.merge(own);
                atomic |= with_atomic;
            }
        }
        self.inside.insert(op, (writes, atomic));
    }

    fn learn(&mut self, accessed: Element<'p>, value: Val<'p>, stored: bool, known: &mut Contents<'p>) {
        known.values.retain(|(at, ..)| *at != accessed);
        if !is_line(accessed.0, value) {
            return;
        }
        if known.values.len() >= MAX_KNOWN {
            known.values.remove(0);
        }
        self.lost.remove(&accessed);
        known.values.push((accessed, value, stored));
    }

    fn forget(&mut self, op: Op<'p>, known: &mut Contents<'p>, goes: impl Fn(Element<'p>) -> bool) {
        let lost = known.values.iter().map(|(at, ..)| *at).filter(|at| goes(*at));
        self.lost.extend(lost.map(|at| (at, op)));
        known.values.retain(|(at, ..)| !goes(*at));
    }
}

// Whether two addresses are different lines of one buffer. Each known value is a single line.
fn is_apart<'p>(x: Element<'p>, y: Element<'p>, value: Val<'p>) -> bool {
    x.0 == y.0 && is_line(y.0, value) && matches!((int_of(x.1), int_of(y.1)), (Some(a), Some(b)) if a != b)
}

// Whether a value is exactly one line of a buffer.
fn is_line<'p>(buffer: Val<'p>, value: Val<'p>) -> bool {
    BufferType::of(buffer.ty()).is_some_and(|ty| value.ty().line_size() == Some(u64::from(ty.line)))
}

// Whether a load returns the stored value unchanged. A store to a narrower element type rounds the value.
fn is_kept_whole<'p>(buffer: Val<'p>, value: Val<'p>) -> bool {
    let element = value.ty().element();
    element_of(element).is_some_and(ElementType::is_computed)
        && BufferType::of(buffer.ty()).is_some_and(|ty| ty.element == element)
}

fn is_local(buffer: Val<'_>) -> bool {
    BufferType::of(buffer.ty()).is_some_and(|ty| ty.kind == BufferKind::Local)
}

// Rule, reason and fix for a load of an address whose value is not known.
fn why_lost<'p>(writer: Op<'p>, buffer: Val<'p>) -> (&'static str, &'static str, &'static str) {
    let way = "keep the value in a variable if each use needs the same value";
    match access_of(writer) {
        Some(access) if access.buffer == buffer => {
            ("written", "an operation between the two accesses can write this element", way)
        }
        Some(access) if access.kind.is_atomic() => (
            "atomic",
            "an atomic operation is between the two accesses, and other units can have written the memory",
            way,
        ),
        Some(_) => (
            "may-be-written",
            "another argument, which can alias the buffer, is written between the two accesses",
            "load the element into a variable, or add cube.noalias",
        ),
        None if writer.regions().len() > 0 => {
            ("branch", "a branch or loop between the two accesses can write the memory", way)
        }
        None => (
            "units-synchronise",
            "units synchronise between the two accesses, and another unit can have written the memory",
            way,
        ),
    }
}
