mod a_misspelt_anchor {
    use cubecl::AutotuneKey;
    #[derive(AutotuneKey, Clone, Debug, PartialEq, Eq, Hash)]
    struct Key {
        #[autotune(anker)] //~
        n: usize,
    }
}

mod an_unknown_kind_of_anchor {
    use cubecl::AutotuneKey;
    #[derive(AutotuneKey, Clone, Debug, PartialEq, Eq, Hash)]
    struct Key {
        #[autotune(anchor(linear))] //~
        n: usize,
    }
}

mod an_unknown_bound {
    use cubecl::AutotuneKey;
    #[derive(AutotuneKey, Clone, Debug, PartialEq, Eq, Hash)]
    struct Key {
        #[autotune(anchor(exp(most = 3)))] //~
        n: usize,
    }
}

mod a_bound_that_is_a_text {
    use cubecl::AutotuneKey;
    #[derive(AutotuneKey, Clone, Debug, PartialEq, Eq, Hash)]
    struct Key {
        #[autotune(anchor(exp(max = "3")))] //~
        n: usize,
    }
}

mod an_enum {
    use cubecl::AutotuneKey;
    #[derive(AutotuneKey, Clone, Debug, PartialEq, Eq, Hash)]
    enum Key { //~
        A(usize),
    }
}

fn main() {}
