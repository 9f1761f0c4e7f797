//! Random kernels: no pass, down to the LLVM dialect, changes the interpreter's result. `CUBE_FUZZ_COUNT` sets the
//! number of kernels, and `CUBE_FUZZ_SEED` the first seed. With `CUBE_FUZZ_KEEP`, a test continues after the first
//! difference. Without `CUBE_FUZZ_COUNT`, results are cached by the content of the kernel (`fuzz/src/proven.rs`).
#![forbid(unsafe_code)]
mod atomics;
mod divergence;
mod layouts;
mod legal_kernels;
mod ptx;
mod vectors;
mod wgsl_kernels;

use cube_fuzz::kernels::generate;
use cube_fuzz::processor::{on_cpu, on_cuda};
use cube_fuzz::proven::Proven;
use cube_fuzz::settings::seeds;
use cube_fuzz::upstream::{PASSES, check_mlir_passes};
use cube_fuzz::validate::validate;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn passes_preserve_results_of_random_kernels() {
    let (first, count) = seeds(40);
    let (mut passes, mut wrong, mut not_interpreted, mut cached) = (0, vec![], vec![], 0);
    // The default kernels are cached. With `CUBE_FUZZ_COUNT`, all kernels run.
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("proven");
    let proven = match std::env::var("CUBE_FUZZ_COUNT") {
        Ok(_) => None,
        Err(_) => Some(Proven::load(&folder, root).expect("the sources of the interpreter can be read")),
    };
    for seed in first..first + count {
        let kernel = generate(seed);
        let key = proven.as_ref().and_then(|proven| proven.key(&kernel, seed).ok());
        let known = proven.as_ref().zip(key.as_ref());
        if known.is_some_and(|(proven, key)| proven.has(key)) {
            cached += 1;
            continue;
        }
        match validate(&kernel, seed) {
            Ok(run) => {
                passes += run.passes;
                known.into_iter().for_each(|(proven, key)| proven.add(key));
                not_interpreted.extend(run.not_interpreted.into_iter().map(|(pass, why)| format!("{pass}: {why}")));
            }
            Err(why) => wrong.push(format!("seed {seed}: {why}")),
        }
        if !wrong.is_empty() && std::env::var("CUBE_FUZZ_KEEP").is_err() {
            break;
        }
    }
    for one in wrong.iter().take(40) {
        eprintln!("{}", if wrong.len() > 1 { one.lines().next().unwrap_or("") } else { one });
    }
    not_interpreted.sort();
    for same in not_interpreted.chunk_by(|a, b| a == b) {
        eprintln!("not interpreted {} times: {}", same.len(), same[0]);
    }
    eprintln!("{count} kernels from seed {first}, {cached} of them cached, {passes} pass applications");
    assert!(wrong.is_empty(), "{} of {count} kernels from seed {first} differ", wrong.len());
    assert!(passes as u64 >= 40 * (count - cached), "only {passes} pass applications were compared");
}

#[test]
fn random_kernel_on_the_cpu_matches_the_interpreter() {
    let (first, count) = seeds(40);
    let mut wrong = vec![];
    for seed in first..first + count {
        if let Err(why) = on_cpu(&generate(seed)) {
            wrong.push(format!("seed {seed}: {why}"));
        }
        if !wrong.is_empty() && std::env::var("CUBE_FUZZ_KEEP").is_err() {
            break;
        }
    }
    for one in wrong.iter().take(40) {
        eprintln!("{}", if wrong.len() > 1 { one.lines().next().unwrap_or("") } else { one });
    }
    assert!(wrong.is_empty(), "{} of {count} kernels from seed {first} differ", wrong.len());
}

#[test]
fn random_kernel_on_a_gpu_matches_the_interpreter() {
    let device = match cube_runtime_cuda::CudaDevice::new(&cube_artifact::Variables::of_process()) {
        Ok(device) => device,
        Err(why) => {
            assert!(std::env::var("CUBE_NEED_CUDA").is_err(), "{why}");
            eprintln!("ignored: {why}");
            return;
        }
    };
    let (first, count) = seeds(40);
    let (next, wrong) = (AtomicU64::new(first), Mutex::new(vec![]));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        return;
                    }
                    if let Err(why) = on_cuda(&generate(seed), &device) {
                        wrong.lock().unwrap().push(format!("seed {seed}: {why}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    for one in wrong.iter().take(40) {
        eprintln!("{}", if wrong.len() > 3 { one.lines().next().unwrap_or("") } else { one });
    }
    assert!(wrong.is_empty(), "{} of {count} kernels from seed {first} differ", wrong.len());
}

#[test]
fn mlir_passes_preserve_results_of_random_kernels() {
    let (first, count) = seeds(40);
    let (mut used, mut wrong) = (std::collections::HashSet::new(), vec![]);
    for seed in first..first + count {
        match check_mlir_passes(&generate(seed), seed) {
            Ok(passes) => used.extend(passes),
            Err(why) => wrong.push(format!("seed {seed}: {why}")),
        }
        if !wrong.is_empty() && std::env::var("CUBE_FUZZ_KEEP").is_err() {
            break;
        }
    }
    for one in wrong.iter().take(40) {
        eprintln!("{}", if wrong.len() > 1 { one.lines().next().unwrap_or("") } else { one });
    }
    assert!(wrong.is_empty(), "{} of {count} kernels from seed {first} differ", wrong.len());
    assert!(count < 60 || used.len() == PASSES.len(), "only {used:?} were used");
}

#[test]
fn seed_determines_the_kernel() {
    assert_eq!(generate(7).text, generate(7).text);
    assert_ne!(generate(7).text, generate(8).text);
}
