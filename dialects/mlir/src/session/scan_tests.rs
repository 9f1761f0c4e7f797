use super::*;

fn scan(text: &str) -> Result<(), &'static str> {
    pre_scan(text.as_bytes(), &Limits::default()).map(|_| ()).map_err(|e| &*e.code().to_string().leak())
}

fn nested(n: usize) -> String {
    format!("{}i32{}", "tuple<".repeat(n), ">".repeat(n))
}

fn chain(link: impl Fn(usize) -> String, n: usize) -> String {
    (1..n).map(link).collect()
}

#[test]
fn excessive_depth_is_reported_with_line_and_column() {
    assert_eq!(scan(&nested(256)), Ok(()));
    assert_eq!(scan(&nested(257)), Err("CUBE0102"));
    let error = pre_scan(format!("x\n {}", nested(300)).as_bytes(), &Limits::default()).unwrap_err();
    assert_eq!(error.at, Some((2, 2 + 256 * 6 + 5)));
}

#[test]
fn comments_strings_and_arrows_are_not_counted_as_brackets() {
    let noise = "// ((((<<<<\n\"[[[[{{{{ \\\" ((((\" -> ".repeat(400);
    assert_eq!(scan(&noise), Ok(()));
    assert_eq!(scan(&"(i32) -> i32 ".repeat(400)), Ok(()));
    assert_eq!(scan(&"affine_set<(d0) : (d0 <= 5, d0 >= 0)> ".repeat(400)), Ok(()));
}

#[test]
fn a_comment_ends_at_a_carriage_return() {
    assert_eq!(scan(&format!("// x\r{}", nested(300))), Err("CUBE0102"));
}

#[test]
fn depth_is_counted_through_aliases_for_any_spacing() {
    for equals in [" = ", "\n= ", " // c\n = ", "=\n", "= // c\r"] {
        let text = format!("#a0 = 1\n{}", chain(|i| format!("#a{i}{equals}[#a{}]\n", i - 1), 300));
        assert_eq!(scan(&text), Err("CUBE0102"), "{equals:?}");
        let text = format!("!a0 = i32\n{}", chain(|i| format!("!a{i}{equals}tuple<!a{}>\n", i - 1), 300));
        assert_eq!(scan(&text), Err("CUBE0102"), "{equals:?}");
    }
    let text = format!("#a0 = 1\n{}", chain(|i| format!("#a{i} = [#a{}]\n", i - 1), 100));
    assert_eq!(scan(&text), Ok(()));
}

#[test]
fn a_value_may_begin_on_the_next_line_after_a_colon_or_an_arrow() {
    for (head, tail) in [("!a0 = () ->\n", ""), ("#a0 = dense<0> :\n", ""), ("!a0 =\n", ""), ("!a0 = tuple\n<", ">")] {
        let deep = format!("{head}{}{tail}\n\"x\"(", nested(200));
        let sigil = &head[..1];
        let user = format!("{}{sigil}a0{}", "tuple<".repeat(100), ">".repeat(100));
        assert_eq!(scan(&format!("{deep}{user})")), Err("CUBE0102"), "{head:?}");
    }
}

#[test]
fn the_last_alias_ends_where_operations_begin() {
    let text = format!("#a = [1]\nmodule {} \"x\"() {{b = #a}} {}", "{".repeat(200), "}".repeat(200));
    assert_eq!(scan(&text), Ok(()));
    let uses = format!("#a = [1]\n#b = [2]\n{}", "func.func private @f() attributes {x = #a, y = #b}\n".repeat(50_000));
    assert_eq!(scan(&uses), Ok(()));
}

#[test]
fn aliases_that_double_are_refused() {
    let text = format!("#a0 = 1\n{}", chain(|i| format!("#a{i} = [#a{p}, #a{p}]\n", p = i - 1), 60));
    assert_eq!(scan(&text), Err("CUBE0103"));
    let text = format!("!a0 = i32\n{}", chain(|i| format!("!a{i} = tuple<!a{p}, !a{p}>\n", p = i - 1), 12));
    assert_eq!(scan(&text), Ok(()));
}

#[test]
fn affine_operators_are_counted_in_every_expression() {
    let terms = |n: usize| vec!["d0"; n].join(" + ");
    assert_eq!(scan(&format!("affine_map<(d0) -> ({})>", terms(1024))), Ok(()));
    for (head, tail) in
        [("affine_map<(d0) -> (", ")>"), ("affine_map // c\n <(d0) -> (", ")>"), ("affine.load %m[", "]")]
    {
        assert_eq!(scan(&format!("{head}{}{tail}", terms(1030))), Err("CUBE0102"), "{head:?}");
        let mods = "d0 mod 3 floordiv 2 ceildiv 5".to_string() + &" mod 7 floordiv 2".repeat(600);
        assert_eq!(scan(&format!("{head}{mods}{tail}")), Err("CUBE0102"), "{head:?}");
    }
    // A comma restarts the count of operators. Brackets inside an expression do not restart the count.
    let inner = format!("affine_map<(d0) -> ({} + ({}))>", terms(600), terms(600));
    assert_eq!(scan(&inner), Err("CUBE0102"));
    assert_eq!(scan(&format!("dense<[{}]>", vec!["-1"; 5000].join(", "))), Ok(()));
    assert_eq!(scan(&format!("{{{}}}", "%c = arith.constant -1 : i32\n".repeat(5000))), Ok(()));
}

#[test]
fn minus_signs_count_across_comments() {
    assert_eq!(scan(&format!("[{}d0]", "- // c\n".repeat(100))), Err("CUBE0102"));
    assert_eq!(scan(&format!("({}d0)", "-".repeat(64))), Ok(()));
}

#[test]
fn a_string_may_lack_its_end() {
    for text in ["\"", "\"x", "\"x\\", "x = \"\\\""] {
        assert_eq!(scan(text), Ok(()), "{text:?}");
    }
}

#[test]
fn invalid_text_is_reported_with_line_and_column() {
    assert_eq!(scan(""), Err("CUBE0105"));
    assert_eq!(scan(" \n\t"), Err("CUBE0105"));
    let error = pre_scan(b"ab\n\xff", &Limits::default()).unwrap_err();
    assert_eq!((error.code(), error.at), ("CUBE0104", Some((2, 1))));
    let error = pre_scan(b"ab\0", &Limits::default()).unwrap_err();
    assert_eq!((error.code(), error.at), ("CUBE0104", Some((1, 3))));
}

#[test]
fn resources_have_an_alignment_that_memory_can_have() {
    let blob = |digits: &str| scan(&format!("{{-# dialect_resources: {{ builtin: {{ a: \"0x{digits}\" }} }} #-}}"));
    assert_eq!(blob("0400000001020304"), Ok(()));
    assert_eq!(blob("0010000001"), Ok(()));
    for digits in ["0000000000", "00000000", "0300000001", "0020000001", "0000008000", "FFFFFFFF00"] {
        assert_eq!(blob(digits), Err("CUBE0107"), "{digits}");
    }
    // Too short, or not hexadecimal: the parser reports it.
    assert_eq!(blob("0000"), Ok(()));
    assert_eq!(blob("0000000g"), Ok(()));
    // Other strings and keys do not count as bytes of resources.
    assert_eq!(scan("\"x\"() {a: \"0x0000000000\"}"), Ok(()));
    assert_eq!(
        scan("{-# external_resources: { \"0x0000000000\": { a: 1 } } #-}\n\"x\"() {a = b: \"0x0000000000\"}"),
        Ok(())
    );
    let text = "module {}\n {-# // c\n a: // \"#-}\n \"0x0000000000\" #-}";
    let error = pre_scan(text.as_bytes(), &Limits::default()).unwrap_err();
    assert_eq!((error.code(), error.at), ("CUBE0107", Some((4, 2))));
}

#[test]
fn attribute_arrays_hold_numbers() {
    for text in ["array<index: 1>", "array<index>", "array <\n// c\nindex>", "array<!i: 1>"] {
        assert_eq!(scan(text), Err("CUBE0109"), "{text}");
    }
    for text in [
        "array<i64: 1>",
        "array<f32>",
        "!cube.array<index>",
        "!llvm.struct<(array<2 x i8>)>",
        "array<",
        "array",
        "%array < index",
    ] {
        assert_eq!(scan(text), Ok(()), "{text}");
    }
}
