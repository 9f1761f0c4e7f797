//! Functions that compute a tuner's key and the inputs of measurements from a candidate's inputs.
use super::all_lists;

/// A function that computes a tuner's key from inputs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key function of a tuner",
    label = "does not take a reference to each input, of the candidates' types"
)]
pub trait IntoKeyGenerator<K, Inputs, Marker>: Send + Sync + 'static {
    /// Computes the key.
    fn generate(&self, inputs: &Inputs) -> K;
}

/// A function that creates inputs for measurements from a key and inputs. The created inputs must be
/// equivalent to the given inputs, for example clones, or separate memory for outputs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an input function of a tuner",
    label = "does not take references to the key and to each input, or does not return a tuple of inputs"
)]
pub trait IntoInputGenerator<K, Inputs, Marker>: Send + Sync + 'static {
    /// Creates the inputs for measurements.
    fn generate(&self, key: &K, inputs: &Inputs) -> Inputs;
}

macro_rules! generators {
    ($($input:ident)*) => {
        #[allow(unused_parens)]
        impl<K: 'static, Func, $($input: Clone + Send + 'static),*>
            IntoKeyGenerator<K, ($($input),*), fn($(&$input),*) -> K> for Func
        where
            Func: Fn($(&$input),*) -> K + Send + Sync + 'static,
        {
            fn generate(&self, ($($input),*): &($($input),*)) -> K {
                self($($input),*)
            }
        }

        #[allow(unused_parens, clippy::unused_unit)]
        impl<K: 'static, Func, $($input: Clone + Send + 'static),*>
            IntoInputGenerator<K, ($($input),*), fn(&K, $(&$input),*) -> ($($input),*)> for Func
        where
            Func: Fn(&K, $(&$input),*) -> ($($input),*) + Send + Sync + 'static,
        {
            fn generate(&self, key: &K, ($($input),*): &($($input),*)) -> ($($input),*) {
                self(key, $($input),*)
            }
        }
    };
}

all_lists!(generators);
