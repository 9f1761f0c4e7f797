//! Options whose variant is a compile-time value.
use cube_frontend::__private::{CompileArg, Launch, Params, Staged};
use cube_frontend::prelude::*;

/// An optional value whose variant is known at compile time.
#[derive(CubeType, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CubeOption<T: CubeType> {
    /// Contains a value.
    Some(T),
    /// Contains no value.
    None,
}

#[cube]
impl<T: CubeType> CubeOption<T> {
    /// Whether the option contains a value.
    pub fn is_some(&self) -> bool {
        match self {
            CubeOption::Some(_) => true,
            CubeOption::None => false,
        }
    }

    /// Whether the option contains no value.
    pub fn is_none(&self) -> bool {
        !self.is_some()
    }

    /// The value. If the option contains no value, the kernel has a compile-time error.
    pub fn unwrap(self) -> T {
        match self {
            CubeOption::Some(value) => value,
            CubeOption::None => panic!("this option has no value: check `is_some()` first, or use `unwrap_or`"),
        }
    }

    /// The value, or `fallback` if the option contains no value.
    pub fn unwrap_or(self, fallback: T) -> T {
        match self {
            CubeOption::Some(value) => value,
            CubeOption::None => fallback,
        }
    }
}

/// Methods for `comptime!`.
impl<T: CubeType> CubeOptionExpand<T> {
    /// Whether the option contains a value.
    ///
    /// # Panics
    /// The variant is known at run time only.
    pub fn is_some(&self) -> bool {
        match self.possible_variants().as_slice() {
            [(None, only)] => matches!(only, CubeOptionExpand::__Some(_)),
            _ => panic!("the variant of this option is known only at run time: use `match`"),
        }
    }

    /// Whether the option contains no value.
    pub fn is_none(&self) -> bool {
        !self.is_some()
    }
}

/// The launch argument of a [`CubeOption`].
pub enum CubeOptionArgs<'a, T: LaunchArg, R: Runtime> {
    /// Passes a value.
    Some(<T as LaunchArg>::RuntimeArg<'a, R>),
    /// Passes no value.
    None,
}

impl<'a, T: LaunchArg, R: Runtime> From<Option<<T as LaunchArg>::RuntimeArg<'a, R>>> for CubeOptionArgs<'a, T, R> {
    fn from(value: Option<<T as LaunchArg>::RuntimeArg<'a, R>>) -> Self {
        value.map_or(CubeOptionArgs::None, CubeOptionArgs::Some)
    }
}

impl<T: LaunchArg> LaunchArg for CubeOption<T> {
    type RuntimeArg<'a, R: Runtime> = CubeOptionArgs<'a, T, R>;

    fn register<'a, R: Runtime>(arg: &Self::RuntimeArg<'a, R>, launch: &mut Launch) -> CompileArg {
        match arg {
            CubeOptionArgs::Some(arg) => CompileArg::Variant(0, vec![T::register::<R>(arg, launch)]),
            CubeOptionArgs::None => CompileArg::Variant(1, Vec::new()),
        }
    }

    fn enter(arg: &CompileArg, params: &mut Params) -> CubeOptionExpand<T> {
        match arg.variant() {
            0 => CubeOptionExpand::__Some(T::enter(arg.part(0), params)),
            _ => CubeOptionExpand::__None,
        }
    }
}
