//! Cells: variables that code can change through shared references.
use super::containers::{Index, IndexAssign};
use super::value::{CubePrimitive, CubeType, HasHost, Staged, Val};
use crate::__private::unexpanded;
use crate::ir;
use crate::lang::line::Line;
use crate::lang::sizes::Size;
use crate::v11::Vector;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// A run-time variable with interior mutability.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeCell<T> {
    value: T,
}

/// [`RuntimeCell`], staged.
pub struct RuntimeCellExpand<T: CubeType> {
    value: T::ExpandType,
}

impl<T: CubeType> Clone for RuntimeCellExpand<T> {
    fn clone(&self) -> Self {
        RuntimeCellExpand { value: self.value.clone() }
    }
}

impl<T: CubeType> CubeType for RuntimeCell<T> {
    type ExpandType = RuntimeCellExpand<T>;
}

impl<T: CubeType> HasHost for RuntimeCellExpand<T> {
    type Host = RuntimeCell<T>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

/// Copies of a cell share the cell's memory.
impl<T: CubeType> Staged for RuntimeCellExpand<T> {
    fn dummy() -> Self {
        RuntimeCellExpand { value: T::ExpandType::dummy() }
    }
}

impl<T: CubeType> RuntimeCell<T> {
    /// Creates a cell with an initial value.
    pub fn new(init: T) -> Self {
        RuntimeCell { value: init }
    }
    /// Writes the value.
    pub fn store(&self, value: T) {
        let _ = value;
        unexpanded()
    }
    /// Reads the value.
    pub fn read(&self) -> T {
        unexpanded()
    }
    /// Reads the value and drops the cell.
    pub fn consume(self) -> T {
        self.value
    }
}

impl<P: CubePrimitive> RuntimeCell<Line<P>> {
    /// Writes one element of the line in the cell.
    pub fn store_at(&mut self, index: u32, value: P) {
        let _ = (index, value);
        unexpanded()
    }
    /// Reads one element of the line in the cell.
    pub fn read_at(&self, index: u32) -> P {
        let _ = index;
        unexpanded()
    }
}

impl<P: CubePrimitive, N: Size> RuntimeCell<Vector<P, N>> {
    /// Writes one element of the vector in the cell.
    pub fn insert(&mut self, index: usize, value: P) {
        let _ = (index, value);
        unexpanded()
    }
    /// Reads one element of the vector in the cell.
    pub fn extract(&self, index: usize) -> P {
        let _ = index;
        unexpanded()
    }
}

/// Expansions of methods on vectors.
#[doc(hidden)]
#[allow(missing_docs)]
impl<P: CubePrimitive, N: Size> RuntimeCellExpand<Vector<P, N>> {
    pub fn __expand_insert_method(&self, index: Val<usize>, value: Val<P>) {
        self.value.__expand_insert_dynamic_method(index, value);
    }
    pub fn __expand_extract_method(&self, index: Val<usize>) -> Val<P> {
        self.value.__expand_extract_dynamic_method(index)
    }
}

/// Expansions of functions.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubeType> RuntimeCell<T> {
    pub fn new_in_a_kernel(init: T::ExpandType) -> RuntimeCellExpand<T> {
        let mut value = init.to_cells(ir::depth());
        value.store(init);
        RuntimeCellExpand { value }
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubeType> RuntimeCellExpand<T> {
    pub fn __expand_store_method(&self, value: T::ExpandType) {
        self.value.clone().store(value);
    }
    pub fn __expand_read_method(&self) -> T::ExpandType {
        self.value.rd()
    }
    pub fn __expand_consume_method(&self) -> T::ExpandType {
        self.value.rd()
    }
}

/// Expansions of methods on lines.
#[doc(hidden)]
#[allow(missing_docs)]
impl<P: CubePrimitive> RuntimeCellExpand<Line<P>> {
    pub fn __expand_store_at_method(&self, index: Val<u32>, value: Val<P>) {
        self.value.set(index, value);
    }
    pub fn __expand_read_at_method(&self, index: Val<u32>) -> Val<P> {
        self.value.at(index)
    }
}

/// A compile-time variable with interior mutability.
#[derive(Clone, Debug)]
pub struct ComptimeCell<T> {
    value: Rc<RefCell<T>>,
}

/// [`ComptimeCell`], staged.
pub struct ComptimeCellExpand<T: CubeType> {
    value: Rc<RefCell<T::ExpandType>>,
}

impl<T: CubeType> Clone for ComptimeCellExpand<T> {
    fn clone(&self) -> Self {
        ComptimeCellExpand { value: self.value.clone() }
    }
}

impl<T: CubeType> CubeType for ComptimeCell<T> {
    type ExpandType = ComptimeCellExpand<T>;
}

impl<T: CubeType> HasHost for ComptimeCellExpand<T> {
    type Host = ComptimeCell<T>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<T: CubeType> Staged for ComptimeCellExpand<T> {
    fn dummy() -> Self {
        ComptimeCellExpand { value: Rc::new(RefCell::new(T::ExpandType::dummy())) }
    }
}

impl<T: Clone> ComptimeCell<T> {
    /// Creates a cell with an initial value.
    pub fn new(value: T) -> Self {
        ComptimeCell { value: Rc::new(RefCell::new(value)) }
    }
    /// Reads the value.
    pub fn read(&self) -> T {
        self.value.borrow().clone()
    }
    /// Replaces the value.
    pub fn store(&mut self, value: T) {
        *self.value.borrow_mut() = value;
    }
}

/// Expansions of functions.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubeType> ComptimeCell<T> {
    pub fn new_in_a_kernel(value: T::ExpandType) -> ComptimeCellExpand<T> {
        ComptimeCellExpand { value: Rc::new(RefCell::new(value)) }
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubeType> ComptimeCellExpand<T> {
    pub fn __expand_store_method(&self, value: T::ExpandType) {
        *self.value.borrow_mut() = value;
    }
    pub fn __expand_read_method(&self) -> T::ExpandType {
        self.value.borrow().clone()
    }
}

/// A map from comptime keys to kernel values.
pub struct Registry<K, V> {
    map: Rc<RefCell<BTreeMap<K, V>>>,
}

impl<K, V> Clone for Registry<K, V> {
    fn clone(&self) -> Self {
        Registry { map: self.map.clone() }
    }
}

impl<K, V> Default for Registry<K, V> {
    fn default() -> Self {
        Registry { map: Rc::default() }
    }
}

impl<K: Ord, V: CubeType> CubeType for Registry<K, V> {
    type ExpandType = Registry<K, V::ExpandType>;
}

/// A registry maps host keys to kernel values and does not have a host type.
impl<K, V> HasHost for Registry<K, V> {
    type Host = ();
    fn __staged(self) {}
}

impl<K, V> Staged for Registry<K, V> {
    fn dummy() -> Self {
        Self::default()
    }
}

impl<K: Ord, V: CubeType + Clone> Registry<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }
    /// The value of a key.
    ///
    /// # Panics
    /// The map has no value for the key.
    pub fn find(&self, key: K) -> V {
        self.map.borrow().get(&key).cloned().expect("the key has a value")
    }
    /// Sets the value of a key.
    pub fn insert(&mut self, key: K, value: V) {
        self.map.borrow_mut().insert(key, value);
    }
    #[doc(hidden)]
    pub fn new_in_a_kernel() -> Registry<K, V::ExpandType> {
        Registry::default()
    }
}

/// Expansions of methods whose keys are numbers. The keys can be numbers that the kernel's code computes at
/// compile time.
#[doc(hidden)]
#[allow(missing_docs)]
pub trait RegistryOfNumbers<K, V> {
    fn __expand_find_method(self, key: Val<K>) -> V;
    fn __expand_insert_method(self, key: Val<K>, value: V);
}

impl<K: CubePrimitive + Ord + fmt::Debug, V: Staged> RegistryOfNumbers<K, V> for Registry<K, V> {
    fn __expand_find_method(self, key: Val<K>) -> V {
        self.found(&known(key))
    }
    fn __expand_insert_method(self, key: Val<K>, value: V) {
        self.map.borrow_mut().insert(known(key), value);
    }
}

/// Expansions of methods whose keys are host values other than numbers.
#[doc(hidden)]
#[allow(missing_docs)]
pub trait RegistryOfHost<K, V> {
    fn __expand_find_method(&self, key: K) -> V;
    fn __expand_insert_method(&self, key: K, value: V);
}

impl<K: Ord + fmt::Debug, V: Staged> RegistryOfHost<K, V> for Registry<K, V> {
    fn __expand_find_method(&self, key: K) -> V {
        self.found(&key)
    }
    fn __expand_insert_method(&self, key: K, value: V) {
        self.map.borrow_mut().insert(key, value);
    }
}

fn known<K: CubePrimitive>(key: Val<K>) -> K {
    key.known().unwrap_or_else(|| {
        ir::fail("a key must be known at compile time; use a constant or a `#[comptime]` value");
        K::from_lit(ir::Lit::zero(K::elem())).expect("zero is a value of every number type")
    })
}

impl<K: Ord + fmt::Debug, V: Staged> Registry<K, V> {
    fn found(&self, key: &K) -> V {
        let found = self.map.borrow().get(key).cloned();
        found.unwrap_or_else(|| {
            ir::fail(format!("the registry has no value for the key {key:?}; insert one before"));
            V::dummy()
        })
    }
}
