//! Remarks: optimisations that a pass applied, missed optimisations with the reason, and results of analyses. A remark
//! without a request costs one load.
//!
//! A requested remark is a value in its context ([`opt_main`](crate::opt_main), [`OwnedModule::take_remarks`]), and
//! optionally a diagnostic at the operation. Concurrent compilations have separate contexts, and therefore separate
//! remarks.
//!
//! [`OwnedModule::take_remarks`]: crate::OwnedModule::take_remarks
use crate::{
    AttrExt, SourceLocation,
    diagnostics::location_of,
    op::Op,
    pass::Run,
    scope::{self, RemarkRequest},
};
use mlir_sys::mlirOperationGetContext;
use std::{fmt::Display, sync::Arc};

/// The kind of a remark: done, not done, or an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// A pass applied an optimisation.
    Passed,
    /// An optimisation was not possible.
    Missed,
    /// An analysis result.
    Analysis,
}

impl RemarkKind {
    pub const ALL: [RemarkKind; 3] = [RemarkKind::Passed, RemarkKind::Missed, RemarkKind::Analysis];

    /// The name in options and messages.
    pub fn word(self) -> &'static str {
        match self {
            RemarkKind::Passed => "passed",
            RemarkKind::Missed => "missed",
            RemarkKind::Analysis => "analysis",
        }
    }
}

/// The subject of a remark about a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// An optimisation of the pass.
    Optimization,
    /// The bounds check of an access stays, because no proof was found.
    CheckStays,
    /// The bounds check of an access is restored, because an earlier proof no longer holds.
    CheckRestored,
}

impl Decision {
    /// The beginning of the remark's text, which precedes the reason.
    fn head(self) -> &'static str {
        match self {
            Decision::Optimization => "",
            Decision::CheckStays => "the check stays, because ",
            Decision::CheckRestored => "the check is kept, because the proof does not hold here: ",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Whether the remark is about an applied optimisation, a missed optimisation, or an analysis.
    pub kind: RemarkKind,
    pub decision: Decision,
    pub pass: &'static str,
    /// The rule of the pass.
    pub rule: String,
    /// The kernel or function.
    pub function: String,
    /// The operation's location in the source.
    pub location: Option<SourceLocation>,
    /// The reason of the decision, lower case and without a full stop.
    pub reason: String,
    /// The fix, as an imperative sentence.
    pub suggestion: Option<String>,
}

impl Remark {
    /// The remark in one line, without its location.
    pub fn message(&self) -> String {
        let then = self.suggestion.as_ref().map(|s| format!("; {s}")).unwrap_or_default();
        format!("{} [{}:{}] {}{then}", self.kind.word(), self.pass, self.rule, self.explanation())
    }

    /// The decision and its reason.
    pub fn explanation(&self) -> String {
        format!("{}{}", self.decision.head(), self.reason)
    }
}

pub type RemarkFilter = Arc<dyn Fn(&'static str, RemarkKind) -> bool + Send + Sync>;

/// Requests remarks from the context that [`opt_main`](crate::opt_main) creates. `pick` filters the remarks by pass and
/// kind. With `diagnostics`, remarks are also emitted at their operations.
pub fn request_from_opt(pick: RemarkFilter, diagnostics: bool) {
    scope::request_remarks(scope::MAIN_SCOPE, Some(RemarkRequest { pick, diagnostics, remarks: Vec::new() }));
}

/// The remarks of a context so far, grouped by function and in order of creation.
pub(crate) fn take(key: usize) -> Vec<Remark> {
    let mut remarks = scope::with(key, |scope| scope.remarks.as_mut().map(|w| std::mem::take(&mut w.remarks)))
        .flatten()
        .unwrap_or_default();
    // Functions are processed concurrently. The remarks of one function are in order.
    remarks.sort_by(|a, b| a.function.cmp(&b.function));
    remarks
}

impl<'p> Run<'p> {
    /// Reports an optimisation at `at`, with its rule and the reason why it is correct.
    pub fn passed(&self, at: Op<'p>, rule: &str, reason: impl Display) {
        self.remark((RemarkKind::Passed, Decision::Optimization), at, rule, &reason, None);
    }

    /// Reports a missed optimisation at `at`, with the reason and the remedy.
    pub fn missed(&self, at: Op<'p>, rule: &str, reason: impl Display, suggestion: impl Display) {
        self.remark((RemarkKind::Missed, Decision::Optimization), at, rule, &reason, Some(&suggestion));
    }

    /// Reports that the access `at` keeps its bounds check, with the reason and the remedy. `decision` states whether
    /// the check stays or is restored.
    pub fn checked(&self, at: Op<'p>, decision: Decision, rule: &str, reason: impl Display, suggestion: impl Display) {
        self.remark((RemarkKind::Missed, decision), at, rule, &reason, Some(&suggestion));
    }

    /// Reports an analysis result at `at`.
    pub fn analysis(&self, at: Op<'p>, rule: &str, reason: impl Display) {
        self.remark((RemarkKind::Analysis, Decision::Optimization), at, rule, &reason, None);
    }

    fn remark(
        &self,
        (kind, decision): (RemarkKind, Decision),
        at: Op<'p>,
        rule: &str,
        reason: &dyn Display,
        suggestion: Option<&dyn Display>,
    ) {
        if !scope::is_any_wanted() {
            return;
        }
        // SAFETY: a live operation.
        let key = scope::key(unsafe { mlirOperationGetContext(at.to_raw()) });
        let picked = |request: &RemarkRequest| (request.pick)(self.name(), kind);
        if scope::with(key, |scope| scope.remarks.as_ref().is_some_and(picked)) != Some(true) {
            return;
        }
        let function = std::iter::once(at).chain(at.ancestors()).find_map(|op| op.attr("sym_name")?.as_str());
        let remark = Remark {
            kind,
            decision,
            pass: self.name(),
            rule: rule.to_string(),
            // Names of kernels contain no dot. The name of a function that a pass splits off begins with the kernel's
            // name and a dot.
            function: function.unwrap_or_default().split('.').next().unwrap_or_default().to_string(),
            location: location_of(at.location()),
            reason: reason.to_string(),
            suggestion: suggestion.map(ToString::to_string),
        };
        let message = remark.message();
        let diagnostics = scope::with(key, |scope| {
            let request = scope.remarks.as_mut()?;
            request.remarks.push(remark);
            Some(request.diagnostics)
        });
        if diagnostics.flatten() == Some(true) {
            at.remark(message);
        }
    }
}
