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
            CubeOption::None => panic!("this option has no value; check `is_some()` first, or use `unwrap_or`"),
        }
    }

    /// The value, or `fallback` if the option contains no value.
    pub fn unwrap_or(self, fallback: T) -> T {
        match self {
            CubeOption::Some(value) => value,
            CubeOption::None => fallback,
        }
    }

    /// Whether the option contains a value that satisfies a condition.
    pub fn is_some_and(self, condition: impl Fn(T) -> bool) -> bool {
        match self {
            CubeOption::Some(value) => condition(value),
            CubeOption::None => false,
        }
    }

    /// Whether the option contains no value, or its value satisfies a condition.
    pub fn is_none_or(self, condition: impl Fn(T) -> bool) -> bool {
        match self {
            CubeOption::Some(value) => condition(value),
            CubeOption::None => true,
        }
    }

    /// The value. If the option contains no value, the kernel has the compile-time error `message`.
    pub fn expect(self, #[comptime] message: &str) -> T {
        match self {
            CubeOption::Some(value) => value,
            CubeOption::None => panic!("{message}"),
        }
    }

    /// The value, or the result of `fallback` if the option contains no value.
    pub fn unwrap_or_else(self, fallback: impl Fn() -> T) -> T {
        match self {
            CubeOption::Some(value) => value,
            CubeOption::None => fallback(),
        }
    }

    /// The option, or `other` if the option contains no value.
    pub fn or(self, other: CubeOption<T>) -> CubeOption<T> {
        match self {
            CubeOption::Some(value) => CubeOption::new_Some(value),
            CubeOption::None => other,
        }
    }

    /// The option, or the result of `other` if the option contains no value.
    pub fn or_else(self, other: impl Fn() -> CubeOption<T>) -> CubeOption<T> {
        match self {
            CubeOption::Some(value) => CubeOption::new_Some(value),
            CubeOption::None => other(),
        }
    }
}

/// Methods whose result has another type. The closure determines the type of the result, so that the expansions are
/// written manually.
impl<T: CubeType> CubeOption<T> {
    /// The result of a function of the value; no value if the option contains no value.
    pub fn map<U: CubeType>(self, function: impl FnOnce(T) -> U) -> CubeOption<U> {
        match self {
            CubeOption::Some(value) => CubeOption::Some(function(value)),
            CubeOption::None => CubeOption::None,
        }
    }

    /// The result of a function of the value, or `default` if the option contains no value.
    pub fn map_or<U>(self, default: U, function: impl FnOnce(T) -> U) -> U {
        match self {
            CubeOption::Some(value) => function(value),
            CubeOption::None => default,
        }
    }

    /// The result of a function of the value, or the result of `default` if the option contains no value.
    pub fn map_or_else<U>(self, default: impl FnOnce() -> U, function: impl FnOnce(T) -> U) -> U {
        match self {
            CubeOption::Some(value) => function(value),
            CubeOption::None => default(),
        }
    }

    /// The option that a function of the value returns; no value if the option contains no value.
    pub fn and_then<U: CubeType>(self, function: impl FnOnce(T) -> CubeOption<U>) -> CubeOption<U> {
        match self {
            CubeOption::Some(value) => function(value),
            CubeOption::None => CubeOption::None,
        }
    }

    /// `other` if the option contains a value; no value otherwise.
    pub fn and<U: CubeType>(self, other: CubeOption<U>) -> CubeOption<U> {
        self.and_then(|_| other)
    }

    /// The result of a function of both values; no value if an option contains no value.
    pub fn zip_with<U: CubeType, V: CubeType>(
        self,
        other: CubeOption<U>,
        function: impl FnOnce(T, U) -> V,
    ) -> CubeOption<V> {
        self.and_then(|value| other.map(|second| function(value, second)))
    }
}

/// Expansions of methods. The variant of the option must be known when the kernel is compiled.
#[doc(hidden)]
#[allow(missing_docs)]
impl<T: CubeType> CubeOptionExpand<T> {
    fn known(self) -> Option<T::ExpandType> {
        let is_some = self.is_some();
        self.possible_variants().into_iter().find_map(|(_, one)| match one {
            CubeOptionExpand::__Some(value) if is_some => Some(value),
            _ => None,
        })
    }
    pub fn __expand_map_method<E: Staged>(self, function: impl FnOnce(T::ExpandType) -> E) -> CubeOptionExpand<E::Host>
    where
        E::Host: CubeType<ExpandType = E>,
    {
        self.known().map_or(CubeOptionExpand::__None, |value| CubeOptionExpand::__Some(function(value)))
    }
    pub fn __expand_map_or_method<E>(self, default: E, function: impl FnOnce(T::ExpandType) -> E) -> E {
        self.known().map_or(default, function)
    }
    pub fn __expand_map_or_else_method<E>(
        self,
        default: impl FnOnce() -> E,
        function: impl FnOnce(T::ExpandType) -> E,
    ) -> E {
        self.known().map_or_else(default, function)
    }
    pub fn __expand_and_then_method<U: CubeType>(
        self,
        function: impl FnOnce(T::ExpandType) -> CubeOptionExpand<U>,
    ) -> CubeOptionExpand<U> {
        self.known().map_or(CubeOptionExpand::__None, function)
    }
    pub fn __expand_and_method<U: CubeType>(self, other: CubeOptionExpand<U>) -> CubeOptionExpand<U> {
        self.__expand_and_then_method(|_| other)
    }
    pub fn __expand_zip_with_method<U: CubeType, E: Staged>(
        self,
        other: CubeOptionExpand<U>,
        function: impl FnOnce(T::ExpandType, U::ExpandType) -> E,
    ) -> CubeOptionExpand<E::Host>
    where
        E::Host: CubeType<ExpandType = E>,
    {
        let (first, second) = (self.known(), other.known());
        first.zip(second).map_or(CubeOptionExpand::__None, |(a, b)| CubeOptionExpand::__Some(function(a, b)))
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
            _ => panic!("the variant of this option is known only at run time; use `match`"),
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

    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x Self::RuntimeArg<'a, R>, launch: &mut Launch<'x>) -> CompileArg {
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
