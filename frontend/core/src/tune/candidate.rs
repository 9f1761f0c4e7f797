//! Candidates: the functions from which a tuner selects.
use super::all_lists;
use crate::host::arguments::LaunchError;
use std::marker::PhantomData;

/// Reason why a tuner excludes a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AutotuneError {
    /// The candidate failed for the reason in the text.
    Unknown(String),
    /// The measurement failed.
    InvalidSamples,
    /// The candidate does not support the given inputs.
    Skip,
}

impl std::fmt::Display for AutotuneError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AutotuneError::Unknown(reason) => f.write_str(reason),
            AutotuneError::InvalidSamples => f.write_str("the measurement failed"),
            AutotuneError::Skip => f.write_str("the candidate does not support these inputs"),
        }
    }
}

impl std::error::Error for AutotuneError {}

impl From<String> for AutotuneError {
    fn from(reason: String) -> Self {
        AutotuneError::Unknown(reason)
    }
}

impl From<LaunchError> for AutotuneError {
    fn from(error: LaunchError) -> Self {
        AutotuneError::Unknown(error.to_string())
    }
}

/// Types that candidates can return.
pub trait AutotuneOutput: Send + 'static {}

impl AutotuneOutput for () {}

/// A function that a tuner can select.
pub trait TuneFn: Send + Sync + 'static {
    /// The type of the inputs, as a tuple.
    type Inputs: Clone;
    /// The type of a successful run's result.
    type Output;

    /// Runs the candidate.
    ///
    /// # Errors
    /// The candidate does not support the given inputs, or the candidate failed.
    fn execute(&self, inputs: Self::Inputs) -> Result<Self::Output, AutotuneError>;

    /// The name of the candidate, for messages and for choices on disk.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }
}

/// Converts a value to a candidate. `Marker` distinguishes functions with different numbers of inputs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an autotune candidate",
    label = "does not return a `Result` with an error that converts to `AutotuneError`, or does not take owned inputs",
    note = "append `.ok()` of `AsFunctionTunable` if it cannot fail"
)]
pub trait IntoTuneFn<In, Out, Marker> {
    /// Type of the candidate.
    type Tunable: TuneFn<Inputs = In, Output = Out>;
    /// Converts the value to a candidate.
    fn into_tunable(self) -> Self::Tunable;
}

/// Marker of values that are already candidates.
#[doc(hidden)]
pub struct AlreadyTunable;

impl<T: TuneFn> IntoTuneFn<T::Inputs, T::Output, AlreadyTunable> for T {
    type Tunable = T;
    fn into_tunable(self) -> T {
        self
    }
}

/// A fallible function as a candidate.
#[doc(hidden)]
pub struct Fallible<F, Marker>(F, PhantomData<fn() -> Marker>);

/// An infallible function as a candidate.
#[doc(hidden)]
pub struct Infallible<F, Marker>(F, PhantomData<fn() -> Marker>);

impl<F: AsFunctionTunableResult<Marker>, Marker: 'static> TuneFn for Fallible<F, Marker> {
    type Inputs = F::Inputs;
    type Output = F::Output;
    fn execute(&self, inputs: F::Inputs) -> Result<F::Output, AutotuneError> {
        self.0.execute(inputs)
    }
    fn name(&self) -> &str {
        self.0.name()
    }
}

impl<F: AsFunctionTunable<Marker>, Marker: 'static> TuneFn for Infallible<F, Marker> {
    type Inputs = F::Inputs;
    type Output = F::Output;
    fn execute(&self, inputs: F::Inputs) -> Result<F::Output, AutotuneError> {
        Ok(self.0.execute(inputs))
    }
    fn name(&self) -> &str {
        self.0.name()
    }
}

/// Distinguishes the implementation of [`IntoTuneFn`] for functions from the implementations for other candidates.
#[doc(hidden)]
pub struct Function<Marker>(PhantomData<Marker>);

impl<F: AsFunctionTunableResult<Marker>, Marker: 'static> IntoTuneFn<F::Inputs, F::Output, Function<Marker>> for F {
    type Tunable = Fallible<F, Marker>;
    fn into_tunable(self) -> Self::Tunable {
        Fallible(self, PhantomData)
    }
}

/// Infallible functions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an autotune candidate",
    label = "does not take owned inputs that are `Clone` and `Send`"
)]
pub trait AsFunctionTunable<Marker>: Sized + Send + Sync + 'static {
    /// The type of the inputs, as a tuple.
    type Inputs: Clone;
    /// The type of a run's result.
    type Output;
    /// Runs the function.
    fn execute(&self, inputs: Self::Inputs) -> Self::Output;
    /// Converts the function to a candidate.
    fn ok(self) -> Infallible<Self, Marker> {
        Infallible(self, PhantomData)
    }
    /// The name of the candidate, for messages and for choices on disk.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }
}

/// Fallible functions.
pub trait AsFunctionTunableResult<Marker>: Send + Sync + 'static {
    /// The type of the inputs, as a tuple.
    type Inputs: Clone;
    /// The type of a successful run's result.
    type Output;
    /// Runs the function.
    ///
    /// # Errors
    /// The function failed.
    fn execute(&self, inputs: Self::Inputs) -> Result<Self::Output, AutotuneError>;
    /// The name of the candidate, for messages and for choices on disk.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }
}

macro_rules! functions {
    ($($input:ident)*) => {
        #[allow(unused_parens)]
        impl<Func, Out: 'static, $($input: Clone + Send + 'static),*> AsFunctionTunable<fn($($input),*) -> Out> for Func
        where
            Func: Fn($($input),*) -> Out + Send + Sync + 'static,
        {
            type Inputs = ($($input),*);
            type Output = Out;
            fn execute(&self, ($($input),*): ($($input),*)) -> Out {
                self($($input),*)
            }
        }

        #[allow(unused_parens)]
        impl<Func, Out: 'static, Error, $($input: Clone + Send + 'static),*>
            AsFunctionTunableResult<fn($($input),*) -> Result<Out, Error>> for Func
        where
            Func: Fn($($input),*) -> Result<Out, Error> + Send + Sync + 'static,
            Error: Into<AutotuneError>,
        {
            type Inputs = ($($input),*);
            type Output = Out;
            fn execute(&self, ($($input),*): ($($input),*)) -> Result<Out, AutotuneError> {
                self($($input),*).map_err(Into::into)
            }
        }
    };
}

all_lists!(functions);
