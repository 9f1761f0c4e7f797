//! The walk on MLIR functions, in a language that has only the features of the tests.
use super::{Language, Writer, Written, region};
use cube_ir::ops::{arith, func};
use cube_ir::{AttrExt, Attribute, Op, Session, SessionError, Type};

struct Plain;

impl Language for Plain {
    fn target(&self) -> &'static str {
        "plain"
    }

    fn scalar(&self, ty: Type<'_>) -> Option<String> {
        let name = ty.to_string();
        let lane = name.strip_suffix('>').and_then(|vector| vector.rsplit('x').next()).unwrap_or(&name).to_string();
        (lane != "f16").then_some(lane)
    }

    fn constant(&self, ty: &str, name: &str, value: &str) -> String {
        format!("{name}: {ty} = {value};")
    }

    fn variable(&self, ty: &str, name: &str) -> String {
        format!("{name}: {ty};")
    }

    fn infinite_loop(&self) -> &'static str {
        "loop"
    }

    fn literal(&self, _: Type<'_>, number: Attribute<'_>) -> Option<String> {
        Some(number.as_int()?.to_string())
    }

    fn trip_count(&self, _: Op<'_>, from: &str, to: &str, step: &str) -> Option<String> {
        Some(format!("iterations({from}, {to}, {step})"))
    }

    fn lane(&self, op: Op<'_>, operands: &[String]) -> Option<String> {
        (op.kind() == arith::ADDI).then(|| operands.join(" + "))
    }

    fn combined(&self, _: Op<'_>, a: &str, b: &str) -> Option<String> {
        Some(format!("{a} + {b}"))
    }

    fn statement<'p>(&self, _: &mut Writer<'p, '_>, _: Op<'p>) -> Written<bool> {
        Ok(false)
    }
}

/// The generated text of a function. The function's arguments have letters as names, with a lane number for a
/// vector of two lanes.
fn written(function: &str) -> Result<String, SessionError> {
    let session = Session::new();
    session.context().load_all_available_dialects();
    let module = session.parse(function.as_bytes(), "f.mlir")?;
    let f = module.op().walk().into_iter().find(|op| op.is(func::FUNC)).expect("the text has a function");
    let mut w = Writer::new(&Plain, "");
    for (value, name) in f.body().expect("it has a body").args().zip('a'..) {
        let vector = value.ty().to_string().starts_with("vector");
        w.name(value, if vector { vec![format!("{name}0"), format!("{name}1")] } else { vec![name.into()] });
    }
    region(&mut w, f, 0)?;
    Ok(w.finish())
}

#[test]
fn loop_carried_values_are_assigned_simultaneously() {
    let text = written(
        "func.func @f(%a: i32, %b: i32) {
          %r:2 = scf.for %i = %a to %b step %a iter_args(%p = %a, %q = %b) -> (i32, i32) : i32 {
            scf.yield %q, %p : i32, i32
          }
          %s = arith.addi %r#0, %r#1 : i32
          return
        }",
    )
    .unwrap();
    // r1 is the counter. r2 and r3 are carried values: both are read before either is written.
    let iteration =
        "    t5: i32 = r3;\n    t6: i32 = r2;\n    r2 = t5;\n    r3 = t6;\n    r1 = r1 + a;\n}\nv7: i32 = r2 + r3;\n";
    assert!(text.ends_with(iteration), "{text}");
    assert!(text.contains("r4 = iterations(a, b, a);\nfor (; r4 != 0; r4 = r4 - 1) {\n"), "{text}");
}

#[test]
fn unused_branch_results_are_not_copied() {
    let text = written(
        "func.func @f(%a: i32, %b: i32, %c: i1) {
          %r:2 = scf.if %c -> (i32, i32) { scf.yield %b, %a : i32, i32 } else { scf.yield %a, %b : i32, i32 }
          return
        }",
    );
    let text = text.unwrap();
    assert_eq!(text, "r1: i32;\nr2: i32;\nr1 = a;\nr2 = b;\nif (c) {\n    r1 = b;\n    r2 = a;\n}\n");
}

#[test]
fn each_case_of_a_switch_is_a_comparison() {
    let text = written(
        "func.func @f(%a: i32, %b: index) {
          %r = scf.index_switch %b -> i32
          case 2 { scf.yield %a : i32 }
          case 7 { %s = arith.addi %a, %a : i32
                   scf.yield %s : i32 }
          default { %z = arith.constant 0 : i32
                    scf.yield %z : i32 }
          return
        }",
    );
    let cases = "if (b == 2) {\n    r1 = a;\n}\nelse if (b == 7) {\n    v2: i32 = a + a;\n    r1 = v2;\n}\n";
    assert_eq!(text.unwrap(), format!("r1: i32;\n{cases}else {{\n    v3: i32 = 0;\n    r1 = v3;\n}}\n"));
}

#[test]
fn lanes_are_interleaved_and_deinterleaved() {
    let text = written(
        "func.func @f(%a: vector<2xi32>, %b: vector<2xi32>) {
          %v = vector.interleave %a, %b : vector<2xi32> -> vector<4xi32>
          %x, %y = vector.deinterleave %v : vector<4xi32> -> vector<2xi32>
          %l:2 = vector.to_elements %y : vector<2xi32>
          %r = arith.addi %l#0, %l#1 : i32
          return
        }",
    );
    assert_eq!(text.unwrap(), "v1: i32 = b0 + b1;\n");
}

#[test]
fn vectors_are_their_lanes() {
    let text = written(
        "func.func @f(%a: vector<2xi32>, %b: i32, %c: i32) {
          %v = vector.insert %b, %a[1] : i32 into vector<2xi32>
          %w = vector.shuffle %v, %a [1, 2] : vector<2xi32>, vector<2xi32>
          %s = arith.addi %w, %a : vector<2xi32>
          %r = vector.reduction <add>, %s, %c : vector<2xi32> into i32
          %t = arith.addi %r, %b : i32
          return
        }",
    )
    .unwrap();
    let lanes = "v1: i32 = b + a0;\nv2: i32 = a0 + a1;\n";
    assert_eq!(text, format!("{lanes}v3: i32 = c + v1;\nv4: i32 = v3 + v2;\nv5: i32 = v4 + b;\n"));
}

#[test]
fn a_lane_that_is_computed_is_compared() {
    let text = written(
        "func.func @f(%a: vector<2xi32>, %b: index) {
          %v = vector.extract %a[%b] : i32 from vector<2xi32>
          return
        }",
    );
    let text = text.unwrap();
    assert_eq!(text, "r1: i32;\nif (b == 0) {\n    r1 = a0;\n}\nif (b == 1) {\n    r1 = a1;\n}\n");
}

#[test]
fn unsupported_operation_is_reported_with_its_line() {
    let refused = |op: &str| {
        let error = written(&format!("func.func @f(%a: i32, %b: f16, %c: i1) {{\n  {op}\n  return\n}}")).unwrap_err();
        let diagnostic = &error.diagnostics[0];
        assert_eq!(diagnostic.code.as_deref(), Some("CUBE0410"));
        assert_eq!(diagnostic.location.as_ref().map(|place| place.line), Some(2), "{}", diagnostic.message);
        diagnostic.message.clone()
    };
    assert!(refused("%r = arith.muli %a, %a : i32").contains("'arith.muli' is not supported on target plain"));
    assert!(refused("%r = arith.select %c, %b, %b : f16").contains("is not supported on target plain"));
    let typed = refused("%r = scf.if %c -> (f16) { scf.yield %b : f16 } else { scf.yield %b : f16 }");
    assert!(typed.contains("the language has no type f16"), "{typed}");
}
