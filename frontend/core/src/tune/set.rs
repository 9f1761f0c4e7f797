//! Sets of candidates, and the order of their measurement.
use super::TuneBudget;
use super::candidate::{IntoTuneFn, TuneFn};
use super::inputs::{IntoInputGenerator, IntoKeyGenerator};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

type Priority<K> = Arc<dyn Fn(&K) -> u8 + Send + Sync>;

/// A candidate with the groups that contain it.
pub struct Tunable<K, Inputs, Output> {
    function: Arc<dyn TuneFn<Inputs = Inputs, Output = Output>>,
    groups: Vec<(TuneGroup<K>, Priority<K>)>,
}

impl<K, Inputs, Output> Tunable<K, Inputs, Output> {
    /// Creates a candidate without a group.
    pub fn new<Marker>(function: impl IntoTuneFn<Inputs, Output, Marker>) -> Self {
        Tunable { function: Arc::new(function.into_tunable()), groups: Vec::new() }
    }

    /// Adds the candidate to a group. Within a group, the tuner tries the candidates with the highest
    /// priority first.
    pub fn group<F: Fn(&K) -> u8 + Send + Sync + 'static>(mut self, group: &TuneGroup<K>, priority: F) -> Self {
        self.groups.push((group.clone(), Arc::new(priority)));
        self
    }
}

/// A group of candidates. The tuner tries the group with the highest priority first.
pub struct TuneGroup<K> {
    priority: Priority<K>,
}

impl<K> Clone for TuneGroup<K> {
    fn clone(&self) -> Self {
        TuneGroup { priority: self.priority.clone() }
    }
}

impl<K> TuneGroup<K> {
    /// A group. `priority` computes the group's priority from a key.
    pub fn new<F: Fn(&K) -> u8 + Send + Sync + 'static>(priority: F) -> Self {
        TuneGroup { priority: Arc::new(priority) }
    }
}

type Key<K, Inputs> = Box<dyn Fn(&Inputs) -> K + Send + Sync>;
type Generator<K, Inputs> = Box<dyn Fn(&K, &Inputs) -> Inputs + Send + Sync>;
type Sum<K, Inputs, Output> = Arc<dyn Fn(&TunableSet<K, Inputs, Output>) -> String + Send + Sync>;

/// Equivalent candidates. While one thread measures the candidates for a key, other threads with this key run the
/// first candidate.
pub struct TunableSet<K, Inputs, Output> {
    tunables: Vec<Tunable<K, Inputs, Output>>,
    key: Key<K, Inputs>,
    inputs: Generator<K, Inputs>,
    sum: Option<Sum<K, Inputs, Output>>,
    pub(super) budget: TuneBudget,
}

impl<K: 'static, Inputs: Clone + 'static, Output: 'static> TunableSet<K, Inputs, Output> {
    /// Creates an empty set with a key function, and with a function that creates the inputs for
    /// measurements.
    pub fn new<KeyMarker, InputsMarker>(
        key: impl IntoKeyGenerator<K, Inputs, KeyMarker>,
        inputs: impl IntoInputGenerator<K, Inputs, InputsMarker>,
    ) -> Self {
        TunableSet {
            tunables: Vec::new(),
            key: Box::new(move |of| key.generate(of)),
            inputs: Box::new(move |key, of| inputs.generate(key, of)),
            sum: None,
            budget: TuneBudget::default(),
        }
    }

    /// Adds a candidate.
    pub fn with(mut self, tunable: Tunable<K, Inputs, Output>) -> Self {
        self.tunables.push(tunable);
        self
    }

    /// Limits the measurements for each key.
    pub fn with_budget(mut self, budget: TuneBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Identifies the candidates by a checksum and their indices, and not by the texts of their kernels. The tuner ignores
    /// results on disk that have another checksum.
    pub fn with_custom_checksum(mut self, sum: impl Fn(&Self) -> String + Send + Sync + 'static) -> Self {
        self.sum = Some(Arc::new(sum));
        self
    }

    /// Number of candidates.
    pub fn len(&self) -> usize {
        self.tunables.len()
    }

    /// Whether the set has no candidates.
    pub fn is_empty(&self) -> bool {
        self.tunables.is_empty()
    }

    /// All candidates, in the order in which they were added.
    pub fn autotunables(&self) -> Vec<Arc<dyn TuneFn<Inputs = Inputs, Output = Output>>> {
        self.tunables.iter().map(|tunable| tunable.function.clone()).collect()
    }

    /// The candidate at the index `index`.
    ///
    /// # Panics
    /// `index` is not below [`TunableSet::len`].
    pub fn fastest(&self, index: usize) -> Arc<dyn TuneFn<Inputs = Inputs, Output = Output>> {
        self.tunables[index].function.clone()
    }

    /// The custom checksum of the candidates, if any.
    pub(super) fn custom_checksum(&self) -> Option<String> {
        self.sum.as_ref().map(|sum| sum(self))
    }

    /// The checksum of the candidates: by default the checksum of their names, otherwise the custom checksum.
    pub fn compute_checksum(&self) -> String {
        if let Some(sum) = &self.sum {
            return sum(self);
        }
        let mut sum = blake3::Hasher::new();
        for tunable in &self.tunables {
            sum.update(tunable.function.name().as_bytes()).update(&[0]);
        }
        sum.finalize().to_hex()[..32].to_string()
    }

    /// Computes the key for the given inputs.
    pub fn generate_key(&self, inputs: &Inputs) -> K {
        (self.key)(inputs)
    }

    /// Creates the inputs for measurements.
    pub(super) fn generate_inputs(&self, key: &K, inputs: &Inputs) -> Inputs {
        (self.inputs)(key, inputs)
    }

    /// The steps of the measurement, in order. Each step is a list of candidate indices. The tuner skips a step
    /// if a candidate of an earlier step works. Candidates without a group belong to the first step.
    pub(super) fn plan(&self, key: &K) -> Vec<Vec<usize>> {
        let mut steps = BTreeMap::<Reverse<(u8, u8)>, Vec<usize>>::new();
        let mut alone = Vec::new();
        for (index, tunable) in self.tunables.iter().enumerate() {
            for (group, priority) in &tunable.groups {
                steps.entry(Reverse(((group.priority)(key), priority(key)))).or_default().push(index);
            }
            if tunable.groups.is_empty() {
                alone.push(index);
            }
        }
        let mut seen = vec![false; self.len()];
        let mut steps: Vec<_> = steps.into_values().collect();
        match steps.first_mut() {
            Some(first) => {
                alone.append(first);
                *first = alone;
            }
            None => steps.push(alone),
        }
        for step in &mut steps {
            step.retain(|&index| !std::mem::replace(&mut seen[index], true));
        }
        steps.retain(|step| !step.is_empty());
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::super::AsFunctionTunable;
    use super::*;

    fn nothing() {}

    fn set() -> TunableSet<String, (), ()> {
        TunableSet::new(String::new, |_: &String| ())
    }

    #[test]
    fn groups_are_tried_in_the_order_of_their_priority() {
        let large = TuneGroup::<String>::new(|key| if key == "large" { 2 } else { 0 });
        let small = TuneGroup::<String>::new(|_| 1);
        let one = || Tunable::new(nothing.ok());
        let set = set()
            .with(one().group(&small, |_| 1))
            .with(one().group(&large, |_| 3).group(&small, |_| 9))
            .with(one())
            .with(one().group(&large, |_| 4));
        assert_eq!(set.plan(&"large".into()), [vec![2, 3], vec![1], vec![0]]);
        assert_eq!(set.plan(&"small".into()), [vec![2, 1], vec![0], vec![3]]);
    }

    #[test]
    fn without_groups_there_is_one_step_and_checksums_differ_between_sets() {
        let one = set().with(Tunable::new(nothing.ok()));
        let two = set().with(Tunable::new(nothing.ok())).with(Tunable::new((|| ()).ok()));
        assert_eq!((two.plan(&String::new()), set().plan(&String::new()).len()), (vec![vec![0, 1]], 0));
        assert_ne!(one.compute_checksum(), two.compute_checksum());
        assert_eq!(one.with_custom_checksum(|set| format!("{} of mine", set.len())).compute_checksum(), "1 of mine");
    }
}
