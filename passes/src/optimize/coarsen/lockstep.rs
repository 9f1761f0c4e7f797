//! Emits each operation for all elements of a unit before the next operation. Each operation becomes a vector
//! operation if possible, otherwise one copy per element.
use super::plan::Plan;
use super::rows;
use crate::legalize::expand_math::is_expanded;
use crate::native::unrolls_loops;
use cube_dialect::attributes::UNROLL;
use cube_dialect::{ALIGNMENT, Access, Bounds, access_of, is_same_in_memory, ops, target_of};
use cube_ir::ops::{arith, cube, scf, vector};
use cube_ir::properties::{EffectKind, has_no_effects, is_terminator, own_effects};
use cube_ir::{Builder, Op, Type, TypeExt, Val};
use cube_semantics::Meaning;
use std::collections::{HashMap, HashSet};

/// Represents a value of the original kernel for all elements of a unit.
#[derive(Clone)]
enum UnitValue<'p> {
    /// One value that all elements of a unit share.
    Same(Val<'p>),
    /// One value for each element of a unit.
    Each(Vec<Val<'p>>),
    /// The lanes of a vector.
    Lanes(Val<'p>),
}

/// Emits the wide form of a kernel: the code that computes all elements of a unit.
pub(super) struct Lockstep<'a, 'p> {
    plan: &'a Plan<'p>,
    base: Val<'p>,
    b: Builder<'p>,
    unit_values: HashMap<Val<'p>, UnitValue<'p>>,
    /// The elements that were extracted from vectors. `vectors` has the vectors that were built from
    /// elements.
    elements: HashMap<Val<'p>, Vec<Val<'p>>>,
    vectors: HashMap<Val<'p>, Val<'p>>,
    /// The operations that the wide form of the kernel needs. Operations that the wide form does not need are
    /// not copied.
    needed: HashSet<Op<'p>>,
    /// Row lengths that are multiples of the number of elements of a unit, so that all elements of a unit are in one
    /// row.
    rows: &'a [Val<'p>],
    /// Whether the code generator of the target unrolls loops with the attribute `cube.unroll`.
    unrolls: bool,
}

impl<'a, 'p> Lockstep<'a, 'p> {
    /// Prepares the code for the elements that start at `base`, emitted at `b`.
    pub fn new(plan: &'a Plan<'p>, base: Val<'p>, rows: &'a [Val<'p>], b: Builder<'p>) -> Self {
        let (unit_values, elements, vectors, needed) = Default::default();
        let unrolls = plan.positions.first().is_some_and(|op| unrolls_loops(&target_of(*op)));
        Lockstep { plan, base, b, unit_values, elements, vectors, needed, rows, unrolls }
    }

    /// The operations of the kernel that the wide form requires.
    pub fn needs(plan: &'a Plan<'p>, base: Val<'p>, b: Builder<'p>, ops: &[Op<'p>]) -> HashSet<Op<'p>> {
        let mut form = Lockstep::new(plan, base, &[], b);
        form.need(ops);
        form.needed
    }

    /// Emits the body of the kernel.
    pub fn body(&mut self, ops: &[Op<'p>]) {
        self.need(ops);
        let (base, b) = (self.base, self.b);
        let is_read = |v: Val<'p>| v.uses().iter().any(|(user, _)| self.is_needed(*user, v));
        if self.plan.positions.iter().any(|op| is_read(op.result(0))) {
            let positions = rows::following(b, base, self.plan.taken);
            let form = |op: &Op<'p>| (op.result(0), UnitValue::Each(positions.clone()));
            self.unit_values = self.plan.positions.iter().map(form).collect();
        }
        self.block(ops);
    }

    fn block(&mut self, ops: &[Op<'p>]) {
        for op in ops.iter().filter(|op| !is_terminator(**op)) {
            if self.needed.contains(op) {
                self.op(*op);
            }
        }
    }

    // Marks the operations that the wide form needs, from the end of a block to its start. The indices of wide accesses
    // and the conditions of shared branches are not computed for each element.
    fn need(&mut self, ops: &[Op<'p>]) {
        for op in ops.iter().rev() {
            let used = op.results().any(|result| result.uses().iter().any(|(user, _)| self.is_needed(*user, result)));
            if !used && has_no_effects(*op) && op.regions().len() == 0 {
                continue;
            }
            self.needed.insert(*op);
            if let Some(inside) = self.taken(*op).or_else(|| self.body_of(*op)) {
                self.need(&inside);
            }
        }
    }

    // The body of a loop that all elements run together.
    fn body_of(&self, op: Op<'p>) -> Option<Vec<Op<'p>>> {
        let loop_op = self.plan.loops.contains(&op).then_some(op)?;
        Some(loop_op.body().map(|body| body.ops()).unwrap_or_default())
    }

    // Whether the wide form reads `value` for `user`. Operations in a copied branch are copied with the branch.
    fn is_needed(&self, user: Op<'p>, value: Val<'p>) -> bool {
        if self.plan.conditions.iter().any(|guard| guard.branch == user) {
            return false;
        }
        if let Some(wide) = self.plan.wide.iter().find(|wide| wide.op == user) {
            let read =
                |access: Access<'p>| access.value == Some(value) || wide.index.is_some() && access.index == value;
            return access_of(user).is_some_and(read) && (wide.op.results().len() == 0 || self.needed.contains(&user));
        }
        // The terminator of a loop that all elements run together yields values to the next iteration.
        let open = |op: Op<'p>| self.taken(op).is_some() || self.plan.loops.contains(&op);
        let ends = is_terminator(user) && user.parent().is_some_and(|loop_op| self.needed.contains(&loop_op));
        ends || self.needed.contains(&user)
            || user.ancestors().any(|outer| self.needed.contains(&outer) && !open(outer))
    }

    // The operations in a branch that all elements take together.
    fn taken(&self, op: Op<'p>) -> Option<Vec<Op<'p>>> {
        let guard = self.plan.conditions.iter().find(|guard| guard.branch == op)?;
        let block = op.regions().nth(usize::from(!guard.truth)).and_then(|region| region.first_block());
        Some(block.map(|block| block.ops()).unwrap_or_default())
    }

    fn op(&mut self, op: Op<'p>) {
        if let Some(taken) = self.taken(op) {
            return self.block(&taken);
        }
        if self.plan.wide.iter().any(|wide| wide.op == op)
            && let Some(access) = access_of(op)
        {
            return self.access(access);
        }
        if self.plan.loops.contains(&op) {
            return self.shared_loop(op);
        }
        if rows::is_division(self.plan, op) && self.rows.contains(&op.operand(1)) {
            return self.in_row(op);
        }
        let same = op.operands().all(|v| matches!(self.unit_value(v), UnitValue::Same(_)));
        let effects = own_effects(op);
        let writes = effects.may(EffectKind::Write) || effects.may(EffectKind::Free);
        if same && op.regions().len() == 0 && !writes {
            let copy = self.copy(op, 0);
            op.results()
                .zip(copy.results())
                .for_each(|(old, new)| _ = self.unit_values.insert(old, UnitValue::Same(new)));
        } else if self.has_vector_form(op) {
            self.vector(op);
        } else if self.has_loop_form(op) {
            self.lane_loop(op);
        } else {
            let copies: Vec<Op<'p>> = (0..self.plan.taken as usize).map(|j| self.copy(op, j)).collect();
            for (n, old) in op.results().enumerate() {
                let each = copies.iter().map(|copy| copy.result(n)).collect();
                self.unit_values.insert(old, UnitValue::Each(each));
            }
        }
    }

    // Elements of one row have equal quotients and consecutive remainders.
    fn in_row(&mut self, op: Op<'p>) {
        let first = self.copy(op, 0).result(0);
        let form = match op.is(cube::DIVUI) {
            true => UnitValue::Same(first),
            false => UnitValue::Each(rows::following(self.b, first, self.plan.taken)),
        };
        self.unit_values.insert(op.result(0), form);
    }

    fn unit_value(&self, value: Val<'p>) -> UnitValue<'p> {
        self.unit_values.get(&value).cloned().unwrap_or(UnitValue::Same(value))
    }

    // Whether the operation works lane by lane and an operand is already a vector.
    fn has_vector_form(&self, op: Op<'p>) -> bool {
        let known = match cube_dialect::meaning_of(op.kind()) {
            Some(Meaning::IntPair(_)) => false,
            Some(_) => true,
            // Functions keep one copy for each element. In an expansion to vectors all lanes are live at once, which
            // made GELU 12 % slower on an H200 (benches/results/2026-11-23-h200-merged.md).
            None => op.is(arith::SELECT),
        };
        let lanes = op.operands().chain(op.results()).all(|v| is_lane(v.ty()));
        let vector = op.operands().any(|v| matches!(self.unit_value(v), UnitValue::Lanes(_)));
        known && lanes && vector && op.results().len() == 1 && op.regions().len() == 0 && has_no_effects(op)
    }

    // Whether the operation is a function that legalisation expands, and the code generator of the target unrolls loops. Each
    // pass before the code generator then visits one expansion, and not one for each element. Copies of a function of 16 bits
    // stay: LLVM packs the results of two copies into one register, and not those of a loop, which made GELU (tanh) of f16 1.6 %
    // slower on an H200.
    fn has_loop_form(&self, op: Op<'p>) -> bool {
        let is_own = |v: Val<'p>| is_lane(v.ty()) && v.ty().is_fp() && v.ty().bits() >= Some(32);
        let lanes = op.operands().chain(op.results()).all(is_own);
        self.unrolls && lanes && op.results().len() == 1 && has_no_effects(op) && is_expanded(op)
    }

    // Emits a loop over the lanes, in which one copy of a function computes one lane.
    fn lane_loop(&mut self, op: Op<'p>) {
        let operands: Vec<(Val<'p>, bool)> = op
            .operands()
            .map(|v| match self.unit_value(v) {
                UnitValue::Same(same) => (same, false),
                _ => (self.lanes(v), true),
            })
            .collect();
        let b = self.b.with_location(op.location());
        let (index, ty) = (b.cx().int(32), b.cx().vector(self.plan.taken, op.result(0).ty()));
        let bounds = [b.int(index, 0), b.int(index, self.plan.taken as i64), b.int(index, 1)];
        let lanes = b
            .op(scf::FOR)
            .operands(&bounds)
            .operands(&[b.zero(ty)])
            .result(ty)
            .attr("unsignedCmp", b.cx().unit_attr())
            .attr(UNROLL, b.cx().unit_attr())
            .body(&[index, ty], |b, args| {
                let lane = |v: Val<'p>| b.op(cube::EXTRACT).operands(&[v, args[0]]).result(v.ty().element()).value();
                let own: Vec<Val<'p>> = operands.iter().map(|(v, each)| if *each { lane(*v) } else { *v }).collect();
                let copy = b.insert_copy(op);
                own.into_iter().enumerate().for_each(|(n, v)| copy.set_operand(n, v));
                let all = b.op(cube::INSERT).operands(&[copy.result(0), args[1], args[0]]).result(ty).value();
                b.op(scf::YIELD).operands(&[all]).build();
            })
            .value();
        self.unit_values.insert(op.result(0), UnitValue::Lanes(lanes));
    }

    fn vector(&mut self, op: Op<'p>) {
        let operands: Vec<Val<'p>> = op.operands().map(|v| self.lanes(v)).collect();
        let ty = self.b.cx().vector(self.plan.taken, op.result(0).ty());
        let mut spec = self.b.with_location(op.location()).op(op.name()).operands(&operands).result(ty);
        for (name, value) in op.attrs() {
            spec = spec.attr(name, value);
        }
        self.unit_values.insert(op.result(0), UnitValue::Lanes(spec.value()));
    }

    fn access(&mut self, access: Access<'p>) {
        let b = self.b.with_location(access.op.location());
        if self.plan.strides > 1 {
            return self.unchecked_access(access);
        }
        let element = match access.value {
            Some(value) => value.ty(),
            None => access.op.result(0).ty(),
        };
        let bytes = u64::from(element.bits().unwrap_or(8)) / 8 * self.plan.taken;
        let align = b.cx().int_attr(b.cx().int(32), bytes as i64);
        let inside = Bounds::Inbounds.attr(b.cx());
        let mut operands: Vec<Val<'p>> = access.value.map(|value| self.lanes(value)).into_iter().collect();
        let exact = self.plan.wide.iter().any(|wide| wide.op == access.op && wide.index.is_none());
        let index = if exact { self.base } else { self.element(access.index, 0) };
        operands.extend([access.buffer, index]);
        let name = if access.value.is_some() { ops::Store::KIND } else { ops::Load::KIND };
        let spec = b.op(name).operands(&operands).attr("bounds", inside).attr(ALIGNMENT, align);
        if access.value.is_some() {
            spec.build();
        } else {
            let wide = spec.result(b.cx().vector(self.plan.taken, element)).value();
            self.unit_values.insert(access.op.result(0), UnitValue::Lanes(wide));
        }
    }

    // The access of the only element at `base`, which is in the buffer.
    fn unchecked_access(&mut self, access: Access<'p>) {
        let b = self.b.with_location(access.op.location());
        let value = access.value.map(|value| self.element(value, 0));
        let operands: Vec<Val<'p>> = value.into_iter().chain([access.buffer, self.base]).collect();
        let spec = b.op(access.op.name()).operands(&operands).attr("bounds", Bounds::Inbounds.attr(b.cx()));
        match value {
            Some(_) => _ = spec.build(),
            None => {
                let result = access.op.result(0);
                self.unit_values.insert(result, UnitValue::Each(vec![spec.result(result.ty()).value()]));
            }
        }
    }

    // Emits a loop that all elements run together. Each carried value becomes one vector, or one value per element.
    fn shared_loop(&mut self, op: Op<'p>) {
        let Some(body) = op.body() else { return };
        let b = self.b.with_location(op.location());
        let bounds: Vec<Val<'p>> = op.operands().take(3).map(|v| self.element(v, 0)).collect();
        let carried: Vec<Val<'p>> = body.args().skip(1).collect();
        let each = |v: &Val<'p>| if is_lane(v.ty()) { 1 } else { self.plan.taken as usize };
        let sizes: Vec<usize> = carried.iter().map(each).collect();
        let inits: Vec<Val<'p>> = op.operands().skip(3).flat_map(|v| self.carried_values(v)).collect();
        let types: Vec<Type<'p>> = inits.iter().map(|v| v.ty()).collect();
        let args: Vec<Type<'p>> = std::iter::once(bounds[0].ty()).chain(types.iter().copied()).collect();
        let mut spec = b.op(scf::FOR).operands(&bounds).operands(&inits).results(&types);
        for (name, value) in op.attrs() {
            spec = spec.attr(name, value);
        }
        // Vectors and elements that are created in the loop are not available after it.
        let outer = (self.b, self.elements.clone(), self.vectors.clone());
        let made = spec
            .body(&args, |inner, values| {
                self.b = inner;
                self.unit_values.insert(body.arg(0), UnitValue::Same(values[0]));
                self.set_carried_values(&carried, &sizes, &values[1..]);
                self.block(&body.ops());
                let end = body.terminator().map(|end| end.operands().collect::<Vec<_>>()).unwrap_or_default();
                let next: Vec<Val<'p>> = end.into_iter().flat_map(|v| self.carried_values(v)).collect();
                inner.op(scf::YIELD).operands(&next).build();
            })
            .build();
        (self.b, self.elements, self.vectors) = outer;
        let results: Vec<Val<'p>> = made.results().collect();
        self.set_carried_values(&op.results().collect::<Vec<_>>(), &sizes, &results);
    }

    // The form in which a loop carries a value.
    fn carried_values(&mut self, value: Val<'p>) -> Vec<Val<'p>> {
        match is_lane(value.ty()) {
            true => vec![self.lanes(value)],
            false => (0..self.plan.taken as usize).map(|j| self.element(value, j)).collect(),
        }
    }

    fn set_carried_values(&mut self, values: &[Val<'p>], sizes: &[usize], mut parts: &[Val<'p>]) {
        for (value, size) in values.iter().zip(sizes) {
            let (own, rest) = parts.split_at(*size);
            let form = if is_lane(value.ty()) { UnitValue::Lanes(own[0]) } else { UnitValue::Each(own.to_vec()) };
            self.unit_values.insert(*value, form);
            parts = rest;
        }
    }

    fn element(&mut self, value: Val<'p>, j: usize) -> Val<'p> {
        match self.unit_value(value) {
            UnitValue::Same(same) => same,
            UnitValue::Each(each) => each[j],
            UnitValue::Lanes(lanes) => {
                let b = self.b;
                let each = || (0..self.plan.taken).map(|lane| b.lane(lanes, lane)).collect();
                self.elements.entry(value).or_insert_with(each)[j]
            }
        }
    }

    // The values of all elements as a vector.
    fn lanes(&mut self, value: Val<'p>) -> Val<'p> {
        let ty = self.b.cx().vector(self.plan.taken, value.ty());
        match self.unit_value(value) {
            UnitValue::Lanes(lanes) => lanes,
            UnitValue::Same(same) => {
                let b = self.b;
                *self.vectors.entry(value).or_insert_with(|| b.cast(vector::BROADCAST, same, ty))
            }
            UnitValue::Each(each) => {
                let b = self.b;
                let make = || b.op(vector::FROM_ELEMENTS).operands(&each).result(ty).value();
                *self.vectors.entry(value).or_insert_with(make)
            }
        }
    }

    // Copies an operation with its regions for element `j`.
    fn copy(&mut self, op: Op<'p>, j: usize) -> Op<'p> {
        let inside: Vec<Val<'p>> = op.walk().into_iter().flat_map(|op| op.operands().collect::<Vec<_>>()).collect();
        let now: HashMap<Val<'p>, Val<'p>> = inside
            .into_iter()
            .filter(|v| self.unit_values.contains_key(v))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|v| (v, self.element(v, j)))
            .collect();
        let copy = self.b.insert_copy(op);
        if self.plan.common.iter().any(|common| common.op == op) {
            cube_dialect::set_bounds(copy, Bounds::Inbounds);
        }
        for op in copy.walk() {
            for n in 0..op.operands().len() {
                if let Some(new) = now.get(&op.operand(n)) {
                    op.set_operand(n, *new);
                }
            }
            // The proof refers to operations around the original, not around the copy.
            if cube_dialect::proof_of(op).is_some() {
                cube_dialect::set_bounds(op, Bounds::Inbounds);
            }
        }
        copy
    }
}

/// Whether a value of this type can be a lane of a vector.
fn is_lane(ty: Type<'_>) -> bool {
    ty.is_scalar() && (is_same_in_memory(ty) || ty.is_int() && ty.bits() == Some(1))
}
