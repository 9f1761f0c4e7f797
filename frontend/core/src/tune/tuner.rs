//! Measures candidates, stores the choice of the fastest candidate, and runs this candidate.
use super::choice_cache::ChoiceCache;
use super::{AutotuneError, AutotuneKey, AutotuneOutput, TunableSet, TuneFn};
use crate::future::block_on;
use crate::host::arguments::failures_of;
use crate::host::config::{AutotuneLogLevel, GlobalConfig, LogWriter};
use crate::host::{ComputeClient, ComputeServer};
use std::any::{Any, TypeId};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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
        let index = match self.next(id, &key, &candidates) {
            Next::Run(index) => index,
            Next::Measure => {
                let busy = Busy { tuner: self, id, key: &key };
                let fastest = self.measure(client, &key, &candidates, &inputs)?;
                busy.done(fastest, &candidates.compute_checksum());
                fastest
            }
        };
        candidates.fastest(index).execute(inputs)
    }

    /// Returns the known choice for a key, or requests a measurement.
    fn next<In: Clone + 'static, Out: 'static>(&self, id: &ID, key: &AK, candidates: &TunableSet<AK, In, Out>) -> Next {
        let mut devices = locked(&self.devices);
        let device = devices.get_or_insert_default().entry(id.clone()).or_insert_with(|| DeviceChoices {
            fastest: HashMap::new(),
            measured: HashSet::new(),
            cache: ChoiceCache::of(&id.to_string(), self.name),
        });
        if let Some(&index) = device.fastest.get(key) {
            return Next::Run(index);
        }
        if candidates.len() == 1 || device.measured.contains(key) {
            return Next::Run(0);
        }
        let cached = device.cache.find(&format!("{key:?}"), &candidates.compute_checksum());
        if let Some(index) = cached.filter(|index| *index < candidates.len()) {
            device.fastest.insert(key.clone(), index);
            return Next::Run(index);
        }
        device.measured.insert(key.clone());
        Next::Measure
    }

    /// Measures the candidates, and returns the candidate with the smallest median time.
    fn measure<S, In, Out>(
        &self,
        client: &ComputeClient<S>,
        key: &AK,
        candidates: &TunableSet<AK, In, Out>,
        inputs: &In,
    ) -> Result<usize, AutotuneError>
    where
        S: ComputeServer,
        In: Clone + Send + 'static,
        Out: AutotuneOutput,
    {
        let inputs = candidates.generate_inputs(key, inputs);
        let mut measurements = Vec::new();
        for step in candidates.plan(key) {
            let mut times = Vec::new();
            for index in step {
                let candidate = candidates.fastest(index);
                let time = time_of(client, &*candidate, &inputs);
                measurements.push(match &time {
                    Ok(time) => format!("[{index}] {}: {time:.3?}", candidate.name()),
                    Err(reason) => format!("[{index}] {}: excluded: {reason}", candidate.name()),
                });
                times.extend(time.map(|time| (time, index)));
            }
            if let Some((time, index)) = times.into_iter().min() {
                log(AutotuneLogLevel::Minimal, || {
                    format!("chose {} for {key} in {time:.3?}", candidates.fastest(index).name())
                });
                log(AutotuneLogLevel::Full, || measurements.join("\n"));
                return Ok(index);
            }
        }
        let measurements = measurements.join("\n  ");
        Err(format!("the tuner '{}' found no working candidate for {key}:\n  {measurements}", self.name).into())
    }
}

/// Guard of a measurement. Dropping the guard, also after a panic, removes the key from the keys that are being
/// measured.
struct Busy<'a, AK: AutotuneKey, ID: Hash + Eq> {
    tuner: &'a LocalTuner<AK, ID>,
    id: &'a ID,
    key: &'a AK,
}

impl<AK: AutotuneKey, ID: Hash + Eq> Busy<'_, AK, ID> {
    fn done(self, fastest: usize, sum: &str) {
        if let Some(device) = locked(&self.tuner.devices).as_mut().and_then(|devices| devices.get_mut(self.id)) {
            device.fastest.insert(self.key.clone(), fastest);
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
