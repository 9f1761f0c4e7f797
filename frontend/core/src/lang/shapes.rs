//! Staged forms of compound types (tuples, options, arrays) and of host values.
use super::value::{CubeType, HasHost, Staged, Val};
use super::variants::{combine_variants, only};
use crate::ir;

macro_rules! tuple {
    ($($name:ident $at:tt),*) => {
        #[allow(clippy::unused_unit)]
        impl<$($name: CubeType),*> CubeType for ($($name,)*) {
            type ExpandType = ($($name::ExpandType,)*);
            fn into_staged(self) -> Self::ExpandType {
                ($(self.$at.into_staged(),)*)
            }
        }
        #[allow(clippy::unused_unit)]
        impl<$($name: HasHost),*> HasHost for ($($name,)*) {
            type Host = ($($name::Host,)*);
            fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
                ($(self.$at.__staged(),)*)
            }
        }
        // The empty tuple is included.
        #[allow(clippy::unused_unit)]
        impl<$($name: Staged),*> Staged for ($($name,)*) {
            fn to_cells(&self, _depth: usize) -> Self {
                ($(self.$at.to_cells(_depth),)*)
            }
            const HAS_DUMMY: bool = true $(&& $name::HAS_DUMMY)*;
            fn store(&mut self, _value: Self) {
                $(self.$at.store(_value.$at);)*
            }
            fn rd(&self) -> Self {
                ($(self.$at.rd(),)*)
            }
            fn dup(&self) -> Self {
                ($(self.$at.dup(),)*)
            }
            fn possible_variants(&self) -> Vec<(Option<Val<bool>>, Self)> {
                let all = only(self.clone());
                $(let all = combine_variants(all, &self.$at, |whole, part| whole.$at = part);)*
                all
            }
            fn dummy() -> Self {
                ($($name::dummy(),)*)
            }
        }
    };
}

tuple!();
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

impl<T: CubeType> CubeType for Option<T> {
    type ExpandType = Option<T::ExpandType>;
    fn into_staged(self) -> Self::ExpandType {
        self.map(T::into_staged)
    }
}

impl<T: HasHost> HasHost for Option<T> {
    type Host = Option<T::Host>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self.map(T::__staged)
    }
}

impl<T: Staged> Staged for Option<T> {
    const HAS_DUMMY: bool = false;
    fn to_cells(&self, depth: usize) -> Self {
        self.as_ref().map(|v| v.to_cells(depth))
    }
    fn store(&mut self, value: Self) {
        match (&mut *self, value) {
            (Some(mine), Some(value)) => mine.store(value),
            (None, None) => {}
            (_, other) => replace_shape(self, other),
        }
    }
    fn rd(&self) -> Self {
        self.as_ref().map(Staged::rd)
    }
    fn dup(&self) -> Self {
        self.as_ref().map(Staged::dup)
    }
    fn possible_variants(&self) -> Vec<(Option<Val<bool>>, Self)> {
        match self {
            Some(value) => value.possible_variants().into_iter().map(|(cond, value)| (cond, Some(value))).collect(),
            None => only(None),
        }
    }
    fn dummy() -> Self {
        None
    }
}

/// Assigns a value whose variant or memory is fixed at compile time. An assignment under run-time control flow is an
/// error.
pub fn replace_shape<T>(target: &mut T, value: T) {
    refuse_shape_of_run_time();
    *target = value;
}

/// Reports the assignment of other memory or another variant in a block that a run-time condition selects.
fn refuse_shape_of_run_time() {
    if ir::depth() > 1 && !ir::is_dead() && ir::with(|b| b.in_runtime_block()) {
        ir::fail(
            "the kernel assigns different memory or variants to one variable under a run-time condition; \
             select an index or a number instead, or assign the same one on all paths\n  \
             for an `Option` declare an enum, `#[derive(CubeType)] enum Found { No, Yes(f32) }`, whose variant can be a run-time value",
        );
    }
}

macro_rules! host {
    ($($ty:ty),*) => {$(
        impl HasHost for $ty {
            type Host = ();
            fn __staged(self) {}
        }
        impl Staged for $ty {
            const HAS_DUMMY: bool = false;
            fn store(&mut self, value: Self) {
                if *self != value {
                    replace_shape(self, value);
                }
            }
            fn dummy() -> Self {
                <$ty>::default()
            }
        }
    )*};
}

host!(bool, i8, i16, i32, i64, u8, u16, u32, u64, usize, f32, f64, String);

macro_rules! narrow {
    ($($elem:ident $ty:ident;)*) => { host!($(super::minifloats::$ty),*); };
}

cube_target::narrow_floats! { [narrow] }

macro_rules! by_reference {
    ($($ty:ty),*) => {$(
        impl<T: CubeType + ?Sized> CubeType for $ty {
            type ExpandType = T::ExpandType;
        }
    )*};
}

by_reference!(&T, &mut T);

impl<T: super::value::CubePrimitive, const N: usize> CubeType for [T; N] {
    type ExpandType = super::containers::Mem<super::containers::Array<T>>;
}
