//! The error codes of the compiler, with explanations; `cube_artifact::codes` has the codes of the runtime.
use cube_artifact::codes::{CODES as RUNTIME, Code};

macro_rules! codes {
    ($($code:literal $title:literal: $explanation:literal $(, note $notes:literal)?;)*) => {
        &[$(Code { code: $code, title: $title, explanation: $explanation, notes: concat!($($notes)?) }),*]
    };
}

/// Codes of the compiler and the tools, in order.
pub const CODES: &[Code] = codes! {
    "CUBE0100" "not valid MLIR": "The text does not parse, or an operation breaks a rule of its dialect; the message names line, column and rule.", note "docs/reference/dialect.md and MLIR's pages on arith, math, scf and vector describe the syntax.";
    "CUBE0102" "nesting too deep": "MLIR's parser recurses, so deep nesting would overflow its stack.", note "Brackets can be nested at most 256 deep, also inside aliases; an affine expression has at most 1024 operators.";
    "CUBE0103" "input too large": "The compiler reads an input completely into memory; the limit is 512 MiB.";
    "CUBE0104" "not text": "MLIR text is UTF-8 without zero bytes. MLIR bytecode begins with the bytes 'M', 'L', 0xEF and 'R'.";
    "CUBE0105" "empty input": "The input file has no operation. The smallest kernel is: cube.kernel @k() { cube.return }";
    "CUBE0106" "bytecode cannot be read": "Bytecode is read in a child process with limits, because MLIR's reader can crash on damaged input. Write the bytecode with the same version, or use MLIR text.";
    "CUBE0107" "alignment of a resource": "A resource in {-# dialect_resources #-} is written as hexadecimal bytes. The first four bytes of a resource are its alignment, lowest byte first.", note "The alignment is a power of two up to 4096; a resource with alignment 4 begins with 0x04000000.";
    "CUBE0108" "no stack": "The compiler is recursive, so it requests a stack of 1 GiB of address space, or 64 MiB if the system refuses 1 GiB.", note "The compiler uses only a small part of this stack. If ulimit -v limits the address space of the process, raise this limit.";
    "CUBE0109" "elements of an attribute": "An attribute array<TYPE: ...> requires an integer or float type for TYPE, as in array<i64: 1, 2>. MLIR's parser crashes on array<index: ...>.";
    "CUBE0110" "element type of a buffer": "The elements of a buffer are integers or floats. A buffer with lines of 4 elements has the type !cube.array<f32, 4>.";
    "CUBE0111" "line size": "A line has 1, 2, 4, 8 or 16 elements. Lines of these sizes have the same layout in memory on every target.";
    "CUBE0112" "call of an unknown function": "A cube.call must name a cube.func of the same module.";
    "CUBE0113" "call with another type": "The operand and result types of the call must equal the types of the function.";
    "CUBE0114" "size of shared or local memory": "The size of shared or local memory is a number of lines, as in !cube.shared<64 x f32>, or a comptime parameter: !cube.local<@N x f32, 4>.", note "The number of lines is at least 1; a comptime parameter for the size has type i32.";
    "CUBE0120" "cube_dim": "A cube has one to three sizes, each at least 1, as in cube_dim(64) or cube_dim(16, 16).";
    "CUBE0121" "too many units per cube": "A cube has at most 65536 units on every target; the limit of a chip can be smaller (CUBE0321).";
    "CUBE0122" "no body": "Every kernel and every function must have a body; functions of other modules cannot be called.";
    "CUBE0123" "kernel with results": "A kernel has no return values; it writes its results to buffers.";
    "CUBE0124" "comptime parameter declared twice": "A kernel can declare a comptime parameter only once in comptime(...).";
    "CUBE0125" "argument type": "Kernels have arguments of type !cube.array or !cube.tensor, and scalars of the types in docs/reference/types.md.";
    "CUBE0126" "unknown argument attribute": "A kernel's argument can have cube.host, cube.access, cube.len, cube.align, cube.noalias and cube.derived.", note "docs/reference/dialect.md describes each attribute of an argument and its values.";
    "CUBE0127" "host type": "The attribute cube.host names the argument's type on the host, which can be unsigned. The width and kind of both types must be equal.";
    "CUBE0128" "access": "The attributes cube.access and cube.noalias apply to buffers only. The value of cube.access is read, write or read_write.";
    "CUBE0129" "no return": "A kernel or function ends in cube.return.";
    "CUBE0130" "return in the wrong place": "cube.return ends kernels and functions; regions of scf end in scf.yield.";
    "CUBE0131" "return of other types": "The types of the values of cube.return must equal the result types of the function.";
    "CUBE0132" "undeclared comptime parameter": "Every comptime parameter that a kernel uses must be declared in the kernel's comptime(...) list.";
    "CUBE0133" "line type": "An access reads or writes one line: a T for a buffer !cube.array<T>, or a vector<NxT> for a buffer !cube.array<T, N>.";
    "CUBE0134" "write to a read-only buffer": "The kernel writes to a buffer that it declares with cube.access = \"read\".";
    "CUBE0135" "name of a kernel": "The name of a kernel becomes a symbol of the target; use letters, digits and underscores, and no digit at the start.";
    "CUBE0136" "too many comptime parameters": "A kernel declares at most 1024 comptime parameters.";
    "CUBE0137" "type of a slice": "A slice has the element type and line size of its buffer.";
    "CUBE0138" "allocation too large": "One allocation of shared or local memory has at most 256 MiB on every target; the limit of a chip can be smaller (CUBE0321).";
    "CUBE0139" "atomic access": "An atomic operation accesses one integer or float of 8 to 64 bits. Atomic operations do not support lines, bools, fp8 and tf32.";
    "CUBE0140" "combining operation": "Integers require an operation such as addi, and floats an operation such as addf.", note "Atomic operations cannot multiply, and plane operations cannot subtract or exchange.";
    "CUBE0141" "plane operation on a storage type": "Kernels can load, store and convert fp8 and tf32 values, but not compute with them. Use cube.cast to convert fp8 and tf32 to f32.";
    "CUBE0142" "end of a block": "Blocks of cube.if, cube.for and cube.loop end in cube.yield, cube.break, cube.continue, cube.return or cube.terminate.";
    "CUBE0143" "step or counter of a loop": "A counted loop has a positive step, and its body has one argument, the counter.";
    "CUBE0144" "exit in the wrong place": "cube.break, cube.continue, cube.terminate and cube.yield end blocks of cube.if, cube.for and cube.loop; regions of scf end in scf.yield.";
    "CUBE0145" "exit without its loop": "Only cube.if and cube.comptime_if are allowed between a break or continue and its loop, because operations of scf have no exits.";
    "CUBE0146" "type or index of a lane": "A lane has the element type of its line. A constant index of a lane must be below the number of lanes.", note "An access with a computed index out of bounds reads zero and writes nothing.";
    "CUBE0147" "lanes of a conversion": "A conversion keeps the number of lanes.";
    "CUBE0148" "word of a conversion": "The attributes from_unsigned and to_unsigned apply to integers; round applies to conversions from float to float.";
    "CUBE0149" "values to print": "Each {} in the text of cube.print is the placeholder of one value.";
    "CUBE0150" "derived argument": "The expression in cube.derived, such as \"shape(x, 0)\", computes an i32 or i64 argument at the launch.", note "The expression can use len, buffer_len, rank, shape, stride, mul and other functions (runtime/artifact/src/derived.rs).";
    "CUBE0151" "source of a length": "The attribute cube.len states the source of a buffer's length: a value from the host (\"host\") or the size of the memory (\"buffer\").";
    "CUBE0152" "operation of a cube.generic": "cube.generic names an operation of arith, math or vector for floats, for integers, or for both.", note "An example is cube.generic float \"arith.addf\" int \"arith.addi\"(%a, %b) : (T, T) -> T.";
    "CUBE0153" "description of a target": "The attribute cube.target of a module must have every field of a chip's description, without contradictions.", note "The pass attach-target{target=nvptx:sm_90a} writes the attribute for a known chip.";
    "CUBE0155" "too many arguments": "A kernel has at most 1024 arguments. NVIDIA GPUs have 32,764 bytes for arguments; a scalar uses up to 8 bytes, a buffer up to 24.";
    "CUBE0156" "attribute of the compiler": "A source can contain only discardable attributes that the program writes, as marked in docs/reference/dialect.md.", note "In a stage file, an attribute of the compiler must have the text that its pass writes.";
    "CUBE0170" "text of a layout": "A layout has a shape and strides with the same nesting, as in (4,(2,8)):(1,(4,32)). Extents are at least 1, and offsets are below 2^63.", note "Parentheses are nested less than 256 deep. A swizzle precedes the layout, as in Sw<3,3,3> o 0 o (8,32):(32,1).";
    "CUBE0171" "leaves of a layout": "The operation layout.make has one operand for each leaf ? of its layout, in the order of the text. layout.constant has no operands.";
    "CUBE0172" "coordinate": "A coordinate such as ((_,_),?) has numbers, ? for operands and _ for kept modes. A coordinate is nested at most as deep as the shape.", note "A coordinate with _ has no offset.";
    "CUBE0173" "complement": "The attribute `to` of layout.complement must be at least 1.";
    "CUBE0174" "type of a view": "The type of a view contains the type of a line: a view of !cube.array<f32, 4> has type !layout.view<vector<4xf32>>.";
    "CUBE0175" "type of an access through a view": "An access through a view reads or writes one line of the buffer. With _ in the coordinate, an access uses a vector of all remaining elements.";
    "CUBE0176" "results of layout.idx2crd": "The operation layout.idx2crd has one i32 result for each leaf of the shape.";
    "CUBE0177" "several lines at once": "An inbounds access with align moves 2, 4, 8 or 16 neighbouring elements of a buffer whose lines have one element.", note "The value of align is at most the number of moved bytes. The phase layout creates accesses with align.";
    "CUBE0178" "alignment of an argument": "The attribute cube.align is the alignment of a buffer's address in bytes, a power of two up to 128; the launch checks the address.";
    "CUBE0200" "pass pipeline": "The text of the pipeline has an unknown pass or option, or a pass under the wrong operation.", note "cube-opt --help lists all passes; cube-opt --show-pipeline=cpu prints the pipeline of a target.";
    "CUBE0300" "recursion": "Functions are inlined into kernels, so a function cannot call itself, directly or indirectly. Use a loop.";
    "CUBE0301" "unknown comptime parameter": "A value was given for a comptime parameter that the kernel does not declare.";
    "CUBE0302" "value of a comptime parameter": "The value or the default of a comptime parameter does not have the declared type.", note "The value of a type parameter is a number type such as f32, or a line type such as vector<4xf32>.";
    "CUBE0303" "comptime parameter without a value": "The comptime parameter has no default. Set its value with --param NAME=VALUE (cubec, cube-run).", note "The option of the pass specialize is params=NAME=VALUE.";
    "CUBE0304" "comptime parameter left over": "A type or constant names a comptime parameter that the kernel does not declare.";
    "CUBE0305" "early exit with a value": "An early exit stores its values in local memory, whose elements are numbers or lines of 1, 2, 4, 8 or 16 numbers.", note "Return buffers and slices at the end of the function.";
    "CUBE0306" "exit through another operation": "An exit can leave scf.if, scf.for, scf.while, scf.index_switch and control flow of the cube dialect, but no other operation.";
    "CUBE0307" "unrolled too far": "Unrolling can create at most 262144 operations in a kernel.";
    "CUBE0308" "not known at compile time": "Comptime conditions and bounds, and bounds of fully unrolled loops, must be computed from constants and comptime parameters.", note "A note of the error shows the value that is not known at compile time.";
    "CUBE0309" "unroll hint": "The attribute cube.unroll applies to scf.for and cube.for. Without a factor, the loop is unrolled completely. A factor is 1 to 1024.";
    "CUBE0310" "access not in bounds yet": "The pass buffers-to-memref requires that every access is inbounds.", note "Run specialize, remove-checks and expand-checks first: specialize decides which accesses are checked, and expand-checks replaces checked accesses by inbounds accesses.";
    "CUBE0311" "math function": "The math function has no expansion for this element type yet.";
    "CUBE0312" "slice selected at run time": "The buffer of a slice must be known where the slice is used. Create the slice after a branch or loop, which selects its start and end.";
    "CUBE0313" "shape of a buffer that is not an argument": "The host passes shapes, strides, ranks and lengths for the arguments of a kernel only.";
    "CUBE0314" "computing with a storage type": "Kernels can load, store and convert fp8 and tf32 values, but not compute with them. Use cube.cast to convert fp8 and tf32 to f32.";
    "CUBE0315" "barrier that not all units reach": "All units of a cube must reach a barrier, so the conditions around the barrier must be uniform in the cube.", note "The notes of the error show the value that differs between units. A condition that is known only at the launch is checked at run time (CUBE0943).";
    "CUBE0316" "instantiated type": "The instantiated type of a type parameter is invalid for an operation: a line of lines, for example, or an integer type in a float operation.", note "The operation cube.generic names separate operations for floats and for integers.";
    "CUBE0317" "kernel too large": "After inlining, a kernel has at most 262144 operations and 1024 nested regions. The math functions of a kernel expand to at most 1048576 operations.", note "Use loops, or split the kernel.";
    "CUBE0318" "number too wide": "Kernels compute with numbers of at most 64 bits. Represent wider numbers by several numbers, for example with arith.addui_extended and arith.mului_extended.";
    "CUBE0319" "vector too long": "A vector has at most 1024 elements, and a line has at most 16. Longer vectors are not faster, because registers are shorter.";
    "CUBE0320" "registers of another GPU": "The pass kernel-to-nvvm is for NVIDIA GPUs, and kernel-to-rocdl is for AMD GPUs. The attribute cube.target names the chip of the module.";
    "CUBE0321" "beyond a limit of the chip": "The kernel's shared memory, local memory or units of a cube exceed the chip's limit. See the limits in docs/reference/targets.md.";
    "CUBE0322" "memory without a length": "The length of shared or local memory is part of its type, as in !cube.shared<N x T>.";
    "CUBE0323" "rewrite rules of a kernel": "The attribute cube.rules is an array of strings. Each string is a rule in the syntax of rules/families (docs/why/rewrite-rules.md).", note "A rule begins with assume, or ends with the hash of its proof; cube-prove --rules FILE prints the hash.";
    "CUBE0324" "bounds check in a kernel with deny_checks": "The attribute cube.deny_checks asserts that no access is checked at run time. The compiler cannot bound the index of this access.", note "In Rust, the attribute is #[cube(launch, deny_checks)]. cube-opt --cube-remarks prints the decision for every access.";
    "CUBE0330" "unknown level": "The levels are source, flat, legal, mixed, device and llvm. Each target defines its own levels mixed and device (CUBE0365).";
    "CUBE0331" "operation at the wrong level": "Each level allows a list of operations (docs/reference/levels.md).", note "An earlier pass did not lower the operation, or a pass ran at the wrong position of the pipeline.";
    "CUBE0332" "type at the wrong level": "Each level forbids some types (docs/reference/levels.md).";
    "CUBE0333" "no such layout": "The layout operation has no result, or an operand violates a rule of the operation.", note "A note of the error shows an index for which no layout is correct; the message suggests the nearest valid tile. The tool cube-layout evaluates a layout expression.";
    "CUBE0334" "layout selected at run time": "Layouts and views are known at compile time, except for leaves of layout.make. Select the coordinate at run time, not the view.";
    "CUBE0335" "elements of an access": "The vector of an access has one element for each index that the coordinate selects, and at most 1024 elements.";
    "CUBE0336" "layout with unknown leaves": "Layout operations that depend on divisibility require constant leaves.", note "Coordinates, slices and views support unknown leaves. A ragged division of each mode by n:1 also supports unknown leaves, and its tile can be composed.";
    "CUBE0337" "layout too large for a buffer": "An index of a line in a buffer has 32 bits. Create a view of a part of the buffer.";
    "CUBE0340" "barrier in divergent control flow": "All units of a cube must reach the same barrier. Move the barrier out of the branch, or use a condition that is uniform in the cube.", note "Barriers of a plane are allowed in divergent control flow: they apply to the active lanes.";
    "CUBE0341" "control flow around a barrier": "Barriers and plane operations are allowed only inside scf.if, scf.index_switch, scf.for and scf.while.";
    "CUBE0342" "lanes of a plane": "A plane of the CPU has 8, 16, 32 or 64 lanes.";
    "CUBE0343" "shape or use of local memory": "Shared and local memory has one dimension of a known size. Only loads, stores and atomic operations can access this memory.";
    "CUBE0344" "atomic without an instruction": "Run the pass expand-atomics before atomics-to-llvm. The pass expand-atomics replaces unsupported atomic operations by loops.", note "The pipeline of the CPU runs expand-atomics before atomics-to-llvm.";
    "CUBE0350" "module of another target": "The attribute cube.target of the module names another target than the command. Compile the module for the target in this attribute.", note "If no pass has processed the module, remove the attribute cube.target instead.";
    "CUBE0351" "unknown target of attach-target": "The option `target` of attach-target is BACKEND or BACKEND:CHIP; cubec --list-targets prints all targets.";
    "CUBE0352" "no description of a chip": "The pass reads the attribute cube.target of the module. The pass attach-target writes this attribute at the start of every pipeline.", note "If a pass runs alone, run attach-target before it: --attach-target=target=nvptx:sm_90a.";
    "CUBE0353" "planes of another width": "The attribute cube.plane_dim of a kernel must be a plane width that the chip supports; planes of NVIDIA GPUs have 32 lanes.", note "Planes of AMD's RDNA chips have 32 or 64 lanes; docs/reference/targets.md lists the widths of each chip.";
    "CUBE0360" "pipeline steps in the wrong order": "A step of the pipeline does not accept the level that the preceding steps produce.", note "Each pass declares its accepted and produced levels (docs/reference/levels.md). The message names the position of the step.";
    "CUBE0361" "phase that produces another level": "The steps of a phase produce a different level than the phase declares.", note "A backend declares the level after the phase `lower` in `produces`. A step with an upstream pass that changes the level declares the new level with `producing`.";
    "CUBE0362" "passes in the wrong order": "A pass accepts only a lower level than the preceding passes produce, so the pass could have no effect or break the kernel.", note "Move the pass to the position in the message, or run the two passes in separate commands.";
    "CUBE0363" "level without a contract": "A step of a backend produces level mixed or device, but the backend does not list the operations of this level.", note "Each backend defines its own levels mixed and device. Return a contract from the backend's function `contracts` (docs/add-a-backend.md).";
    "CUBE0364" "compilation ended by its instrumentation": "Code generation requires that all passes have processed the module.", note "An instrumentation can end the compilation before the last pass only if no code is requested, as in cube_driver::stages.";
    "CUBE0365" "level of a target": "check-level knows only the levels that all targets share. Each backend defines the levels mixed and device, which a debug build checks behind every pass.", note "docs/reference/levels.md has the contract of each level.";
    "CUBE0366" "number of cubes in a buffer": "A kernel with cube.cubes runs its body in a loop over the cubes that the buffer counts. The body must not write this buffer, and must not end a unit early.", note "The kernel language uses cube.cubes for CubeCount::Dynamic on devices whose driver has no launch with a number of cubes in memory.";
    "CUBE0370" "proof of an access": "`inbounds by REASON` is an access of one line that the compiler has proven to be inside its buffer.", note "Write `inbounds` without a reason for your own promise, and `checked` for an access that can be out of bounds.";
    "CUBE0371" "proof that cannot hold": "The proof `by range` states that the index is always below the size of shared or local memory. Write `checked`: remove-checks finds valid proofs.";
    "CUBE0398" "internal error": "A step failed without a message, or a pass violated its contract. Please report the error with the kernel and the command.";
    "CUBE0399" "a pass or verifier panicked": "The panic is a bug of Cube, not of the kernel. Please report the panic with the kernel and the command.";
    "CUBE0400" "LLVM refused": "LLVM could not translate or optimise the module; the error contains LLVM's message.";
    "CUBE0401" "unreadable object": "The object file that LLVM produced could not be parsed.";
    "CUBE0402" "LLVM gave up": "LLVM does not support an operation of the kernel on this target, and ended the process.", note "Cube refuses known unsupported operations before LLVM runs (CUBE0410). Please report this error with the kernel and the command.";
    "CUBE0410" "unsupported operation": "LLVM would abort on this operation for this target, so Cube refuses the operation.";
    "CUBE0411" "library function": "The code would call a library function, but kernels have no libraries. Neither an accurate instruction nor an expansion of the function exists.";
    "CUBE0412" "unsupported on this target": "The chip or the backend does not support the operation or its type. The message gives the reason.", note "docs/reference/levels.md has the table of operations and targets.";
    "CUBE0413" "barrier moved by the optimiser": "All units reached the barrier or plane operation before LLVM's passes, but not after these passes.", note "The error is a bug of LLVM or of Cube; please report it with the kernel.";
    "CUBE0414" "undefined register": "The PTX of a kernel reads a register that has not been written. Debug builds of the compiler search their PTX for such registers.", note "An undefined register is a bug of Cube; please report it with the kernel.";
    "CUBE0415" "operation on vectors": "Kernels use vectors with one fixed dimension, and without masks. The message names an operation to use instead.", note "docs/reference/levels.md lists the vector operations of level source.";
    "CUBE0416" "type of a vector": "A vector of a kernel has one dimension of a fixed size, as in vector<4xf32>.", note "Tensors, scalable vectors, and vectors with zero or several dimensions are unsupported on every target.";
    "CUBE0417" "undefined value": "The compiler replaces ub.poison by zero. A value of a type without a zero, such as a buffer, cannot be undefined.";
    "CUBE0418" "invalid WGSL": "The library naga parses and validates every WGSL text. Invalid WGSL is a bug of Cube; please report it with the kernel.";
    "CUBE0500" "unknown target": "A target is BACKEND or BACKEND:CHIP; cubec --list-targets lists all targets.";
    "CUBE0501" "unknown chip": "cubec --list-targets lists the chips of each target.";
    "CUBE0502" "unknown phase": "The phases are specialize, layout, optimize, legalize and lower.";
    "CUBE0503" "no kernel": "The module contains no cube.kernel.";
    "CUBE0504" "unknown kernel": "The module contains no kernel with the requested name.";
    "CUBE0505" "several kernels": "The module contains several kernels; choose a kernel with --kernel NAME.";
    "CUBE0506" "comptime parameter syntax": "The value of a comptime parameter is given as NAME=VALUE, as in --param N=8 --param F=f16.";
    "CUBE0507" "type without a host type": "The host cannot pass an argument of this type.";
    "CUBE0508" "form of the code": "The option --emit requests a kind of code that the backend of the target cannot produce, or a bundle of two targets for one processor.";
    "CUBE0600" "unknown tool": "cube --help lists the tools.";
    "CUBE0601" "unknown error code": "An error code is CUBE with four digits, such as CUBE0100.";
    "CUBE0602" "input cannot be read": "The input file is missing, is a folder, or is not readable.";
    "CUBE0603" "output cannot be written": "The output folder is missing or not writable; no incomplete file remains.";
    "CUBE0604" "command line": "The tool does not accept an option or argument of the command; --help lists the options and arguments.";
    "CUBE0605" "unknown pass": "cube-opt --help lists all passes and phases.";
    "CUBE0606" "serving failed": "The client at the other end of the pipe ended, or does not use the protocol.";
    "CUBE0607" "unknown form": "The option --emit of cubec accepts code, artifact, asm, llvm, or the name of a phase.";
    "CUBE0608" "argument of a run": "cube-run requires one --arg NAME=VALUE for each parameter; cube-run KERNEL.mlir --describe prints the parameters.";
    "CUBE0609" "check failed": "The contents of a buffer differ from the expected contents by more than the tolerance.";
    "CUBE0610" "backend cannot run": "The backend can compile kernels, but this machine cannot run its code. cube-run --list-backends lists the backends that can run.";
    "CUBE0611" "reference page out of date": "A page in docs/reference/ differs from the declarations in the code. Run `cube docs` to generate the page again.";
    "CUBE0612" "not a reproducer": "The option --replay requires a file that --reproducer wrote. Its data files must be unchanged, at their old paths or beside the file.", note "The last lines of a reproducer contain the command.";
    "CUBE0613" "different outcome": "The result of a reproducer differs from the recorded result: the failure is repaired, or depends on data outside of the file.";
    "CUBE0614" "nothing to reduce": "cube-reduce requires a test that succeeds for the initial kernel. Run the test alone to see why it fails.", note "The tool removes code as long as the test succeeds.";
    "CUBE0615" "language server": "The client violated the language server protocol, or cube-lsp-server could not start MLIR's language server.";
    "CUBE0616" "the parser crashed on a document": "MLIR's parser crashed on the text. cube-lsp-server restarted the parser without this document, and sends the document again after a change.";
    "CUBE0617" "prediction of a time": "cubec --explain-cost predicts the time of a launch on the board of the target description. The prediction requires cube counts, integer scalars and buffer lengths.";
    "CUBE0700" "no interpreter rule": "The reference interpreter does not support the operation or type; docs/interpreter.md lists the supported operations.", note "For every operation that a level allows, the interpreter has a rule, or a reason why the operation is unsupported.";
    "CUBE0701" "program too large": "The interpreter accepts at most a million instructions, operations and lanes; the local memory of a unit counts as lanes.", note "Calls are inlined, so nested repeated calls multiply the size of the program.";
    "CUBE0702" "too many steps": "The interpreter ends a launch after the number of steps in --max-steps. The message has the location of a non-terminating loop.", note "Use a smaller launch, or raise --max-steps.";
    "CUBE0703" "too much memory": "The interpreter's records of buffer lines exceed its memory limit. Select fewer findings with --find, or use smaller buffers.";
    "CUBE0704" "bits of floats in the ring": "With --ring, a float is an element of a finite field and has no bits, so a kernel cannot reinterpret the float as an integer.", note "Run kernels that reinterpret floats, and kernels after the pass expand-math, without --ring.";
    "CUBE0705" "derived argument": "The runtime cannot parse the expression in cube.derived that computes a scalar argument. The message has the byte offset and the reason.";
    "CUBE0710" "access outside a buffer": "A checked access out of bounds reads zero or writes nothing, which is seldom intended. The option --find bounds reports such accesses.";
    "CUBE0711" "data race": "Two units access the same line of a buffer without a barrier between the accesses, and at least one access is a write. Use separate lines.", note "The result depends on the order in which the units run.";
    "CUBE0712" "read of an uninitialised line": "The kernel reads an unwritten line of a buffer that is declared cube.access = \"write\" or named by --uninit.";
    "CUBE0713" "undefined behaviour": "The operation has undefined behaviour for these operands. Operations such as cube.divui are defined for all operands.", note "The cause is a division by zero, a shift by at least the bit width, a broken promise (nsw, inbounds), or a use of poison.";
    "CUBE0714" "barrier not reached by all, or lanes that disagree": "Some units wait at a barrier that other units of the cube do not reach. On a device, such a kernel can deadlock.", note "Move the barrier out of the branch, or make the condition uniform. The source lane of a broadcast must be equal in all active lanes.";
    "CUBE0720" "a pass changed the result": "cube-run --bisect found the first pass after which the kernel computes a different result. The message names a folder with the kernel before and after the pass.";
    "CUBE0721" "LLVM changed the result": "Cube's passes keep the result of the kernel, but the processor computes a different result after LLVM's passes.", note "cube-run --bisect names the first LLVM pass that changes the result, or the code generation, and prints the affected module.";
    "CUBE0730" "no debug information for a target": "cubec -g requests source lines and variables. Code for AMD GPUs has source lines only, and code for the CPU has lines and variables.", note "The variable CUBE_DEBUG=1 has no effect on other targets.";
    "CUBE0951" "stage file": "The first line of the stage file lists the completed passes, but does not match this compiler. Write the stage files again with this compiler.", note "The pipeline of this compiler has different passes, the target differs, or the line was edited.";
    "CUBE0960" "starter crate": "cubec new NAME creates a folder NAME with a crate. The name must be valid for cargo, and the folder must not exist.", note "The option --path names a checkout of Cube, which has a folder cube.";
};

/// The title, explanation and notes of an error code, as three paragraphs.
pub fn explain(code: &str) -> Option<String> {
    let found = CODES.iter().chain(RUNTIME).find(|c| c.code.eq_ignore_ascii_case(code))?;
    Some(found.page())
}

/// All codes of the compiler, its tools and the runtime.
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
        assert!(
            page.starts_with("CUBE0200: pass pipeline\n\nThe text of the pipeline")
                && page.contains("\n\ncube-opt --help")
        );
    }
}
