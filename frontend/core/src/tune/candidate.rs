//! What can be a candidate.
use super::all_lists;
use crate::host::arguments::LaunchError;
use std::marker::PhantomData;

/// Why a candidate does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AutotuneError {
    /// It failed.
    Unknown(String),
    /// It could not be measured.
    InvalidSamples,
    /// It says itself that it is not for these inputs.
    Skip,
}

impl std::fmt::Display for AutotuneError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AutotuneError::Unknown(reason) => f.write_str(reason),
            AutotuneError::InvalidSamples => f.write_str("it could not be measured"),
            AutotuneError::Skip => f.write_str("it is not for these inputs"),
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

/// What candidates return.
pub trait AutotuneOutput: Send + 'static {}

impl AutotuneOutput for () {}

/// A candidate.
pub trait TuneFn: Send + Sync + 'static {
    /// What it takes.
    type Inputs: Clone;
    /// What it gives.
    type Output;

    /// Runs it.
    ///
    /// # Errors
    /// It is not for these inputs, or it failed.
    fn execute(&self, inputs: Self::Inputs) -> Result<Self::Output, AutotuneError>;

    /// Its name, for messages, and for what is kept on disk.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }
}

/// What can become a candidate; the marker tells functions of different numbers of inputs apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no candidate",
    label = "returns no `Result` with an error that becomes an `AutotuneError`, or takes no owned inputs",
    note = "where it cannot fail, write `.ok()` of `AsFunctionTunable` behind it"
)]
pub trait IntoTuneFn<In, Out, Marker> {
    /// The candidate's type.
    type Tunable: TuneFn<Inputs = In, Output = Out>;
    /// The candidate.
    fn into_tunable(self) -> Self::Tunable;
}

/// Marks what is a candidate already.
#[doc(hidden)]
pub struct Itself;

impl<T: TuneFn> IntoTuneFn<T::Inputs, T::Output, Itself> for T {
    type Tunable = T;
    fn into_tunable(self) -> T {
        self
    }
}

/// A function as a candidate.
#[doc(hidden)]
pub struct Fallible<F, Marker>(F, PhantomData<fn() -> Marker>);

/// A function that cannot fail as a candidate.
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

/// Marks functions.
#[doc(hidden)]
pub struct Function<Marker>(PhantomData<Marker>);

impl<F: AsFunctionTunableResult<Marker>, Marker: 'static> IntoTuneFn<F::Inputs, F::Output, Function<Marker>> for F {
    type Tunable = Fallible<F, Marker>;
    fn into_tunable(self) -> Self::Tunable {
        Fallible(self, PhantomData)
    }
}

/// A function that cannot fail.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no candidate",
    label = "takes no owned inputs that can be cloned and sent"
)]
pub trait AsFunctionTunable<Marker>: Sized + Send + Sync + 'static {
    /// What it takes.
    type Inputs: Clone;
    /// What it gives.
    type Output;
    /// Runs it.
    fn execute(&self, inputs: Self::Inputs) -> Self::Output;
    /// The candidate that it makes.
    fn ok(self) -> Infallible<Self, Marker> {
        Infallible(self, PhantomData)
    }
    /// Its name.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }
}

/// A function that may fail.
pub trait AsFunctionTunableResult<Marker>: Send + Sync + 'static {
    /// What it takes.
    type Inputs: Clone;
    /// What it gives.
    type Output;
    /// Runs it.
    ///
    /// # Errors
    /// As the function says.
    fn execute(&self, inputs: Self::Inputs) -> Result<Self::Output, AutotuneError>;
    /// Its name.
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
