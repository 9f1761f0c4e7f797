//! Sizes of vectors that a launch chooses, and the width of `usize` in the kernel under construction.
use crate::host::CubeDim;
use crate::ir::Elem;
use std::any::TypeId;
use std::cell::RefCell;
use std::marker::PhantomData;

/// The number of elements of a [`Vector`](crate::v11::Vector). A launch takes one number for each type parameter
/// with this bound.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the size of a vector",
    label = "not a size",
    note = "write `Const<4>`, a type parameter with the bound `Size`, or a size that `define_size!(N)` or `let size!(N) = …` declares"
)]
pub trait Size: Clone + Copy + Send + Sync + 'static {
    /// The number of elements.
    fn value() -> usize;
    #[doc(hidden)]
    fn value_in_a_kernel() -> usize {
        Self::value()
    }
}

/// A size that the program states.
#[derive(Clone, Copy, Debug)]
pub struct Const<const N: usize>;

impl<const N: usize> Size for Const<N> {
    fn value() -> usize {
        N
    }
}

impl Size for crate::__private::StandIn {
    fn value() -> usize {
        1
    }
}

/// A size that a launch chooses. `Name` identifies the size.
#[derive(Debug)]
pub struct LaunchedSize<Name>(PhantomData<fn() -> Name>);

impl<Name> Clone for LaunchedSize<Name> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Name> Copy for LaunchedSize<Name> {}

impl<Name: 'static> Size for LaunchedSize<Name> {
    fn value() -> usize {
        chosen::<Name>()
    }
}

/// The value of the size `Name`.
///
/// # Panics
/// The size has no value.
pub fn chosen<Name: 'static>() -> usize {
    let name = TypeId::of::<Name>();
    let chosen = CHOSEN.with_borrow(|chosen| chosen.sizes.iter().find(|(one, _)| *one == name).map(|(_, size)| *size));
    chosen.unwrap_or_else(|| {
        let name = std::any::type_name::<Name>();
        let name = name.rsplit("::").next().unwrap_or(name).trim_start_matches("__Size_");
        panic!(
            "the size `{name}` has no value; write `register_size::<{name}>(…)` before its use, or call the function from a kernel"
        )
    })
}

/// Declares a size: `define_size!(pub N)`. [`register_size`] gives the size its value in a kernel.
///
/// [`register_size`]: crate::v11::register_size
#[macro_export]
macro_rules! define_size {
    ($vis:vis $name:ident) => {
        /// A size of vectors.
        #[derive(Clone, Copy, Debug)]
        $vis struct $name;
        impl $crate::v11::Size for $name {
            fn value() -> usize {
                $crate::__private::chosen_size::<$name>()
            }
        }
    };
}

/// The width of `usize` in a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum AddressType {
    #[default]
    U32,
    U64,
}

/// The choices of a launch.
#[derive(Default)]
struct Chosen {
    /// Whether `usize` has 32 bits in the kernel.
    narrow: bool,
    /// Whether the units of a cube are a row: the cube has one unit along y and z.
    rows: bool,
    /// The values of sizes.
    sizes: Vec<(TypeId, usize)>,
}

thread_local!(static CHOSEN: RefCell<Chosen> = RefCell::default());

/// The element type that represents `usize`: u32 in kernels of `v11`, whose memory has fewer than 2^32 elements, and
/// u64 in other kernels and on the host.
pub fn size_elem() -> Elem {
    if CHOSEN.with_borrow(|chosen| chosen.narrow) { Elem::U32 } else { Elem::U64 }
}

/// Whether the units of a cube are a row in the kernel under construction.
pub fn cubes_are_rows() -> bool {
    CHOSEN.with_borrow(|chosen| chosen.rows)
}

/// The choices of one launch of a kernel of `v11`, from the arguments to the complete kernel. Launches can be nested.
pub struct LaunchSizes(Chosen);

impl LaunchSizes {
    /// Begins a launch.
    pub fn begin(width: AddressType, dim: CubeDim) -> Self {
        let rows = dim.y == 1 && dim.z == 1;
        LaunchSizes(CHOSEN.replace(Chosen { narrow: width == AddressType::U32, rows, sizes: Vec::new() }))
    }

    /// Chooses the value of the size `Name`.
    pub fn choose<Name: 'static>(&self, value: usize) {
        choose::<Name>(value);
    }
}

impl Drop for LaunchSizes {
    fn drop(&mut self) {
        CHOSEN.set(std::mem::take(&mut self.0));
    }
}

/// Chooses the value of the size `Name` for the kernel under construction. A later value replaces an earlier value.
pub fn choose<Name: 'static>(value: usize) {
    let name = TypeId::of::<Name>();
    CHOSEN.with_borrow_mut(|chosen| match chosen.sizes.iter_mut().find(|(one, _)| *one == name) {
        Some((_, size)) => *size = value,
        None => chosen.sizes.push((name, value)),
    });
}

/// Gives the size `N` its value in the rest of the kernel. The value is known when the kernel is compiled.
pub fn register_size<N: Size>(value: usize) {
    let _ = value;
    crate::__private::unexpanded()
}

/// The expansion of [`register_size()`].
#[doc(hidden)]
pub mod register_size {
    use super::Size;
    /// Chooses the value.
    pub fn register_size<N: Size>(value: usize) {
        super::choose::<N>(value);
    }
}
