//! Enums whose variant only the kernel knows: a number that says which, and a place for the fields of each variant.
use super::flow::If;
use super::ops;
use super::value::{Staged, Val};
use crate::ir::{self, Key, Raw, Ty, with};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the derive of an enum gives.
pub trait Variants: Staged {
    /// Which variant it is, where its own shape says so.
    fn index(&self) -> Option<u32>;
    /// The variable, where it is one.
    fn open(&self) -> Option<&Open<Self>>;
    /// Variables for the fields of the variant that it has.
    fn closed_cells(&self, depth: usize) -> Self;
    /// A variant with any fields; `None` for one with memory or values of the host, which are those of its first value.
    fn dummy_of(index: u32) -> Option<Self>;
}

/// A variable that holds an enum.
pub struct Open<E>(Rc<Shared<E>>);

struct Shared<E> {
    key: Option<Key>,
    depth: usize,
    /// The variant, where the host knows it.
    known: Cell<Option<u32>>,
    tag: Val<u32>,
    parts: RefCell<BTreeMap<u32, E>>,
}

impl<E> Clone for Open<E> {
    fn clone(&self) -> Self {
        Open(self.0.clone())
    }
}

impl<E: Variants> Open<E> {
    /// A variable that can hold the value.
    pub fn new(value: &E, depth: usize) -> Self {
        let key = with(|b| b.key());
        let hinted = with(|b| b.hints.variants.get(&key).cloned()).unwrap_or_default();
        let mut parts = BTreeMap::new();
        let held = contents(value);
        let known = if hinted.is_empty() { held.known() } else { None };
        for (index, part) in &held.parts {
            parts.insert(*index, part.closed_cells(depth));
        }
        for index in hinted {
            if let (false, Some(dummy)) = (parts.contains_key(&index), E::dummy_of(index)) {
                parts.insert(index, dummy.closed_cells(depth));
            }
        }
        let ty = Ty::scalar(ir::Elem::U32);
        let tag = match known {
            Some(index) => Val::lit(index),
            None => Val::new(Raw::Cell(with(|b| b.cell(ty, depth)), ty)),
        };
        Open(Rc::new(Shared { key: Some(key), depth, known: Cell::new(known), tag, parts: RefCell::new(parts) }))
    }

    /// Writes a value into the variable.
    pub fn store(&mut self, value: E) {
        let value = contents(&value);
        let shared = &*self.0;
        match (shared.known.get(), value.known()) {
            (Some(mine), Some(other)) if mine == other => {}
            (Some(_), Some(other)) if ir::depth() == shared.depth => shared.known.set(Some(other)),
            (Some(mine), _) => {
                self.ask(value.parts.keys().copied().chain([mine]));
            }
            (None, _) => shared.tag.clone().store(value.tag),
        }
        let mut parts = shared.parts.borrow_mut();
        for (index, part) in value.parts {
            if shared.known.get().is_none() && !parts.contains_key(&index) {
                self.ask([index]);
            }
            // Memory that is there first is the one; another one later is a mistake that its place tells.
            parts.entry(index).or_insert_with(|| part.closed_cells(shared.depth)).store(part);
        }
    }

    /// The kernel has to be written again with these variants known.
    fn ask(&self, variants: impl IntoIterator<Item = u32>) {
        if let Some(key) = self.0.key
            && !ir::is_dead()
        {
            with(|b| b.again |= b.hints.variant(key, variants));
        }
    }

    /// A copy of what the variable holds now.
    pub fn rd(&self, wrap: fn(Self) -> E) -> E {
        let shared = &*self.0;
        let parts = shared.parts.borrow();
        if let Some(index) = shared.known.get() {
            return parts[&index].rd();
        }
        let parts = parts.iter().map(|(index, part)| (*index, part.rd())).collect();
        let (known, tag) = (Cell::new(None), shared.tag.rd());
        wrap(Open(Rc::new(Shared { key: None, depth: shared.depth, known, tag, parts: RefCell::new(parts) })))
    }

    /// The variants that it may have, each with the condition under which it has it.
    pub fn ways(&self) -> Vec<(Option<Val<bool>>, E)> {
        let shared = &*self.0;
        let parts = shared.parts.borrow();
        if let Some(index) = shared.known.get() {
            return vec![(None, parts[&index].clone())];
        }
        let (tag, at) = (shared.tag.rd(), with(|b| b.position()));
        parts.iter().map(|(index, part)| (Some(ops::eq(tag, Val::lit(*index), at)), part.clone())).collect()
    }
}

/// A value of an enum taken apart.
struct Contents<E> {
    tag: Val<u32>,
    parts: BTreeMap<u32, E>,
}

impl<E> Contents<E> {
    fn known(&self) -> Option<u32> {
        self.tag.known()
    }
}

fn contents<E: Variants>(value: &E) -> Contents<E> {
    if let Some(index) = value.index() {
        return Contents { tag: Val::lit(index), parts: BTreeMap::from([(index, value.clone())]) };
    }
    let open = value.open().expect("a value is of a variant, or a variable");
    let shared = &*open.0;
    let parts = shared.parts.borrow();
    match shared.known.get() {
        Some(index) => Contents { tag: Val::lit(index), parts: BTreeMap::from([(index, parts[&index].clone())]) },
        None => Contents { tag: shared.tag.rd(), parts: parts.clone() },
    }
}

/// The number of the variant of an enum without fields; `numbers` has it for each variant.
pub fn discriminant<E: Variants>(value: &E, numbers: &[i64]) -> Raw {
    let tag = contents(value).tag;
    if let Some(index) = tag.known() {
        return Val::lit(numbers[index as usize]).raw;
    }
    let at = with(|b| b.position());
    let known = |(index, number): (usize, &i64)| *number == index as i64;
    if numbers.iter().enumerate().all(known) {
        return tag.raw;
    }
    let of = |index: usize| super::cast::cast::<i64, _>(ops::eq(tag, Val::lit(index as u32), at), at);
    let parts = numbers.iter().enumerate().map(|(index, number)| ops::mul(of(index), Val::lit(*number), at));
    parts.reduce(|sum, part| ops::add(sum, part, at)).map_or(tag.raw, |sum| sum.raw)
}

/// The ways of a whole with those of one of its parts.
pub fn each_way<W: Clone, P: Staged>(
    whole: Vec<(Option<Val<bool>>, W)>,
    part: &P,
    set: impl Fn(&mut W, P),
) -> Vec<(Option<Val<bool>>, W)> {
    let parts = part.ways();
    let at = with(|b| b.position());
    let both = |a: &Option<Val<bool>>, b: &Option<Val<bool>>| match (a, b) {
        (Some(a), Some(b)) => Some(ops::and(*a, *b, at)),
        (one, other) => one.or(*other),
    };
    let mut all = Vec::new();
    for (cond, value) in &whole {
        for (part_cond, part) in &parts {
            let mut value = value.clone();
            set(&mut value, part.clone());
            all.push((both(cond, part_cond), value));
        }
    }
    all
}

/// A match that is being written, variant by variant.
pub struct Ways<V> {
    left: std::vec::IntoIter<(Option<Val<bool>>, V)>,
    current: Option<If>,
    outer: Vec<If>,
    position: u32,
}

impl<V: Staged> Ways<V> {
    /// Begins it.
    pub fn begin(value: V, position: u32) -> Self {
        with(|b| b.at(position));
        Ways { left: value.ways().into_iter(), current: None, outer: Vec::new(), position }
    }

    /// The next variant that the value may have; its block is open.
    pub fn turn(&mut self) -> Option<V> {
        if let Some(mut done) = self.current.take() {
            let more = done.els();
            self.outer.push(done);
            if !more {
                return self.finish();
            }
        }
        while let Some((cond, value)) = self.left.next() {
            let cond = if self.left.len() == 0 { None } else { cond };
            let Some(cond) = cond else {
                // Nothing is left after this one.
                self.left = Vec::new().into_iter();
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
        self.left = Vec::new().into_iter();
        while let Some(branch) = self.outer.pop() {
            branch.end();
        }
        None
    }
}

/// Arms with conditions that are being written, one in the other's `else`.
#[derive(Default)]
pub struct Arms {
    outer: Vec<If>,
    current: Option<If>,
    decided: bool,
}

impl Arms {
    /// Begins them.
    pub fn begin() -> Self {
        Self::default()
    }

    /// Whether the arm with this condition is written.
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

    /// Whether no arm after this one is reached; otherwise their block is open.
    pub fn decided(&mut self) -> bool {
        if let Some(mut branch) = self.current.take() {
            self.decided |= !branch.els();
            self.outer.push(branch);
        }
        self.decided
    }

    /// Ends them.
    pub fn end(mut self) {
        while let Some(branch) = self.outer.pop() {
            branch.end();
        }
    }
}
