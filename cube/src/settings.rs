//! This module is the only module of the facade that reads the environment. The module reads the variables once
//! and passes them as values. Notices go to standard error, unless the program has set a receiver for
//! notices.
use cube_artifact::Variables;
use cube_frontend::host::variables::{fall_back_to, set_variables};
use std::sync::OnceLock;

/// The settings from the environment. The kernel language uses the settings of this module, unless the program has
/// set other variables.
pub(crate) fn settings() -> &'static Variables {
    static SETTINGS: OnceLock<Variables> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let variables = Variables::of_process();
        set_variables(variables.clone());
        fall_back_to(|text| eprintln!("{text}"));
        variables
    })
}
