//! Types that are made of others: tuples, options, arrays; and values of the host where a staged one may stand.
use super::value::{CubeType, HasHost, Staged, Val};
use super::variants::each_way;
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
        // The empty tuple is one of them.
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
            fn ways(&self) -> Vec<(Option<Val<bool>>, Self)> {
                let all = vec![(None, self.clone())];
                $(let all = each_way(all, &self.$at, |whole, part| whole.$at = part);)*
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
    fn ways(&self) -> Vec<(Option<Val<bool>>, Self)> {
        match self {
            Some(value) => value.ways().into_iter().map(|(cond, value)| (cond, Some(value))).collect(),
            None => vec![(None, None)],
        }
    }
    fn dummy() -> Self {
        None
    }
}

/// Another variant for a value whose variant the host has to know.
pub fn replace_shape<T>(place: &mut T, value: T) {
    if ir::with(|b| b.depth()) > 1 && !ir::is_dead() && ir::with(|b| b.in_runtime_block()) {
        ir::fail(
            "which memory or variant this is must be known when the kernel is compiled, and here it depends on what the kernel does: choose an index or a number instead, or give all ways the same one; for an `Option` declare an enum, `#[derive(CubeType)] enum Found { No, Yes(f32) }`, between whose variants the kernel chooses",
        );
    }
    *place = value;
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
    ($($elem:ident $ty:ident;)*) => { host!($(super::small::$ty),*); };
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
