//! The budget of a tuner, and reports of its measurements.
use super::AutotuneError;
use super::prediction::DEFAULT_PREDICTION_FACTOR;
#[cfg(doc)]
use super::prediction::MIN_PREDICTED_CANDIDATES;
use std::time::Duration;

/// Limits of a tuner's work for one key. The default has no limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TuneBudget {
    /// Time after which no further candidate is measured, if a candidate works.
    pub time: Option<Duration>,
    /// Maximum number of measured candidates. The candidates with the highest priority are measured.
    pub candidates: Option<usize>,
    /// Maximum time of a launch of a candidate; [`DEFAULT_LAUNCH_LIMIT`] if `None`. A candidate with a longer launch has
    /// failed. The limit applies on the CPU only, because a driver of GPUs cannot end a launch.
    pub launch: Option<Duration>,
    /// The largest ratio of a candidate's predicted time to the smallest time of all candidates;
    /// [`DEFAULT_PREDICTION_FACTOR`] if `None`. A candidate beyond this ratio is neither compiled nor measured
    /// ([`TuneOutcome::PredictedSlow`]). The tuner measures at least [`MIN_PREDICTED_CANDIDATES`] candidates, and every
    /// candidate whose prediction depends on assumptions. `u32::MAX` turns predictions off.
    pub prediction_factor: Option<u32>,
}

/// The maximum time of a launch of a candidate, if a budget states no other time.
pub const DEFAULT_LAUNCH_LIMIT: Duration = Duration::from_secs(10);

impl TuneBudget {
    /// The ratio of [`TuneBudget::prediction_factor`]; `None` if predictions are off.
    pub(super) fn factor(&self) -> Option<u32> {
        Some(self.prediction_factor.unwrap_or(DEFAULT_PREDICTION_FACTOR)).filter(|factor| *factor != u32::MAX)
    }

    /// Whether a further candidate can be measured after `measured` candidates. `works` states whether one of these
    /// candidates works.
    pub(super) fn permits(&self, measured: usize, time: Duration, works: bool) -> bool {
        self.candidates.is_none_or(|most| measured < most) && !(works && self.time.is_some_and(|most| time >= most))
    }
}

/// The result of one candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TuneOutcome {
    /// The median time of the measurements.
    Measured(Duration),
    /// A kernel of the candidate is invalid or does not compile. The candidate did not run.
    Rejected(AutotuneError),
    /// The candidate failed in a measurement.
    Failed(AutotuneError),
    /// The budget was used up before the candidate.
    OutOfBudget,
    /// The cost model predicts a much longer time than the smallest time, so the candidate was neither compiled nor
    /// measured.
    PredictedSlow {
        /// The predicted time.
        predicted: Duration,
        /// The smallest predicted or measured time of the candidates.
        smallest: Duration,
    },
}

/// A candidate in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriedCandidate {
    /// Index of the candidate in its set.
    pub index: usize,
    /// Name of the candidate.
    pub name: String,
    /// The result.
    pub outcome: TuneOutcome,
    /// Whether the result comes from the file of an earlier process.
    pub from_file: bool,
}

impl std::fmt::Display for TriedCandidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}] {}: ", self.index, self.name)?;
        match &self.outcome {
            TuneOutcome::Measured(time) => write!(f, "{time:.3?}"),
            TuneOutcome::Rejected(reason) => write!(f, "excluded before it ran: {reason}"),
            TuneOutcome::Failed(reason) => write!(f, "excluded: {reason}"),
            TuneOutcome::OutOfBudget => f.write_str("not measured: the budget is used up"),
            TuneOutcome::PredictedSlow { predicted, smallest } => {
                write!(f, "not compiled: the predicted time is {predicted:.3?}, and the smallest time {smallest:.3?}")
            }
        }?;
        if self.from_file { f.write_str(" (in an earlier process)") } else { Ok(()) }
    }
}

/// The candidates that a tuner tried for one key, in the order of the trials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TuneReport {
    /// The tried candidates with their times or errors.
    pub candidates: Vec<TriedCandidate>,
    /// Index of the chosen candidate in its set; `None` if no candidate works.
    pub chosen: Option<usize>,
    /// Time of compilation and of all measurements.
    pub time: Duration,
}

impl std::fmt::Display for TuneReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, candidate) in self.candidates.iter().enumerate() {
            let separator = if i > 0 { "\n" } else { "" };
            write!(f, "{separator}{candidate}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_after_its_candidates_and_after_its_time() {
        let second = Duration::from_secs(1);
        let budget = TuneBudget { time: Some(second), candidates: Some(3), ..TuneBudget::default() };
        assert!(budget.permits(0, 9 * second, false), "a first candidate must work");
        assert!(budget.permits(2, second / 2, true));
        assert!(!budget.permits(2, second, true) && !budget.permits(3, second / 2, false));
        assert!(TuneBudget::default().permits(1000, 1000 * second, true));
    }
}
