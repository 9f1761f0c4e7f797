//! The environment variables of a program, as a value.
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// The environment variables of a program as a value. The libraries of Cube do not read environment variables
/// themselves. A program (or the crate `cube`) creates this value once with `Variables::of(std::env::vars_os())`, and
/// passes it to other crates. The page docs/variables.md lists all variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<OsString, OsString>);

impl Variables {
    /// Creates the value from a list of names and values. If a name occurs more than once, the last value is
    /// used.
    pub fn of(all: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Variables(all.into_iter().collect())
    }

    /// The value of an environment variable; `None` if the variable is not set.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The value of an environment variable; `None` if the variable is not set or its value is not UTF-8
    /// text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(OsStr::to_str)
    }
}

#[cfg(test)]
mod tests {
    use super::Variables;

    #[test]
    fn the_last_value_of_a_name_counts_and_others_are_not_set() {
        let all = [("CUBE_A", "1"), ("CUBE_B", ""), ("CUBE_A", "2")];
        let variables = Variables::of(all.map(|(name, value)| (name.into(), value.into())));
        assert_eq!((variables.text("CUBE_A"), variables.text("CUBE_B")), (Some("2"), Some("")));
        assert_eq!(variables.get("CUBE_C"), None);
        assert_eq!(Variables::default().get("PATH"), None);
    }
}
