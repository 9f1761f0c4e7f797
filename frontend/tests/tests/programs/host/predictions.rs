//! Autotuning with predicted times. The compiler of these tests compiles for the CPU, and returns the cost profiles of an
//! NVIDIA GPU, because the description of the CPU has no board.
use crate::common::*;
use cube_artifact::cost::Profile;
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Target, Variables};
use cubecl::cpu::CpuRuntime;
use cubecl::host::{ComputeClient, Core};
use cubecl::prelude::*;
use cubecl::tune::{
    AutotuneOutput, DEFAULT_PREDICTION_FACTOR, LocalTuner, Tunable, TunableSet, TuneBudget, TuneOutcome, TuneReport,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The number of iterations of the slow candidate.
const SLOW: u32 = 10_000_000;

/// The number of iterations of the candidate whose profile has too much shared memory.
const LARGE: u32 = 77;

#[derive(Default)]
struct Predicting {
    /// The texts of all compiled kernels.
    compiled: Mutex<Vec<String>>,
}

impl Compiler for Predicting {
    fn compile(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Result<Artifact, CompileError> {
        self.compiled.lock().unwrap().push(String::from_utf8_lossy(source).into_owned());
        cubecl::host::compiler(&Variables::of_process()).compile(source, target, options)
    }

    fn profile(&self, source: &[u8], _: &Target, options: &CompileOptions) -> Result<Option<Profile>, CompileError> {
        let gpu = Target { backend: "nvptx".into(), chip: Some("sm_90a".into()) };
        let mut profile = cubecl::host::compiler(&Variables::of_process()).profile(source, &gpu, options)?;
        if let Some(profile) = profile.as_mut().filter(|_| has(&String::from_utf8_lossy(source), LARGE)) {
            profile.shared_bytes = 1 << 30;
        }
        Ok(profile)
    }
}

/// Whether a kernel's text has a constant.
fn has(text: &str, number: u32) -> bool {
    text.contains(&format!("constant {number} "))
}

#[cube(launch)]
fn looped(out: &mut Array<u32>, seed: u32, #[comptime] n: u32) {
    let mut value = seed + ABSOLUTE_POS;
    for i in 0..n {
        value = value * 1664525 + i;
    }
    out[ABSOLUTE_POS] = value;
}

type Client = ComputeClient<cubecl::cpu::CpuServer>;

struct Looped;
impl AutotuneOutput for Looped {}

fn run(client: &Client, n: u32) -> Looped {
    let out = client.empty(16);
    // SAFETY: the handle has four elements.
    let out = unsafe { ArrayArg::<CpuRuntime>::from_raw_parts::<u32>(&out, 4, 1) };
    looped::launch::<CpuRuntime>(client, one(), CubeDim::new_1d(4), out, ScalarArg::new(1), n);
    Looped
}

/// A client whose compiler predicts times, with the compiler.
fn predicting() -> (Client, Arc<Predicting>) {
    let compiler = Arc::new(Predicting::default());
    let device = Box::new(cube_runtime_cpu::CpuDevice::with_threads(1));
    (ComputeClient::new(Arc::new(Core::new(device, Target::cpu(), compiler.clone()))), compiler)
}

fn candidates(client: &Client, iterations: &[u32], budget: TuneBudget) -> TunableSet<String, (), Looped> {
    let empty = TunableSet::new(|| "k".to_string(), |_: &String| ()).with_budget(budget);
    iterations.iter().fold(empty, |set, &n| {
        let client = client.clone();
        set.with(Tunable::new(move || Ok::<_, String>(run(&client, n))))
    })
}

/// A device id whose results on disk are removed at the end.
struct Own(String);

impl Drop for Own {
    fn drop(&mut self) {
        use cubecl::config::GlobalConfig;
        let root = GlobalConfig::folder_of(&GlobalConfig::get().autotune.cache);
        let _ = std::fs::remove_dir_all(root.join("autotune").join(&self.0));
    }
}

fn own(name: &str) -> Own {
    Own(format!("test-predicted-{name}-{}", std::process::id()))
}

fn tune(
    tuner: &LocalTuner<String, String>,
    id: &Own,
    client: &Client,
    set: TunableSet<String, (), Looped>,
) -> TuneReport {
    tuner.clear();
    tuner.execute(&id.0, client, set.into(), ());
    tuner.report(&id.0, &"k".to_string()).unwrap()
}

fn outcome(report: &TuneReport, index: usize) -> &TuneOutcome {
    &report.candidates.iter().find(|candidate| candidate.index == index).unwrap().outcome
}

#[test]
fn a_candidate_with_a_long_predicted_time_is_not_compiled() {
    static TUNER: LocalTuner<String, String> = LocalTuner::new("predicted");
    let (client, compiler) = predicting();
    let id = own("slow");
    let all = [1, 2, SLOW, 3, 4, 5];
    for from_file in [false, true] {
        let report = tune(&TUNER, &id, &client, candidates(&client, &all, TuneBudget::default()));
        let TuneOutcome::PredictedSlow { predicted, smallest } = outcome(&report, 2) else { panic!("{report}") };
        assert!(
            *predicted > DEFAULT_PREDICTION_FACTOR * *smallest && *predicted > Duration::from_millis(1),
            "{report}"
        );
        let measured = report.candidates.iter().filter(|c| matches!(c.outcome, TuneOutcome::Measured(_)));
        assert_eq!(measured.clone().count(), 5, "{report}");
        assert!(measured.clone().all(|c| c.from_file == from_file), "{report}");
        assert!(report.to_string().contains("not compiled: the predicted time is "), "{report}");
        let compiled = compiler.compiled.lock().unwrap();
        assert_eq!((compiled.len(), compiled.iter().any(|text| has(text, SLOW))), (5, false));
    }
    // Without predictions, the candidate is compiled and measured.
    let budget = TuneBudget { prediction_factor: Some(u32::MAX), ..TuneBudget::default() };
    let report = tune(&TUNER, &id, &client, candidates(&client, &all, budget));
    assert!(matches!(outcome(&report, 2), TuneOutcome::Measured(_)), "{report}");
    assert!(compiler.compiled.lock().unwrap().iter().any(|text| has(text, SLOW)));
}

#[test]
fn four_candidates_are_measured_without_predictions() {
    static TUNER: LocalTuner<String, String> = LocalTuner::new("predicted-few");
    let (client, _) = predicting();
    let report = tune(&TUNER, &own("few"), &client, candidates(&client, &[1, SLOW, 2, 3], TuneBudget::default()));
    assert!(report.candidates.iter().all(|c| matches!(c.outcome, TuneOutcome::Measured(_))), "{report}");
}

#[test]
fn a_candidate_beyond_a_limit_is_a_result_and_is_not_compiled() {
    static TUNER: LocalTuner<String, String> = LocalTuner::new("predicted-limits");
    let (client, compiler) = predicting();
    let report =
        tune(&TUNER, &own("limits"), &client, candidates(&client, &[1, LARGE, 2, 3, 4], TuneBudget::default()));
    let TuneOutcome::Rejected(reason) = outcome(&report, 1) else { panic!("{report}") };
    let reason = reason.to_string();
    assert!(reason.contains("1073741824 bytes of shared memory") && reason.contains("limit is 262144"), "{reason}");
    assert!(!compiler.compiled.lock().unwrap().iter().any(|text| has(text, LARGE)));
}

#[test]
fn a_slow_candidate_is_measured_if_no_other_works() {
    static TUNER: LocalTuner<String, String> = LocalTuner::new("predicted-only");
    static RUNS: [AtomicUsize; 6] = [const { AtomicUsize::new(0) }; 6];
    let (client, _) = predicting();
    let empty = TunableSet::new(|| "k".to_string(), |_: &String| ());
    let set = (0..6).fold(empty, |set, index| {
        let client = client.clone();
        set.with(Tunable::new(move || {
            run(&client, if index == 0 { SLOW } else { index });
            // The first run of each candidate is for its kernels.
            let fails = index != 0 && RUNS[index as usize].fetch_add(1, Ordering::Relaxed) > 0;
            if fails { Err("not today".to_string()) } else { Ok(Looped) }
        }))
    });
    let report = tune(&TUNER, &own("only"), &client, set);
    assert_eq!(report.chosen, Some(0), "{report}");
    assert!(matches!(outcome(&report, 0), TuneOutcome::Measured(_)), "{report}");
}
