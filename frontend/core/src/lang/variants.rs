//! Enum values whose variant is known at run time only. Such a value consists of a tag, and of variables for
//! the fields of each possible variant.
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
        self.open().map_or_else(|| vec![(None, self.clone())], Open::possible_variants)
    }
    /// Returns an arbitrary value of the variant with the given index. The result is `None` if the variant's
    /// fields contain memory or host values.
    fn dummy_of(index: u32) -> Option<Self>;
}

/// A variable of an enum type. An open value has a variant that is known only at run time. The variant of a closed
/// value is known at compile time.
pub struct Open<E>(Rc<Shared<E>>);

struct Shared<E> {
    key: Option<VariableKey>,
    depth: usize,
    /// The index of the variant, if the variant is known at compile time.
    known: Cell<Option<u32>>,
    tag: Val<u32>,
    parts: RefCell<Parts<E>>,
}

/// Variants with their indices, in ascending order.
type Parts<E> = Vec<(u32, E)>;

/// The position of the variant with an index, or the position at which it would be.
fn find<E>(parts: &Parts<E>, index: u32) -> Result<usize, usize> {
    parts.binary_search_by_key(&index, |(known, _)| *known)
}

/// The fields of the variant that a value has.
fn active<E>(parts: &Parts<E>, index: u32) -> &E {
    let at = find(parts, index).unwrap_or_else(|_| panic!("variant {index} of an enum value has no fields"));
    &parts[at].1
}

impl<E> Clone for Open<E> {
    fn clone(&self) -> Self {
        Open(self.0.clone())
    }
}

impl<E: Variants> Open<E> {
    /// Allocates a variable that can store `value`.
    pub fn new(value: &E, depth: usize) -> Self {
        let key = with(|b| b.key());
        let hinted = with(|b| b.hints.variants.get(&key).cloned()).unwrap_or_default();
        let mut parts = Parts::new();
        let current = contents(value);
        let known = if hinted.is_empty() { current.known() } else { None };
        for (index, part) in &current.parts {
            parts.push((*index, part.closed_cells(depth)));
        }
        for index in hinted {
            if let (Err(at), Some(dummy)) = (find(&parts, index), E::dummy_of(index)) {
                parts.insert(at, (index, dummy.closed_cells(depth)));
            }
        }
        let ty = Ty::scalar(ir::Elem::U32);
        let tag = match known {
            Some(index) => Val::lit(index),
            None => Val::new(Raw::Cell(with(|b| b.cell(ty, depth)), ty)),
        };
        Open(Rc::new(Shared { key: Some(key), depth, known: Cell::new(known), tag, parts: RefCell::new(parts) }))
    }

    /// Assigns a value to the variable.
    pub fn store(&mut self, value: E) {
        let value = contents(&value);
        let shared = &*self.0;
        match (shared.known.get(), value.known()) {
            (Some(mine), Some(other)) if mine == other => {}
            (Some(_), Some(other)) if ir::depth() == shared.depth => shared.known.set(Some(other)),
            (Some(mine), _) => {
                self.request(value.parts.iter().map(|(index, _)| *index).chain([mine]).collect());
            }
            (None, _) => shared.tag.clone().store(value.tag),
        }
        let mut parts = shared.parts.borrow_mut();
        for (index, part) in value.parts {
            let at = find(&parts, index).unwrap_or_else(|at| {
                if shared.known.get().is_none() {
                    self.request(vec![index]);
                }
                parts.insert(at, (index, part.closed_cells(shared.depth)));
                at
            });
            // A field with memory keeps the memory of its first assignment. A later assignment of different memory reports
            // an error.
            parts[at].1.store(part);
        }
    }

    /// Requests another construction round in which the variable can have the given variants.
    fn request(&self, variants: Vec<u32>) {
        if let Some(key) = self.0.key
            && !ir::is_dead()
        {
            with(|b| b.again |= b.hints.variant(key, variants));
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
        let shared = &*self.0;
        let parts = shared.parts.borrow();
        if let Some(index) = shared.known.get() {
            return active(&parts, index).rd();
        }
        let parts = parts.iter().map(|(index, part)| (*index, part.rd())).collect();
        let (known, tag) = (Cell::new(None), shared.tag.rd());
        wrap(Open(Rc::new(Shared { key: None, depth: shared.depth, known, tag, parts: RefCell::new(parts) })))
    }

    /// The possible variants of the value, each with its run-time condition.
    pub fn possible_variants(&self) -> Vec<(Option<Val<bool>>, E)> {
        let shared = &*self.0;
        let parts = shared.parts.borrow();
        if let Some(index) = shared.known.get() {
            return vec![(None, active(&parts, index).clone())];
        }
        let (tag, at) = (shared.tag.rd(), crate::ir::position());
        parts.iter().map(|(index, part)| (Some(ops::eq(tag, Val::lit(*index), at)), part.clone())).collect()
    }
}

/// The tag and the possible variants of an enum value.
struct Contents<E> {
    tag: Val<u32>,
    parts: Parts<E>,
}

impl<E> Contents<E> {
    fn known(&self) -> Option<u32> {
        self.tag.known()
    }
}

fn contents<E: Variants>(value: &E) -> Contents<E> {
    if let Some(index) = value.index() {
        return Contents { tag: Val::lit(index), parts: vec![(index, value.clone())] };
    }
    let open = value.open().expect("an enum value is a variant or a variable");
    let shared = &*open.0;
    let parts = shared.parts.borrow();
    match shared.known.get() {
        Some(index) => Contents { tag: Val::lit(index), parts: vec![(index, active(&parts, index).clone())] },
        None => Contents { tag: shared.tag.rd(), parts: parts.clone() },
    }
}

/// The discriminant of an enum without fields. `numbers` contains the discriminant of each variant.
pub fn discriminant<E: Variants>(value: &E, numbers: &[i64]) -> Raw {
    let tag = contents(value).tag;
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
    set: impl Fn(&mut W, P),
) -> Vec<(Option<Val<bool>>, W)> {
    let parts = part.possible_variants();
    let at = crate::ir::position();
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

/// A `match` under construction, which the macro expands variant by variant.
pub struct Match<V> {
    left: std::vec::IntoIter<(Option<Val<bool>>, V)>,
    current: Option<If>,
    outer: Vec<If>,
    position: u32,
}

impl<V: Staged> Match<V> {
    /// Starts the match.
    pub fn begin(value: V, position: u32) -> Self {
        crate::ir::at(position);
        Match { left: value.possible_variants().into_iter(), current: None, outer: Vec::new(), position }
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
        while let Some((cond, value)) = self.left.next() {
            let cond = if self.left.len() == 0 { None } else { cond };
            let Some(cond) = cond else {
                // The last variant needs no condition.
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
