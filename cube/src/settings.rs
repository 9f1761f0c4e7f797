//! The only module on the user's side that reads the environment. It reads settings once and passes them as values.
//! Notices without a receiver go to standard error.
use cube_artifact::Variables;
use cube_frontend::host::variables::{fall_back_to, set_variables};
use std::sync::OnceLock;

/// The settings from the environment. The kernel language uses them too, unless the program has set others.
pub(crate) fn settings() -> &'static Variables {
    static SETTINGS: OnceLock<Variables> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let variables = Variables::of(std::env::vars_os());
        set_variables(variables.clone());
        fall_back_to(|text| eprintln!("{text}"));
        variables
    })
}
