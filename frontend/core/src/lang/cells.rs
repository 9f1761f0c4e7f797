//! Cells: values that are changed through a shared name.
use super::containers::{Index, IndexAssign};
use super::value::{CubePrimitive, CubeType, HasHost, Staged, Val};
use crate::__private::unexpanded;
use crate::ir;
use crate::lang::line::Line;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// A variable of the kernel that is changed through a shared name.
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

/// The name of a cell stands for its place: what is copied is the name.
impl<T: CubeType> Staged for RuntimeCellExpand<T> {
    fn dummy() -> Self {
        RuntimeCellExpand { value: T::ExpandType::dummy() }
    }
}

impl<T: CubeType> RuntimeCell<T> {
    /// A cell with a first value.
    pub fn new(init: T) -> Self {
        RuntimeCell { value: init }
    }
    /// Writes the value.
    pub fn store(&self, value: T) {
        let _ = value;
        unexpanded()
    }
    /// The value.
    pub fn read(&self) -> T {
        unexpanded()
    }
    /// The value, when the cell is needed no more.
    pub fn consume(self) -> T {
        self.value
    }
}

impl<P: CubePrimitive> RuntimeCell<Line<P>> {
    /// Writes one element of the line.
    pub fn store_at(&mut self, index: u32, value: P) {
        let _ = (index, value);
        unexpanded()
    }
    /// One element of the line.
    pub fn read_at(&self, index: u32) -> P {
        let _ = index;
        unexpanded()
    }
}

/// The twins.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubeType> RuntimeCell<T> {
    pub fn __expand_new(init: T::ExpandType) -> RuntimeCellExpand<T> {
        let mut value = init.to_cells(ir::depth());
        value.store(init);
        RuntimeCellExpand { value }
    }
}

/// The twins of methods.
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

/// The twins of methods over lines.
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

/// A value that is replaced while the kernel is compiled.
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
    /// A cell with a first value.
    pub fn new(value: T) -> Self {
        ComptimeCell { value: Rc::new(RefCell::new(value)) }
    }
    /// The value.
    pub fn read(&self) -> T {
        self.value.borrow().clone()
    }
    /// Replaces the value.
    pub fn store(&mut self, value: T) {
        *self.value.borrow_mut() = value;
    }
}

/// The twins.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubeType> ComptimeCell<T> {
    pub fn __expand_new(value: T::ExpandType) -> ComptimeCellExpand<T> {
        ComptimeCellExpand { value: Rc::new(RefCell::new(value)) }
    }
}

/// The twins of methods.
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

/// A map whose keys are known when the kernel is compiled.
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

/// It holds values of the kernel by keys of the host, and stands for no type of its own.
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
    /// There is none.
    pub fn find(&self, key: K) -> V {
        self.map.borrow().get(&key).cloned().expect("the key has a value")
    }
    /// Gives a key a value.
    pub fn insert(&mut self, key: K, value: V) {
        self.map.borrow_mut().insert(key, value);
    }
    #[doc(hidden)]
    pub fn __expand_new() -> Registry<K, V::ExpandType> {
        Registry::default()
    }
}

/// The twins of methods where keys are numbers: the kernel may say them, and knows them when it is compiled.
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

/// The twins of methods where keys are other values of the host.
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
        ir::fail("a key must be known when the kernel is compiled: use a constant or a `#[comptime]` value");
        K::from_lit(ir::Lit::zero(K::elem())).expect("a number of the host has a zero")
    })
}

impl<K: Ord + fmt::Debug, V: Staged> Registry<K, V> {
    fn found(&self, key: &K) -> V {
        let found = self.map.borrow().get(key).cloned();
        found.unwrap_or_else(|| {
            ir::fail(format!("the registry has no value for the key {key:?}: insert one before"));
            V::dummy()
        })
    }
}
