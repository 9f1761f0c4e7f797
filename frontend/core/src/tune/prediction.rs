//! Exclusion of candidates before their compilation: by launch limits, and by predicted times.
use crate::host::arguments::LaunchError;
use crate::host::precompile::in_parallel;
use crate::host::recording::{Recorded, RecordedLaunch, State};
use cube_artifact::cost::{Assumption, Prediction, Profile};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// The largest ratio of a candidate's predicted time to the smallest time, if a budget states no other ratio. The measured
/// errors of predictions without assumptions are below a factor of 2 (benches/results/2026-11-29-cost-model.md).
pub const DEFAULT_PREDICTION_FACTOR: u32 = 10;

/// The number of candidates that a tuner measures at least, independently of their predicted times.
pub const MIN_PREDICTED_CANDIDATES: usize = 4;

/// A recorded launch with the index of its candidate.
pub(super) type OwnedLaunch = (usize, RecordedLaunch);

/// The predicted times and exceeded limits of candidates before their compilation.
#[derive(Default)]
pub(super) struct Predictions {
    /// The predicted time of each candidate with a certain prediction.
    pub times: HashMap<usize, Duration>,
    /// The candidates with a launch beyond a limit of the device.
    pub beyond: HashMap<usize, LaunchError>,
}

impl Predictions {
    /// Checks the launches of candidates, and predicts their times if `predicts` is true. A candidate has no predicted time
    /// if one of its kernels was loaded before, if the target has no described board, or if the prediction depends on an
    /// assumption about a trip count, a condition or an index.
    pub fn of(launches: &[OwnedLaunch], predicts: bool) -> Self {
        let beyond = launches.iter().filter_map(|(owner, launch)| {
            let checked = launch.facts.as_ref()?.check(launch.kernel.core.device.properties());
            Some((*owner, of_kernel(&launch.kernel, checked.err()?.into())))
        });
        let mut all = Predictions { beyond: beyond.collect(), ..Self::default() };
        if predicts {
            all.predict(launches);
        }
        all
    }

    fn predict(&mut self, launches: &[OwnedLaunch]) {
        let is_known = |launch: &RecordedLaunch| launch.facts.is_some() && written(&launch.kernel);
        let unknown = launches.iter().filter(|(_, launch)| !is_known(launch)).map(|(owner, _)| *owner);
        let excluded: HashSet<usize> = unknown.chain(self.beyond.keys().copied()).collect();
        let launches: Vec<_> = launches.iter().filter(|(owner, _)| !excluded.contains(owner)).collect();
        let mut seen = HashSet::new();
        let kernels = launches.iter().map(|(_, launch)| &launch.kernel);
        let kernels: Vec<_> = kernels.filter(|kernel| seen.insert(Arc::as_ptr(kernel))).cloned().collect();
        let profiles = in_parallel(&kernels, profile_of);
        let profiles: HashMap<_, _> = kernels.iter().map(Arc::as_ptr).zip(&profiles).collect();
        let mut times = HashMap::<usize, Option<Duration>>::new();
        for (owner, RecordedLaunch { kernel, facts }) in launches {
            let (profile, facts) = (profiles.get(&Arc::as_ptr(kernel)).copied(), facts.as_ref());
            let known = profile.and_then(Option::as_ref).zip(facts);
            if let Some((profile, facts)) = known
                && let Err(error) = facts.check_cube(profile, kernel.core.device.properties())
            {
                self.beyond.insert(*owner, of_kernel(kernel, error.into()));
            }
            let predicted = known.and_then(|(profile, facts)| facts.predict(profile).ok());
            let time = predicted.filter(is_certain).map(|found| Duration::from_secs_f64(found.seconds));
            let all = times.entry(*owner).or_insert(Some(Duration::ZERO));
            *all = all.zip(time).map(|(all, time)| all.saturating_add(time));
        }
        let certain = times.into_iter().filter_map(|(owner, time)| Some((owner, time?)));
        self.times = certain.filter(|(owner, _)| !self.beyond.contains_key(owner)).collect();
    }
}

/// The candidates whose predicted time is more than `factor` times the smallest time, each with its predicted time and the
/// smallest time. `measured` are the times of candidates that need no measurement. At least [`MIN_PREDICTED_CANDIDATES`]
/// candidates stay, including those of `measured`.
pub(super) fn too_slow(
    times: &HashMap<usize, Duration>,
    measured: &[Duration],
    factor: u32,
) -> HashMap<usize, (Duration, Duration)> {
    let Some(smallest) = times.values().chain(measured).min().copied() else { return HashMap::new() };
    let mut sorted: Vec<_> = times.iter().map(|(index, time)| (*time, *index)).collect();
    sorted.sort();
    let always = MIN_PREDICTED_CANDIDATES.saturating_sub(measured.len());
    let slow = sorted.into_iter().skip(always).filter(|(time, _)| *time > smallest.saturating_mul(factor));
    slow.map(|(time, index)| (index, (time, smallest))).collect()
}

fn written(kernel: &Recorded) -> bool {
    matches!(kernel.state, State::Written(_))
}

fn profile_of(kernel: &Recorded) -> Option<Profile> {
    let State::Written(written) = &kernel.state else { return None };
    kernel.core.profile(kernel.source, kernel.debug, written)
}

fn of_kernel(kernel: &Recorded, error: LaunchError) -> LaunchError {
    error.of_kernel(kernel.source.name, kernel.source.location())
}

/// Whether a prediction depends on no assumption except unknown lengths of buffers, which only affect repeated accesses.
fn is_certain(prediction: &Prediction) -> bool {
    let lengths = prediction.assumptions.iter().all(|assumption| matches!(assumption, Assumption::Length(_)));
    lengths && prediction.accesses.iter().all(|access| !access.unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(all: &[u64]) -> HashMap<usize, Duration> {
        all.iter().enumerate().map(|(index, us)| (index, Duration::from_micros(*us))).collect()
    }

    fn slow(all: &[u64], measured: &[u64], factor: u32) -> Vec<usize> {
        let measured: Vec<_> = measured.iter().map(|us| Duration::from_micros(*us)).collect();
        let mut slow: Vec<_> = too_slow(&times(all), &measured, factor).into_keys().collect();
        slow.sort();
        slow
    }

    #[test]
    fn candidates_beyond_the_factor_are_too_slow() {
        let all = [10, 200, 101, 100, 12, 13, 99];
        assert_eq!(slow(&all, &[], 10), [1, 2]);
        // The candidate with 99 us is one of the four that stay.
        assert_eq!(slow(&all, &[], 2), [1, 2, 3]);
        assert!(slow(&all, &[], u32::MAX).is_empty() && slow(&[], &[1], 10).is_empty());
        let found = too_slow(&times(&all), &[], 10);
        assert_eq!(found[&1], (Duration::from_micros(200), Duration::from_micros(10)));
    }

    #[test]
    fn four_candidates_stay_and_a_measured_time_is_a_reference() {
        assert!(slow(&[1, 1000, 2000, 3000], &[], 10).is_empty());
        assert_eq!(slow(&[1, 1000, 2000, 3000, 4000], &[], 10), [4]);
        // All candidates of an earlier process have times.
        assert_eq!(slow(&[1000, 2000], &[5, 6, 7, 8], 10), [0, 1]);
        assert_eq!(slow(&[1000, 2000, 3000, 40], &[5, 6], 10), [1, 2]);
    }
}
