//! The one place of this side that asks the process: settings are read here once and handed on as values, and notices that no
//! program takes go to standard error.
use cube_artifact::Variables;
use cube_frontend::host::variables::{fall_back_to, set_variables};
use std::sync::OnceLock;

/// The variables of the process, which the kernel language has too from here on, unless the program has given it others.
pub(crate) fn settings() -> &'static Variables {
    static SETTINGS: OnceLock<Variables> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let variables = Variables::of(std::env::vars_os());
        set_variables(variables.clone());
        fall_back_to(|text| eprintln!("{text}"));
        variables
    })
}
