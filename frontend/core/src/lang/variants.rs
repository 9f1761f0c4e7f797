//! Enum values whose variant is known at run time only. Such a value consists of a tag, and of variables for
//! the fields of each possible variant.
// Loops over indices replace iterators, because a program has an instance of each iterator for each of its enums.
// The macro `vec!` has five instances for each type.
#![allow(clippy::needless_range_loop, clippy::vec_init_then_push)]
use super::flow::If;
use super::ops;
use super::value::{Staged, Val, Walk};
use crate::ir::{self, Raw, Ty, VariableKey, with};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Functions that the derive macro implements for an enum.
pub trait Variants: Staged {
    /// The index of the variant, if the variant is known at compile time.
    fn index(&self) -> Option<u32>;
    /// The variable of the enum value, if the variant is known at run time only.
    fn open(&self) -> Option<&Open<Self>>;
    /// Allocates variables for the fields of a variant that is known at compile time.
    fn closed_cells(&self, depth: usize) -> Self {
        self.__walk(Walk::Cells(depth))
    }
    /// The possible variants of the value, each with its run-time condition.
    fn all(&self) -> Vec<(Option<Val<bool>>, Self)> {
        match self.open() {
            Some(open) => open.possible_variants(),
            None => only(self.clone()),
        }
    }
    /// Returns an arbitrary value of the variant with the given index. The result is `None` if the variant's
    /// fields contain memory or host values.
    fn dummy_of(index: u32) -> Option<Self>;
}

/// A variable of an enum type. An open value has a variant that is known only at run time. The variant of a closed
/// value is known at compile time.
pub struct Open<E>(Rc<Shared<E>>);

struct Shared<E> {
    state: State,
    parts: RefCell<Parts<E>>,
}

/// The part of an enum variable that does not depend on the type of the enum.
struct State {
    key: Option<VariableKey>,
    depth: usize,
    /// The index of the variant, if the variant is known at compile time.
    known: Cell<Option<u32>>,
    tag: Val<u32>,
}

impl State {
    /// The state of a new variable in the block at `depth`, whose first value has the tag `current`. Also returns the variants
    /// that the previous construction round requests.
    fn new(current: Val<u32>, depth: usize) -> (Self, Vec<u32>) {
        let (key, hinted) = with(|b| {
            let key = b.key();
            (key, b.hints.variants.get(&key).map(|known| known.iter().copied().collect()).unwrap_or_default())
        });
        let hinted: Vec<u32> = hinted;
        let known = if hinted.is_empty() { current.known() } else { None };
        let ty = Ty::scalar(ir::Elem::U32);
        let tag = match known {
            Some(index) => Val::lit(index),
            None => Val::new(Raw::Cell(with(|b| b.cell(ty, depth)), ty)),
        };
        (State { key: Some(key), depth, known: Cell::new(known), tag }, hinted)
    }

    /// Assigns the tag of a value with the given possible variants.
    fn store(&self, tag: Val<u32>, variants: &[u32]) {
        match (self.known.get(), tag.known()) {
            (Some(mine), Some(other)) if mine == other => {}
            (Some(_), Some(other)) if ir::depth() == self.depth => self.known.set(Some(other)),
            (Some(mine), _) => self.request(&[variants, &[mine]].concat()),
            (None, _) => self.tag.clone().store(tag),
        }
    }

    /// Requests another construction round in which the variable can have the given variants.
    fn request(&self, variants: &[u32]) {
        if let Some(key) = self.key
            && !ir::is_dead()
        {
            with(|b| b.again |= b.hints.variant(key, variants.iter().copied()));
        }
    }
}

/// The fields of variants, in the order of their indices.
struct Parts<E> {
    indices: Vec<u32>,
    fields: Vec<E>,
}

impl<E: Variants> Parts<E> {
    fn one(index: u32, fields: E) -> Self {
        let mut parts = Parts { indices: Vec::new(), fields: Vec::new() };
        parts.insert(0, index, fields);
        parts
    }

    fn insert(&mut self, at: usize, index: u32, fields: E) {
        self.indices.insert(at, index);
        self.fields.insert(at, fields);
    }

    /// The fields of the variant that a value has.
    fn active(&self, index: u32) -> &E {
        match self.indices.binary_search(&index) {
            Ok(at) => &self.fields[at],
            Err(_) => panic!("variant {index} of an enum value has no fields"),
        }
    }

    fn walk(&self, walk: Walk) -> Self {
        let mut fields = Vec::with_capacity(self.fields.len());
        for at in 0..self.fields.len() {
            fields.push(self.fields[at].__walk(walk));
        }
        Parts { indices: self.indices.clone(), fields }
    }
}

impl<E> Clone for Open<E> {
    fn clone(&self) -> Self {
        Open(self.0.clone())
    }
}

impl<E: Variants> Open<E> {
    fn of(state: State, parts: Parts<E>) -> Self {
        Open(Rc::new(Shared { state, parts: RefCell::new(parts) }))
    }

    /// Allocates a variable that can store `value`.
    pub fn new(value: &E, depth: usize) -> Self {
        let (tag, current) = contents(value);
        let (state, hinted) = State::new(tag, depth);
        let mut parts = current.walk(Walk::Cells(depth));
        for index in hinted {
            if let (Err(at), Some(dummy)) = (parts.indices.binary_search(&index), E::dummy_of(index)) {
                parts.insert(at, index, dummy.closed_cells(depth));
            }
        }
        Open::of(state, parts)
    }

    /// Assigns a value to the variable.
    pub fn store(&mut self, value: E) {
        let (tag, value) = contents(&value);
        let Shared { state, parts } = &*self.0;
        state.store(tag, &value.indices);
        let mut parts = parts.borrow_mut();
        for at in 0..value.fields.len() {
            let (index, part) = (value.indices[at], &value.fields[at]);
            let at = match parts.indices.binary_search(&index) {
                Ok(at) => at,
                Err(at) => {
                    if state.known.get().is_none() {
                        state.request(&[index]);
                    }
                    parts.insert(at, index, part.closed_cells(state.depth));
                    at
                }
            };
            // A field with memory keeps the memory of its first assignment. A later assignment of different memory reports
            // an error.
            parts.fields[at].store(part.clone());
        }
    }

    /// Applies an operation to the value. The variable itself is shared, not copied.
    pub fn walk(&self, walk: Walk, wrap: fn(Self) -> E) -> E {
        match walk {
            Walk::Clone | Walk::Cells(_) => wrap(self.clone()),
            Walk::Read | Walk::Dup => self.rd(wrap),
        }
    }

    /// Reads the current value of the variable.
    pub fn rd(&self, wrap: fn(Self) -> E) -> E {
        let Shared { state, parts } = &*self.0;
        let parts = parts.borrow();
        if let Some(index) = state.known.get() {
            return parts.active(index).rd();
        }
        let parts = parts.walk(Walk::Read);
        let state = State { key: None, depth: state.depth, known: Cell::new(None), tag: state.tag.rd() };
        wrap(Open::of(state, parts))
    }

    /// The possible variants of the value, each with its run-time condition.
    pub fn possible_variants(&self) -> Vec<(Option<Val<bool>>, E)> {
        let Shared { state, parts } = &*self.0;
        let parts = parts.borrow();
        if let Some(index) = state.known.get() {
            return only(parts.active(index).clone());
        }
        let (tag, at) = (state.tag.rd(), crate::ir::position());
        let mut all = Vec::with_capacity(parts.fields.len());
        for i in 0..parts.fields.len() {
            all.push((Some(ops::eq(tag, Val::lit(parts.indices[i]), at)), parts.fields[i].clone()));
        }
        all
    }
}

/// The possible variants of a value whose variant is known at compile time.
pub fn only<T>(value: T) -> Vec<(Option<Val<bool>>, T)> {
    let mut all = Vec::with_capacity(1);
    all.push((None, value));
    all
}

/// The tag and the possible variants of an enum value.
fn contents<E: Variants>(value: &E) -> (Val<u32>, Parts<E>) {
    let closed = |index: u32, value: &E| (Val::lit(index), Parts::one(index, value.clone()));
    if let Some(index) = value.index() {
        return closed(index, value);
    }
    let Shared { state, parts } = &*value.open().expect("an enum value is a variant or a variable").0;
    match state.known.get() {
        Some(index) => closed(index, parts.borrow().active(index)),
        None => (state.tag.rd(), parts.borrow().walk(Walk::Clone)),
    }
}

/// The discriminant of an enum without fields. `numbers` contains the discriminant of each variant.
pub fn discriminant<E: Variants>(value: &E, numbers: &[i64]) -> Raw {
    let (tag, _) = contents(value);
    if let Some(index) = tag.known() {
        return Val::lit(numbers[index as usize]).raw;
    }
    let at = crate::ir::position();
    let known = |(index, number): (usize, &i64)| *number == index as i64;
    if numbers.iter().enumerate().all(known) {
        return tag.raw;
    }
    let of = |index: usize| super::cast::cast::<i64, _>(ops::eq(tag, Val::lit(index as u32), at), at);
    let parts = numbers.iter().enumerate().map(|(index, number)| ops::mul(of(index), Val::lit(*number), at));
    parts.reduce(|sum, part| ops::add(sum, part, at)).map_or(tag.raw, |sum| sum.raw)
}

/// Combines the possible variants of an aggregate with the possible variants of one of its fields.
pub fn combine_variants<W: Clone, P: Staged>(
    whole: Vec<(Option<Val<bool>>, W)>,
    part: &P,
    set: fn(&mut W, P),
) -> Vec<(Option<Val<bool>>, W)> {
    let (parts, at) = (part.possible_variants(), crate::ir::position());
    let mut all = Vec::with_capacity(whole.len() * parts.len());
    for i in 0..whole.len() {
        for j in 0..parts.len() {
            let mut value = whole[i].1.clone();
            set(&mut value, parts[j].1.clone());
            all.push((both(whole[i].0, parts[j].0, at), value));
        }
    }
    all
}

fn both(a: Option<Val<bool>>, b: Option<Val<bool>>, at: u32) -> Option<Val<bool>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(ops::and(a, b, at)),
        (one, other) => one.or(other),
    }
}

/// A `match` under construction, which the macro expands variant by variant.
pub struct Match<V> {
    variants: Vec<(Option<Val<bool>>, V)>,
    /// The number of variants whose blocks are written.
    written: usize,
    current: Option<If>,
    outer: Vec<If>,
    position: u32,
}

impl<V: Staged> Match<V> {
    /// Starts the match.
    pub fn begin(value: V, position: u32) -> Self {
        crate::ir::at(position);
        Match { variants: value.possible_variants(), written: 0, current: None, outer: Vec::new(), position }
    }

    /// Drives the expansion of the `match`. Each call opens the block of the next possible variant and
    /// returns the variant. The last call ends the `match`.
    pub fn next_body(&mut self) -> Option<V> {
        if let Some(mut done) = self.current.take() {
            let more = done.els();
            self.outer.push(done);
            if !more {
                return self.finish();
            }
        }
        while self.written < self.variants.len() {
            let (cond, value) = (self.variants[self.written].0, self.variants[self.written].1.clone());
            self.written += 1;
            let cond = if self.written == self.variants.len() { None } else { cond };
            let Some(cond) = cond else {
                // The last variant needs no condition.
                self.written = self.variants.len();
                if self.outer.is_empty() {
                    self.outer.push(If::always());
                }
                return Some(value);
            };
            let mut branch = If::begin(cond, self.position);
            if branch.then() {
                self.current = Some(branch);
                return Some(value);
            }
            let more = branch.els();
            self.outer.push(branch);
            if !more {
                break;
            }
        }
        self.finish()
    }

    fn finish(&mut self) -> Option<V> {
        self.written = self.variants.len();
        while let Some(branch) = self.outer.pop() {
            branch.end();
        }
        None
    }
}

/// Match arms with guards, under construction. Each arm is in the `else` block of the previous arm.
#[derive(Default)]
pub struct Arms {
    outer: Vec<If>,
    current: Option<If>,
    decided: bool,
}

impl Arms {
    /// Starts the arms.
    pub fn begin() -> Self {
        Self::default()
    }

    /// Whether the caller must expand the arm with the condition `cond`.
    pub fn test(&mut self, cond: Val<bool>, position: u32) -> bool {
        if let Some(known) = cond.known() {
            self.decided |= known;
            return known;
        }
        let mut branch = If::begin(cond, position);
        let open = branch.then();
        self.decided |= !open;
        if open {
            self.current = Some(branch);
        }
        open
    }

    /// Whether the remaining arms are unreachable. If the remaining arms are reachable, the `else` block for
    /// them is open.
    pub fn decided(&mut self) -> bool {
        if let Some(mut branch) = self.current.take() {
            self.decided |= !branch.els();
            self.outer.push(branch);
        }
        self.decided
    }

    /// Ends the arms.
    pub fn end(mut self) {
        while let Some(branch) = self.outer.pop() {
            branch.end();
        }
    }
}
