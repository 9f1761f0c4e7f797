//! Sequences: lists of staged values with a compile-time length.
use super::containers::Index;
use super::flow::{Counted, Iterate};
use super::value::{CubeType, HasHost, Staged, Val};
use crate::__private::unexpanded;
use crate::ir::{self, Lit};
use std::cell::RefCell;
use std::rc::Rc;

/// A list that the kernel extends at compile time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence<T> {
    values: Vec<T>,
}

/// [`Sequence`], staged.
pub struct SequenceExpand<T: CubeType> {
    values: Rc<RefCell<Vec<T::ExpandType>>>,
    /// Indices of the values to which a mutable reference exists. Each value with a mutable reference is a
    /// variable in the block that created the sequence.
    borrowed: Rc<RefCell<Vec<usize>>>,
    /// The depth of the block that created the sequence.
    depth: usize,
}

impl<T: CubeType> Clone for SequenceExpand<T> {
    fn clone(&self) -> Self {
        SequenceExpand { values: self.values.clone(), borrowed: self.borrowed.clone(), depth: self.depth }
    }
}

impl<T> Default for Sequence<T> {
    fn default() -> Self {
        Sequence { values: Vec::new() }
    }
}

impl<T: CubeType> CubeType for Sequence<T> {
    type ExpandType = SequenceExpand<T>;
}

impl<T: CubeType> HasHost for SequenceExpand<T> {
    type Host = Sequence<T>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<T: CubeType> Staged for SequenceExpand<T> {
    const HAS_DUMMY: bool = false;
    fn store(&mut self, value: Self) {
        if !Rc::ptr_eq(&self.values, &value.values) {
            super::shapes::replace_shape(self, value);
        }
    }
    fn dup(&self) -> Self {
        SequenceExpand::of(self.values.borrow().iter().map(Staged::dup).collect())
    }
    fn dummy() -> Self {
        SequenceExpand::of(Vec::new())
    }
}

impl<T: CubeType> SequenceExpand<T> {
    /// A sequence of the given values.
    pub fn of(values: Vec<T::ExpandType>) -> Self {
        SequenceExpand { values: Rc::new(RefCell::new(values)), borrowed: Rc::default(), depth: ir::depth() }
    }

    fn value_at(&self, index: Val<u32>) -> Option<T::ExpandType> {
        let Some(i) = index.constant().and_then(Lit::int) else {
            ir::fail(
                "the index of a sequence must be known when the kernel is compiled: unroll the loop, or use an array",
            );
            return None;
        };
        let found = self.values.borrow().get(i as usize).cloned();
        if found.is_none() {
            ir::fail(format!("index {i} is outside of a sequence of {} elements", self.values.borrow().len()));
        }
        found
    }
}

impl<T: CubeType> Sequence<T> {
    /// An empty sequence.
    pub fn new() -> Self {
        Sequence { values: Vec::new() }
    }
    #[doc(hidden)]
    pub fn __expand_new() -> SequenceExpand<T> {
        SequenceExpand::of(Vec::new())
    }
    /// Appends a value.
    pub fn push(&mut self, value: T) {
        self.values.push(value);
    }
    /// Number of values.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u32 {
        self.values.len() as u32
    }
    /// The value at an index.
    // The method has this name in CubeCL 0.8.1.
    #[allow(clippy::should_implement_trait)]
    pub fn index(&self, index: u32) -> &T {
        &self.values[index as usize]
    }
    /// A mutable reference to the value at an index.
    // The method has this name in CubeCL 0.8.1.
    #[allow(clippy::should_implement_trait)]
    pub fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self.values[index as usize]
    }
    /// Replaces the value at an index.
    pub fn insert(&mut self, index: u32, value: T) {
        self.values[index as usize] = value;
    }
    /// The values in reverse order.
    pub fn rev(&self) -> Self {
        unexpanded()
    }
}

/// Expansions of functions.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubeType> Sequence<T> {
    pub fn __expand_default() -> SequenceExpand<T> {
        SequenceExpand::of(Vec::new())
    }
    pub fn __expand_push(sequence: SequenceExpand<T>, value: T::ExpandType) {
        sequence.__expand_push_method(value);
    }
    pub fn __expand_index(sequence: SequenceExpand<T>, index: Val<u32>) -> T::ExpandType {
        sequence.__expand_index_method(index)
    }
    pub fn __expand_index_mut(sequence: SequenceExpand<T>, index: Val<u32>) -> T::ExpandType {
        sequence.__expand_index_mut_method(index)
    }
    pub fn __expand_len(sequence: SequenceExpand<T>) -> u32 {
        sequence.len()
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubeType> SequenceExpand<T> {
    pub fn __expand_insert_method(&self, index: Val<u32>, value: T::ExpandType) {
        super::containers::IndexAssign::set(self, index, value);
    }
    pub fn iter_cloned(&self) -> impl Iterator<Item = T::ExpandType> {
        self.values.borrow().clone().into_iter()
    }
    pub fn len(&self) -> u32 {
        self.values.borrow().len() as u32
    }
    pub fn is_empty(&self) -> bool {
        self.values.borrow().is_empty()
    }
    pub fn __expand_push_method(&self, value: T::ExpandType) {
        self.values.borrow_mut().push(value);
    }
    pub fn __expand_len_method(&self) -> u32 {
        self.len()
    }
    pub fn __expand_index_method(&self, index: Val<u32>) -> T::ExpandType {
        self.value_at(index).unwrap_or_else(T::ExpandType::dummy)
    }
    pub fn __expand_index_mut_method(&self, index: Val<u32>) -> T::ExpandType {
        let Some(value) = self.value_at(index) else { return T::ExpandType::dummy() };
        let i = index.constant().and_then(Lit::int).unwrap_or_default() as usize;
        if self.borrowed.borrow().contains(&i) {
            return value;
        }
        // The variable belongs to the block that created the sequence, so that assignments in inner
        // blocks persist.
        let variable = ir::outside(self.depth, || {
            let mut variable = value.to_cells(self.depth);
            variable.store(value);
            variable
        });
        self.borrowed.borrow_mut().push(i);
        self.values.borrow_mut()[i] = variable.clone();
        variable
    }
    pub fn __expand_rev_method(&self) -> Self {
        let mut values = self.values.borrow().clone();
        values.reverse();
        SequenceExpand::of(values)
    }
}

impl<T: CubeType> std::ops::Index<u32> for Sequence<T> {
    type Output = T;
    fn index(&self, index: u32) -> &T {
        &self.values[index as usize]
    }
}

impl<T: CubeType> std::ops::IndexMut<u32> for Sequence<T> {
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self.values[index as usize]
    }
}

impl<T: CubeType> IntoIterator for Sequence<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter()
    }
}

impl<'a, T: CubeType> IntoIterator for &'a Sequence<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.values.iter()
    }
}

impl<T: CubeType> Index for SequenceExpand<T> {
    type At = Val<u32>;
    type Out = T::ExpandType;
    fn at(&self, index: Val<u32>) -> T::ExpandType {
        self.value_at(index).unwrap_or_else(T::ExpandType::dummy)
    }
}

impl<T: CubeType> super::containers::IndexAssign for SequenceExpand<T> {
    fn set(&self, index: Val<u32>, value: T::ExpandType) {
        let Some(i) = index.constant().and_then(Lit::int) else {
            ir::fail(
                "the index of a sequence must be known when the kernel is compiled: unroll the loop, or use an array",
            );
            return;
        };
        match self.values.borrow_mut().get_mut(i as usize) {
            Some(element) => element.store(value),
            None => ir::fail(format!("index {i} is outside of the sequence")),
        }
    }
}

impl<T: CubeType> Iterate for SequenceExpand<T> {
    type Item = T::ExpandType;
    fn counted(&self) -> Option<Counted<T::ExpandType>> {
        None
    }
    fn items(self) -> Option<Vec<T::ExpandType>> {
        Some(self.values.borrow().clone())
    }
}
