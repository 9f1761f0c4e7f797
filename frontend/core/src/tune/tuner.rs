//! Measures, remembers, and runs the fastest.
use super::kept::Kept;
use super::{AutotuneError, AutotuneKey, AutotuneOutput, TunableSet, TuneFn};
use crate::future::block_on;
use crate::host::arguments::failures_of;
use crate::host::config::{AutotuneLogLevel, GlobalConfig, Sink};
use crate::host::{ComputeClient, ComputeServer};
use std::any::{Any, TypeId};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Measurements of a candidate.
const SAMPLES: usize = 10;

/// A candidate that has taken so long is not measured again, once there are [`FEWEST`] measurements.
const LONG: Duration = Duration::from_secs(1);

/// Measurements that are made of a slow candidate.
const FEWEST: usize = 3;

/// A tuner, remembered by key for each `ID`, that is for each device. Tuners are statics: `static TUNER: LocalTuner<Key, CubeTuneId> =
/// local_tuner!("name");`
pub struct LocalTuner<AK, ID> {
    name: &'static str,
    known: Mutex<Option<HashMap<ID, Known<AK>>>>,
    sets: Mutex<Option<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>,
}

/// What is known for a device.
struct Known<AK> {
    fastest: HashMap<AK, usize>,
    /// Keys that a thread measures.
    measured: HashSet<AK>,
    kept: Kept,
}

/// A tuner with the name of the module, and one of its own where the module has several.
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

/// What to do for a key.
enum Next {
    Run(usize),
    Measure,
}

impl<AK: AutotuneKey, ID: Hash + Eq + Clone + Display> LocalTuner<AK, ID> {
    /// A tuner; [`local_tuner!`](crate::local_tuner) names it by its place.
    pub const fn new(name: &'static str) -> Self {
        LocalTuner { name, known: Mutex::new(None), sets: Mutex::new(None) }
    }

    /// The candidates, made by the first call.
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

    /// Forgets all choices, but those on disk.
    pub fn clear(&self) {
        *locked(&self.known) = None;
    }

    /// Runs the fastest candidate for these inputs; which that is, is measured where it is not known.
    ///
    /// # Panics
    /// No candidate works, or the one that was chosen fails.
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

    /// [`LocalTuner::execute`].
    ///
    /// # Errors
    /// No candidate works, or the one that was chosen fails.
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
            return Err(format!("the tuner '{}' has no candidates: add some with `with`", self.name).into());
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

    /// What is known of a key.
    fn next<In: Clone + 'static, Out: 'static>(&self, id: &ID, key: &AK, candidates: &TunableSet<AK, In, Out>) -> Next {
        let mut known = locked(&self.known);
        let known = known.get_or_insert_default().entry(id.clone()).or_insert_with(|| Known {
            fastest: HashMap::new(),
            measured: HashSet::new(),
            kept: Kept::of(&id.to_string(), self.name),
        });
        if let Some(&index) = known.fastest.get(key) {
            return Next::Run(index);
        }
        if candidates.len() == 1 || known.measured.contains(key) {
            return Next::Run(0);
        }
        let kept = known.kept.find(&format!("{key:?}"), &candidates.compute_checksum());
        if let Some(index) = kept.filter(|index| *index < candidates.len()) {
            known.fastest.insert(key.clone(), index);
            return Next::Run(index);
        }
        known.measured.insert(key.clone());
        Next::Measure
    }

    /// The fastest candidate, by the median of its times.
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
        let mut told = Vec::new();
        for step in candidates.plan(key) {
            let mut times = Vec::new();
            for index in step {
                let candidate = candidates.fastest(index);
                let time = time_of(client, &*candidate, &inputs);
                told.push(match &time {
                    Ok(time) => format!("[{index}] {}: {time:.3?}", candidate.name()),
                    Err(reason) => format!("[{index}] {}: left out, {reason}", candidate.name()),
                });
                times.extend(time.map(|time| (time, index)));
            }
            if let Some((time, index)) = times.into_iter().min() {
                log(AutotuneLogLevel::Minimal, || {
                    format!("chose {} for {key} in {time:.3?}", candidates.fastest(index).name())
                });
                log(AutotuneLogLevel::Full, || told.join("\n"));
                return Ok(index);
            }
        }
        let told = told.join("\n  ");
        Err(format!("the tuner '{}' has no candidate that works for {key}:\n  {told}", self.name).into())
    }
}

/// The key is no longer measured, also where measuring panics.
struct Busy<'a, AK: AutotuneKey, ID: Hash + Eq> {
    tuner: &'a LocalTuner<AK, ID>,
    id: &'a ID,
    key: &'a AK,
}

impl<AK: AutotuneKey, ID: Hash + Eq> Busy<'_, AK, ID> {
    fn done(self, fastest: usize, sum: &str) {
        if let Some(known) = locked(&self.tuner.known).as_mut().and_then(|known| known.get_mut(self.id)) {
            known.fastest.insert(self.key.clone(), fastest);
            known.kept.keep(&format!("{:?}", self.key), sum, fastest);
        }
    }
}

impl<AK: AutotuneKey, ID: Hash + Eq> Drop for Busy<'_, AK, ID> {
    fn drop(&mut self) {
        if let Some(known) = locked(&self.tuner.known).as_mut().and_then(|known| known.get_mut(self.id)) {
            known.measured.remove(self.key);
        }
    }
}

/// The median time of a candidate, after it has run once.
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
        while times.len() < SAMPLES && (times.len() < FEWEST || times.iter().sum::<Duration>() < LONG) {
            times.push(once()?);
        }
        times.sort();
        Ok(times[times.len() / 2])
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
        Err(format!("it panics: {}", text.unwrap_or("without a word")).into())
    })
}

fn log(level: AutotuneLogLevel, message: impl FnOnce() -> String) {
    static SINK: LazyLock<Sink> = LazyLock::new(Sink::default);
    let config = GlobalConfig::get();
    if config.autotune.logger.level >= level {
        SINK.tell(&config.autotune.logger, &message());
    }
}
