//! A session is a context with Cube's dialects. A session parses modules, runs pipelines and returns
//! diagnostics as values.
use crate::{
    Diagnostic, Message, Severity,
    diagnostics::{self, location_of},
    op::{Op, append, string_ref},
    remarks::{self, Remark, RemarkFilter},
    scope::{self, RemarkRequest},
};
use cube_bridge::*;
use melior::{Context, dialect::DialectRegistry, ir::Module};
use mlir_sys::*;
use std::{
    cell::RefCell,
    ffi::{CString, c_void},
    sync::Once,
};

mod managers;
mod reworded_messages;
mod scan;
pub use reworded_messages::is_reworded;
pub use scan::{LimitExceeded, Limits, pre_scan};

/// The error of a step of a [`Session`]: all messages of MLIR and the passes.
#[derive(Clone, Debug)]
pub struct SessionError {
    /// The messages; at least one error.
    pub diagnostics: Vec<Diagnostic>,
}

impl SessionError {
    /// An error with one message about an operation, at the location of the operation.
    pub fn at(op: Op<'_>, message: impl Into<Message>) -> Self {
        let message = message.into().at_op(op.name());
        SessionError { diagnostics: vec![Diagnostic::new(Severity::Error, message, location_of(op.location()))] }
    }

    /// Sets the code `code` on errors that have no code.
    fn or_code(mut self, code: &str) -> Self {
        for diagnostic in self.diagnostics.iter_mut().filter(|d| d.severity == Severity::Error) {
            diagnostic.code.get_or_insert_with(|| code.into());
        }
        self
    }
}

impl From<Message> for SessionError {
    fn from(message: Message) -> Self {
        SessionError { diagnostics: vec![Diagnostic::new(Severity::Error, message, None)] }
    }
}

/// A context of one thread with Cube's dialects, reused for many kernels.
pub struct Session {
    context: Context,
    collected: Box<RefCell<Vec<Diagnostic>>>,
    managers: managers::Managers,
}

/// A module that was parsed in a [`Session`].
pub struct OwnedModule<'s> {
    raw: MlirModule,
    session: &'s Session,
}

impl Drop for OwnedModule<'_> {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { mlirModuleDestroy(self.raw) }
    }
}

pub(crate) fn register_upstream_passes() {
    static ONCE: Once = Once::new();
    // SAFETY: once per process.
    ONCE.call_once(|| unsafe { mlirRegisterAllPasses() });
}

unsafe extern "C" fn collect(diagnostic: MlirDiagnostic, to: *mut c_void) -> MlirLogicalResult {
    // SAFETY: `to` is the session's collector, which outlives the handler; one thread.
    unsafe { (*to.cast::<RefCell<Vec<Diagnostic>>>()).borrow_mut().push(diagnostics::read(diagnostic, None)) };
    MlirLogicalResult { value: 1 }
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// A new context. The creation of a session takes a few milliseconds, so reuse the session.
    pub fn new() -> Self {
        register_upstream_passes();
        let collected = Box::new(RefCell::new(Vec::new()));
        let registry = DialectRegistry::new();
        // SAFETY: a live registry.
        unsafe { cubeRegisterDialects(registry.to_raw()) }
        let context = Context::new_with_registry(&registry, false);
        let to: *mut c_void = (&raw const *collected).cast_mut().cast();
        // SAFETY: the collector lives as long as the context.
        unsafe {
            mlirRegisterAllLLVMTranslations(context.to_raw());
            mlirContextAttachDiagnosticHandler(context.to_raw(), Some(collect), to, None);
        }
        scope::open(scope::key(context.to_raw()));
        Session { context, collected, managers: Default::default() }
    }

    /// Requests remarks from the passes of this context, filtered by `pick` (pass and kind), or cancels the request.
    pub fn request_remarks(&self, pick: Option<RemarkFilter>) {
        let request = pick.map(|pick| RemarkRequest { pick, diagnostics: false, remarks: Vec::new() });
        scope::request_remarks(scope::key(self.context.to_raw()), request);
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    fn take(&self) -> Vec<Diagnostic> {
        self.collected.take()
    }

    fn failure(&self, otherwise: &str) -> SessionError {
        let mut diagnostics = self.take();
        if !diagnostics.iter().any(|d| d.severity == Severity::Error) {
            diagnostics.extend(
                SessionError::from(cube_artifact::diagnostic!(CUBE0398.failed { what: otherwise })).diagnostics,
            );
        }
        SessionError { diagnostics }
    }

    /// Parses and verifies MLIR text; `name` is the file name in messages.
    ///
    /// # Errors
    /// The input is too deep or too large, or MLIR's parser or a verifier reports an error.
    pub fn parse(&self, source: &[u8], name: &str) -> Result<OwnedModule<'_>, SessionError> {
        let text = pre_scan(source, &Limits::default()).map_err(|e| e.into_error(name))?;
        self.parse_unscanned(text.as_bytes(), name)
    }

    /// Parses trusted input: text, or bytecode that this version of MLIR wrote. Damaged bytecode can crash the process,
    /// so parse untrusted bytecode in a child process.
    ///
    /// # Errors
    /// Errors of MLIR's parser and the verifiers.
    pub fn parse_unscanned(&self, source: &[u8], name: &str) -> Result<OwnedModule<'_>, SessionError> {
        self.take();
        // MLIR requires a terminating zero behind the text.
        let mut buffer = source.to_vec();
        buffer.push(0);
        // SAFETY: buffer and name live during the call; null is checked.
        let raw = unsafe {
            let source = MlirStringRef { data: buffer.as_ptr().cast(), length: source.len() };
            cubeParseModule(self.context.to_raw(), source, string_ref(name))
        };
        if raw.ptr.is_null() {
            let mut error = self.failure("this is not valid MLIR").or_code("CUBE0100");
            error.diagnostics = reworded_messages::reworded(error.diagnostics, &String::from_utf8_lossy(&buffer));
            return Err(error);
        }
        Ok(OwnedModule { raw, session: self })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.managers.clear();
        scope::end(scope::key(self.context.to_raw()));
    }
}

impl<'s> OwnedModule<'s> {
    /// The session of the module.
    pub fn session(&self) -> &'s Session {
        self.session
    }

    /// The remarks of the module's session so far; see [`Session::request_remarks`].
    pub fn take_remarks(&self) -> Vec<Remark> {
        remarks::take(scope::key(self.session.context.to_raw()))
    }

    /// The module operation.
    pub fn op(&self) -> Op<'_> {
        // SAFETY: live as long as self.
        unsafe { Op::from_raw(mlirModuleGetOperation(self.raw)) }
    }

    /// The C API's handle.
    pub fn to_raw(&self) -> MlirModule {
        self.raw
    }

    /// A copy of the whole module.
    pub fn duplicate(&self) -> OwnedModule<'s> {
        // SAFETY: cloning a module gives a module.
        let raw = unsafe { mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(self.raw))) };
        OwnedModule { raw, session: self.session }
    }

    /// Erases the top-level operations for which `keep` returns false.
    pub fn retain(&mut self, keep: impl Fn(Op<'_>) -> bool) {
        let unwanted: Vec<MlirOperation> = {
            let ops = self.op().body().map(|b| b.ops()).unwrap_or_default();
            ops.into_iter().filter(|op| !keep(*op)).map(|op| op.to_raw()).collect()
        };
        for raw in unwanted {
            // SAFETY: attached to the module, which owns it; symbols have no SSA uses, and no view outlives the borrow.
            unsafe { mlirOperationDestroy(raw) }
        }
    }

    /// Runs a textual pipeline, such as `builtin.module(cube.kernel(expand-checks))`; returns remarks and warnings.
    ///
    /// # Errors
    /// An unknown pass or option, and every error of the passes or the verifier.
    pub fn run(&mut self, pipeline: &str) -> Result<Vec<Diagnostic>, SessionError> {
        let session = self.session;
        session.take();
        let managers = &session.managers;
        let parsed = managers.take(session.context.to_raw(), pipeline);
        let manager = parsed.map_err(|message| unreadable_pipeline(&message))?;
        if !manager.run(self.op().to_raw()) || !cfg!(debug_assertions) && !self.op().verify() {
            // The input was valid, so a pass caused every later error of MLIR.
            let error = session.failure(&format!("pipeline {pipeline} failed without a message"));
            return Err(error.or_code("CUBE0398"));
        }
        managers.keep(pipeline, manager);
        Ok(session.take())
    }

    /// Runs a check that, like a pass, reports errors at operations.
    ///
    /// # Errors
    /// The errors that the check reports.
    pub fn check(&self, check: impl FnOnce(Op<'_>) -> crate::PassResult) -> Result<(), SessionError> {
        self.session.take();
        check(self.op()).map_err(|_| self.session.failure("a check failed without a message").or_code("CUBE0398"))
    }

    /// Whether MLIR's verifier accepts the module.
    ///
    /// # Errors
    /// The errors that the verifiers report.
    pub fn verify(&self) -> Result<(), SessionError> {
        self.session.take();
        if self.op().verify() {
            Ok(())
        } else {
            Err(self.session.failure("the module is not valid").or_code("CUBE0100"))
        }
    }

    /// The module as text.
    pub fn print(&self) -> String {
        self.op().to_string()
    }

    /// The module as text with source locations.
    pub fn print_with_locations(&self) -> String {
        let mut text = String::new();
        // SAFETY: the flags are destroyed; `append` receives a pointer to `text`, which outlives the call.
        unsafe {
            let flags = mlirOpPrintingFlagsCreate();
            mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
            mlirOperationPrintWithFlags(mlirModuleGetOperation(self.raw), flags, Some(append), (&raw mut text).cast());
            mlirOpPrintingFlagsDestroy(flags);
        }
        text
    }
}

/// Checks that MLIR can read a pipeline: the passes exist, accept their options, and are nested under operations that
/// they run on.
///
/// # Errors
/// CUBE0200 with the reason.
pub fn check_pipeline(pipeline: &str) -> Result<(), SessionError> {
    register_upstream_passes();
    let mut message = String::new();
    // SAFETY: manager and context are destroyed; `append` receives a pointer to `message`, which outlives the call.
    let read = unsafe {
        let context = mlirContextCreateWithThreading(false);
        let manager = mlirPassManagerCreate(context);
        let passes = mlirPassManagerGetAsOpPassManager(manager);
        let read = mlirParsePassPipeline(passes, string_ref(pipeline), Some(append), (&raw mut message).cast());
        mlirPassManagerDestroy(manager);
        mlirContextDestroy(context);
        read
    };
    if read.value == 0 { Err(unreadable_pipeline(&message)) } else { Ok(()) }
}

// MLIR says: "MLIR Textual PassPipeline Parser:1:13: error: REASON", then the line and a caret.
fn unreadable_pipeline(message: &str) -> SessionError {
    let first = message.trim().lines().next().unwrap_or_default();
    let reason = first.split_once("PassPipeline Parser:1:").and_then(|(_, rest)| rest.split_once(": error: "));
    let why = reason.map_or(first, |(_, reason)| reason);
    cube_artifact::diagnostic!(CUBE0200.pipeline { why }).into()
}

/// Adds only Cube's dialects, and no upstream dialect, to the registry of a foreign context.
pub fn insert_dialects(registry: &DialectRegistry) {
    // SAFETY: a live registry.
    unsafe { cubeInsertDialects(registry.to_raw()) }
}

/// Serialises a module of any context to bytecode of this version of MLIR, with locations.
pub fn bytecode_of(module: &Module<'_>) -> Vec<u8> {
    unsafe extern "C" fn append_bytes(part: MlirStringRef, to: *mut c_void) {
        // SAFETY: `to` is the vector below; MLIR hands in a live slice.
        unsafe { (*to.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(part.data.cast(), part.length)) }
    }
    let mut bytes = Vec::new();
    // SAFETY: a live operation; the callback gets its vector back.
    unsafe {
        mlirOperationWriteBytecode(mlirModuleGetOperation(module.to_raw()), Some(append_bytes), (&raw mut bytes).cast())
    };
    bytes
}

/// The result of [`opt_main`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptEnd {
    /// The exit status; 0 on success.
    pub status: i32,
    /// The code of the last error of a Cube pass or verifier; MLIR has printed its message.
    pub last_code: Option<String>,
    /// The remarks that [`request_from_opt`](remarks::request_from_opt) requested.
    pub remarks: Vec<Remark>,
}

/// Runs `mlir-opt`'s main with Cube's dialects and passes; at most once per process.
pub fn opt_main(tool: &str, args: &[String]) -> OptEnd {
    register_upstream_passes();
    let tool = CString::new(tool).unwrap_or_default();
    scope::open(scope::MAIN_SCOPE);
    // SAFETY: argv is a null-terminated array of C strings that outlive the call.
    let status = with_argv(args, |argc, argv| unsafe { cubeOptMain(argc, argv, tool.as_ptr()) });
    let remarks = remarks::take(scope::MAIN_SCOPE);
    OptEnd { status, last_code: scope::end(scope::MAIN_SCOPE).last_code, remarks }
}

/// Runs `mlir-lsp-server`'s main with Cube's dialects. The server speaks LSP on standard input and output until the
/// client ends the session.
pub fn lsp_main(args: &[String]) -> i32 {
    // SAFETY: as above.
    with_argv(args, |argc, argv| unsafe { cubeLspMain(argc, argv) })
}

fn with_argv(args: &[String], main: impl FnOnce(i32, *mut *mut i8) -> i32) -> i32 {
    let owned: Vec<CString> = args.iter().map(|a| CString::new(a.replace('\0', "")).unwrap_or_default()).collect();
    let mut argv: Vec<*mut i8> = owned.iter().map(|a| a.as_ptr().cast_mut()).collect();
    argv.push(std::ptr::null_mut());
    main(owned.len() as i32, argv.as_mut_ptr())
}
