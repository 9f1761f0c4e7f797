//! The loop that runs all pipelines. Staged output, dumps, reports, bisection, checks and times are
//! instrumentations of this loop.
use crate::{
    Pipeline,
    instrumentation::{PassInfo, PassInstrumentation},
    launch_info::launch_info,
    open::{CompileState, parse},
    stage_file, support,
    times::{CompileReport, PhaseReport},
};
use cube_backend::contract;
use cube_ir::{Level, OwnedModule, Session, SessionError, registered_pass};
use cube_passes::{
    levels, order,
    phases::{Phase, Request},
};
use std::{ops::ControlFlow, time::Instant};

/// Runs the remaining phases of a pipeline, from the compilation state `state`. Returns whether all phases
/// ran.
pub(crate) fn run_phases<'s>(
    session: &'s Session,
    state: &mut CompileState<'s>,
    pipeline: &Pipeline,
    request: &Request,
    user: &mut dyn PassInstrumentation,
) -> Result<ControlFlow<()>, SessionError> {
    let headers = user.each_pass();
    let mut contracts = Contracts { pipeline, edited: state.passes > 0, held: None };
    let mut support = Support { pipeline };
    let mut times = Times { report: std::mem::take(&mut state.report), since: (Instant::now(), 0) };
    let hooks: [&mut dyn PassInstrumentation; 4] = [user, &mut contracts, &mut support, &mut times];
    let mut runner = Runner { session: Some(session), hooks };
    let ran = runner.phases(state, pipeline, request, headers);
    state.report = times.report;
    ran
}

/// Runs the passes of a user's pipeline. `infos` describes the passes in order.
///
/// # Errors
/// The messages of the first pass that fails.
pub fn run_passes(
    module: &mut OwnedModule<'_>,
    infos: &[PassInfo<'_>],
    user: &mut dyn PassInstrumentation,
) -> Result<(), SessionError> {
    let mut runner = Runner { session: None, hooks: [user] };
    if runner.start(&PassInfo::start(0, Level::Any), module)?.is_continue() {
        for info in infos {
            if runner.pass(info, info.pipeline, module, |_| String::new())?.is_break() {
                break;
            }
        }
    }
    Ok(())
}

/// Refuses an order of Cube's passes that no input can satisfy. `passes` are the names of a user's pipeline, in order.
///
/// # Errors
/// CUBE0362, with the pass, its position, its required level and the actual level.
pub fn check_order<'n>(passes: impl IntoIterator<Item = &'n str>) -> Result<(), SessionError> {
    let cube_passes: Vec<_> = passes.into_iter().filter_map(registered_pass).collect();
    order::refute(&cube_passes).map_err(|wrong| SessionError::from(cube_ir::diagnostic!(CUBE0362.order { why: wrong })))
}

struct Runner<'a, 's, const N: usize> {
    /// The session of the compilation, which reads replacement modules.
    session: Option<&'s Session>,
    hooks: [&'a mut dyn PassInstrumentation; N],
}

impl<'s, const N: usize> Runner<'_, 's, N> {
    fn phases(
        &mut self,
        state: &mut CompileState<'s>,
        pipeline: &Pipeline,
        request: &Request,
        headers: bool,
    ) -> Result<ControlFlow<()>, SessionError> {
        let start = PassInfo::start(state.passes, pipeline.level_after(state.passes));
        if self.start(&start, &mut state.module)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let one_by_one = self.hooks.iter().any(|hook| hook.each_pass());
        let mut end = 0;
        for phase in &pipeline.phases {
            let first = end;
            end += phase.steps.len();
            if state.passes > end {
                continue;
            }
            self.hooks.iter_mut().for_each(|hook| hook.phase_starts(phase));
            let own = phase.produces == Level::Flat;
            let mut level = pipeline.level_after(first);
            let whole = !one_by_one && state.passes <= first;
            for (number, step) in (first + 1..).zip(phase.steps.iter()) {
                level = if step.produces() == Level::Any { level } else { step.produces() };
                let ends_phase = number == end;
                if number <= state.passes || whole && !ends_phase {
                    continue;
                }
                let text = step.pipeline(request);
                let runs = if whole { Pipeline::text(std::slice::from_ref(phase), request) } else { text.clone() };
                let info = PassInfo {
                    number,
                    phase: phase.name,
                    pass: step.name(),
                    step: Some(step),
                    pipeline: &text,
                    level,
                    ends_phase,
                    header: String::new(),
                };
                let launch = state.launch_info.as_ref().filter(|_| !own);
                let target = pipeline.target.backend.as_str();
                // Before level legal, the kernel has its launch properties as attributes.
                let header = |info: &PassInfo<'_>| match headers {
                    true => stage_file::header(number, info.pass, info.phase, target, launch),
                    false => String::new(),
                };
                if self.pass(&info, &runs, &mut state.module, header)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            self.hooks.iter_mut().try_for_each(|hook| hook.phase_ends(phase, &state.module))?;
            if own {
                state.launch_info = Some(launch_info(&state.module)?);
            }
            if let Some(launch) = state.launch_info.as_mut().filter(|_| phase.produces == Level::Legal) {
                launch.measure_shared(&state.module);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn start(&mut self, info: &PassInfo<'_>, module: &mut OwnedModule<'s>) -> Result<ControlFlow<()>, SessionError> {
        let flow = self.hooks.iter_mut().map(|hook| hook.start(info, module)).find(ControlFlow::is_break);
        if flow.is_none() {
            self.replace(info, module)?;
        }
        Ok(flow.unwrap_or(ControlFlow::Continue(())))
    }

    // Runs `pipeline`, whose last pass is the pass of `info`.
    fn pass(
        &mut self,
        info: &PassInfo<'_>,
        pipeline: &str,
        module: &mut OwnedModule<'s>,
        header: impl FnOnce(&PassInfo<'_>) -> String,
    ) -> Result<ControlFlow<()>, SessionError> {
        self.hooks.iter_mut().for_each(|hook| hook.before(info));
        if let Err(error) = module.run(pipeline) {
            self.hooks.iter_mut().for_each(|hook| hook.failed(info, module, &error));
            return Err(error);
        }
        let info = PassInfo { header: header(info), ..info.clone() };
        if self.hooks.iter_mut().map(|hook| hook.after(&info, module)).any(|flow| flow.is_break()) {
            return Ok(ControlFlow::Break(()));
        }
        self.replace(&info, module)?;
        self.hooks.iter_mut().try_for_each(|hook| hook.check(&info, module))?;
        Ok(ControlFlow::Continue(()))
    }

    fn replace(&mut self, info: &PassInfo<'_>, module: &mut OwnedModule<'s>) -> Result<(), SessionError> {
        let Some(session) = self.session else { return Ok(()) };
        let Some(text) = self.hooks.iter_mut().find_map(|hook| hook.replacement(info)) else { return Ok(()) };
        *module = parse(session, text.text.as_bytes(), &text.file)?;
        self.hooks.iter_mut().for_each(|hook| hook.replaced(info, module));
        Ok(())
    }
}

/// Instrumentation that checks the module against the contract of its level. Debug builds check the module after
/// every pass that changes the module or the level. Release builds do not check the output of passes. Release builds check only modules that a user
/// has edited, at the end of each phase.
struct Contracts<'a> {
    pipeline: &'a Pipeline,
    edited: bool,
    /// The last contract that held, by its phase and level, and the number of edits at that time.
    held: Option<(bool, Level, u64)>,
}

impl PassInstrumentation for Contracts<'_> {
    fn each_pass(&self) -> bool {
        cfg!(debug_assertions)
    }

    fn replaced(&mut self, _: &PassInfo<'_>, _: &OwnedModule<'_>) {
        (self.edited, self.held) = (true, None);
    }

    fn check(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) -> Result<(), SessionError> {
        if !cfg!(debug_assertions) {
            return Ok(());
        }
        let lowers = info.number > self.pipeline.shared_steps();
        let state = Some((lowers, info.level, cube_ir::edits()));
        // Changes by passes of MLIR are not counted.
        let is_cube_pass = info.step.is_some_and(|step| step.own().is_some());
        if is_cube_pass && state == self.held {
            return Ok(());
        }
        self.hold(lowers, info.level, module)?;
        self.held = state;
        Ok(())
    }

    fn phase_ends(&mut self, phase: &Phase, module: &OwnedModule<'_>) -> Result<(), SessionError> {
        // In debug builds the last pass of the phase has already been checked.
        if !self.edited {
            return Ok(());
        }
        let lowers = self.pipeline.phases.last().is_some_and(|lower| std::ptr::eq(lower, phase));
        self.hold(lowers, phase.produces, module)
    }
}

impl Contracts<'_> {
    // The backend supplies the contracts of phase `lower`.
    fn hold(&self, lowers: bool, level: Level, module: &OwnedModule<'_>) -> Result<(), SessionError> {
        let shared = || levels::CONTRACTS.iter().find(|contract| contract.level == level);
        let contract = if lowers { contract(self.pipeline.backend, level) } else { shared() };
        contract.map_or(Ok(()), |contract| module.check(|root| levels::check(root, contract)))
    }
}

/// Refuses operations that the target does not support, before phase `lower`.
struct Support<'a> {
    pipeline: &'a Pipeline,
}

impl PassInstrumentation for Support<'_> {
    fn each_pass(&self) -> bool {
        false
    }

    fn phase_ends(&mut self, phase: &Phase, module: &OwnedModule<'_>) -> Result<(), SessionError> {
        match phase.produces {
            Level::Legal => {
                support::check(module, self.pipeline.backend, &self.pipeline.target)?;
                support::check_limits(module, &self.pipeline.target)
            }
            _ => Ok(()),
        }
    }
}

/// Size and time of each phase.
struct Times {
    report: CompileReport,
    since: (Instant, u64),
}

impl PassInstrumentation for Times {
    fn each_pass(&self) -> bool {
        false
    }

    fn phase_starts(&mut self, _: &Phase) {
        self.since = (Instant::now(), cube_ir::views());
    }

    fn phase_ends(&mut self, phase: &Phase, module: &OwnedModule<'_>) -> Result<(), SessionError> {
        let (start, views) = self.since;
        let size = module.op().walk().len();
        let work = cube_ir::views() - views;
        self.report.phases.push(PhaseReport { name: phase.name, size, time: start.elapsed(), work });
        Ok(())
    }
}
