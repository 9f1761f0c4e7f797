//! Only this module of the crate reads environment variables. The module reads the variables once and passes their
//! values to other crates. Notices are printed on standard error, unless the program has set a function that receives
//! notices.
use cube_artifact::Variables;
use cube_frontend::host::variables::{fall_back_to, set_variables};
use std::sync::OnceLock;

/// The settings from the environment. The kernel language uses these settings, unless the program has set other ones
/// with `set_variables`.
pub(crate) fn settings() -> &'static Variables {
    static SETTINGS: OnceLock<Variables> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let variables = Variables::of_process();
        set_variables(variables.clone());
        fall_back_to(|text| eprintln!("{text}"));
        variables
    })
}
