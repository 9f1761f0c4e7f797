//! Execution speed. `cargo test --release -p cube-backend-interp speed -- --nocapture --test-threads 1` prints the
//! rates. A step is one instruction of one unit.
use super::{decode, ints, values};
use crate::{Find, Options, run};
use std::time::Instant;

// Prefix sums in cubes of 1024 units: ten iterations of two barriers.
const SCAN: &str = "cube.kernel @scan(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(1024) {
  %i = cube.topology absolute_pos
  %u = cube.topology unit_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %tile = cube.alloc : !cube.shared<1024 x i32>
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  cube.store %v, %tile[%u] : i32, !cube.shared<1024 x i32>
  cube.sync cube
  cube.for %k = %zero to %ten step %one : i32 {
    %d = cube.shl %one, %k : i32
    %o = arith.subi %u, %d : i32
    %a = cube.load %tile[%u] : !cube.shared<1024 x i32> -> i32
    %b = cube.load %tile[%o] : !cube.shared<1024 x i32> -> i32
    %s = arith.addi %a, %b : i32
    cube.sync cube
    cube.store %s, %tile[%u] : i32, !cube.shared<1024 x i32>
    cube.sync cube
  }
  %r = cube.load %tile[%u] : !cube.shared<1024 x i32> -> i32
  cube.store %r, %y[%i] : i32, !cube.array<i32>
  cube.return
}";

#[test]
fn scan_of_hundred_thousand_elements_runs_in_seconds() {
    let program = decode(SCAN).unwrap();
    let count = 100 * 1024;
    for (find, word, limit) in [(Find::NOTHING, "nothing", 60), (Find::ALL, "all", 120)] {
        let input: Vec<i32> = (0..count).map(|i| i % 7 - 2).collect();
        let mut args = [ints(&input), ints(&vec![0; count as usize])];
        let start = Instant::now();
        let outcome = run(&program, &mut args, [100, 1, 1], &Options { find, ..Options::default() }).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        let rate = outcome.steps as f64 / seconds / 1e6;
        println!("{} steps, looking for {word}: {seconds:.2} s, {rate:.1} million a second", outcome.steps);
        let sums = input.chunks(1024).flat_map(|block| {
            block.iter().scan(0, |sum, v| {
                *sum += v;
                Some(*sum)
            })
        });
        assert!(sums.eq(values(&args[1])));
        // The reads before the tile are intended. They give 0.
        assert!(outcome.findings.iter().all(|f| f.kind.word() == "bounds"), "{:?}", outcome.findings);
        assert!(seconds < f64::from(limit), "{seconds} s looking for {word}");
    }
}

// Units that do not wait: arithmetic in a loop.
const ALONE: &str = "cube.kernel @alone(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %iterations = arith.constant 32 : i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %r = scf.for %k = %zero to %iterations step %one iter_args(%s = %v) -> (i32) : i32 {
    %a = arith.muli %s, %v : i32
    %b = arith.addi %a, %k : i32
    %c = arith.xori %b, %s : i32
    scf.yield %c : i32
  }
  cube.store %r, %y[%i] : i32, !cube.array<i32>
  cube.return
}";

// Planes: repeated sums over lanes.
const PLANES: &str = "cube.kernel @planes(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %iterations = arith.constant 16 : i32
  %v = cube.load %x[%i] : !cube.array<i32> -> i32
  %r = scf.for %k = %zero to %iterations step %one iter_args(%s = %v) -> (i32) : i32 {
    %a = cube.plane_reduce addi %s : i32
    %b = arith.xori %a, %k : i32
    %c = arith.addi %b, %v : i32
    scf.yield %c : i32
  }
  cube.store %r, %y[%i] : i32, !cube.array<i32>
  cube.return
}";

// Neighbours through memory: three reads and a write of global memory for one or two additions.
const MEMORY: &str = "cube.kernel @memory(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(256) {
  %i = cube.topology absolute_pos
  %one = arith.constant 1 : i32
  %before = arith.subi %i, %one : i32
  %after = arith.addi %i, %one : i32
  %a = cube.load %x[%before] : !cube.array<i32> -> i32
  %b = cube.load %x[%i] : !cube.array<i32> -> i32
  %c = cube.load %x[%after] : !cube.array<i32> -> i32
  %d = arith.addi %a, %b : i32
  %e = arith.addi %d, %c : i32
  cube.store %e, %y[%i] : i32, !cube.array<i32>
  cube.return
}";

#[test]
fn rates_are_above_the_floor() {
    for (name, text, cubes) in [("alone", ALONE, 400), ("planes", PLANES, 100), ("memory", MEMORY, 2000)] {
        let program = decode(text).unwrap();
        for (find, word) in [(Find::NOTHING, "nothing"), (Find::FAULTS, "faults"), (Find::ALL, "all")] {
            let mut args = [ints(&vec![3; 256 * cubes]), ints(&vec![0; 256 * cubes])];
            let start = Instant::now();
            let outcome =
                run(&program, &mut args, [cubes as u32, 1, 1], &Options { find, ..Options::default() }).unwrap();
            let seconds = start.elapsed().as_secs_f64();
            let rate = outcome.steps as f64 / seconds / 1e6;
            println!("{name}: {} steps, looking for {word}: {seconds:.2} s, {rate:.1} million a second", outcome.steps);
            assert!(outcome.findings.iter().all(|f| f.kind.word() == "bounds"), "{:?}", outcome.findings);
            // The limit is far below the measured rate, because other programs can run on the machine.
            assert!(rate > 0.5, "{name}: {rate} million a second looking for {word}");
        }
    }
}
