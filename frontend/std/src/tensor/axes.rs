//! Views of tensors with one coordinate for each axis.
use super::layout::{Coordinates, Coords1d, Coords2d, Coords3d, Coords4d, Coords5d};
use super::layout::{IntoLayout, Mapping, VirtualLayout, VirtualLayoutExpand};
use super::view::{View, ViewExpand, over};
use super::view_storage::{Mapped, Memory, current_position};
use cube_frontend::__private::{Computed, StagedMethod, Val, unexpanded};
use cube_frontend::lang::containers::Mem;
use cube_frontend::lang::ops;
use cube_frontend::prelude::*;
use std::marker::PhantomData;
use std::rc::Rc;

/// Coordinates with one number for each axis of a tensor.
#[doc(hidden)]
pub trait Axes: Coordinates {
    /// The numbers, from the first axis to the last one.
    fn numbers(pos: Self::ExpandType) -> Vec<Val<u32>>;
    /// Coordinates with the number `of(axis)` for each axis.
    fn with(of: impl FnMut(u32) -> Val<u32>) -> Self::ExpandType;
}

/// Maps coordinates of a tensor's axes to the index of a line.
struct ByStrides<E: CubePrimitive>(Mem<Tensor<E>>);

impl<E: CubePrimitive, N: Axes> Mapping<N, Coords1d> for ByStrides<E> {
    fn source(&self, pos: N::ExpandType) -> Val<u32> {
        let at = current_position();
        let steps = N::numbers(pos).into_iter().zip(0..);
        let scalars = steps
            .map(|(number, axis)| ops::mul(number, self.0.__expand_stride_method(Val::lit(axis)), at))
            .reduce(|sum, step| ops::add(sum, step, at))
            .unwrap_or_else(|| Val::lit(0));
        match self.0.__expand_line_size_method() {
            0 | 1 => scalars,
            line => ops::div(scalars, Val::<u32>::lit(line), at),
        }
    }
    fn checked(&self, pos: N::ExpandType) -> (Val<u32>, Val<bool>) {
        (Mapping::<N, Coords1d>::source(self, pos.clone()), Mapping::<N, Coords1d>::is_in_bounds(self, pos))
    }
    fn shape(&self) -> N::ExpandType {
        N::with(|axis| self.0.__expand_shape_method(Val::lit(axis)))
    }
    fn is_in_bounds(&self, pos: N::ExpandType) -> Val<bool> {
        N::is_in_bounds_in_a_kernel(pos, Mapping::<N, Coords1d>::shape(self))
    }
}

/// The view of a tensor by its axes, and then through a layout.
fn by_axes<E: CubePrimitive, N: Axes, C: Coordinates, IO: SliceVisibility>(
    tensor: Mem<Tensor<E>>,
    layout: impl IntoLayout<C, N>,
) -> ViewExpand<E, C, IO> {
    let source = Rc::new(Memory(tensor.mem));
    let axes: VirtualLayoutExpand<N, Coords1d> = VirtualLayoutExpand { mapping: Rc::new(ByStrides(tensor)) };
    over(Rc::new(Mapped { source, layout: axes }), layout)
}

/// Method lookup finds the methods of [`AsTensorView`] through this type.
#[doc(hidden)]
pub struct ByAxes<T, E, N, C>(PhantomData<(T, E, N, C)>);

impl<T, E, N, C, L> StagedMethod<T::ExpandType, (L,)> for ByAxes<T, E, N, C>
where
    T: AsTensorView<E>,
    E: CubePrimitive,
    N: Axes,
    C: Coordinates,
    L: IntoLayout<C, N>,
{
    type Call = Computed<ViewExpand<E, C, ReadOnly>>;
    fn call(on: &mut T::ExpandType, (layout,): (L,)) -> Self::Call {
        Computed::new(by_axes(on.__tensor(), layout))
    }
}

/// Method lookup finds the methods of [`AsTensorViewMut`] through this type.
#[doc(hidden)]
pub struct ByAxesMut<T, E, N, C>(PhantomData<(T, E, N, C)>);

impl<T, E, N, C, L> StagedMethod<T::ExpandType, (L,)> for ByAxesMut<T, E, N, C>
where
    T: AsTensorViewMut<E>,
    E: CubePrimitive,
    N: Axes,
    C: Coordinates,
    L: IntoLayout<C, N>,
{
    type Call = Computed<ViewExpand<E, C, ReadWrite>>;
    fn call(on: &mut T::ExpandType, (layout,): (L,)) -> Self::Call {
        Computed::new(by_axes(on.__tensor(), layout))
    }
}

macro_rules! views {
    ($($rank:literal $coords:ident $view:ident $by_type:ident $expand:ident $view_mut:ident $by_type_mut:ident $expand_mut:ident
        ($($number:ident)*);)*) => {
        $(impl Axes for $coords {
            fn numbers(pos: Self::ExpandType) -> Vec<Val<u32>> {
                let views!(@coords $($number)*) = pos;
                vec![$($number),*]
            }
            fn with(mut of: impl FnMut(u32) -> Val<u32>) -> Self::ExpandType {
                let mut axis = 0..;
                $(let $number = of(axis.next().unwrap_or_default());)*
                views!(@coords $($number)*)
            }
        })*

        /// Tensors with views that have one coordinate for each axis, `view_1` to `view_5`.
        ///
        /// The source of the layout has the shape of the tensor. A coordinate counts elements, also of a tensor of lines, whose last
        /// coordinate is then a multiple of the line size. A position is at the sum of the products of coordinates and strides. The number in
        /// the name is the number of axes of the tensor. Further axes of a tensor have the coordinate 0.
        ///
        /// CubeCL has these methods for tensor maps; here, tensors have them.
        pub trait AsTensorView<E: CubePrimitive>: CubeType<ExpandType: AsTensorViewExpand<E>> {
            $(
                #[doc = concat!("A view of a tensor with ", $rank, " axes through a layout.")]
                fn $view<C: Coordinates>(&self, _layout: impl Into<VirtualLayout<C, $coords>>) -> View<E, C, ReadOnly> {
                    unexpanded()
                }
                #[doc(hidden)]
                fn $by_type<C: Coordinates>(&self) -> ByAxes<Self, E, $coords, C>
                where
                    Self: Sized,
                {
                    unexpanded()
                }
            )*
        }

        /// Tensors with mutable views that have one coordinate for each axis, `view_mut_1` to `view_mut_5`. See
        /// [`AsTensorView`].
        pub trait AsTensorViewMut<E: CubePrimitive>:
            AsTensorView<E> + CubeType<ExpandType: AsTensorViewMutExpand<E>>
        {$(
            #[doc = concat!("A mutable view of a tensor with ", $rank, " axes through a layout.")]
            fn $view_mut<C: Coordinates>(
                &mut self,
                _layout: impl Into<VirtualLayout<C, $coords>>,
            ) -> View<E, C, ReadWrite> {
                unexpanded()
            }
            #[doc(hidden)]
            fn $by_type_mut<C: Coordinates>(&self) -> ByAxesMut<Self, E, $coords, C>
            where
                Self: Sized,
            {
                unexpanded()
            }
        )*}

        /// [`AsTensorView`], staged.
        #[doc(hidden)]
        pub trait AsTensorViewExpand<E: CubePrimitive>: Sized {
            fn __tensor(&self) -> Mem<Tensor<E>>;
            $(fn $expand<C: Coordinates>(self, layout: impl IntoLayout<C, $coords>) -> ViewExpand<E, C, ReadOnly> {
                by_axes(self.__tensor(), layout)
            })*
        }

        /// [`AsTensorViewMut`], staged.
        #[doc(hidden)]
        pub trait AsTensorViewMutExpand<E: CubePrimitive>: AsTensorViewExpand<E> {
            $(fn $expand_mut<C: Coordinates>(
                self,
                layout: impl IntoLayout<C, $coords>,
            ) -> ViewExpand<E, C, ReadWrite> {
                by_axes(self.__tensor(), layout)
            })*
        }
    };
    (@coords $number:ident) => { $number };
    (@coords $($number:ident)*) => { ($($number),*) };
}

views! {
    "1" Coords1d view_1 __expand_view_1_by_type __expand_view_1_method
        view_mut_1 __expand_view_mut_1_by_type __expand_view_mut_1_method (a);
    "2" Coords2d view_2 __expand_view_2_by_type __expand_view_2_method
        view_mut_2 __expand_view_mut_2_by_type __expand_view_mut_2_method (a b);
    "3" Coords3d view_3 __expand_view_3_by_type __expand_view_3_method
        view_mut_3 __expand_view_mut_3_by_type __expand_view_mut_3_method (a b c);
    "4" Coords4d view_4 __expand_view_4_by_type __expand_view_4_method
        view_mut_4 __expand_view_mut_4_by_type __expand_view_mut_4_method (a b c d);
    "5" Coords5d view_5 __expand_view_5_by_type __expand_view_5_method
        view_mut_5 __expand_view_mut_5_by_type __expand_view_mut_5_method (a b c d e);
}

impl<E: CubePrimitive> AsTensorView<E> for Tensor<E> {}

impl<E: CubePrimitive> AsTensorViewMut<E> for Tensor<E> {}

impl<E: CubePrimitive> AsTensorViewExpand<E> for Mem<Tensor<E>> {
    fn __tensor(&self) -> Mem<Tensor<E>> {
        *self
    }
}

impl<E: CubePrimitive> AsTensorViewMutExpand<E> for Mem<Tensor<E>> {}
