//! Autotuning: selection of the fastest of several equivalent functions. A tuner measures the functions at their
//! first use, and stores its choice.
//!
//! ```
//! # extern crate cube_frontend as cube;
//! use cube::prelude::*;
//! use cube::tune::{AsFunctionTunable, AutotuneOutput, LocalTuner, Tunable, TunableSet, local_tuner};
//!
//! struct Sum(u64);
//! impl AutotuneOutput for Sum {}
//!
//! fn one_by_one(numbers: Vec<u64>) -> Sum {
//!     Sum(numbers.iter().fold(0, |sum, n| sum + n))
//! }
//!
//! fn by_the_library(numbers: Vec<u64>) -> Sum {
//!     Sum(numbers.iter().sum())
//! }
//!
//! fn sum<R: Runtime>(client: &ComputeClient<R::Server>, numbers: Vec<u64>) -> u64 {
//!     static TUNER: LocalTuner<String, String> = local_tuner!();
//!     let candidates = TUNER.init(|| {
//!         // Inputs whose lengths round to the same power of two share one choice.
//!         TunableSet::new(
//!             |numbers: &Vec<u64>| numbers.len().next_power_of_two().to_string(),
//!             |_key: &String, numbers: &Vec<u64>| numbers.clone(),
//!         )
//!         .with(Tunable::new(one_by_one.ok()))
//!         .with(Tunable::new(by_the_library.ok()))
//!     });
//!     TUNER.execute(&"this machine".to_string(), client, candidates, numbers).0
//! }
//! ```
//!
//! * A candidate is a function or a closure with cloneable inputs that returns a `Result`. [`AsFunctionTunable::ok`]
//!   wraps a function that cannot fail. The tuner excludes a candidate that fails or panics, and a candidate with a
//!   failed launch.
//! * Before the measurements, the tuner collects the kernels of a group's candidates and compiles them at the same time. For
//!   this purpose, each candidate runs once with launches that have no effect. A candidate with an invalid kernel is
//!   excluded without a run on the device. A candidate with a launch beyond a limit of the device is not compiled. If the
//!   target has a description of a board, the compiler first computes the cost profiles of more than
//!   [`MIN_PREDICTED_CANDIDATES`] candidates, and does not compile a candidate whose predicted time exceeds the smallest one
//!   by the factor [`TuneBudget::prediction_factor`]. [`TunableSet::with_budget`] limits the number of measured candidates and the
//!   time, and [`LocalTuner::report`] lists all candidates with their results.
//! * Groups ([`TuneGroup`]) select the candidates to try first for a key. The tuner tries the candidates of a
//!   later group only if no candidate of the earlier groups works.
//! * The result of each candidate is stored on disk, in the folder `autotune`. The parent of the folder `autotune` is the
//!   folder that `[autotune] cache` in `cube.toml` selects. The default of `[autotune] cache` is the user's cache folder
//!   (`$XDG_CACHE_HOME/cube`, or `~/.cache/cube`). The files are text files, which a program can ship. A later process
//!   measures only the candidates without a result, even if an earlier process was killed during the measurement.
//! * A result is valid for the texts of the candidate's kernels, the device, the target and the build of Cube. The names
//!   and the order of candidates matter only for candidates that have equal kernels or no kernels. To get the texts of
//!   its kernels, each process runs each candidate once per key, with launches that have no effect. With
//!   [`TunableSet::with_custom_checksum`], the checksum and the index of a candidate identify it, and no candidate runs.
//! * A candidate whose launch exceeds [`TuneBudget::launch`] counts as failed. If two processes ended during their
//!   measurements of a candidate, the candidate also counts as failed.
mod candidate;
mod choice_cache;
mod inputs;
mod key;
mod prediction;
mod report;
mod set;
mod tuner;

#[doc(hidden)]
pub use crate::__autotune_key as autotune_key;
pub use crate::local_tuner;
pub use candidate::{AsFunctionTunable, AsFunctionTunableResult, AutotuneError, AutotuneOutput, IntoTuneFn, TuneFn};
pub use inputs::{IntoInputGenerator, IntoKeyGenerator};
pub use key::{AutotuneKey, CubeTuneId, anchor};
#[doc(hidden)]
pub use key::{Label, write_key};
pub use prediction::{DEFAULT_PREDICTION_FACTOR, MIN_PREDICTED_CANDIDATES};
pub use report::{DEFAULT_LAUNCH_LIMIT, TriedCandidate, TuneBudget, TuneOutcome, TuneReport};
pub use set::{Tunable, TunableSet, TuneGroup};
pub use tuner::LocalTuner;

/// Calls a macro for each list of zero to twelve type names.
macro_rules! all_lists {
    ($each:ident) => {
        all_lists!($each: I0 I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I11);
    };
    ($each:ident: $($name:ident)*) => {
        all_lists!(@ $each [] $($name)*);
    };
    (@ $each:ident [$($taken:ident)*]) => {
        $each!($($taken)*);
    };
    (@ $each:ident [$($taken:ident)*] $next:ident $($rest:ident)*) => {
        $each!($($taken)*);
        all_lists!(@ $each [$($taken)* $next] $($rest)*);
    };
}
use all_lists;
