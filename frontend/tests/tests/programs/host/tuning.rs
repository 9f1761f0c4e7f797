//! Autotuning: the choice among kernels with the same result.
use crate::common::*;
use cubecl::ir::{ElemType, FloatKind, StorageType};
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::std::tensor::{MatrixBatchLayout, matrix_batch_layout};
use cubecl::tune::{
    AsFunctionTunable, AutotuneError, AutotuneOutput, LocalTuner, Tunable, TunableSet, TuneGroup, local_tuner,
};
use cubecl::{AutotuneKey, CubeTuneId};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Duration of the work that a candidate does and that the time measurement excludes.
const PAUSE: Duration = Duration::from_millis(20);

#[derive(Clone, Debug, PartialEq, Eq, Hash, AutotuneKey)]
struct Sizes {
    #[autotune(anchor)]
    row_count: usize,
    #[autotune(anchor(exp(min = 16, max = 64, base = 4)), name = "across {x}")]
    columns: usize,
    kind: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, AutotuneKey)]
pub struct Pair<T: std::fmt::Debug + Clone + Eq + std::hash::Hash + Send + Sync + 'static>(
    T,
    #[autotune(anchor)] usize,
);

#[test]
fn a_key_has_anchors_names_and_a_text() {
    // This program uses the level `balanced` of autotuning.
    let key = Sizes::new(100, 100, "f32".into());
    assert_eq!(key, Sizes { row_count: 128, columns: 64, kind: "f32".into() });
    assert_eq!(key.to_string(), r#"Sizes - RowCount: 128, across {x}: 64, Kind: "f32""#);
    assert_eq!(Sizes::new(1, 1, String::new()).columns, 16);
    assert_eq!(Pair::new('a', 5).to_string(), "Pair('a', 8)");
}

/// An autotuning key with all properties of the inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, AutotuneKey)]
struct OfInputs {
    elem: ElemType,
    stored: StorageType,
    layout: MatrixBatchLayout,
    units: (u32, u32),
    dim: Dim,
}

/// A cube size as a component of an autotuning key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
struct Dim(CubeDim);

#[test]
fn tuning_keys_are_serialised_and_read() {
    let key = OfInputs::new(
        f16::as_type_native_unchecked().elem_type(),
        StorageType::Packed(ElemType::Float(FloatKind::E4M3), 4),
        matrix_batch_layout(&[1, 6, 2]),
        (1, 2),
        Dim(CubeDim::new_2d(8, 4)),
    );
    let text = serde_json::to_string(&key).unwrap();
    assert!(text.contains("E4M3") && text.contains("HighlyPermuted"), "{text}");
    assert_eq!(serde_json::from_str::<OfInputs>(&text).unwrap(), key);
}

#[cube(launch)]
fn filled(out: &mut Array<u32>, value: u32) {
    out[ABSOLUTE_POS] = value;
}

struct Filled(Handle);
impl AutotuneOutput for Filled {}

/// Launches a kernel that fills an array, in cubes of `units` units.
fn fill(value: u32, units: u32) -> Filled {
    let client = client();
    let out = client.empty(16);
    filled::launch::<R>(&client, one(), CubeDim::new_1d(units), array::<u32>(&out, 4), ScalarArg::new(value));
    Filled(out)
}

fn values(filled: Filled) -> Vec<u32> {
    u32::from_bytes(&client().read_one(filled.0)).to_vec()
}

/// A client id that is unique to this process. Autotuning stores the choices for this id in separate files,
/// which `drop` removes.
struct Own(String);

impl Own {
    fn new(name: &str) -> Self {
        Own(format!("test-{name}-{}", std::process::id()))
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        use cubecl::config::GlobalConfig;
        let root = GlobalConfig::folder_of(&GlobalConfig::get().autotune.cache);
        let removed = std::fs::remove_dir_all(root.join("autotune").join(&self.0));
        // A second panic would end the process and hide the results of the other tests.
        assert!(removed.is_ok() || std::thread::panicking(), "the choice was kept there: {removed:?}");
    }
}

/// A program without configuration writes no file to the current folder.
#[test]
#[cfg(not(feature = "on-cuda"))]
fn choices_are_kept_in_the_cache_folder_of_the_user() {
    let (here, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "host::tuning::fastest_valid_candidate_is_chosen_once"]).current_dir(here.path());
    let output = command.env("XDG_CACHE_HOME", cache.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(cache.path().join("cube/autotune").is_dir());
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 0, "nothing is written into the current folder");
}

/// In a program with several threads, other work can delay a measurement, for example code that another thread loads.
#[test]
fn one_delayed_measurement_does_not_exclude_a_candidate() {
    static RUNS: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];
    fn steady(value: u32) -> Filled {
        RUNS[0].fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(PAUSE);
        fill(value, 4)
    }
    fn delayed_once(value: u32) -> Filled {
        // The runs before are one without launches, and the warm-up run.
        if RUNS[1].fetch_add(1, Ordering::Relaxed) == 2 {
            std::thread::sleep(10 * PAUSE);
        }
        fill(value, 4)
    }
    let candidates = || {
        TunableSet::new(|_: &u32| Pair::new('d', 3), |_: &Pair<char>, _: &u32| 7u32)
            .with(Tunable::new(steady.ok()))
            .with(Tunable::new(delayed_once.ok()))
    };
    let id = Own::new("delayed");
    static TUNER: LocalTuner<Pair<char>, String> = local_tuner!("delayed");
    assert_eq!(values(TUNER.execute(&id.0, &client(), TUNER.init(candidates), 5)), [5; 4]);
    assert!(RUNS[1].load(Ordering::Relaxed) > 3, "the third run is the delayed one");
    let before = RUNS[1].load(Ordering::Relaxed);
    assert_eq!(values(TUNER.execute(&id.0, &client(), TUNER.init(candidates), 6)), [6; 4]);
    assert_eq!(RUNS[1].load(Ordering::Relaxed), before + 1, "the candidate without a pause is chosen");
}

#[test]
fn fastest_valid_candidate_is_chosen_once() {
    static RUNS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
    fn run(index: usize) {
        RUNS[index].fetch_add(1, Ordering::Relaxed);
    }
    fn slow(value: u32) -> Filled {
        run(0);
        std::thread::sleep(PAUSE);
        fill(value, 4)
    }
    fn quick(value: u32) -> Result<Filled, LaunchError> {
        run(1);
        Ok(fill(value, 4))
    }
    /// A candidate whose launch is refused must not count as the fastest.
    fn refused(value: u32) -> Filled {
        run(2);
        fill(value, 1 << 20)
    }
    fn panics(_: u32) -> Result<Filled, String> {
        panic!("this candidate panics, and is left out")
    }
    fn skips(_: u32) -> Result<Filled, AutotuneError> {
        Err(AutotuneError::Skip)
    }
    let candidates = || {
        TunableSet::new(|_: &u32| Pair::new('k', 3), |_: &Pair<char>, _: &u32| 7u32)
            .with(Tunable::new(slow.ok()))
            .with(Tunable::new(skips))
            .with(Tunable::new(refused.ok()))
            .with(Tunable::new(panics))
            .with(Tunable::new(quick))
    };
    let runs = || [0, 1, 2].map(|index| RUNS[index].swap(0, Ordering::Relaxed));
    let id = Own::new("fastest");
    static TUNER: LocalTuner<Pair<char>, String> = local_tuner!("fastest");
    let set = TUNER.init(candidates);
    assert_eq!(values(TUNER.execute(&id.0, &client(), set.clone(), 5)), [5; 4]);
    let [first_slow, first_quick, first_refused] = runs();
    assert!(first_slow > 1 && first_quick > 1 && first_refused == 1, "each is measured");
    // Cached: only the fastest runs.
    assert_eq!(values(TUNER.execute(&id.0, &client(), set.clone(), 6)), [6; 4]);
    assert_eq!(runs(), [0, 1, 0]);
    // Not cached in memory, but on disk: each candidate runs once, with launches that have no effect, for its kernels.
    TUNER.clear();
    assert_eq!(values(TUNER.execute(&id.0, &client(), set, 8)), [8; 4]);
    assert_eq!(runs(), [1, 2, 1]);
    // Other candidates: the choice on disk is invalid.
    let set = std::sync::Arc::new(candidates().with_custom_checksum(|_| "others".into()));
    TUNER.clear();
    assert_eq!(values(TUNER.execute(&id.0, &client(), set, 9)), [9; 4]);
    assert!(runs()[0] > 1);
}

#[test]
fn later_groups_are_tried_if_no_other_works() {
    static LATE: AtomicUsize = AtomicUsize::new(0);
    static TUNER: LocalTuner<String, String> = LocalTuner::new("groups");
    let set = TUNER.init(|| {
        let early = TuneGroup::<String>::new(|key| if key == "small" { 9 } else { 0 });
        let late = TuneGroup::new(|_: &String| 5);
        let refuse = |value: u32| if value > 10 { Err("too large".to_string()) } else { Ok(fill(value, 4)) };
        let take = |value: u32| {
            LATE.fetch_add(1, Ordering::Relaxed);
            fill(value, 4)
        };
        TunableSet::new(
            |value: &u32| if *value < 100 { "small" } else { "large" }.to_string(),
            |_: &String, value: &u32| *value,
        )
        .with(Tunable::new(refuse).group(&early, |_| 1))
        .with(Tunable::new(take.ok()).group(&late, |_| 1))
    });
    let id = Own::new("groups");
    assert_eq!(values(TUNER.execute(&id.0, &client(), set.clone(), 3)), [3; 4]);
    assert_eq!(LATE.load(Ordering::Relaxed), 0, "the earlier group works");
    assert_eq!(values(TUNER.execute(&id.0, &client(), set.clone(), 200)), [200; 4]);
    assert!(LATE.load(Ordering::Relaxed) > 1);
    // The choice for a key is the choice for all inputs under it.
    let error = TUNER.try_execute(&id.0, &client(), set, 11).err();
    assert_eq!(error, Some(AutotuneError::Unknown("too large".into())));
}

#[test]
fn without_a_working_candidate_each_reason_is_reported() {
    static TUNER: LocalTuner<String, CubeTuneId> = local_tuner!("nothing");
    let id = CubeTuneId::new::<R>(&client(), &Default::default());
    let set = TUNER.init(|| {
        let none = || Err::<Filled, _>("not today".to_string());
        let refused = || fill(1, 1 << 20);
        TunableSet::new(|| "the key".to_string(), |_: &String| ())
            .with(Tunable::new(none))
            .with(Tunable::new(refused.ok()))
    });
    for _ in 0..2 {
        let error = TUNER.try_execute(&id, &client(), set.clone(), ()).err().expect("no candidate works").to_string();
        let words = ["-nothing' found no working candidate for the key:", "not today", "[1] ", "1048576"];
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
    let empty = TunableSet::<String, u32, ()>::new(|_: &u32| String::new(), |_: &String, n: &u32| *n);
    let error = TUNER.try_execute(&id, &client(), empty.into(), 1).expect_err("there is nothing to run");
    assert!(error.to_string().contains("does not have candidates; add them with `with`"), "{error}");
}

/// A kernel that is invalid for `by` 0.
#[cube(launch)]
fn budgeted(out: &mut Array<u32>, #[comptime] by: u32) {
    if comptime!(by == 0) {
        panic!("as asked");
    }
    out[ABSOLUTE_POS] = ABSOLUTE_POS * by;
}

#[test]
fn invalid_candidates_do_not_run_and_a_budget_ends_the_measurements() {
    use cubecl::tune::{TuneBudget, TuneOutcome};
    static TUNER: LocalTuner<String, String> = LocalTuner::new("budgeted");
    static RUNS: [std::sync::atomic::AtomicUsize; 4] = [const { std::sync::atomic::AtomicUsize::new(0) }; 4];
    let client = client();
    let out = client.empty(16);
    let candidate = |by: u32| {
        let client = client.clone();
        move |out: cubecl::server::Handle| {
            RUNS[by as usize].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            budgeted::launch::<R>(&client, one(), CubeDim::new_1d(4), array::<u32>(&out, 4), by);
        }
    };
    let set = TunableSet::new(|_: &cubecl::server::Handle| "k".to_string(), |_: &String, out: &_| Clone::clone(out))
        .with_budget(TuneBudget { candidates: Some(2), ..TuneBudget::default() })
        .with(Tunable::new(candidate(0).ok()))
        .with(Tunable::new(candidate(1).ok()))
        .with(Tunable::new(candidate(2).ok()))
        .with(Tunable::new(candidate(3).ok()))
        .with_custom_checksum(|_| format!("budgeted {}", std::process::id()));
    let device = format!("test-{}", std::process::id());
    TUNER.execute(&device, &client, std::sync::Arc::new(set), out.clone());
    let report = TUNER.report(&device, &"k".to_string()).unwrap();
    let rejected =
        |outcome: &TuneOutcome| matches!(outcome, TuneOutcome::Rejected(e) if e.to_string().contains("as asked"));
    assert!(rejected(&report.candidates[0].outcome), "{report}");
    let measured = report.candidates.iter().filter(|c| matches!(c.outcome, TuneOutcome::Measured(_))).count();
    assert_eq!((measured, &report.candidates[3].outcome), (2, &TuneOutcome::OutOfBudget), "{report}");
    assert!(report.chosen == Some(1) || report.chosen == Some(2), "{report}");
    // The first and the last candidate ran once each, for their kernels only.
    let runs = [0, 3].map(|by: usize| RUNS[by].load(std::sync::atomic::Ordering::Relaxed));
    assert_eq!(runs, [1, 1]);
    let by = report.chosen.unwrap() as u32;
    assert_eq!(u32::from_bytes(&client.read_one(out)), [0, by, 2 * by, 3 * by]);
}

#[cube(launch)]
fn multiplied(out: &mut Array<u32>, #[comptime] by: u32) {
    out[ABSOLUTE_POS] = ABSOLUTE_POS * by;
}

fn multiply(by: u32) -> Filled {
    let client = client();
    let out = client.empty(16);
    multiplied::launch::<R>(&client, one(), CubeDim::new_1d(4), array::<u32>(&out, 4), by);
    Filled(out)
}

/// A tuner whose candidates multiply by the numbers `by`, under the names of their positions.
fn multipliers(tuner: &LocalTuner<String, String>, id: &str, by: [u32; 3]) -> cubecl::tune::TuneReport {
    tuner.clear();
    let set = TunableSet::new(|| "k".to_string(), |_: &String| ());
    let [a, b, c] = by.map(|by| move || multiply(by));
    let set = set.with(Tunable::new(a.ok())).with(Tunable::new(b.ok())).with(Tunable::new(c.ok()));
    let chosen = values(tuner.execute(&id.to_string(), &client(), set.into(), ()));
    let report = tuner.report(&id.to_string(), &"k".to_string()).unwrap();
    assert_eq!(chosen[1], by[report.chosen.unwrap()], "{report}");
    report
}

#[test]
fn results_belong_to_the_text_of_a_kernel_and_not_to_a_name_or_position() {
    static TUNER: LocalTuner<String, String> = LocalTuner::new("texts");
    let id = Own::new("texts");
    let from_file = |by| multipliers(&TUNER, &id.0, by).candidates.iter().map(|c| c.from_file).collect::<Vec<_>>();
    assert_eq!(from_file([2, 3, 4]), [false; 3]);
    assert_eq!(from_file([4, 2, 3]), [true; 3], "the order of the candidates does not matter");
    // An edited kernel is measured, and the others are not.
    assert_eq!(from_file([2, 5, 4]), [true, false, true]);
}

#[test]
#[cfg(not(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu")))]
fn a_candidate_that_never_ends_is_a_result() {
    use cubecl::tune::{TuneBudget, TuneOutcome};
    #[cube(launch)]
    fn endless(out: &mut Array<u32>) {
        while out[0] == 0 {
            out[1] += 1;
        }
    }
    static TUNER: LocalTuner<String, String> = LocalTuner::new("endless");
    let id = Own::new("endless");
    let never = || {
        let client = client();
        let out = client.empty(16);
        endless::launch::<R>(&client, one(), CubeDim::new_1d(1), array::<u32>(&out, 4));
        Filled(out)
    };
    let set = || {
        let launch = Some(Duration::from_millis(200));
        TunableSet::new(|| "k".to_string(), |_: &String| ())
            .with_budget(TuneBudget { launch, ..TuneBudget::default() })
            .with(Tunable::new(never.ok()))
            .with(Tunable::new((|| multiply(9)).ok()))
    };
    for from_file in [false, true] {
        TUNER.clear();
        assert_eq!(values(TUNER.execute(&id.0, &client(), set().into(), ())), [0, 9, 18, 27]);
        let report = TUNER.report(&id.0, &"k".to_string()).unwrap();
        let ended = |outcome: &TuneOutcome| matches!(outcome, TuneOutcome::Failed(e) if e.to_string().contains("after the limit of 0.2 s"));
        assert!(ended(&report.candidates[0].outcome), "{report}");
        assert_eq!((report.chosen, report.candidates[0].from_file), (Some(1), from_file), "{report}");
    }
}

/// Runs this test in child processes that end while they measure a candidate.
#[test]
#[cfg(unix)]
fn results_of_killed_processes_are_reused_and_a_crashing_candidate_is_excluded() {
    const CHILD: &str = "CUBE_TEST_CRASHES";
    static TUNER: LocalTuner<String, String> = LocalTuner::new("crashing");
    if std::env::var_os(CHILD).is_none() {
        let cache = tempfile::tempdir().unwrap();
        let run = || {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            command.args([
                "--nocapture",
                "--exact",
                "host::tuning::results_of_killed_processes_are_reused_and_a_crashing_candidate_is_excluded",
            ]);
            let output = command.env(CHILD, "1").env("XDG_CACHE_HOME", cache.path()).output().unwrap();
            (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let (first, second, third) = (run(), run(), run());
        assert!(!first.0 && !second.0, "{first:?} {second:?}");
        assert!(third.0 && third.1.contains("from file: [true, true, false], 2 processes ended"), "{third:?}");
        return;
    }
    static MEASURED: AtomicUsize = AtomicUsize::new(0);
    let crashing = || {
        // The first run of the candidate in a process is for its kernels.
        if MEASURED.fetch_add(1, Ordering::Relaxed) > 0 {
            let pid = std::process::id().to_string();
            std::process::Command::new("kill").args(["-9", &pid]).status().unwrap();
            std::thread::sleep(Duration::from_secs(60));
        }
        Filled(client().empty(16))
    };
    let set = TunableSet::new(|| "k".to_string(), |_: &String| ())
        .with(Tunable::new((|| multiply(2)).ok()))
        .with(Tunable::new(crashing.ok()))
        .with(Tunable::new((|| multiply(3)).ok()));
    TUNER.execute(&"d".to_string(), &client(), set.into(), ());
    let report = TUNER.report(&"d".to_string(), &"k".to_string()).unwrap();
    let from_file: Vec<_> = report.candidates.iter().map(|c| c.from_file).collect();
    let reason = report.candidates[1].to_string();
    println!("from file: {from_file:?}, {}", reason.split("excluded: ").nth(1).unwrap());
}
