//! Options whose presence is known when the kernel is compiled.
use cube_frontend::__private::{CompileArg, Launch, Params, Staged};
use cube_frontend::prelude::*;

/// A value that may be there.
#[derive(CubeType, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CubeOption<T: CubeType> {
    /// It is.
    Some(T),
    /// It is not.
    None,
}

#[cube]
impl<T: CubeType> CubeOption<T> {
    /// Whether it is there.
    pub fn is_some(&self) -> bool {
        match self {
            CubeOption::Some(_) => true,
            CubeOption::None => false,
        }
    }

    /// Whether it is not.
    pub fn is_none(&self) -> bool {
        !self.is_some()
    }

    /// The value; where it is not there, that is an error of the kernel.
    pub fn unwrap(self) -> T {
        match self {
            CubeOption::Some(value) => value,
            CubeOption::None => panic!("this option holds no value: ask `is_some()` first, or use `unwrap_or`"),
        }
    }

    /// The value, or another.
    pub fn unwrap_or(self, fallback: T) -> T {
        match self {
            CubeOption::Some(value) => value,
            CubeOption::None => fallback,
        }
    }
}

/// What `comptime!` asks of an option.
impl<T: CubeType> CubeOptionExpand<T> {
    /// Whether it is there.
    ///
    /// # Panics
    /// Only the kernel knows.
    pub fn is_some(&self) -> bool {
        match self.ways().as_slice() {
            [(None, only)] => matches!(only, CubeOptionExpand::__Some(_)),
            _ => panic!("whether this option holds a value must be known when the kernel is compiled: use `match`"),
        }
    }

    /// Whether it is not.
    pub fn is_none(&self) -> bool {
        !self.is_some()
    }
}

/// The argument of a launch for a [`CubeOption`].
pub enum CubeOptionArgs<'a, T: LaunchArg, R: Runtime> {
    /// It is there.
    Some(<T as LaunchArg>::RuntimeArg<'a, R>),
    /// It is not.
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
