//! Loads and stores. An access of adjacent elements becomes one vector access, and an access at a uniform index stays
//! scalar. All other accesses become gathers and scatters.
use super::form::*;
use super::state::{EmitContext, Sharing, SpmdEmitter};
use cube_ir::ops::{arith, vector};
use cube_ir::{Builder, Op, Type, TypeExt, Val};
use cube_to_llvm::memory;

/// A memref, and an index for each lane of a group.
#[derive(Clone, Copy)]
struct MaskedAddress<'p> {
    memory: Val<'p>,
    index: ValueForm<'p>,
    mask: Option<Val<'p>>,
}

impl<'p> SpmdEmitter<'_, 'p> {
    pub(super) fn load(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        let (b, ty) = (at.b, op.result(0).ty());
        self.each(at, op, Sharing::SameMask, |me, _, forms, mask| {
            let ValueForm::Uniform(from) = forms[0] else { unreachable!("buffers are the same for all") };
            let address = MaskedAddress { memory: from, index: forms[1], mask };
            match (forms[1], ty.lanes()) {
                (ValueForm::Uniform(index), _) => {
                    let load = move |b: Builder<'p>| vec![memory::load(b, ty, from, index)];
                    vec![ValueForm::Uniform(match mask.filter(|_| !at.is_sure()) {
                        None => load(b)[0],
                        Some(mask) => b.if_else(any(b, mask), &[ty], load, |b| vec![b.zero(ty)]).result(0),
                    })]
                }
                (_, None) => vec![ValueForm::Varying(me.load_numbers(at, op, address))],
                (index, Some(_)) if mask.is_none() => {
                    let all = me.indices(b, index).into_iter().map(|i| memory::load(b, ty, from, i)).collect();
                    vec![ValueForm::Varying(joined(b, all))]
                }
                _ => me.for_each_active_lane(at, op, forms, mask),
            }
        });
    }

    pub(super) fn store(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        let (b, ty) = (at.b, op.operand(0).ty());
        self.each(at, op, Sharing::SameMask, |me, _, forms, mask| {
            let ValueForm::Uniform(to) = forms[1] else { unreachable!("buffers are the same for all") };
            let address = MaskedAddress { memory: to, index: forms[2], mask };
            match (forms[2], ty.lanes()) {
                (ValueForm::Uniform(index), _) => {
                    // Lanes that store different values to one element are a data race, so every one of the values is
                    // valid.
                    let (group, present, value) = (me.group, me.present, forms[0]);
                    let store = move |b: Builder<'p>| {
                        let value = match (value, mask.filter(|mask| Some(*mask) != present)) {
                            (ValueForm::Uniform(value), _) => value,
                            (form, None) => group.lane(b, group.broadcast(b, form, ty), 0, ty),
                            (form, Some(mask)) => {
                                group.lane_at(b, group.broadcast(b, form, ty), group.first_of(b, mask), ty)
                            }
                        };
                        memory::store(b, value, to, index);
                        vec![]
                    };
                    match mask.filter(|_| !at.is_sure()) {
                        None => _ = store(b),
                        Some(mask) => _ = b.if_else(any(b, mask), &[], store, |_| vec![]),
                    }
                }
                (_, None) => {
                    let value = me.group.broadcast(b, forms[0], ty);
                    me.store_numbers(at, op, address, value);
                }
                (index, Some(_)) if mask.is_none() => {
                    let all = me.group.broadcast(b, forms[0], ty);
                    for (lane, index) in me.indices(b, index).into_iter().enumerate() {
                        memory::store(b, me.group.lane(b, all, lane as i64, ty), to, index);
                    }
                }
                _ => _ = me.for_each_active_lane(at, op, forms, mask),
            }
            vec![]
        });
    }

    // The index of each lane.
    fn indices(&self, b: Builder<'p>, index: ValueForm<'p>) -> Vec<Val<'p>> {
        let ty = b.cx().index();
        let lanes = 0..i64::from(self.group.lanes);
        match index {
            ValueForm::Affine(Affine { base, step, narrow }) => lanes
                .map(|lane| match narrow {
                    None => b.addi(base, b.int(ty, lane * step)),
                    Some(NarrowIndex { base, .. }) => {
                        b.cast(arith::INDEX_CASTUI, b.addi(base, b.int(base.ty(), lane * step)), ty)
                    }
                })
                .collect(),
            form => {
                let all = self.group.broadcast(b, form, ty);
                lanes.map(|lane| extract(b, all, lane)).collect()
            }
        }
    }

    fn load_numbers(&mut self, at: &EmitContext<'p>, op: Op<'p>, address: MaskedAddress<'p>) -> Val<'p> {
        let b = at.b;
        let ty = self.group.vector(b, op.result(0).ty());
        let group = self.group;
        match address.index {
            ValueForm::Affine(Affine { base, step: 1, narrow: None }) => neighbours(b, address, base, ty),
            ValueForm::Affine(Affine { base, step: 1, narrow: Some(narrow) }) => b
                .if_else(
                    narrow.no_wrap,
                    &[ty],
                    |b| vec![neighbours(b, address, base, ty)],
                    |b| vec![gather(b, group, address, ty)],
                )
                .result(0),
            _ => {
                self.scattered(at, op, "reads");
                gather(b, group, address, ty)
            }
        }
    }

    fn store_numbers(&mut self, at: &EmitContext<'p>, op: Op<'p>, address: MaskedAddress<'p>, value: Val<'p>) {
        let b = at.b;
        let group = self.group;
        match address.index {
            ValueForm::Affine(Affine { base, step: 1, narrow: None }) => put_neighbours(b, address, base, value),
            ValueForm::Affine(Affine { base, step: 1, narrow: Some(narrow) }) => {
                let near = |b: Builder<'p>| {
                    put_neighbours(b, address, base, value);
                    vec![]
                };
                let far = |b: Builder<'p>| {
                    scatter(b, group, address, value);
                    vec![]
                };
                b.if_else(narrow.no_wrap, &[], near, far);
            }
            _ => {
                self.scattered(at, op, "writes");
                scatter(b, group, address, value);
            }
        }
    }

    fn scattered(&mut self, at: &EmitContext<'p>, op: Op<'p>, does: &'static str) {
        if !at.cold && !self.scattered.iter().any(|known| known.0 == op) {
            self.scattered.push((op, does));
        }
    }

    /// Stores a vector in a temporary and loads it in a different order.
    pub(super) fn permuted(&mut self, b: Builder<'p>, all: Val<'p>, from: Val<'p>, line: Type<'p>) -> Val<'p> {
        let n = line.element_count() as i64;
        let stored = cube_dialect::in_memory(b.cx(), all.ty());
        let allocation = memory::shared(self.kernel, u64::from(self.group.lanes) * n as u64, stored.element());
        let kept = if stored == all.ty() { all } else { b.cast(arith::EXTUI, all, stored) };
        let zero = b.int(b.cx().index(), 0);
        b.op(vector::STORE).operands(&[kept, allocation, zero]).build();
        let mut index = b.cast(arith::INDEX_CASTUI, from, from.ty().with_element(b.cx().index()));
        if n > 1 {
            let lanes = n * i64::from(self.group.lanes);
            let wide: Vec<i64> = (0..lanes).map(|i| i / n).collect();
            index = shuffle(b, index, index, &wide);
            let ty = index.ty();
            let inside = super::Group { lanes: lanes as u32, ..self.group }.numbers(b, b.cx().index(), |i| i % n);
            index = b.addi(b.muli(index, b.int(ty, n)), inside);
        }
        let mask = b.int(stored.with_element(b.cx().int(1)), 1);
        let read =
            b.op(vector::GATHER).operands(&[allocation, zero, index, mask, b.zero(stored)]).result(stored).value();
        if stored == all.ty() { read } else { b.cast(arith::TRUNCI, read, all.ty()) }
    }
}

fn joined<'p>(b: Builder<'p>, mut all: Vec<Val<'p>>) -> Val<'p> {
    while all.len() > 1 {
        let pair = |two: &[Val<'p>]| {
            let n = two[0].ty().element_count() as i64;
            shuffle(b, two[0], two[1], &(0..2 * n).collect::<Vec<_>>())
        };
        all = all.chunks(2).map(pair).collect();
    }
    all[0]
}

fn neighbours<'p>(b: Builder<'p>, address: MaskedAddress<'p>, base: Val<'p>, ty: Type<'p>) -> Val<'p> {
    match address.mask {
        None => b.op(vector::LOAD).operands(&[address.memory, base]).result(ty).value(),
        Some(mask) => b.op(vector::MASKEDLOAD).operands(&[address.memory, base, mask, b.zero(ty)]).result(ty).value(),
    }
}

fn put_neighbours<'p>(b: Builder<'p>, address: MaskedAddress<'p>, base: Val<'p>, value: Val<'p>) {
    match address.mask {
        None => b.op(vector::STORE).operands(&[value, address.memory, base]).build(),
        Some(mask) => b.op(vector::MASKEDSTORE).operands(&[address.memory, base, mask, value]).build(),
    };
}

// Offset, indices and mask of a gather or a scatter.
fn scattered<'p>(b: Builder<'p>, group: super::Group, address: MaskedAddress<'p>) -> [Val<'p>; 3] {
    let index = b.cx().index();
    let mask = address.mask.unwrap_or_else(|| group.flags(b, |_| true));
    [b.int(index, 0), group.broadcast(b, address.index, index), mask]
}

fn gather<'p>(b: Builder<'p>, group: super::Group, address: MaskedAddress<'p>, ty: Type<'p>) -> Val<'p> {
    let [zero, indices, mask] = scattered(b, group, address);
    let operands = [address.memory, zero, indices, mask, b.zero(ty)];
    b.op(vector::GATHER).operands(&operands).result(ty).value()
}

fn scatter<'p>(b: Builder<'p>, group: super::Group, address: MaskedAddress<'p>, value: Val<'p>) {
    let [zero, indices, mask] = scattered(b, group, address);
    b.op(vector::SCATTER).operands(&[address.memory, zero, indices, mask, value]).build();
}
