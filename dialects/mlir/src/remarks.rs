//! Remarks: what a pass did, what it could not do and why, what it found out. They cost a load where nobody asked.
//!
//! A remark is given to whoever asked as a value ([`take`]) and, where wanted, as a diagnostic at the operation.
use crate::{
    AttrExt,
    diagnostics::{Place, place_of},
    op::Op,
    pass::Run,
};
use std::{
    fmt::Display,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
};

/// What a remark tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something was done.
    Passed,
    /// Something could not be done.
    Missed,
    /// Something was found out.
    Analysis,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 3] = [Kind::Passed, Kind::Missed, Kind::Analysis];

    /// The word in options and messages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Passed => "passed",
            Kind::Missed => "missed",
            Kind::Analysis => "analysis",
        }
    }
}

/// One remark.
#[derive(Clone, Debug)]
pub struct Remark {
    /// What it tells.
    pub kind: Kind,
    /// The pass.
    pub pass: &'static str,
    /// The rule of the pass.
    pub rule: String,
    /// The kernel or function.
    pub function: String,
    /// The operation's place in the source.
    pub place: Option<Place>,
    /// Why, lower case and without a full stop.
    pub reason: String,
    /// What to do about it.
    pub suggestion: Option<String>,
}

impl Remark {
    /// The remark in one line, without its place.
    pub fn message(&self) -> String {
        let then = self.suggestion.as_ref().map(|s| format!("; {s}")).unwrap_or_default();
        format!("{} [{}:{}] {}{then}", self.kind.word(), self.pass, self.rule, self.reason)
    }
}

/// Which remarks are wanted.
pub type Pick = Box<dyn Fn(&'static str, Kind) -> bool + Send>;

/// What was asked for, and what there is so far.
struct State {
    pick: Pick,
    diagnostics: bool,
    remarks: Vec<Remark>,
}

static WANTED: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<Option<State>> = Mutex::new(None);

fn state() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(|e| e.into_inner())
}

/// Asks for the remarks that `pick` takes (by pass and kind), for the whole process; with `diagnostics` they are emitted
/// at their operations too.
pub fn request(pick: Pick, diagnostics: bool) {
    *state() = Some(State { pick, diagnostics, remarks: Vec::new() });
    WANTED.store(true, Ordering::Relaxed);
}

/// Asks for no more remarks.
pub fn stop() {
    WANTED.store(false, Ordering::Relaxed);
    *state() = None;
}

/// The remarks so far, those of one function together and in the order in which they were made.
pub fn take() -> Vec<Remark> {
    let mut remarks = state().as_mut().map(|s| std::mem::take(&mut s.remarks)).unwrap_or_default();
    // Functions are worked on side by side; within one there is an order.
    remarks.sort_by(|a, b| a.function.cmp(&b.function));
    remarks
}

impl<'p> Run<'p> {
    /// Says what was done at `at`, by which rule, and why it is right.
    pub fn passed(&self, at: Op<'p>, rule: &str, reason: impl Display) {
        self.remark(Kind::Passed, at, rule, &reason, None);
    }

    /// Says what could not be done at `at`, why, and what would help.
    pub fn missed(&self, at: Op<'p>, rule: &str, reason: impl Display, suggestion: impl Display) {
        self.remark(Kind::Missed, at, rule, &reason, Some(&suggestion));
    }

    /// Says what was found out at `at`.
    pub fn analysis(&self, at: Op<'p>, rule: &str, reason: impl Display) {
        self.remark(Kind::Analysis, at, rule, &reason, None);
    }

    fn remark(&self, kind: Kind, at: Op<'p>, rule: &str, reason: &dyn Display, suggestion: Option<&dyn Display>) {
        if !WANTED.load(Ordering::Relaxed) {
            return;
        }
        let mut guard = state();
        let Some(state) = guard.as_mut() else { return };
        if !(state.pick)(self.name(), kind) {
            return;
        }
        let function = std::iter::once(at).chain(at.ancestors()).find_map(|op| op.attr("sym_name")?.as_str());
        let remark = Remark {
            kind,
            pass: self.name(),
            rule: rule.to_string(),
            // Names of kernels hold no dot; what a pass splits off one has its name before a dot.
            function: function.unwrap_or_default().split('.').next().unwrap_or_default().to_string(),
            place: place_of(at.location()),
            reason: reason.to_string(),
            suggestion: suggestion.map(ToString::to_string),
        };
        let message = state.diagnostics.then(|| remark.message());
        state.remarks.push(remark);
        drop(guard);
        if let Some(message) = message {
            at.remark(message);
        }
    }
}
