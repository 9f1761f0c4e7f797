//! Collective operations: shared memory, barriers, planes, atomics, exits, and tensors of a launch.
use super::{decode, found, ints, launch, values};
use crate::{Arg, Find, Options, run};

fn all() -> Options {
    Options { find: Find::ALL, ..Options::default() }
}

fn plane(body: &str, units: u32, plane_dim: u32) -> Vec<i32> {
    let text = format!(
        "cube.kernel @k(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim({units}) {{\n  \
         %i = cube.topology absolute_pos\n  %v = cube.load %x[%i] : !cube.array<i32> -> i32\n  \
         %zero = arith.constant 0 : i32\n  %one = arith.constant 1 : i32\n{body}\n  \
         cube.store %r, %y[%i] : i32, !cube.array<i32>\n  cube.return\n}}"
    );
    let mut args = [ints(&(1..=units as i32).collect::<Vec<_>>()), ints(&vec![0; units as usize])];
    let outcome = run(&decode(&text).unwrap(), &mut args, [1, 1, 1], &Options { plane_dim, ..all() }).unwrap();
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    values(&args[1])
}

#[test]
fn plane_operations_ignore_absent_lanes() {
    // Six units in planes of four: the second plane has two lanes.
    assert_eq!(plane("  %r = cube.plane_reduce addi %v : i32", 6, 4), [10, 10, 10, 10, 11, 11]);
    assert_eq!(plane("  %r = cube.plane_reduce minsi %v : i32", 6, 4), [1, 1, 1, 1, 5, 5]);
    assert_eq!(plane("  %r = cube.plane_reduce muli %v : i32", 6, 4), [24, 24, 24, 24, 30, 30]);
    assert_eq!(plane("  %r = cube.plane_scan inclusive addi %v : i32", 6, 4), [1, 3, 6, 10, 5, 11]);
    assert_eq!(plane("  %r = cube.plane_scan exclusive addi %v : i32", 6, 4), [0, 1, 3, 6, 0, 5]);
    assert_eq!(plane("  %r = cube.plane_scan exclusive minsi %v : i32", 3, 4), [i32::MAX, 1, 1]);
    assert_eq!(plane("  %r = cube.plane_scan exclusive maxsi %v : i32", 3, 4), [i32::MIN, 1, 2]);
    assert_eq!(plane("  %r = cube.plane_shuffle xor %v, %one : i32", 6, 4), [2, 1, 4, 3, 6, 5]);
    assert_eq!(plane("  %r = cube.plane_shuffle up %v, %one : i32", 6, 4), [1, 1, 2, 3, 5, 5]);
    assert_eq!(plane("  %r = cube.plane_shuffle down %v, %one : i32", 6, 4), [2, 3, 4, 4, 6, 6]);
    let two = "  %two = arith.constant 2 : i32\n";
    assert_eq!(plane(&format!("{two}  %r = cube.plane_shuffle idx %v, %two : i32"), 6, 4), [3, 3, 3, 3, 5, 6]);
    assert_eq!(plane("  %r = cube.plane_broadcast %v, %one : i32", 6, 4), [2, 2, 2, 2, 6, 6]);
    let vote = |word: &str| {
        format!(
            "{two}  %c = arith.cmpi sgt, %v, %two : i32\n  %b = cube.plane_vote {word} %c\n  %r = arith.extui %b : i1 to i32"
        )
    };
    assert_eq!(plane(&vote("all"), 6, 4), [0, 0, 0, 0, 1, 1]);
    assert_eq!(plane(&vote("any"), 6, 2), [0, 0, 1, 1, 1, 1]);
    assert_eq!(plane("  %b = cube.plane_elect\n  %r = arith.extui %b : i1 to i32", 6, 4), [1, 0, 0, 0, 1, 0]);
    let ballot = "  %a = arith.andi %v, %one : i32\n  %c = arith.cmpi eq, %a, %one : i32\n  \
                  %b = cube.plane_ballot %c : vector<4xi32>\n  %r = vector.extract %b[WORD] : i32 from vector<4xi32>";
    assert_eq!(plane(&ballot.replace("WORD", "0"), 6, 4), [5, 5, 5, 5, 1, 1]);
    assert_eq!(plane(&ballot.replace("WORD", "3"), 128, 128), [0x5555_5555; 128]);
    assert_eq!(plane("  %r = cube.plane_reduce addi %v : i32", 3, 1), [1, 2, 3]);
    // In divergent control flow only the active lanes participate: units 1 and 2, and unit 5.
    let diverged = |op: &str| {
        let is = "  %u = cube.topology unit_pos_plane\n  %z = arith.constant 0 : i32\n  %three = arith.constant 3 : i32\n  \
                  %m = cube.remui %u, %three : i32\n  %c = arith.cmpi ne, %m, %z : i32\n";
        format!(
            "{is}  %r = scf.if %c -> (i32) {{\n{op}\n  scf.yield %s : i32\n  }} else {{\n  scf.yield %z : i32\n  }}"
        )
    };
    assert_eq!(plane(&diverged("  %s = cube.plane_reduce muli %v : i32"), 6, 4), [0, 6, 6, 0, 0, 6]);
    assert_eq!(plane(&diverged("  %s = cube.plane_scan exclusive addi %v : i32"), 6, 4), [0, 0, 2, 0, 0, 0]);
    assert_eq!(plane(&diverged("  %s = cube.plane_shuffle up %v, %one : i32"), 6, 4), [0, 2, 2, 0, 0, 6]);
    assert_eq!(plane("  %r = cube.topology unit_pos_plane", 6, 4), [0, 1, 2, 3, 0, 1]);
    assert_eq!(plane("  %r = cube.topology plane_pos", 6, 4), [0, 0, 0, 0, 1, 1]);
}

#[test]
fn exits_leave_the_enclosing_construct() {
    // The first unit returns from the function immediately. The other units return from inside two loops.
    let text = "cube.func @f(%u: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %none = arith.constant -1 : i32
  %is = arith.cmpi eq, %u, %zero : i32
  cube.if %is {
    cube.return %none : i32
  }
  cube.for %a = %zero to %ten step %one : i32 {
    cube.loop {
      %p = arith.muli %a, %a : i32
      %big = arith.cmpi ugt, %p, %u : i32
      cube.if %big {
        cube.return %a : i32
      } else {
        cube.break
      }
    }
    cube.continue
  }
  cube.return %ten : i32
}
cube.kernel @k(%y: !cube.array<i32>) cube_dim(200) {
  %i = cube.topology absolute_pos
  %r = cube.call @f(%i) : (i32) -> i32
  cube.store %r, %y[%i] : i32, !cube.array<i32>
  cube.return
}";
    let mut args = [ints(&[0; 200])];
    let outcome = launch(text, &mut args, 1, &all()).unwrap();
    assert!(outcome.findings.is_empty());
    let expected: Vec<i32> =
        (0..200).map(|u| if u == 0 { -1 } else { (0..10).find(|a| a * a > u).unwrap_or(10) }).collect();
    assert_eq!(values(&args[0]), expected);
}

#[test]
fn atomics_combine_by_their_operation() {
    let text = |body: &str| {
        format!(
            "cube.kernel @k(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(8) {{\n  \
             %i = cube.topology absolute_pos\n  %zero = arith.constant 0 : i32\n  %one = arith.constant 1 : i32\n  \
             %far = arith.constant 99 : i32\n{body}\n  cube.return\n}}"
        )
    };
    for (word, result) in [
        ("addi", 128),
        ("subi", 72),
        ("minsi", 0),
        ("maxsi", 100),
        ("minui", 0),
        ("maxui", 100),
        ("andi", 0),
        ("ori", 103),
        ("xori", 100),
        ("exchange", 7),
    ] {
        let body = format!("  %old = cube.atomic_rmw {word} %i, %x[%zero] : i32, !cube.array<i32>");
        let mut args = [ints(&[100]), ints(&[])];
        launch(&text(&body), &mut args, 1, &all()).unwrap();
        assert_eq!(values(&args[0]), [result], "{word}");
    }
    let cas = "  %old = cube.atomic_cas %i, %far, %x[%zero] : i32, !cube.array<i32>\n  \
               cube.store %old, %y[%i] : i32, !cube.array<i32>";
    let mut args = [ints(&[3]), ints(&[0; 8])];
    launch(&text(cas), &mut args, 1, &all()).unwrap();
    assert_eq!((values(&args[0]), values(&args[1])), (vec![99], vec![3, 3, 3, 3, 99, 99, 99, 99]));
    let outside = "  %old = cube.atomic_rmw addi %one, %x[%far] : i32, !cube.array<i32>\n  \
                   cube.store %old, %y[%i] : i32, !cube.array<i32>";
    let mut args = [ints(&[3]), ints(&[5; 8])];
    let text = text(outside);
    let findings = found(&text, &mut args, 1, &all());
    assert!(findings[0].contains("bounds: updates x[99], but x has 1 lines"), "{findings:?}");
    assert_eq!((values(&args[0]), values(&args[1])), (vec![3], vec![0; 8]));
}

#[test]
fn tensors_have_the_shape_of_the_launch() {
    let text = "cube.kernel @k(%t: !cube.tensor<i32, 2>, %y: !cube.array<i32>) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %six = arith.constant 6 : i32
  %rank = cube.rank %t : !cube.tensor<i32, 2>
  %extent = cube.shape %t, %one : !cube.tensor<i32, 2>
  %stride = cube.stride %t, %zero : !cube.tensor<i32, 2>
  %beyond = cube.shape %t, %six : !cube.tensor<i32, 2>
  %len = cube.len %t : !cube.tensor<i32, 2>
  %all = cube.buffer_len %t : !cube.tensor<i32, 2>
  %at = arith.constant 19 : i32
  %row = cube.coordinate %t, %at, %zero : !cube.tensor<i32, 2>
  cube.store %rank, %y[%zero] : i32, !cube.array<i32>
  cube.store %extent, %y[%one] : i32, !cube.array<i32>
  cube.store %stride, %y[%two] : i32, !cube.array<i32>
  cube.store %beyond, %y[%three] : i32, !cube.array<i32>
  cube.store %len, %y[%four] : i32, !cube.array<i32>
  cube.store %all, %y[%five] : i32, !cube.array<i32>
  cube.store %row, %y[%six] : i32, !cube.array<i32>
  cube.return
}";
    let tensor = Arg::Tensor { bytes: vec![0; 160], initialised: true, shape: vec![3, 6], strides: vec![8, 1] };
    let mut args = [tensor, ints(&[0; 7])];
    launch(text, &mut args, 1, &all()).unwrap();
    assert_eq!(values(&args[1]), [2, 6, 8, 0, 9, 20, 2]);
    let findings = |shape: Vec<u64>, strides: Vec<u64>| {
        let tensor = Arg::Tensor { bytes: vec![0; 160], initialised: true, shape, strides };
        launch(text, &mut [tensor, ints(&[0; 7])], 1, &all()).unwrap_err().to_string()
    };
    assert!(findings(vec![1; 9], vec![1; 9]).contains("argument t has 9 dimensions and 9 strides"));
    assert!(findings(vec![1; 2], vec![1; 1]).contains("at most 8"));
}

#[test]
fn derived_arguments_are_computed() {
    let text = "cube.kernel @k(%x: !cube.array<i32>, %n: i32, %d: i32 {cube.derived = \"add(mul(n, 10), len(x))\"}) cube_dim(1) {
  %zero = arith.constant 0 : i32
  cube.store %d, %x[%zero] : i32, !cube.array<i32>
  cube.return
}";
    let mut args = [ints(&[0; 5]), Arg::Scalar(7)];
    launch(text, &mut args, 1, &all()).unwrap();
    assert_eq!(values(&args[0])[0], 75);
    let wrong = decode(&text.replace("add(", "plus(")).unwrap_err();
    assert_eq!(wrong.code.as_deref(), Some("CUBE0705"));
}

#[test]
fn printed_lines_are_recorded() {
    let text = "cube.kernel @k() cube_dim(2) {
  %i = cube.topology absolute_pos
  %v = arith.constant dense<[1.5, -2.0]> : vector<2xf16>
  %t = arith.constant true
  %m = arith.constant -3 : i8
  cube.print \"{} of {}: {} and {}\"(%i, %v, %t, %m) : i32, vector<2xf16>, i1, i8
  cube.return
}";
    let outcome = launch(text, &mut [], 1, &all()).unwrap();
    assert_eq!(outcome.printed, ["0 of [1.5, -2]: true and -3", "1 of [1.5, -2]: true and -3"]);
}

#[test]
fn units_that_spin_on_atomics_make_progress() {
    let text = "cube.kernel @k(%x: !cube.array<i32>) cube_dim(2) {
  %u = cube.topology unit_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.cmpi eq, %u, %zero : i32
  cube.if %first {
    cube.loop {
      %v = cube.atomic_load %x[%zero] : !cube.array<i32> -> i32
      %set = arith.cmpi eq, %v, %one : i32
      cube.if %set {
        cube.break
      }
    }
  } else {
    cube.atomic_store %one, %x[%zero] : i32, !cube.array<i32>
  }
  cube.return
}";
    launch(text, &mut [ints(&[0])], 1, &all()).unwrap();
}

#[test]
fn shared_memory_counts_against_the_limit() {
    let text = "cube.kernel @k() cube_dim(64) {\n  %t = cube.alloc : !cube.shared<100000 x f32>\n  cube.sync cube\n  cube.return\n}";
    let options = Options { max_memory: 1 << 18, ..all() };
    assert_eq!(launch(text, &mut [], 1, &options).unwrap_err().code(), "CUBE0703");
    let local = "cube.kernel @k() cube_dim(64) {\n  %t = cube.alloc : !cube.local<10000000 x f32>\n  cube.return\n}";
    assert_eq!(decode(local).unwrap_err().code.as_deref(), Some("CUBE0701"));
}

#[test]
fn ring_arithmetic_detects_a_lost_term_and_accepts_reordering() {
    let text = |body: &str| {
        format!(
            "cube.kernel @k(%x: !cube.array<f32>) cube_dim(1) {{\n  %zero = arith.constant 0 : i32\n  \
             %a = arith.constant 0.1 : f32\n  %b = arith.constant 1.0e10 : f32\n  %c = arith.constant -3.0 : f32\n{body}\n  \
             cube.store %r, %x[%zero] : f32, !cube.array<f32>\n  cube.return\n}}"
        )
    };
    let in_ring = |body: &str| {
        cube_passes::register();
        let session = cube_ir::Session::new();
        let module = session.parse(text(body).as_bytes(), "k.mlir").unwrap_or_else(|e| panic!("{e:?}"));
        let program = crate::Program::decode_in_ring(cube_dialect::kernels_of(module.op())[0], &[]).unwrap();
        let mut args = [Arg::Buffer { bytes: vec![0; 4], initialised: true }];
        run(&program, &mut args, [1, 1, 1], &all()).unwrap();
        args[0].bytes().unwrap().to_vec()
    };
    let left = in_ring("  %s = arith.addf %a, %b : f32\n  %r = arith.addf %s, %c : f32");
    let right = in_ring("  %s = arith.addf %b, %c : f32\n  %r = arith.addf %a, %s : f32");
    assert_eq!((left.len(), &left), (8, &right));
    let factored = in_ring("  %s = arith.addf %a, %b : f32\n  %r = arith.mulf %s, %c : f32");
    let expanded = in_ring("  %p = arith.mulf %a, %c : f32\n  %r = math.fma %b, %c, %p : f32");
    assert_eq!(factored, expanded);
    assert_ne!(left, in_ring("  %r = arith.addf %b, %c : f32"));
}

#[test]
fn the_ring_has_no_bits() {
    cube_passes::register();
    let session = cube_ir::Session::new();
    let text = "cube.kernel @k(%x: !cube.array<i32>, %s: f32) cube_dim(1) {
  %zero = arith.constant 0 : i32
  %b = arith.bitcast %s : f32 to i32
  cube.store %b, %x[%zero] : i32, !cube.array<i32>
  cube.return
}";
    let module = session.parse(text.as_bytes(), "k.mlir").unwrap_or_else(|e| panic!("{e:?}"));
    let kernel = cube_dialect::kernels_of(module.op())[0];
    assert_eq!(crate::Program::decode_in_ring(kernel, &[]).unwrap_err().code.as_deref(), Some("CUBE0704"));
    assert!(crate::Program::decode(kernel, &[]).is_ok());
}
