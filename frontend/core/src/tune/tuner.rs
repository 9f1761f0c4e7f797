//! Measures candidates, stores the choice of the fastest candidate, and runs this candidate.
use super::choice_cache::ChoiceCache;
use super::{AutotuneError, AutotuneKey, AutotuneOutput, TriedCandidate, TunableSet, TuneFn, TuneOutcome, TuneReport};
use crate::future::block_on;
use crate::host::arguments::failures_of;
use crate::host::config::{AutotuneLogLevel, GlobalConfig, LogWriter};
use crate::host::precompile::build_all;
use crate::host::recording::record;
use crate::host::{ComputeClient, ComputeServer};
use cube_artifact::protocol::COMPILER_BUILD;
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

/// A tuner with one table of choices per `ID`. An `ID` identifies a device. Programs declare a tuner as a
/// static: `static TUNER: LocalTuner<Key, CubeTuneId> = local_tuner!("name");`
pub struct LocalTuner<AK, ID> {
    name: &'static str,
    devices: Mutex<Option<HashMap<ID, DeviceChoices<AK>>>>,
    sets: Mutex<Option<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>,
}

/// Choices for one device.
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
            return Err(format!("the tuner '{}' does not have candidates: add them with `with`", self.name).into());
        }
        let key = candidates.generate_key(&inputs);
        let index = match self.next(id, client, &key, &candidates) {
            Next::Run(index) => index,
            Next::Measure => {
                let busy = Busy { tuner: self, id, key: &key };
                let report = self.measure(client, &key, &candidates, &inputs);
                match report.chosen {
                    Some(fastest) => {
                        busy.done(fastest, &checksum(client, &candidates), report);
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

    /// Returns the known choice for a key, or requests a measurement.
    fn next<S: ComputeServer, In: Clone + 'static, Out: 'static>(
        &self,
        id: &ID,
        client: &ComputeClient<S>,
        key: &AK,
        candidates: &TunableSet<AK, In, Out>,
    ) -> Next {
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
        if candidates.len() == 1 || device.measured.contains(key) {
            return Next::Run(0);
        }
        let cached = device.cache.find(&format!("{key:?}"), &checksum(client, candidates));
        if let Some(index) = cached.filter(|index| *index < candidates.len()) {
            device.fastest.insert(key.clone(), index);
            return Next::Run(index);
        }
        device.measured.insert(key.clone());
        Next::Measure
    }

    /// Measures the candidates, and chooses the candidate with the smallest median time.
    fn measure<S, In, Out>(
        &self,
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
        for step in candidates.plan(key) {
            let mut rejected = prepare(candidates, &step, &inputs);
            for index in step {
                let candidate = candidates.fastest(index);
                let outcome = match rejected.remove(&index) {
                    Some(reason) => TuneOutcome::Rejected(reason),
                    None if !candidates.budget.permits(measured, start.elapsed(), best.is_some()) => {
                        TuneOutcome::OutOfBudget
                    }
                    None => {
                        measured += 1;
                        time_of(client, &*candidate, &inputs).map_or_else(TuneOutcome::Failed, TuneOutcome::Measured)
                    }
                };
                if let TuneOutcome::Measured(time) = outcome {
                    best = best.into_iter().chain([(time, index)]).min();
                }
                report.candidates.push(TriedCandidate { index, name: candidate.name().to_string(), outcome });
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

    /// The candidates that this tuner tried for a key in this process; `None` if the choice comes from a file, or if the
    /// key has no choice.
    pub fn report(&self, id: &ID, key: &AK) -> Option<TuneReport> {
        locked(&self.devices).as_ref()?.get(id)?.reports.get(key).cloned()
    }
}

/// The checksum of a choice: the candidates, the target and the build of Cube.
fn checksum<S: ComputeServer, AK: 'static, In: Clone + 'static, Out: 'static>(
    client: &ComputeClient<S>,
    candidates: &TunableSet<AK, In, Out>,
) -> String {
    format!("{} {} {COMPILER_BUILD}", candidates.compute_checksum(), client.server().target)
}

/// Compiles the kernels of several candidates at the same time. Returns the candidates with an invalid kernel.
fn prepare<AK: 'static, In: Clone + 'static, Out: 'static>(
    candidates: &TunableSet<AK, In, Out>,
    step: &[usize],
    inputs: &In,
) -> HashMap<usize, AutotuneError> {
    let (mut kernels, mut owners) = (Vec::new(), Vec::new());
    for &index in step {
        let candidate = candidates.fastest(index);
        // A candidate can depend on results of its launches, and then fails here. The measurement finds its result.
        let run = || catch_unwind(AssertUnwindSafe(|| drop(candidate.execute(inputs.clone()))));
        let (_, of_candidate) = record(|| failures_of(run));
        owners.extend(of_candidate.iter().map(|_| index));
        kernels.extend(of_candidate);
    }
    let report = build_all(&kernels, Instant::now());
    let failed =
        report.kernels.into_iter().zip(owners).filter_map(|(kernel, index)| Some((index, kernel.outcome.err()?)));
    failed.map(|(index, error)| (index, error.into())).collect()
}

/// Guard of a measurement. Dropping the guard, also after a panic, removes the key from the keys that are being
/// measured.
struct Busy<'a, AK: AutotuneKey, ID: Hash + Eq> {
    tuner: &'a LocalTuner<AK, ID>,
    id: &'a ID,
    key: &'a AK,
}

impl<AK: AutotuneKey, ID: Hash + Eq> Busy<'_, AK, ID> {
    fn done(self, fastest: usize, sum: &str, report: TuneReport) {
        if let Some(device) = locked(&self.tuner.devices).as_mut().and_then(|devices| devices.get_mut(self.id)) {
            device.fastest.insert(self.key.clone(), fastest);
            device.reports.insert(self.key.clone(), report);
            device.cache.keep(&format!("{:?}", self.key), sum, fastest);
        }
    }
}

impl<AK: AutotuneKey, ID: Hash + Eq> Drop for Busy<'_, AK, ID> {
    fn drop(&mut self) {
        if let Some(device) = locked(&self.tuner.devices).as_mut().and_then(|devices| devices.get_mut(self.id)) {
            device.measured.remove(self.key);
        }
    }
}

/// Measures the median time of a candidate, after one warm-up run.
fn time_of<S: ComputeServer, In: Clone + 'static, Out: 'static>(
    client: &ComputeClient<S>,
    candidate: &dyn TuneFn<Inputs = In, Output = Out>,
    inputs: &In,
) -> Result<Duration, AutotuneError> {
    let once = || -> Result<Duration, AutotuneError> {
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
        once()?;
        let mut times = Vec::new();
        while times.len() < MAX_SAMPLES
            && (times.len() < MIN_SAMPLES || times.iter().sum::<Duration>() < MAX_TOTAL_TIME)
        {
            times.push(once()?);
        }
        times.sort();
        Ok(times[times.len() / 2])
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
        Err(format!("the candidate panics: {}", text.unwrap_or("no message")).into())
    })
}

fn log(level: AutotuneLogLevel, message: impl FnOnce() -> String) {
    static LOG: LazyLock<LogWriter> = LazyLock::new(LogWriter::default);
    let config = GlobalConfig::get();
    if config.autotune.logger.level >= level {
        LOG.write(&config.autotune.logger, &message());
    }
}
