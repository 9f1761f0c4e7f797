//! Sequences: lists of staged values with a compile-time length.
use super::containers::Index;
use super::flow::{Counted, Iterate};
use super::value::{CubePrimitive, CubeType, HasHost, Staged, Val};
use crate::__private::unexpanded;
use crate::ir::{self, Lit};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

/// The type of a sequence's indices: `u32`, or `usize` in kernels of [`v11`](crate::v11).
pub trait SequenceIndex: CubePrimitive {
    /// The index as a position in a list of the host.
    fn position(self) -> usize;
    /// The length of a list.
    fn length(length: usize) -> Self;
}

impl SequenceIndex for u32 {
    fn position(self) -> usize {
        self as usize
    }
    fn length(length: usize) -> u32 {
        length as u32
    }
}

impl SequenceIndex for usize {
    fn position(self) -> usize {
        self
    }
    fn length(length: usize) -> usize {
        length
    }
}

/// A list that the kernel extends at compile time.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence<T, I = u32> {
    values: Vec<T>,
    index: PhantomData<fn(I)>,
}

impl<T: Clone, I> Clone for Sequence<T, I> {
    fn clone(&self) -> Self {
        self.values.iter().cloned().collect()
    }
}

impl<T, I> FromIterator<T> for Sequence<T, I> {
    fn from_iter<V: IntoIterator<Item = T>>(values: V) -> Self {
        Sequence { values: values.into_iter().collect(), index: PhantomData }
    }
}

/// [`Sequence`], staged.
pub struct SequenceExpand<T: CubeType, I = u32> {
    index: PhantomData<fn(I)>,
    values: Rc<RefCell<Vec<T::ExpandType>>>,
    /// Indices of the values to which a mutable reference exists. Each value with a mutable reference is a
    /// variable in the block that created the sequence.
    borrowed: Rc<RefCell<Vec<usize>>>,
    /// The depth of the block that created the sequence.
    depth: usize,
}

impl<T: CubeType, I> Clone for SequenceExpand<T, I> {
    fn clone(&self) -> Self {
        SequenceExpand {
            index: PhantomData,
            values: self.values.clone(),
            borrowed: self.borrowed.clone(),
            depth: self.depth,
        }
    }
}

impl<T, I> Default for Sequence<T, I> {
    fn default() -> Self {
        Sequence::new()
    }
}

impl<T: CubeType, I: SequenceIndex> CubeType for Sequence<T, I> {
    type ExpandType = SequenceExpand<T, I>;
}

impl<T: CubeType, I: SequenceIndex> HasHost for SequenceExpand<T, I> {
    type Host = Sequence<T, I>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<T: CubeType, I: SequenceIndex> Staged for SequenceExpand<T, I> {
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

impl<T: CubeType, I: SequenceIndex> SequenceExpand<T, I> {
    /// A sequence of the given values.
    pub fn of(values: Vec<T::ExpandType>) -> Self {
        SequenceExpand {
            index: PhantomData,
            values: Rc::new(RefCell::new(values)),
            borrowed: Rc::default(),
            depth: ir::depth(),
        }
    }

    fn value_at(&self, index: Val<I>) -> Option<T::ExpandType> {
        let Some(i) = index.constant().and_then(Lit::int) else {
            ir::fail("the index of a sequence must be known at compile time; unroll the loop, or use an array");
            return None;
        };
        let found = self.values.borrow().get(i as usize).cloned();
        if found.is_none() {
            ir::fail(format!("index {i} is outside of a sequence of {} elements", self.values.borrow().len()));
        }
        found
    }
}

impl<T, I> Sequence<T, I> {
    /// An empty sequence.
    pub fn new() -> Self {
        Sequence { values: Vec::new(), index: PhantomData }
    }
}

impl<T: CubeType, I: SequenceIndex> Sequence<T, I> {
    #[doc(hidden)]
    pub fn new_in_a_kernel() -> SequenceExpand<T, I> {
        SequenceExpand::of(Vec::new())
    }
    /// Appends a value.
    pub fn push(&mut self, value: T) {
        self.values.push(value);
    }
    /// Number of values.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> I {
        I::length(self.values.len())
    }
    /// The value at an index.
    // The method has this name in CubeCL 0.8.1.
    #[allow(clippy::should_implement_trait)]
    pub fn index(&self, index: I) -> &T {
        &self.values[index.position()]
    }
    /// A mutable reference to the value at an index.
    // The method has this name in CubeCL 0.8.1.
    #[allow(clippy::should_implement_trait)]
    pub fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.values[index.position()]
    }
    /// Replaces the value at an index.
    pub fn insert(&mut self, index: I, value: T) {
        self.values[index.position()] = value;
    }
    /// The values in reverse order.
    pub fn rev(&self) -> Self {
        unexpanded()
    }
}

/// Expansions of functions.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubeType, I: SequenceIndex> Sequence<T, I> {
    pub fn default_in_a_kernel() -> SequenceExpand<T, I> {
        SequenceExpand::of(Vec::new())
    }
    pub fn push_in_a_kernel(sequence: SequenceExpand<T, I>, value: T::ExpandType) {
        sequence.__expand_push_method(value);
    }
    pub fn index_in_a_kernel(sequence: SequenceExpand<T, I>, index: Val<I>) -> T::ExpandType {
        sequence.__expand_index_method(index)
    }
    pub fn index_mut_in_a_kernel(sequence: SequenceExpand<T, I>, index: Val<I>) -> T::ExpandType {
        sequence.__expand_index_mut_method(index)
    }
    pub fn len_in_a_kernel(sequence: SequenceExpand<T, I>) -> I {
        sequence.len()
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubeType, I: SequenceIndex> SequenceExpand<T, I> {
    pub fn __expand_insert_method(&self, index: Val<I>, value: T::ExpandType) {
        super::containers::IndexAssign::set(self, index, value);
    }
    pub fn iter_cloned(&self) -> impl Iterator<Item = T::ExpandType> {
        self.values.borrow().clone().into_iter()
    }
    pub fn len(&self) -> I {
        I::length(self.values.borrow().len())
    }
    pub fn is_empty(&self) -> bool {
        self.values.borrow().is_empty()
    }
    pub fn __expand_push_method(&self, value: T::ExpandType) {
        self.values.borrow_mut().push(value);
    }
    pub fn __expand_len_method(&self) -> I {
        self.len()
    }
    pub fn __expand_index_method(&self, index: Val<I>) -> T::ExpandType {
        self.value_at(index).unwrap_or_else(T::ExpandType::dummy)
    }
    pub fn __expand_index_mut_method(&self, index: Val<I>) -> T::ExpandType {
        let Some(value) = self.value_at(index) else { return T::ExpandType::dummy() };
        let i = index.constant().and_then(Lit::int).unwrap_or_default() as usize;
        if self.borrowed.borrow().contains(&i) {
            return value;
        }
        // The variable is declared in the block that created the sequence, so that assignments in inner blocks remain
        // visible after these blocks.
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

impl<T: CubeType, I: SequenceIndex> std::ops::Index<I> for Sequence<T, I> {
    type Output = T;
    fn index(&self, index: I) -> &T {
        &self.values[index.position()]
    }
}

impl<T: CubeType, I: SequenceIndex> std::ops::IndexMut<I> for Sequence<T, I> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.values[index.position()]
    }
}

impl<T: CubeType, I> IntoIterator for Sequence<T, I> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter()
    }
}

impl<'a, T: CubeType, I> IntoIterator for &'a Sequence<T, I> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.values.iter()
    }
}

impl<T: CubeType, I: SequenceIndex> Index for SequenceExpand<T, I> {
    type At = Val<I>;
    type Out = T::ExpandType;
    fn at(&self, index: Val<I>) -> T::ExpandType {
        self.value_at(index).unwrap_or_else(T::ExpandType::dummy)
    }
}

impl<T: CubeType, I: SequenceIndex> super::containers::IndexAssign for SequenceExpand<T, I> {
    fn set(&self, index: Val<I>, value: T::ExpandType) {
        let Some(i) = index.constant().and_then(Lit::int) else {
            ir::fail("the index of a sequence must be known at compile time; unroll the loop, or use an array");
            return;
        };
        match self.values.borrow_mut().get_mut(i as usize) {
            Some(element) => element.store(value),
            None => ir::fail(format!("index {i} is outside of the sequence")),
        }
    }
}

impl<T: CubeType, I: SequenceIndex> Iterate for SequenceExpand<T, I> {
    type Item = T::ExpandType;
    fn counted(&self) -> Option<Counted<T::ExpandType>> {
        None
    }
    fn items(self) -> Option<Vec<T::ExpandType>> {
        Some(self.values.borrow().clone())
    }
}
