//! Tests that the tool answers any input with a result or an error. The tool must neither panic nor omit an
//! answer.

use cube_layout_cli::language::Session;
use cube_layout_cli::{batch::batch, report::render};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The random test cases are equal on every run, unless `CUBE_SEED` sets another seed. A failing test prints
/// the seed.
fn config() -> ProptestConfig {
    let seed = std::env::var("CUBE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x00c0_ffee);
    println!("seed: CUBE_SEED={seed}");
    ProptestConfig {
        cases: 3000,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Random combinations of statement fragments: mostly invalid, sometimes valid.
fn statements() -> impl Strategy<Value = String> {
    let pieces = [
        "(",
        ")",
        ",",
        ":",
        "<",
        ">",
        ";",
        "_",
        "4",
        "8",
        "0",
        "99999999999999999999",
        "-",
        "S",
        "S<3,4,3>",
        " o ",
        "=",
        "size",
        "composition",
        "complement",
        "zipped_divide",
        "slice",
        "make_layout",
        "banks",
        "synthesize",
        "A",
        "#",
        "é",
        "\t",
        "(4,8):(1,4)",
        "4:1",
        "9223372036854775807",
        " ",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn statements_have_a_value_or_a_located_error(code in statements()) {
        if let Err(problem) = Session::default().run(&code) {
            let text = render(&problem, &code, 1, None);
            prop_assert!(text.starts_with("error: ") && text.contains('^'), "{}", text);
            prop_assert!(!problem.message.ends_with('.'), "{}", problem.message);
        }
    }

    #[test]
    fn any_text_is_a_statement_or_an_error(code in "\\PC{0,30}") {
        if let Err(problem) = Session::default().run(&code) {
            prop_assert!(render(&problem, &code, 1, Some("x")).contains('^'));
        }
    }

    /// Tests known operations with operands that are missing, malformed, huge, or of the wrong type.
    #[test]
    fn each_request_line_has_one_answer(
        op in prop::sample::select(vec![
            "unary", "composition", "divide", "product", "make_layout_tv", "slice", "swizzle", "composed",
            "swizzle_compose", "bank", "coalescing", "nothing",
        ]),
        texts in prop::collection::vec(prop::sample::select(vec![
            "\"(4,8):(1,4)\"", "\"4:1\"", "\"8\"", "\"<4;_>\"", "\"(_,3)\"", "\"S<3,4,3>\"", "\"S<1,61,1>\"", "\"(4,8\"",
            "\"4611686018427387904:1\"", "\"(2147483648,2147483648):(2147483648,1)\"", "\"\"", "7", "null", "[]", "-1",
            "\"(3000000,3000000):(1,7)\"", "18446744073709551615", "\"((8,8),8):((1,64),8)\"",
        ]), 20),
    ) {
        let names = ["in", "A", "B", "tiler", "thr", "val", "crd", "swizzle", "offset", "outer", "inner", "n", "T",
            "ebytes", "vec", "TV"];
        let mut fields = vec![format!("\"id\":1,\"op\":\"{op}\"")];
        fields.extend(names.iter().zip(&texts).map(|(name, text)| format!("\"{name}\":{text}")));
        fields.push(format!("\"M\":[{}]", texts[19]));
        let mut output = Vec::new();
        batch(format!("{{{}}}\n", fields.join(",")).as_bytes(), &mut output).unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output).unwrap();
        prop_assert_eq!(&answer["id"], &1);
        let text = answer.to_string();
        prop_assert!(!text.contains("internal error"), "{}", text);
        prop_assert!(answer.as_object().unwrap().len() > 1, "{}", text);
    }
}
