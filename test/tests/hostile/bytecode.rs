//! Tests truncated and modified bytecode. The bytecode reader runs in a child process of the tool, and a
//! crash of the reader becomes a message.
use crate::{Bench, Random, examples, rounds};

fn bytecode(bench: &Bench) -> Vec<Vec<u8>> {
    let make = |(name, text): (String, Vec<u8>)| {
        bench.write(&name, text);
        let ended = bench.run(&["opt", &name, "--emit-bytecode", "-o", "bytecode"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        std::fs::read(bench.path("bytecode")).unwrap()
    };
    examples().into_iter().map(make).collect()
}

#[test]
fn whole_bytecode_is_read_by_every_tool() {
    let bench = Bench::new();
    for bytes in bytecode(&bench) {
        bench.write("in.mlirbc", bytes);
        for words in [
            &["opt", "in.mlirbc", "-o", "out"][..],
            &["c", "in.mlirbc", "-o", "out"],
            &["c", "in.mlirbc", "--target", "nvptx", "-o", "out"],
        ] {
            let ended = bench.accepted_or_refused(words);
            assert_eq!(ended.code, 0, "{words:?}: {ended:?}");
        }
    }
}

#[test]
fn bytecode_cut_off_anywhere() {
    let bench = Bench::new();
    let all = bytecode(&bench);
    let count = rounds(40).min(all[0].len() - 4);
    for i in 0..count {
        let cut = 4 + i * (all[0].len() - 4) / count;
        bench.write("in.mlirbc", &all[0][..cut]);
        let tool = ["opt", "c"][i % 2];
        let ended = bench.accepted_or_refused(&[tool, "in.mlirbc", "-o", "out"]);
        assert_ne!(ended.code, 0, "{cut} bytes of {} were taken for the whole", all[0].len());
    }
}

#[test]
fn bytecode_changed_at_random() {
    let bench = Bench::new();
    let all = bytecode(&bench);
    let seed = 0x5eed_cafe_f00d_0002;
    println!("seed {seed:#x}");
    let mut random = Random(seed);
    for i in 0..rounds(80) {
        let mut bytes = all[i % all.len()].clone();
        for _ in 0..1 + random.below(3) {
            let at = 4 + random.below(bytes.len() - 4);
            bytes[at] = random.below(256) as u8;
        }
        bench.write("in.mlirbc", &bytes);
        println!("mutation {i}");
        bench.accepted_or_refused(&[["opt", "c"][i % 2], "in.mlirbc", "-o", "out"]);
    }
}

/// Bytecode that corrupts the allocator of the bytecode reader. After a corruption of the allocator, LLVM's
/// crash handler waits indefinitely for a lock.
#[test]
fn a_reader_that_stops_is_ended() {
    let bench = Bench::new();
    bench.write("in.mlirbc", include_bytes!("data/allocator.mlirbc"));
    let ended = bench.accepted_or_refused(&["opt", "in.mlirbc", "-o", "out"]);
    assert_ne!(ended.code, 0, "{ended:?}");
}

/// Bytecode whose textual IR is larger than the memory of the machine. The child process ends at its resource
/// limits, and the memory of the parent process does not grow.
#[test]
fn the_limits_of_the_child_hold() {
    // The process itself is tested: the server's child would have loaded the libraries before the limits hold.
    let bench = Bench::new();
    let bench = Bench { start: bench.cube.clone(), ..bench };
    let doubling: String = (1..40).map(|i| format!("#a{i} = [#a{p}, #a{p}]\n", p = i - 1)).collect();
    bench.write("bomb.mlir", format!("#a0 = 1\n{doubling}func.func private @f() attributes {{a = #a39}}"));
    // The scan would refuse the text, so MLIR's own tool produces the bytecode.
    let llvm = cube_test::toolbox::Toolbox::find().llvm.join("mlir-opt");
    let made = std::process::Command::new(llvm)
        .args(["bomb.mlir", "--emit-bytecode", "-o", "bomb.mlirbc"])
        .current_dir(bench.folder.path())
        .status();
    assert!(made.unwrap().success());
    let before = bench.names();
    // The second limit is too little memory even to start.
    for (limit, reason) in [(("CUBE_BYTECODE_SECONDS", "1"), "CUBE0106"), (("CUBE_BYTECODE_KIB", "60000"), "CUBE01")] {
        for tool in ["opt", "c"] {
            let ended = bench.run_with(&[tool, "bomb.mlirbc", "-o", "out"], &[limit, ("CUBE_TEST_SERVER", "")]);
            assert!(ended.code == 1 && ended.stderr.contains(reason), "{tool} with {limit:?}: {ended:?}");
            assert!(ended.stdout.is_empty(), "{tool} with {limit:?}: {ended:?}");
            assert_eq!(bench.names(), before);
        }
    }
}
