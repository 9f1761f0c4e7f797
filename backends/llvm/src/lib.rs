//! From a module in the LLVM dialect to code: translation, a legality check, O3, and the target machine.
mod converge;
mod graph;
mod legality;
mod reasons;
mod scev_wrap_workaround;
mod zero_cost_hoist_workaround;
mod zero_minus_workaround;

pub use converge::Convergence;
pub use legality::{Intrinsics, check};
pub use reasons::{collect as collect_reasons, take_reasons, take_warnings};

use cube_backend::{Emitted, OutputForm};
use cube_ir::{AttrExt, Diagnostic, OwnedModule, SessionError, Severity};
use inkwell::{
    OptimizationLevel,
    context::Context,
    module::{FlagBehavior, Module},
    passes::PassBuilderOptions,
    targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple},
};
use mlir_sys::mlirTranslateModuleToLLVMIR;
use reasons::failed;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A target machine in LLVM's terms.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Target triple.
    pub triple: String,
    /// Registers the target of the triple with LLVM, for example `Target::initialize_nvptx`. This crate calls
    /// `register` once for each triple. The backend enables the target by a feature of `inkwell` in its own
    /// `Cargo.toml`.
    pub register: fn(&InitializationConfig),
    /// CPU name.
    pub cpu: String,
    /// Features, comma-separated, each with + or -.
    pub features: String,
    /// Whether code with debug information stays unoptimised, for a debugger. If `debugger` is false, the code is
    /// optimised and its debug information is a line table.
    pub debugger: bool,
    /// Whether LLVM's loop vectoriser runs.
    pub vectorise: bool,
    /// Whether the code generator runs LLVM's pass `StructurizeCFG`.
    pub structurised: bool,
    /// Whether another compiler optimises the code, as ptxas does. The code generator then does not number values again, which
    /// takes half of its time for code with many accesses, and removes few operations after LLVM's passes.
    pub reoptimised: bool,
    /// Whether the instructions can negate their operands, and the code generator selects the negation for `0 - x`, as for
    /// AMD GPUs.
    pub negates_operands: bool,
    /// The calls whose results differ between units of a GPU, and the calls at which the units synchronise;
    /// `None` for a target that runs units in loops.
    pub convergence: Option<&'static Convergence>,
    /// Attributes, `name` or `name=value`, put on every function.
    pub function_attributes: &'static [&'static str],
    /// Flags of the module, with their values.
    pub module_flags: &'static [(&'static str, u64)],
    /// The function attribute with the names of the arguments. LLVM copies the argument names into the metadata of
    /// the code.
    pub argument_names: Option<&'static str>,
}

/// LLVM's passes for kernels that are vectorised already. Private memory becomes registers, short loops are unrolled,
/// and common subexpressions are shared. LLVM's O3 repeats the passes of this list several times and takes twice as
/// long. The run time of these passes is nearly linear in the size of a function, so the list also serves large
/// kernels.
const AFTER_VECTORS: &str = concat!(
    "always-inline,inline,function<eager-inv>(",
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,",
    "loop-mssa(loop-rotate,licm),simplifycfg,",
    "loop(indvars,loop-idiom,loop-deletion,loop-unroll-full),",
    "sroa<modify-cfg>,gvn,dse,loop-mssa(licm),adce,instcombine<no-verify-fixpoint>,simplifycfg,",
    "loop-unroll<O2>,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg)",
);

/// Whether some optional passes of LLVM would take too long. The time and memory of jump threading, the vectoriser of
/// straight-line code and interprocedural constant propagation grow with the square of a function's size.
fn is_large(module: &Module<'_>) -> bool {
    const INSTRUCTIONS: usize = 1 << 14;
    const BLOCKS: usize = 1 << 10;
    module.get_functions().any(|function| {
        let blocks = function.get_basic_blocks();
        let instructions = || blocks.iter().map(|block| block.get_instructions().count()).sum::<usize>();
        blocks.len() > BLOCKS || instructions() > INSTRUCTIONS
    })
}

// Two threads must not write LLVM's registry at the same time.
fn register(machine: &Machine) {
    static DONE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    if done.is_empty() {
        // Works around a miscompilation of LLVM 22 for AMD GPUs. If a kernel has many uniform values, LLVM spills them
        // to lanes of vector registers, and spills these registers to memory. `StackSlotColoring` assigns one stack
        // slot to two of these registers although both are live. The option also applies to the CPU, where spills then
        // need more stack (docs/why/amdgpu.md has the numbers).
        set_option(c"-no-stack-slot-sharing");
    }
    if !done.contains(&machine.triple) {
        (machine.register)(&InitializationConfig::default());
        done.insert(machine.triple.clone());
    }
}

/// The host's triple, CPU and features; `register` registers all targets that can be hosts.
pub fn host(register: fn(&InitializationConfig)) -> Machine {
    Machine {
        triple: TargetMachine::get_default_triple().as_str().to_string_lossy().into_owned(),
        register,
        debugger: true,
        cpu: TargetMachine::get_host_cpu_name().to_string(),
        features: TargetMachine::get_host_cpu_features().to_string(),
        vectorise: true,
        structurised: false,
        reoptimised: false,
        negates_operands: false,
        convergence: None,
        function_attributes: &[],
        module_flags: &[],
        argument_names: None,
    }
}

/// Translates, optimises and emits `module`. `OutputForm::Code` produces an object if `object` is set, otherwise
/// assembly.
///
/// # Errors
/// Errors that LLVM reports.
pub fn emit(
    module: &OwnedModule<'_>,
    machine: &Machine,
    form: OutputForm,
    object: bool,
) -> Result<Vec<u8>, SessionError> {
    register(machine);
    let context = Context::create();
    reasons::install_handler(&context);
    // SAFETY: the module is valid and contains only translatable dialects. The context outlives the result. Null is
    // checked.
    let translated = unsafe {
        let raw = mlirTranslateModuleToLLVMIR(module.op().to_raw(), context.raw().cast());
        if raw.is_null() {
            return Err(failed("the module cannot be translated to LLVM IR"));
        }
        Module::new(raw.cast())
    };
    let triple = TargetTriple::create(&machine.triple);
    let target = Target::from_triple(&triple).map_err(|e| failed(e.to_string()))?;
    let debugged = machine.debugger && translated.get_functions().any(|f| f.get_subprogram().is_some());
    let (passes, level) = match debugged {
        true => ("default<O0>", OptimizationLevel::None),
        false if is_large(&translated) => (AFTER_VECTORS, OptimizationLevel::Less),
        false if !machine.vectorise => (AFTER_VECTORS, OptimizationLevel::Aggressive),
        false if machine.reoptimised => ("default<O3>", OptimizationLevel::Default),
        false => ("default<O3>", OptimizationLevel::Aggressive),
    };
    let target_machine = target
        .create_target_machine(&triple, &machine.cpu, &machine.features, level, RelocMode::PIC, CodeModel::Default)
        .ok_or_else(|| failed(format!("no target machine for {} {}", machine.triple, machine.cpu)))?;
    translated.set_triple(&triple);
    translated.set_data_layout(&target_machine.get_target_data().get_data_layout());
    mark(&context, &translated, machine);
    name_arguments(module, &translated, machine);
    let misplaced = machine.convergence.map(|calls| (calls, converge::mark(&context, &translated, calls)));
    let options = PassBuilderOptions::create();
    options.set_loop_vectorization(machine.vectorise);
    if machine.vectorise && machine.convergence.is_none() && !debugged {
        let before = PassBuilderOptions::create();
        translated
            .run_passes(scev_wrap_workaround::BEFORE, &target_machine, before)
            .map_err(|e| failed(e.to_string()))?;
        scev_wrap_workaround::hide(&context, &translated).map_err(|e| failed(e.to_string()))?;
    }
    translated.run_passes(passes, &target_machine, options).map_err(|e| failed(e.to_string()))?;
    if let Some((calls, before)) = misplaced {
        if let Some(kernel) = converge::moved(&translated, calls, &before) {
            return Err(converge::moved_error(&kernel));
        }
        converge::unmark(&translated);
    }
    if machine.structurised {
        zero_cost_hoist_workaround::keep(&context, &translated).map_err(|e| failed(e.to_string()))?;
    }
    if machine.negates_operands {
        zero_minus_workaround::hide(&context, &translated)?;
    }
    if form == OutputForm::Llvm {
        return Ok(translated.print_to_string().to_string().into_bytes());
    }
    let kind = if form == OutputForm::Code && object { FileType::Object } else { FileType::Assembly };
    let buffer = target_machine.write_to_memory_buffer(&translated, kind).map_err(|e| failed(e.to_string()))?;
    if let Some(why) = reasons::refusal() {
        return Err(failed(why));
    }
    let bytes = buffer.as_slice();
    // LLVM ends a text buffer with a zero byte that is not part of the text.
    Ok(bytes.strip_suffix(&[0]).filter(|_| kind == FileType::Assembly).unwrap_or(bytes).to_vec())
}

// Sets attributes on every function with a body. `no-builtins` prevents LLVM from emitting calls of memset and memcpy.
fn mark<'c>(context: &'c Context, module: &Module<'c>, machine: &Machine) {
    let attributes = ["no-builtins", "nounwind"].iter().chain(machine.function_attributes);
    let attributes: Vec<_> = attributes
        .map(|text| match text.split_once('=') {
            Some((name, value)) => context.create_string_attribute(name, value),
            None if *text == "nounwind" => {
                context.create_enum_attribute(inkwell::attributes::Attribute::get_named_enum_kind_id("nounwind"), 0)
            }
            None => context.create_string_attribute(text, ""),
        })
        .collect();
    for (name, value) in machine.module_flags {
        module.add_basic_value_flag(name, FlagBehavior::Error, context.i32_type().const_int(*value, false));
    }
    for function in module.get_functions().filter(|f| f.count_basic_blocks() > 0) {
        for attribute in &attributes {
            function.add_attribute(inkwell::attributes::AttributeLoc::Function, *attribute);
        }
    }
}

/// Restores the names of the arguments, because the translation to LLVM IR drops the names.
fn name_arguments(module: &OwnedModule<'_>, translated: &Module<'_>, machine: &Machine) {
    let Some(attribute) = machine.argument_names else { return };
    for op in module.op().body().map(|block| block.ops()).unwrap_or_default() {
        let names = op.attr(attribute).and_then(|names| names.as_array()).unwrap_or_default();
        let symbol = op.attr("sym_name").and_then(|name| name.as_str()).unwrap_or_default();
        let Some(function) = translated.get_function(symbol) else { continue };
        for (argument, name) in function.get_param_iter().zip(names) {
            argument.set_name(name.as_str().unwrap_or_default());
        }
    }
}

/// Sets an option of LLVM once for the process. The function is for settings that no attribute of a module
/// expresses.
pub fn set_option(option: &'static std::ffi::CStr) {
    let pointers = [c"cube".as_ptr(), option.as_ptr()];
    // SAFETY: two NUL-terminated strings with static lifetime; the caller registers a target, which happens once.
    unsafe { inkwell::llvm_sys::support::LLVMParseCommandLineOptions(2, pointers.as_ptr(), std::ptr::null()) }
}

/// Programs can call this function, but libraries must not, because the setting applies to the whole process. LLVM
/// runs only the first `count` optional passes, or all optional passes if `count` is -1. LLVM prints the names of
/// the passes to standard error. A program must call this function at most once.
pub fn limit_passes(count: i64) {
    let words = ["cube".to_string(), format!("-opt-bisect-limit={count}")];
    let words = words.map(|word| std::ffi::CString::new(word).unwrap_or_default());
    let pointers = [words[0].as_ptr(), words[1].as_ptr()];
    // SAFETY: two strings that end in zero and outlive the call. The function does not keep pointers to them.
    unsafe { inkwell::llvm_sys::support::LLVMParseCommandLineOptions(2, pointers.as_ptr(), std::ptr::null()) }
}

/// Makes a fatal error of LLVM end the program with exit code 1, after a call of `report` with the error. A closed pipe
/// ends the program without a message. Programs can call this function, but libraries must not. The first call sets
/// `report`.
pub fn exit_on_fatal_errors(report: fn(&Diagnostic)) {
    static REPORT: std::sync::OnceLock<fn(&Diagnostic)> = std::sync::OnceLock::new();
    REPORT.get_or_init(|| report);
    // SAFETY: the C library has this function, with this signature.
    unsafe extern "C" {
        // SAFETY: ends the process at once, in any state.
        safe fn _exit(status: std::ffi::c_int) -> !;
    }
    // LLVM reports a failed write from the destructor of its output stream, which runs inside `exit`: a second `exit`
    // would be undefined, and a panic in here would cross C++.
    extern "C" fn end(reason: *const std::ffi::c_char) {
        // SAFETY: LLVM hands in a C string.
        let reason = unsafe { std::ffi::CStr::from_ptr(reason) }.to_string_lossy();
        if reason.contains("Broken pipe") {
            _exit(141);
        }
        let message = match reason.split_once("IO failure on output stream: ") {
            Some((_, why)) => cube_ir::diagnostic!(CUBE0603.output { why }),
            None => cube_ir::diagnostic!(CUBE0402.failed { reason }),
        };
        if let Some(report) = REPORT.get() {
            report(&Diagnostic::new(Severity::Error, message, None));
        }
        _exit(1);
    }
    // SAFETY: the handler never returns.
    unsafe { inkwell::llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(end)) }
}

/// Wraps code without required features, scratch memory or a fixed plane size.
pub fn emitted(code: Vec<u8>, format: cube_backend::CodeFormat) -> Emitted {
    Emitted::new(code, format)
}
