//! What is asked of inputs: the key that they fall under, and others to measure with.
use super::all_lists;

/// A function from inputs to their key.
#[diagnostic::on_unimplemented(
    message = "`{Self}` gives no key",
    label = "takes no reference to each input, of the types that the candidates take"
)]
pub trait IntoKeyGenerator<K, Inputs, Marker>: Send + Sync + 'static {
    /// The key.
    fn generate(&self, inputs: &Inputs) -> K;
}

/// A function from a key and inputs to others for measuring, which must be alike: often clones, or memory that may be written.
#[diagnostic::on_unimplemented(
    message = "`{Self}` gives no inputs",
    label = "takes no reference to the key and to each input, or returns no tuple of inputs"
)]
pub trait IntoInputGenerator<K, Inputs, Marker>: Send + Sync + 'static {
    /// The inputs to measure with.
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
