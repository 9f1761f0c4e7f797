//! `cubecl::reduce` of CubeCL 0.8.1: reductions of a tensor along an axis.
use crate::reduce::{
    ArgMax, ArgMin, Largest, Max, Mean, Min, Partial, Prod, ReduceScope, Reduction, Sum, first_in_order, launch_between,
};
use crate::tensor::{into_contiguous, is_contiguous};
use cube_frontend::prelude::*;
use std::fmt;

/// The types of the input and of the accumulation.
pub trait ReducePrecision {
    /// Element type of the input.
    type EI: Numeric;
    /// Element type of the accumulation.
    type EA: Numeric;
}

impl<EI: Numeric, EA: Numeric> ReducePrecision for (EI, EA) {
    type EI = EI;
    type EA = EA;
}

macro_rules! precisions {
    ($($input:ty => $accumulated:ty;)*) => {$(
        impl ReducePrecision for $input {
            type EI = $input;
            type EA = $accumulated;
        }
    )*};
}

precisions! {
    f64 => f64; f32 => f32; f16 => f32; bf16 => f32;
    i64 => i64; i32 => i32; i16 => i32; i8 => i32;
    u64 => u64; u32 => u32; u16 => u32; u8 => u32;
}

/// The units that cooperate on one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReduceStrategy {
    /// Whether the units of a plane cooperate, if `shared` is `false`.
    pub use_planes: bool,
    /// Whether all units of a cube cooperate.
    pub shared: bool,
}

impl ReduceStrategy {
    /// The strategy for a device. Every device supports planes.
    pub fn new<R: Runtime>(_client: &ComputeClient<R::Server>, shared: bool) -> Self {
        ReduceStrategy { use_planes: true, shared }
    }

    fn scope(self) -> ReduceScope {
        match self {
            ReduceStrategy { shared: true, .. } => ReduceScope::Cube,
            ReduceStrategy { use_planes: true, .. } => ReduceScope::Plane,
            _ => ReduceScope::Unit,
        }
    }
}

/// The reason why a reduction was not launched.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ReduceError {
    /// The input has no such axis.
    InvalidAxis {
        /// The axis along which elements are reduced.
        axis: usize,
        /// The number of axes of the input.
        rank: usize,
    },
    /// The output does not have the shape of the input with length 1 along the axis.
    MismatchShape {
        /// The valid shape.
        expected_shape: Vec<usize>,
        /// The shape of the output.
        output_shape: Vec<usize>,
    },
    /// The launch failed, or the output is not contiguous.
    Launch(LaunchError),
}

impl fmt::Display for ReduceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReduceError::InvalidAxis { axis, rank } => {
                write!(f, "axis {axis} does not exist in a tensor of {rank} dimensions; use an axis below {rank}")
            }
            ReduceError::MismatchShape { expected_shape, output_shape } => {
                write!(f, "the output has shape {output_shape:?}; use a tensor of shape {expected_shape:?}")
            }
            ReduceError::Launch(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReduceError {}

impl From<LaunchError> for ReduceError {
    fn from(error: LaunchError) -> Self {
        ReduceError::Launch(error)
    }
}

/// A reduction operation, with a configuration that selects it on the host.
pub trait ReduceFamily: Send + Sync + 'static {
    /// The configuration.
    type Config: Copy;
    /// The operation of a configuration.
    fn operation(config: Self::Config) -> instructions::ReduceFnConfig;
}

/// The operations.
pub mod instructions {
    use super::ReduceFamily;
    pub use super::{MaxAbs, ReduceFamily as _};
    pub use crate::reduce::{ArgMax, ArgMin, Max, Mean, Min, Prod, Sum};

    macro_rules! operations {
        ($($name:ident)*) => {
            /// The operation of [`ReduceFn`].
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[allow(missing_docs)]
            pub enum ReduceFnConfig { $($name,)* }
            $(impl ReduceFamily for $name {
                type Config = ();
                fn operation((): ()) -> ReduceFnConfig {
                    ReduceFnConfig::$name
                }
            })*
        };
    }

    operations! { Sum Prod Mean MaxAbs ArgMax ArgMin Max Min }

    /// An operation that the program selects at run time.
    pub struct ReduceFn;

    impl ReduceFamily for ReduceFn {
        type Config = ReduceFnConfig;
        fn operation(config: ReduceFnConfig) -> ReduceFnConfig {
            config
        }
    }
}

/// The largest absolute value. The result is NaN only if all values are NaN.
pub struct MaxAbs;

#[cube]
impl<N: Numeric> Reduction<N> for MaxAbs {
    type Output = N;
    fn identity() -> N {
        N::from_int(0)
    }
    fn merge(a: Partial<N>, b: Partial<N>) -> Partial<N> {
        let a = Partial::<N> { value: N::abs(a.value), index: a.index, count: a.count };
        let b = Partial::<N> { value: N::abs(b.value), index: b.index, count: b.count };
        first_in_order::<N, Largest>(a, b)
    }
    fn finish(all: Partial<N>) -> N {
        N::abs(all.value)
    }
}

/// Reduces `input` along `axis` with the operation `Inst`. `output` is contiguous, and has the shape of `input` with
/// length 1 along the axis. The default strategy reduces each result by one cube.
///
/// # Errors
/// The axis or the shape of the output is invalid, or the launch failed.
pub fn reduce<R: Runtime, P: ReducePrecision, Out: Numeric, Inst: ReduceFamily>(
    client: &ComputeClient<R::Server>,
    input: TensorHandleRef<'_, R>,
    output: TensorHandleRef<'_, R>,
    axis: usize,
    strategy: Option<ReduceStrategy>,
    inst_config: Inst::Config,
) -> Result<(), ReduceError> {
    let Some(&len) = input.shape.get(axis) else {
        return Err(ReduceError::InvalidAxis { axis, rank: input.shape.len() });
    };
    let mut expected_shape = input.shape.to_vec();
    expected_shape[axis] = 1;
    if output.shape != expected_shape {
        return Err(ReduceError::MismatchShape { expected_shape, output_shape: output.shape.to_vec() });
    }
    if !is_contiguous(output.shape, output.strides) {
        let message = format!("a reduction has a contiguous output, but these strides are {:?}", output.strides);
        return Err(LaunchError::of_user(message).into());
    }
    let copied =
        (!is_contiguous(input.shape, input.strides)).then(|| into_contiguous::<R, P::EI>(client, &input).handle);
    let from = copied.as_ref().unwrap_or(input.handle);
    let scope = strategy.unwrap_or_else(|| ReduceStrategy::new::<R>(client, true)).scope();
    let (shape, to) = (input.shape, output.handle);
    macro_rules! launch {
        ($($name:ident)*) => {
            match Inst::operation(inst_config) {
                $(instructions::ReduceFnConfig::$name => {
                    launch_between::<R, P::EI, P::EA, Out, $name>(scope, client, from, shape, axis, len, to)
                })*
            }
        };
    }
    Ok(launch! { Sum Prod Mean MaxAbs ArgMax ArgMin Max Min }?)
}
