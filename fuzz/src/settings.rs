//! The numbers of kernels and seeds that tests of random kernels read from the environment.

/// The number in an environment variable, or `otherwise` if the variable is not set.
///
/// # Panics
/// The variable does not contain a number.
pub fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| parsed(name, &text))
}

/// The first seed of a test of random kernels (`CUBE_FUZZ_SEED`, by default 1), and the number of seeds (`CUBE_FUZZ_COUNT`,
/// by default `count`).
///
/// # Panics
/// One of the two variables does not contain a number.
pub fn seeds(count: u64) -> (u64, u64) {
    (number("CUBE_FUZZ_SEED", 1), number("CUBE_FUZZ_COUNT", count))
}

fn parsed(name: &str, text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("the environment variable {name} is `{text}`; set it to a whole number"))
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic = "the environment variable CUBE_FUZZ_COUNT is `many`; set it to a whole number"]
    fn text_that_is_not_a_number_is_refused() {
        super::parsed("CUBE_FUZZ_COUNT", "many");
    }

    #[test]
    fn a_number_is_read() {
        assert_eq!(super::parsed("CUBE_FUZZ_SEED", "2911500000"), 2_911_500_000);
        assert_eq!(super::number("CUBE_FUZZ_UNSET_IN_ALL_RUNS", 7), 7);
    }
}
