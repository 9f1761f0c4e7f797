//! Measures candidates, stores the choice of the fastest candidate, and runs this candidate.
use super::choice_cache::ChoiceCache;
use super::prediction::{MIN_PREDICTED_CANDIDATES, OwnedLaunch, Predictions, too_slow};
use super::{
    AutotuneError, AutotuneKey, AutotuneOutput, DEFAULT_LAUNCH_LIMIT, TriedCandidate, TunableSet, TuneFn, TuneOutcome,
    TuneReport,
};
use crate::future::block_on;
use crate::host::arguments::{LaunchError, failures_of};
use crate::host::config::{AutotuneLogLevel, GlobalConfig, LogWriter};
use crate::host::precompile::build_all;
use crate::host::recording::{Recorded, record_launches};
use crate::host::{ComputeClient, ComputeServer};
use cube_artifact::Target;
use cube_artifact::protocol::COMPILER_BUILD;
use cube_runtime::ErrorKind;
use std::any::{Any, TypeId};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of measurements of a candidate.
const MAX_SAMPLES: usize = 10;

/// The measurements of a candidate end after this total time, but not before [`MIN_SAMPLES`] measurements.
const MAX_TOTAL_TIME: Duration = Duration::from_secs(1);

/// Minimum number of measurements of a candidate.
const MIN_SAMPLES: usize = 3;

/// A candidate that takes this many times the time of the fastest candidate in [`SLOW_SAMPLES`] measurements is not measured
/// again.
const SLOW_FACTOR: u32 = 2;

/// Number of measurements of a slow candidate. A single measurement can be disturbed, for example by code that another thread
/// loads.
const SLOW_SAMPLES: usize = 2;

/// Like [`SLOW_FACTOR`], for the time of the first run. The first run also includes the additional work of a first
/// launch, such as loading code.
const COLD_SLOW_FACTOR: u32 = 20;

/// A tuner with one table of choices per `ID`. An `ID` identifies a device. Programs declare a tuner as a
/// static: `static TUNER: LocalTuner<Key, CubeTuneId> = local_tuner!("name");`
pub struct LocalTuner<AK, ID> {
    name: &'static str,
    devices: Mutex<Option<HashMap<ID, DeviceChoices<AK>>>>,
    sets: Mutex<Option<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>,
}

/// The candidates that were chosen for each key on one device, with the reports of their measurement.
struct DeviceChoices<AK> {
    fastest: HashMap<AK, usize>,
    reports: HashMap<AK, TuneReport>,
    /// The keys for which a thread is measuring candidates.
    measured: HashSet<AK>,
    cache: ChoiceCache,
}

/// Creates a tuner whose name is the path of its module. An optional suffix distinguishes several tuners of
/// one module.
#[macro_export]
macro_rules! local_tuner {
    ($name:expr) => {
        $crate::tune::LocalTuner::new(concat!(module_path!(), "-", $name))
    };
    () => {
        $crate::tune::LocalTuner::new(module_path!())
    };
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next action of a tuner for a key.
enum Next {
    Run(usize),
    Measure,
}

impl<AK: AutotuneKey, ID: Hash + Eq + Clone + Display> LocalTuner<AK, ID> {
    /// A tuner with a name. [`local_tuner!`](crate::local_tuner) uses the name of the module.
    pub const fn new(name: &'static str) -> Self {
        LocalTuner { name, devices: Mutex::new(None), sets: Mutex::new(None) }
    }

    /// Returns the set of candidates. The first call creates the set with `make`.
    pub fn init<In, Out, F>(&self, make: F) -> Arc<TunableSet<AK, In, Out>>
    where
        F: Fn() -> TunableSet<AK, In, Out> + Send + Sync + 'static,
        In: Clone + Send + 'static,
        Out: AutotuneOutput,
    {
        let mut sets = locked(&self.sets);
        let set = sets.get_or_insert_default().entry(TypeId::of::<F>()).or_insert_with(|| Arc::new(make()));
        set.clone().downcast().expect("a closure has one type of result")
    }

    /// Deletes the choices in memory. Choices on disk are not deleted.
    pub fn clear(&self) {
        *locked(&self.devices) = None;
    }

    /// Runs the candidate that is fastest for the inputs. If no choice is known, the call first measures the
    /// candidates.
    ///
    /// # Panics
    /// No candidate works, or the chosen candidate fails.
    #[track_caller]
    pub fn execute<S, In, Out>(
        &self,
        id: &ID,
        client: &ComputeClient<S>,
        candidates: Arc<TunableSet<AK, In, Out>>,
        inputs: In,
    ) -> Out
    where
        S: ComputeServer,
        In: Clone + Send + 'static,
        Out: AutotuneOutput,
    {
        match self.try_execute(id, client, candidates, inputs) {
            Ok(output) => output,
            Err(error) => panic!("{error}"),
        }
    }

    /// Same as [`LocalTuner::execute`], with errors as values.
    ///
    /// # Errors
    /// No candidate works, or the chosen candidate fails.
    pub fn try_execute<S, In, Out>(
        &self,
        id: &ID,
        client: &ComputeClient<S>,
        candidates: Arc<TunableSet<AK, In, Out>>,
        inputs: In,
    ) -> Result<Out, AutotuneError>
    where
        S: ComputeServer,
        In: Clone + Send + 'static,
        Out: AutotuneOutput,
    {
        if candidates.is_empty() {
            return Err(format!("the tuner '{}' does not have candidates; add them with `with`", self.name).into());
        }
        let key = candidates.generate_key(&inputs);
        let index = match self.next(id, &key, candidates.len()) {
            Next::Run(index) => index,
            Next::Measure => {
                let busy = MeasurementGuard { tuner: self, id, key: &key };
                let report = self.measure(id, client, &key, &candidates, &inputs);
                match report.chosen {
                    Some(fastest) => {
                        busy.done(fastest, report);
                        fastest
                    }
                    None => {
                        let tried = report.to_string().replace('\n', "\n  ");
                        let name = self.name;
                        return Err(
                            format!("the tuner '{name}' found no working candidate for {key}:\n  {tried}").into()
                        );
                    }
                }
            }
        };
        candidates.fastest(index).execute(inputs)
    }

    /// Returns the known choice for a key, or requests a measurement of the `candidates` candidates.
    fn next(&self, id: &ID, key: &AK, candidates: usize) -> Next {
        let mut devices = locked(&self.devices);
        let device = devices.get_or_insert_default().entry(id.clone()).or_insert_with(|| DeviceChoices {
            fastest: HashMap::new(),
            reports: HashMap::new(),
            measured: HashSet::new(),
            cache: ChoiceCache::of(&id.to_string(), self.name),
        });
        if let Some(&index) = device.fastest.get(key) {
            return Next::Run(index);
        }
        if candidates == 1 || device.measured.contains(key) {
            return Next::Run(0);
        }
        device.measured.insert(key.clone());
        Next::Measure
    }

    /// Uses the results on disk of a device.
    fn with_cache<T>(&self, id: &ID, work: impl FnOnce(&mut ChoiceCache) -> T) -> Option<T> {
        let mut devices = locked(&self.devices);
        devices.as_mut().and_then(|devices| devices.get_mut(id)).map(|device| work(&mut device.cache))
    }

    /// Measures the candidates without a result, and chooses the candidate with the smallest median time.
    fn measure<S, In, Out>(
        &self,
        id: &ID,
        client: &ComputeClient<S>,
        key: &AK,
        candidates: &TunableSet<AK, In, Out>,
        inputs: &In,
    ) -> TuneReport
    where
        S: ComputeServer,
        In: Clone + Send + 'static,
        Out: AutotuneOutput,
    {
        let start = Instant::now();
        let inputs = candidates.generate_inputs(key, inputs);
        let (mut report, mut measured, mut best) = (TuneReport::default(), 0, None);
        let key_text = format!("{key:?}");
        for step in candidates.plan(key) {
            let custom = candidates.custom_checksum();
            let mut collected = Collected::default();
            if custom.is_none() {
                collected = Collected::of(candidates, &step, &inputs);
            }
            let mut identities = identities(client, candidates, custom.as_deref(), &collected.kernels);
            let find =
                |index: &usize| self.with_cache(id, |cache| cache.find(&key_text, identities.get(index)?)).flatten();
            let mut known: HashMap<usize, TuneOutcome> =
                step.iter().filter_map(|index| Some((*index, find(index)?))).collect();
            // Without a working candidate, all candidates are measured again: a failure can have a temporary reason.
            if !known.values().any(|outcome| matches!(outcome, TuneOutcome::Measured(_))) {
                let is_excluded = |index: &usize| {
                    let identity = identities.get(index);
                    let is_excluded =
                        |identity: &String| self.with_cache(id, |cache| cache.is_excluded(&key_text, identity));
                    identity.and_then(is_excluded).unwrap_or_default()
                };
                known.retain(|index, outcome| matches!(outcome, TuneOutcome::Rejected(_)) || is_excluded(index));
            }
            if custom.is_some() {
                let unknown: Vec<_> = step.iter().copied().filter(|index| !known.contains_key(index)).collect();
                collected = Collected::of(candidates, &unknown, &inputs);
            }
            collected.retain(|index| !known.contains_key(&index));
            let (mut rejected, slow) = collected.exclude(&known, candidates.budget.factor());
            rejected.extend(collected.build(|index| !rejected.contains_key(&index) && !slow.contains_key(&index)));
            // Slow candidates come last. If no other candidate works, they are compiled and measured.
            let (last, first): (Vec<_>, Vec<_>) = step.into_iter().partition(|index| slow.contains_key(index));
            let mut builds_slow = !last.is_empty();
            for index in first.into_iter().chain(last) {
                if best.is_none() && slow.contains_key(&index) && std::mem::take(&mut builds_slow) {
                    rejected.extend(collected.build(|index| slow.contains_key(&index)));
                }
                let candidate = candidates.fastest(index);
                let (name, identity) = (candidate.name().to_string(), identities.remove(&index).unwrap_or_default());
                let (from_file, mut is_result) = (known.contains_key(&index), false);
                let outcome = match (known.remove(&index), rejected.remove(&index)) {
                    (Some(outcome), _) => outcome,
                    (None, Some(error)) => {
                        // Other errors can have a temporary reason, for example a killed compiler process. Such an
                        // error has the location of the kernel's definition, because no message of the compiler has a
                        // location.
                        let mut diagnostics = error.runtime().compile.iter().flat_map(|compile| &compile.diagnostics);
                        is_result =
                            error.kind == ErrorKind::User || diagnostics.any(|message| message.location.is_some());
                        TuneOutcome::Rejected(error.into())
                    }
                    _ if best.is_some() && slow.contains_key(&index) => {
                        let (predicted, smallest) = slow[&index];
                        TuneOutcome::PredictedSlow { predicted, smallest }
                    }
                    _ if !candidates.budget.permits(measured, start.elapsed(), best.is_some()) => {
                        TuneOutcome::OutOfBudget
                    }
                    _ => {
                        (measured, is_result) = (measured + 1, true);
                        self.with_cache(id, |cache| cache.begin(&key_text, &identity, &name));
                        let limit = candidates.budget.launch.unwrap_or(DEFAULT_LAUNCH_LIMIT);
                        let fastest = best.map(|(time, _)| time);
                        let time = time_of(client, &*candidate, &inputs, limit, fastest);
                        time.map_or_else(TuneOutcome::Failed, TuneOutcome::Measured)
                    }
                };
                if is_result {
                    self.with_cache(id, |cache| cache.keep(&key_text, &identity, &name, &outcome));
                }
                if let TuneOutcome::Measured(time) = outcome {
                    best = best.into_iter().chain([(time, index)]).min();
                }
                report.candidates.push(TriedCandidate { index, name, outcome, from_file });
            }
            if best.is_some() {
                break;
            }
        }
        report.chosen = best.map(|(_, index)| index);
        report.time = start.elapsed();
        if let Some((time, index)) = best {
            log(AutotuneLogLevel::Minimal, || {
                format!("chose {} for {key} in {time:.3?}", candidates.fastest(index).name())
            });
            log(AutotuneLogLevel::Full, || report.to_string());
        }
        report
    }

    /// The candidates that this tuner tried for a key, in this process or in an earlier process; `None` if the key has no
    /// choice.
    pub fn report(&self, id: &ID, key: &AK) -> Option<TuneReport> {
        locked(&self.devices).as_ref()?.get(id)?.reports.get(key).cloned()
    }
}

/// The kernels of candidates, each with the index of its candidate.
type OwnedKernels = Vec<(usize, Arc<Recorded>)>;

/// The kernels and launches of candidates.
#[derive(Default)]
struct Collected {
    kernels: OwnedKernels,
    launches: Vec<OwnedLaunch>,
}

impl Collected {
    /// Runs candidates with launches that have no effect, and returns their kernels and launches.
    fn of<AK: 'static, In: Clone + 'static, Out: 'static>(
        candidates: &TunableSet<AK, In, Out>,
        step: &[usize],
        inputs: &In,
    ) -> Self {
        let mut all = Collected::default();
        for &index in step {
            let candidate = candidates.fastest(index);
            // A candidate whose host code reads results of its launches fails here. The later measurement determines its
            // result.
            let run = || catch_unwind(AssertUnwindSafe(|| drop(candidate.execute(inputs.clone()))));
            let (_, kernels, launches) = record_launches(|| failures_of(run));
            all.kernels.extend(kernels.into_iter().map(|kernel| (index, kernel)));
            all.launches.extend(launches.into_iter().map(|launch| (index, launch)));
        }
        all
    }

    /// Removes the candidates for which `is_kept` returns false.
    fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        self.kernels.retain(|(owner, _)| is_kept(*owner));
        self.launches.retain(|(owner, _)| is_kept(*owner));
    }

    /// The candidates that need no compilation: candidates beyond a limit of the device, and candidates with a long predicted
    /// time. `known` are the results of the other candidates.
    fn exclude(
        &self,
        known: &HashMap<usize, TuneOutcome>,
        factor: Option<u32>,
    ) -> (HashMap<usize, LaunchError>, HashMap<usize, (Duration, Duration)>) {
        let measured = known.values().filter_map(|outcome| match outcome {
            TuneOutcome::Measured(time) => Some(*time),
            _ => None,
        });
        let measured: Vec<Duration> = measured.collect();
        let owners: HashSet<usize> = self.launches.iter().map(|(owner, _)| *owner).collect();
        let is_enough = owners.len() + measured.len() > MIN_PREDICTED_CANDIDATES;
        let Predictions { times, beyond } = Predictions::of(&self.launches, is_enough && factor.is_some());
        (beyond, factor.map_or_else(HashMap::new, |factor| too_slow(&times, &measured, factor)))
    }

    /// Compiles the kernels of the selected candidates at the same time. Returns the candidates with an invalid kernel.
    fn build(&self, is_selected: impl Fn(usize) -> bool) -> HashMap<usize, LaunchError> {
        let selected = self.kernels.iter().filter(|(owner, _)| is_selected(*owner)).cloned();
        let (owners, kernels): (Vec<usize>, Vec<Arc<Recorded>>) = selected.unzip();
        let built = build_all(&kernels, Instant::now()).kernels.into_iter().zip(owners);
        built.filter_map(|(kernel, index)| Some((index, kernel.outcome.err()?))).collect()
    }
}

/// The identity of each candidate: a hash of the texts of its kernels, the device, the target and the build of Cube.
fn identities<S: ComputeServer, AK: 'static, In: Clone + 'static, Out: 'static>(
    client: &ComputeClient<S>,
    candidates: &TunableSet<AK, In, Out>,
    custom: Option<&str>,
    kernels: &OwnedKernels,
) -> HashMap<usize, String> {
    let core = client.server();
    let machine = if core.target.backend == Target::cpu().backend { cube_runtime::cache::machine() } else { "" };
    let environment = format!("{}\n{}\n{machine}\n{COMPILER_BUILD}\n", core.device.name(), core.target);
    let text = |index: usize| {
        let name = || candidates.fastest(index).name().to_string();
        let of_candidate = kernels.iter().filter(|(owner, _)| *owner == index).map(|(_, kernel)| kernel.text_hash());
        let texts: Vec<[u8; 32]> = of_candidate.collect();
        match custom {
            Some(sum) => format!("checksum {sum} {index}"),
            None if texts.is_empty() => format!("name {}", name()),
            None => format!("kernels {}", blake3::hash(texts.as_flattened()).to_hex()),
        }
    };
    let mut texts: Vec<String> = (0..candidates.len()).map(text).collect();
    // Candidates with equal kernels differ in their host code. The name distinguishes such candidates, and for equal
    // names the order.
    for index in 0..texts.len() {
        let is_equal = |other: &String| other.split('\t').next() == Some(&texts[index]);
        if texts.iter().filter(|other| is_equal(other)).count() > 1 {
            texts[index] = format!("{}\t{}", texts[index], candidates.fastest(index).name());
            let earlier = texts[..index].iter().filter(|other| other.starts_with(&texts[index])).count();
            texts[index].push_str(&format!("\t{earlier}"));
        }
    }
    let identity = |text: String| blake3::hash(format!("{environment}{text}").as_bytes()).to_hex()[..32].to_string();
    texts.into_iter().map(identity).enumerate().collect()
}

/// Guard of a measurement. Dropping the guard, also after a panic, removes the key from the keys that are being
/// measured.
struct MeasurementGuard<'a, AK: AutotuneKey, ID: Hash + Eq> {
    tuner: &'a LocalTuner<AK, ID>,
    id: &'a ID,
    key: &'a AK,
}

impl<AK: AutotuneKey, ID: Hash + Eq> MeasurementGuard<'_, AK, ID> {
    fn done(self, fastest: usize, report: TuneReport) {
        if let Some(device) = locked(&self.tuner.devices).as_mut().and_then(|devices| devices.get_mut(self.id)) {
            device.fastest.insert(self.key.clone(), fastest);
            device.reports.insert(self.key.clone(), report);
        }
    }
}

impl<AK: AutotuneKey, ID: Hash + Eq> Drop for MeasurementGuard<'_, AK, ID> {
    fn drop(&mut self) {
        if let Some(device) = locked(&self.tuner.devices).as_mut().and_then(|devices| devices.get_mut(self.id)) {
            device.measured.remove(self.key);
        }
    }
}

/// Measures the median time of a candidate, after one warm-up run. A candidate that takes more than
/// [`SLOW_FACTOR`] times the time of the fastest candidate is measured [`SLOW_SAMPLES`] times. Each launch has the time limit `limit`.
fn time_of<S: ComputeServer, In: Clone + 'static, Out: 'static>(
    client: &ComputeClient<S>,
    candidate: &dyn TuneFn<Inputs = In, Output = Out>,
    inputs: &In,
    limit: Duration,
    fastest: Option<Duration>,
) -> Result<Duration, AutotuneError> {
    let measure_once = || -> Result<Duration, AutotuneError> {
        let mut result = Ok(());
        let (profile, failed) = failures_of(|| {
            let work = || result = candidate.execute(inputs.clone()).map(drop);
            client.profile(work, candidate.name())
        });
        result?;
        match failed {
            Some(error) => Err(error.into()),
            None => Ok(block_on(profile?.resolve()).duration()),
        }
    };
    let run = || -> Result<Duration, AutotuneError> {
        let warm_up = measure_once()?;
        if fastest.is_some_and(|fastest| warm_up > COLD_SLOW_FACTOR * fastest) {
            return Ok(warm_up);
        }
        let mut times = Vec::new();
        while times.len() < MAX_SAMPLES
            && (times.len() < MIN_SAMPLES || times.iter().sum::<Duration>() < MAX_TOTAL_TIME)
        {
            times.push(measure_once()?);
            let smallest = times.iter().min().filter(|_| times.len() >= SLOW_SAMPLES);
            if fastest.zip(smallest).is_some_and(|(fastest, smallest)| *smallest > SLOW_FACTOR * fastest) {
                break;
            }
        }
        times.sort();
        Ok(times[times.len() / 2])
    };
    let mut result = Err(AutotuneError::InvalidSamples);
    client.server().device.limit_launches(limit, &mut || {
        result = catch_unwind(AssertUnwindSafe(&run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
            Err(format!("the candidate panics: {}", text.unwrap_or("no message")).into())
        });
    });
    result
}

fn log(level: AutotuneLogLevel, message: impl FnOnce() -> String) {
    static LOG: LazyLock<LogWriter> = LazyLock::new(LogWriter::default);
    let config = GlobalConfig::get();
    if config.autotune.logger.level >= level {
        LOG.write(&config.autotune.logger, &message());
    }
}
