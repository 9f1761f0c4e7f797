//! The error codes of the compiler, with explanations; `cube_artifact::codes` has the codes of the runtime.
use cube_artifact::codes::{CODES as RUNTIME, Code};

macro_rules! codes {
    ($($code:literal $title:literal: $explanation:literal $(, note $notes:literal)?;)*) => {
        &[$(Code { code: $code, title: $title, explanation: $explanation, notes: concat!($($notes)?) }),*]
    };
}

/// Codes of the compiler and the tools, in order.
pub const CODES: &[Code] = codes! {
    "CUBE0100" "not valid MLIR": "The text does not parse, or an operation breaks a rule of its dialect; the message names line, column and rule.", note "Syntax: docs/reference/dialect.md, and MLIR's pages on arith, math, scf and vector.";
    "CUBE0102" "nesting too deep": "MLIR's parser recurses, so deep nesting would overflow its stack.", note "Brackets nest at most 256 deep, also through aliases; affine expressions have at most 1024 operators.";
    "CUBE0103" "input too large": "Inputs are read completely; the limit is 512 MiB.";
    "CUBE0104" "not text": "MLIR text is UTF-8 without zero bytes. Bytecode begins with the bytes ML 0xEF R.";
    "CUBE0105" "empty input": "The file has no operation. The smallest kernel is: cube.kernel @k() { cube.return }";
    "CUBE0106" "bytecode cannot be read": "Bytecode is read in a child process with limits, because MLIR's reader can crash on damaged input. Write the bytecode again with the same version, or use text.";
    "CUBE0107" "alignment of a resource": "A resource in {-# dialect_resources: ... #-} is written as hexadecimal bytes. The first four are its alignment, lowest first.", note "The alignment is a power of two up to 4096: \"0x04000000...\" for 4.";
    "CUBE0108" "no stack": "The compiler recurses, so it requests a stack of 1 GiB of address space, or of 64 MiB if the system grants no more.", note "Little of the stack is used. A limit of the process, such as ulimit -v, allows less: raise it.";
    "CUBE0109" "elements of an attribute": "An attribute array<TYPE: ...> contains integers or floats, with TYPE written out: array<i64: 1, 2>. MLIR's parser crashes on array<index: ...>.";
    "CUBE0110" "element type of a buffer": "Buffers hold integers or floats; lines of several elements are written !cube.array<f32, 4>.";
    "CUBE0111" "line size": "A line has 1, 2, 4, 8 or 16 elements: sizes at which memory, vectors and alignment agree on every target.";
    "CUBE0112" "call of an unknown function": "cube.call names a cube.func of the same module.";
    "CUBE0113" "call with another type": "The operand and result types of the call must equal the types of the function.";
    "CUBE0114" "size of shared or local memory": "The size counts lines and is a number of at least 1, or @P for a comptime parameter of type i32: !cube.shared<64 x f32>, !cube.local<@N x f32, 4>.";
    "CUBE0120" "cube_dim": "A cube has one to three sizes, each at least 1: cube_dim(64), cube_dim(16, 16).";
    "CUBE0121" "too many units per cube": "No target runs more than 65536 units in one cube; most run at most 1024.";
    "CUBE0122" "no body": "Kernels and functions are defined where they are declared.";
    "CUBE0123" "kernel with results": "A kernel returns nothing; it writes to buffers.";
    "CUBE0124" "comptime parameter declared twice": "Each name in comptime(...) is declared once.";
    "CUBE0125" "argument type": "Kernels take buffers, !cube.array<T> or !cube.array<T, N>, and scalars of the types in docs/reference/types.md.";
    "CUBE0126" "unknown argument attribute": "Known attributes: cube.host, cube.access, cube.len, cube.align, cube.noalias and cube.derived.", note "docs/reference/dialect.md has the meaning and the values of each attribute.";
    "CUBE0127" "host type": "cube.host defines the sign, which IR types do not have; it must have the width and kind of the IR type.";
    "CUBE0128" "access": "cube.access is read, write or read_write, and applies to buffers only.";
    "CUBE0129" "no return": "A kernel or function ends in cube.return.";
    "CUBE0130" "return in the wrong place": "cube.return ends kernels and functions; regions of scf end in scf.yield.";
    "CUBE0131" "return of other types": "The types of the values of cube.return must equal the result types of the function.";
    "CUBE0132" "undeclared comptime parameter": "Every parameter that a kernel uses is declared in its comptime(...) list.";
    "CUBE0133" "line type": "An access moves one line: the element itself for !cube.array<T>, vector<NxT> for !cube.array<T, N>.";
    "CUBE0134" "write to a read-only buffer": "The kernel declares the buffer cube.access = \"read\" and stores to it.";
    "CUBE0135" "name of a kernel": "The name of a kernel becomes a symbol: it has letters, digits and underscores, and does not begin with a digit.";
    "CUBE0136" "too many comptime parameters": "A kernel declares at most 1024.";
    "CUBE0137" "type of a slice": "A slice has the element type and line size of its buffer.";
    "CUBE0138" "allocation too large": "One allocation of shared or local memory has at most 256 MiB; devices allow far less, which the launch checks.";
    "CUBE0139" "atomic access": "Atomics work on single integers and floats of 8 to 64 bits, not on lines, bools, fp8 or tf32.";
    "CUBE0140" "combining operation": "The operation must match the type (addi for integers, addf for floats) and the instruction: atomics do not multiply, planes do not subtract or exchange.";
    "CUBE0141" "plane operation on a storage type": "fp8 and tf32 are stored and converted, not computed with; cube.cast converts them to f32.";
    "CUBE0142" "end of a block": "Blocks of cube.if, cube.for and cube.loop end in cube.yield, cube.break, cube.continue, cube.return or cube.terminate.";
    "CUBE0143" "step or counter of a loop": "A counted loop counts up by a positive step, and its body takes the counter.";
    "CUBE0144" "exit in the wrong place": "cube.break, cube.continue, cube.terminate and cube.yield end blocks of cube.if, cube.for and cube.loop; regions of scf end in scf.yield.";
    "CUBE0145" "exit without its loop": "Only cube.if and cube.comptime_if are allowed between a break or continue and its loop: scf has no exits.";
    "CUBE0146" "type or index of a lane": "A lane has the element type of its line. A constant index must be within the line. A computed index out of bounds reads 0 and writes nothing.";
    "CUBE0147" "lanes of a conversion": "A conversion keeps the number of lanes.";
    "CUBE0148" "word of a conversion": "from_unsigned and to_unsigned apply to integers, round to conversions from float to float.";
    "CUBE0149" "values to print": "Each {} of the text is the placeholder of one value.";
    "CUBE0150" "derived argument": "The runtime computes an i32 or i64 scalar by the expression in cube.derived, such as \"shape(x, 0)\".", note "Functions: len, buffer_len, rank, shape, stride, mul and others (runtime/artifact/src/derived.rs).";
    "CUBE0151" "source of a length": "cube.len states the source of the length: a value that the host passes (\"host\"), or the size of the memory (\"buffer\").";
    "CUBE0152" "operation of a cube.generic": "cube.generic names an operation of arith, math or vector for floats, for integers, or for both.", note "Example: cube.generic float \"arith.addf\" int \"arith.addi\"(%a, %b) : (T, T) -> T.";
    "CUBE0153" "description of a target": "The attribute cube.target of a module must have every field of a chip's description, without contradictions.", note "attach-target{target=nvptx:sm_90a} writes the attribute for a known chip.";
    "CUBE0155" "too many arguments": "A kernel takes at most 1024 arguments. NVIDIA's parameters have 32,764 bytes, of which a scalar takes up to 8 and a buffer up to 24.";
    "CUBE0156" "attribute of the compiler": "A source contains only those discardable attributes that docs/reference/dialect.md marks as written by the program.", note "In a stage file, an attribute of the compiler keeps the form in which its pass writes it.";
    "CUBE0170" "text of a layout": "A layout is shape and strides of equal nesting: (4,(2,8)):(1,(4,32)). Extents start at 1, offsets are below 2^63, and nesting is below 256.", note "A swizzle comes first: Sw<3,3,3> o 0 o (8,32):(32,1).";
    "CUBE0171" "leaves of a layout": "layout.make takes one operand for each leaf ? of its layout, in the order in which they are written; layout.constant takes none.";
    "CUBE0172" "coordinate": "A coordinate is nested no deeper than the shape: numbers, ? for an operand, _ for a mode that is kept, as in ((_,_),?). A coordinate with _ has no offset.";
    "CUBE0173" "complement": "A complement reaches up to a number of at least 1.";
    "CUBE0174" "type of a view": "The parameter of a view is the type of a line of its buffer: !layout.view<f32> of !cube.array<f32>, !layout.view<vector<4xf32>> of !cube.array<f32, 4>.";
    "CUBE0175" "type of an access through a view": "An access moves one line of the buffer. With _ in its coordinate it moves a vector of all remaining elements.";
    "CUBE0176" "results of layout.idx2crd": "There is one i32 for each leaf of the shape.";
    "CUBE0177" "several lines at once": "An access with align moves 2, 4, 8 or 16 neighbours of a buffer of single elements, is inbounds, and gives an alignment up to its size.", note "The phase layout creates such accesses.";
    "CUBE0178" "alignment of an argument": "cube.align is the alignment of a buffer's address in bytes, a power of two up to 128; the launch checks it.";
    "CUBE0200" "pass pipeline": "The pipeline text names a pass or option that does not exist, or nests it under the wrong operation.", note "cube-opt --help lists all passes; cube-opt --show-pipeline=cpu shows a pipeline that works.";
    "CUBE0300" "recursion": "Functions are inlined into kernels, so a function cannot call itself, directly or not. Use a loop.";
    "CUBE0301" "unknown comptime parameter": "A value was given for a parameter that the kernel does not declare.";
    "CUBE0302" "value of a comptime parameter": "The value, or the default, does not have the declared type.", note "A type parameter takes a number such as f32 or i32, or a line of 2, 4, 8 or 16 of them such as vector<4xf32>.";
    "CUBE0303" "comptime parameter without a value": "The parameter has no default, so a value is required: --param NAME=VALUE.";
    "CUBE0304" "comptime parameter left over": "A type or constant names a parameter that the kernel does not declare.";
    "CUBE0305" "early exit with a value": "Values of an early exit are stored in local cells, whose types are numbers and lines of 1, 2, 4, 8 or 16 numbers.", note "Return buffers and slices at the end of the function.";
    "CUBE0306" "exit through another operation": "A unit can leave scf.if, scf.for, scf.while and scf.index_switch, and the control flow of the cube dialect.";
    "CUBE0307" "unrolled too far": "Unrolling creates at most 262144 operations in a kernel.";
    "CUBE0308" "not known at compile time": "Comptime conditions and bounds, and bounds of fully unrolled loops, depend on constants and comptime parameters only.", note "The note shows the value that depends on something else.";
    "CUBE0309" "unroll hint": "cube.unroll applies to scf.for and cube.for. Without a factor it unrolls all iterations; with a factor of 1 to 1024 it unrolls that many at a time.";
    "CUBE0310" "access not in bounds yet": "buffers-to-memref requires that every access is inbounds.", note "specialize decides which accesses are checked; remove-checks and expand-checks change those. Keep that order in a pipeline.";
    "CUBE0311" "math function": "The function has no expansion for this type yet.";
    "CUBE0312" "slice selected at run time": "A slice is a part of one buffer that is known at its use. Select start and end in branches and loops, and create the slice after them.";
    "CUBE0313" "shape of a buffer that is not an argument": "Shapes, strides, ranks and lengths come from the host, which knows the kernel's arguments.";
    "CUBE0314" "computing with a storage type": "fp8 and tf32 are stored and converted, not computed with; cube.cast converts them to f32.";
    "CUBE0315" "barrier that not all units reach": "All units of a cube must reach a barrier, so its conditions must be uniform for the cube.", note "The notes lead to the value that differs. Conditions known at launch only are checked there (CUBE0943).";
    "CUBE0316" "instantiated type": "The type of a type parameter is invalid for an operation. Examples: a line of lines, an integer in a float operation.", note "cube.generic names an operation for floats and one for integers.";
    "CUBE0317" "kernel too large": "After inlining a kernel has at most 262144 operations and 1024 nested regions, and its math functions expand to at most 1048576 operations. Use loops, or several kernels.";
    "CUBE0318" "number too wide": "Kernels compute with numbers of at most 64 bits. Represent wider numbers by several numbers, for example with arith.addui_extended and arith.mului_extended.";
    "CUBE0319" "vector too long": "Vectors have at most 1024 elements. Lines have at most 16 elements. A processor processes one register at a time.";
    "CUBE0320" "registers of another GPU": "kernel-to-nvvm emits registers of NVIDIA GPUs, kernel-to-rocdl emits registers of AMD GPUs. The attribute cube.target of the module names its chip.";
    "CUBE0321" "too much shared memory": "The target reserves shared memory statically, and the kernel's allocations exceed the chip's limit. docs/reference/targets.md has the limits of each chip.";
    "CUBE0322" "memory without a length": "Shared and local memory have a static length: !cube.shared<N x T>.";
    "CUBE0323" "rewrite rules of a kernel": "cube.rules is an array of lines in the form of rules/families (docs/why/rewrite-rules.md).", note "A rule begins with assume, or ends with the hash of its proof, which cube-prove --rules FILE prints.";
    "CUBE0330" "unknown level": "Levels are source, flat, legal, device and llvm; each target defines level device (CUBE0365).";
    "CUBE0331" "operation at the wrong level": "Each level allows a list of operations (docs/reference/levels.md).", note "Either an earlier pass did not lower the operation, or the pass ran at the wrong position of the pipeline.";
    "CUBE0332" "type at the wrong level": "Each level forbids some types (docs/reference/levels.md).";
    "CUBE0333" "no such layout": "No layout computes the request, or an operand violates a rule.", note "The note gives an index where every layout is wrong; the message has the nearest tile that works. cube-layout evaluates the expression.";
    "CUBE0334" "layout selected at run time": "Layouts and views are known at compile time, except for leaves of layout.make. Select the coordinate at run time, not the view.";
    "CUBE0335" "elements of an access": "The vector of an access has one element for each index that the coordinate leaves, at most 1024.";
    "CUBE0336" "layout with unknown leaves": "Operations that require divisibility require constants.", note "Coordinates, slices and views support unknown leaves, and so does a ragged division mode by mode by n:1, whose tile can be composed.";
    "CUBE0337" "layout too large for a buffer": "The lines of a buffer are counted in 32 bits. View a part of the buffer.";
    "CUBE0340" "barrier in divergent control flow": "All units of a cube must reach the same barrier. Move it out of the branch, or use a condition that is uniform for the cube.", note "Barriers of a plane are allowed: they apply to the active lanes.";
    "CUBE0341" "control flow around a barrier": "Barriers and plane operations are allowed inside scf.if, scf.index_switch, scf.for and scf.while only.";
    "CUBE0342" "lanes of a plane": "A plane of the CPU has 8, 16, 32 or 64 lanes.";
    "CUBE0343" "shape or use of local memory": "Shared and local memory has one dimension of a known size, and is used by loads, stores and atomics only.";
    "CUBE0344" "atomic without an instruction": "atomics-to-llvm requires expand-atomics before it. That pass writes such atomics as loops. The pipeline of the CPU has them in this order.";
    "CUBE0350" "module of another target": "The module carries cube.target, and passes can have relied on it. Compile it for that target.", note "If no pass has processed the module, the attribute can be removed instead.";
    "CUBE0351" "unknown target of attach-target": "The option is BACKEND or BACKEND:CHIP; cubec --list-targets prints all of them.";
    "CUBE0352" "no description of a chip": "The pass reads the attribute cube.target of the module. attach-target writes it at the start of every pipeline.", note "A pass that runs alone needs it first: --attach-target=target=nvptx:sm_90a.";
    "CUBE0353" "planes of another width": "The attribute cube.plane_dim of a kernel is one of the widths that the chip supports; NVIDIA GPUs have 32 lanes.", note "AMD's RDNA chips have 32 and 64; docs/reference/targets.md lists the widths of each chip.";
    "CUBE0360" "pipeline steps in the wrong order": "A step of this pipeline does not accept the level that the steps before it produce.", note "Each pass declares its accepted and produced levels (docs/reference/levels.md). The message names the position of the step.";
    "CUBE0361" "phase that produces another level": "A phase declares the level that it produces, and its steps produce another.", note "For `lower` that is `leaves` of the backend; an upstream pass that changes the level declares it with `leaving`.";
    "CUBE0362" "passes in an order that no input can have": "A pass accepts an earlier level than a pass before it produces, so it could do nothing or break the kernel.", note "Move it to the position in the message, or run the two passes in separate commands.";
    "CUBE0363" "level without a contract": "A step of a backend produces level device, and the backend does not list the allowed operations.", note "Each target defines level device. Return a contract from `contracts` (docs/add-a-backend.md).";
    "CUBE0364" "compilation ended by its instrumentation": "Code generation requires a module after all passes.", note "An instrumentation can end the run early only if no code is requested, as in cube_driver::stages.";
    "CUBE0365" "level of a target": "check-level knows only the levels that all targets share; each backend defines level device (docs/reference/levels.md). --compile-to=lower checks it.";
    "CUBE0370" "proof of an access": "`inbounds by REASON` is an access of one line that the compiler has proven to be inside its buffer.", note "Write `inbounds` alone for your own promise, and `checked` for an access that can be outside.";
    "CUBE0371" "proof that cannot hold": "A proof by range says that every value of the index is below the size of shared or local memory. Write `checked`; remove-checks finds the proofs that hold.";
    "CUBE0398" "internal error": "A step failed without a message, or a pass broke its own rules. Please report it with the kernel and the command.";
    "CUBE0399" "a pass or verifier panicked": "A bug of Cube, not of the kernel. Please report it with the kernel and the command.";
    "CUBE0400" "LLVM refused": "LLVM could not translate or optimise the module; LLVM's message follows.";
    "CUBE0401" "unreadable object": "The object that LLVM produced could not be parsed.";
    "CUBE0402" "LLVM gave up": "LLVM does not support an operation on this target, and ended the program.", note "Cube refuses the known cases before LLVM runs (CUBE0410); please report this one with the kernel and the command.";
    "CUBE0410" "unsupported operation": "LLVM would abort on this operation for this target, so Cube refuses it.";
    "CUBE0411" "library function": "The object would call a library function, and kernels have no libraries: the chip has no accurate instruction, and Cube has no expansion.";
    "CUBE0412" "unsupported on this target": "The chip lacks the operation or its type, or the backend does not support it yet. The message gives the reason.", note "docs/reference/levels.md has the table of operations and targets.";
    "CUBE0413" "barrier moved by the optimiser": "Barriers and plane operations must stay where all units reach them. After LLVM's passes this check failed.", note "A bug of LLVM or of Cube: please report it with the kernel.";
    "CUBE0414" "undefined register": "The PTX of a kernel reads a register that has not been written. Debug builds of the compiler check their own output for this.", note "A bug of Cube: please report it with the kernel.";
    "CUBE0415" "operation on vectors": "Kernels use vectors of one dimension, without masks and scalable vectors. The message names the replacement.", note "docs/reference/levels.md lists the vector operations of level source.";
    "CUBE0416" "type of a vector": "A vector of a kernel has one dimension of a fixed size, as vector<4xf32>.", note "Tensors, and vectors of no, several or scalable dimensions, are unsupported on every target.";
    "CUBE0417" "undefined value": "ub.poison becomes a zero, so that all its uses have one value. Types without a zero, such as buffers, have no undefined value.";
    "CUBE0418" "invalid WGSL": "Every WGSL text is parsed and validated by naga before it is written. A bug of Cube: please report it with the kernel.";
    "CUBE0500" "unknown target": "A target is BACKEND or BACKEND:CHIP; cubec --list-targets lists them.";
    "CUBE0501" "unknown chip": "cubec --list-targets lists the chips of each target.";
    "CUBE0502" "unknown phase": "Phases are specialize, layout, optimize, legalize, lower.";
    "CUBE0503" "no kernel": "The module contains no cube.kernel.";
    "CUBE0504" "unknown kernel": "The module contains no kernel of that name.";
    "CUBE0505" "several kernels": "Choose a kernel with --kernel NAME.";
    "CUBE0506" "comptime parameter syntax": "Values are given as NAME=VALUE: --param N=8 --param F=f16.";
    "CUBE0507" "type without a host type": "The argument's type cannot be passed from the host.";
    "CUBE0508" "form of the code": "cubec --emit requests a form of code that the target's backend does not have; the message lists its forms.";
    "CUBE0600" "unknown tool": "cube --help lists the tools.";
    "CUBE0601" "unknown error code": "Codes look like CUBE0100.";
    "CUBE0602" "input cannot be read": "The file is missing, is a folder, or is not readable.";
    "CUBE0603" "output cannot be written": "The folder is missing or is not writable; no partial file remains.";
    "CUBE0604" "command line": "The tool does not accept the option or argument; --help lists them.";
    "CUBE0605" "unknown pass": "cube-opt --help lists passes and phases.";
    "CUBE0606" "serving failed": "The program at the other end of the pipe ended, or does not use the protocol.";
    "CUBE0607" "unknown form": "cubec --emit takes code, artifact, asm, llvm, or a phase.";
    "CUBE0608" "argument of a run": "cube-run binds each parameter once: --arg NAME=VALUE; cube-run KERNEL.mlir --describe shows them.";
    "CUBE0609" "check failed": "The buffer differs from the expected one by more than allowed.";
    "CUBE0610" "backend cannot run": "The backend compiles, but this machine cannot run its code; cube-run --list-backends lists the backends that can run.";
    "CUBE0611" "reference page out of date": "A page of docs/reference/ is generated from declarations that have changed since. cube docs generates it again.";
    "CUBE0612" "not a reproducer": "--replay runs a file that --reproducer wrote; its last lines contain the command. Its data files must be at their old paths or beside it, with unchanged contents.";
    "CUBE0613" "different outcome": "A reproducer ended in another way than recorded: the failure is repaired, or depends on data outside of the file.";
    "CUBE0614" "nothing to reduce": "cube-reduce keeps code for which its test holds, so the test must hold for the initial kernel. Run the test alone to see why it fails.";
    "CUBE0615" "language server": "The client sent an invalid message of the language server protocol, or the server of MLIR behind cube-lsp-server could not be started.";
    "CUBE0616" "the parser crashed on a document": "MLIR's parser crashed on the text. cube-lsp-server restarted it without this document, and sends the document again when it changes.";
    "CUBE0700" "no interpreter rule": "The reference interpreter does not support the operation or type; docs/interpreter.md lists what it runs. Every operation that a level allows has a rule or a reason.";
    "CUBE0701" "program too large": "Kernels have at most a million instructions, operations and lanes; the local memory of a unit counts as lanes.", note "Calls are inlined, so nested repeated calls multiply the program.";
    "CUBE0702" "too many steps": "The interpreter stops a launch after --max-steps, so that a non-terminating kernel ends with the location of its loop.", note "Make the launch smaller, or raise the limit.";
    "CUBE0703" "too much memory": "The interpreter's records of buffer lines exceed its memory limit. Select fewer findings with --find, or use smaller buffers.";
    "CUBE0704" "bits of floats in the ring": "With --ring a float is an element of a field. It has no bits, so a kernel cannot convert it to an integer by its bits.", note "Run such kernels, and passes from expand-math on, without --ring.";
    "CUBE0705" "derived argument": "The expression of cube.derived by which the runtime computes a scalar argument cannot be parsed; the message has the byte offset and the reason.";
    "CUBE0710" "access outside a buffer": "A checked access outside its buffer reads 0 or is dropped. This is defined, but seldom intended. --find bounds reports it.";
    "CUBE0711" "data race": "Two units access one line of a buffer, at least one writes, and no barrier orders them: the result depends on the order in which units run. Give each unit a separate line.";
    "CUBE0712" "read of an uninitialised line": "The kernel reads an unwritten line of a buffer that is declared cube.access = \"write\" or named by --uninit.";
    "CUBE0713" "undefined behaviour": "The operation is undefined for these operands; operations of the cube dialect are always defined.", note "Causes: division by zero, a shift by the width or more, a broken promise (nsw, inbounds), or a use of poison.";
    "CUBE0714" "barrier not reached by all, or lanes that disagree": "Some units wait at a barrier that others do not reach. On a device this can deadlock.", note "Move the barrier, or make the condition uniform. The lane of a broadcast must be equal in all active lanes.";
    "CUBE0720" "a pass changed the result": "cube-run --bisect found the first pass after which the kernel gives another result. The named folder contains the kernel before and after the pass.";
    "CUBE0721" "LLVM changed the result": "Cube's passes keep the result of the kernel, and the processor computes another one after LLVM's passes.", note "cube-run --bisect names the first LLVM pass that changes the result, or the code generation, and shows its module.";
    "CUBE0730" "no debug information for a target": "cubec -g requests source lines and variables. Code for the CPU has them, and code objects of AMD GPUs have lines. CUBE_DEBUG=1 is ignored on other targets.";
    "CUBE0951" "stage file": "The first line of a stage file names the passes that have run. It does not match this compiler. Write the stages again.", note "Causes: the pipeline of this compiler has other passes, the target differs, or the line was edited.";
    "CUBE0960" "starter crate": "cubec new NAME creates a folder NAME with a crate. The name must be valid for cargo, and the folder must not exist. --path names a checkout of Cube, which has a folder cube.";
};

/// The title, explanation and notes of an error code, as three paragraphs.
pub fn explain(code: &str) -> Option<String> {
    let found = CODES.iter().chain(RUNTIME).find(|c| c.code.eq_ignore_ascii_case(code))?;
    Some(found.page())
}

/// All codes.
pub fn known_codes() -> Vec<String> {
    CODES.iter().chain(RUNTIME).map(|c| c.code.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_and_explanation_fit_on_two_lines() {
        let too_long: Vec<&str> = CODES.iter().filter(|code| !code.fits()).map(|code| code.code).collect();
        assert_eq!(too_long, [""; 0], "move facts to the note");
    }

    #[test]
    fn a_page_has_the_notes_as_a_paragraph() {
        let page = explain("cube0200").expect("the code exists");
        assert_eq!(page.split("\n\n").count(), 3, "{page}");
        assert!(page.starts_with("CUBE0200: pass pipeline\n\nThe pipeline") && page.contains("\n\ncube-opt --help"));
    }
}
