//! Messages about requests to the compiler and its tools: targets, kernels, pipelines and files.

super::table::messages! {
    CUBE0102 {
        minus_signs { limit: Number } "the text has more than {limit} minus signs in a row; write a constant";
        brackets { limit: Number } "brackets are nested more than {limit} deep; use less nesting";
        operators { limit: Number } "an affine expression has more than {limit} operators; split the expression";
    }
    CUBE0103 {
        input { bytes: Number, limit: Number } "the input has {bytes} bytes, but the limit is {limit}; split the input";
        aliases { limit: Number }
            "the aliases up to this position expand to more than {limit} bytes of text; use fewer aliases";
        bytes { file: Symbol, limit: Number } "{file} exceeds the limit of {limit} bytes; split the file";
    }
    CUBE0104 {
        encoding "the input is not UTF-8 text or MLIR bytecode; save the input as UTF-8";
        zero "MLIR text must not contain a zero byte; save the text as UTF-8";
    }
    CUBE0105 {
        empty "the input is empty; write a cube.kernel";
    }
    CUBE0106 {
        unreadable { why: Text }
            "this MLIR bytecode cannot be read: {why}; write the bytecode again with `cube-opt --emit-bytecode` of this version";
        bytecode { file: Symbol, why: Text }
            "the MLIR bytecode {file} cannot be read: {why}; write the bytecode again with `cube-opt --emit-bytecode` of this version, or use text";
    }
    CUBE0107 {
        alignment { limit: Number, alignment: Number }
            "the first four bytes of a resource must be a valid alignment, not {alignment}; write a power of two up to {limit}";
    }
    CUBE0108 {
        tool { error: Text } "cannot allocate a stack for the program ({error}); allow more memory";
        stack { error: Text }
            "cannot allocate a stack for the compiler ({error}); allow the process more memory or threads";
    }
    CUBE0109 {
        elements
            "an attribute array<TYPE: ...> requires an integer or float type; write a type such as i64 or f32 for TYPE";
    }
    CUBE0200 {
        pipeline { why: Text } "the pass pipeline is invalid: {why}; run cube-opt --help to list all passes";
    }
    CUBE0360 {
        order { phase: Text, target: Symbol, why: Text } "phase {phase} of the pipeline for {target} is invalid: {why}";
    }
    CUBE0361 {
        level { phase: Symbol, target: Symbol, declared: Text, found: Text }
            "phase {phase} of the pipeline for {target} declares level {declared}, but its steps produce level {found}; declare level {found}, or add the step that produces {declared}";
    }
    CUBE0362 {
        order { why: Text } "the pass pipeline is invalid: {why}";
    }
    CUBE0363 {
        contract { target: Symbol, level: Symbol, backend: Symbol }
            "a step for {target} produces level {level}, but backend {backend} has no contract for this level; add a contract to its `contracts`";
    }
    CUBE0364 {
        ended
            "an instrumentation ended the compilation before the last pass, so no code exists; use cube_driver::stages to read the stages of a kernel";
    }
    CUBE0500 {
        refused { why: Text } "{why}";
        form { text: Text }
            "'{text}' is not a target; write BACKEND or BACKEND:CHIP, for example cpu or nvptx:sm_90a";
        unknown { target: Symbol, known: Text, hint: Text } "unknown target {target}; choose one of {known}{hint}";
    }
    CUBE0501 {
        described { target: Symbol }
            "the backend {target} does not describe its default chip; add this chip to the backend";
        unknown { target: Symbol, chip: Symbol, known: Text, hint: Text }
            "target {target} has no chip {chip}; choose one of {known}{hint}";
    }
    CUBE0502 {
        unknown { name: Symbol, known: Text, hint: Text } "unknown phase {name}; choose one of {known}{hint}";
    }
    CUBE0503 {
        none "the module has no cube.kernel; add a kernel";
    }
    CUBE0504 {
        unknown { name: Symbol, known: Text, hint: Text } "unknown kernel {name}; choose one of {known}{hint}";
    }
    CUBE0505 {
        several { count: Number, known: Text }
            "the module has {count} kernels; choose a kernel with --kernel: {known}";
    }
    CUBE0506 {
        parameter { name: Symbol, value: Value }
            "the comptime parameter {name}={value} has an invalid value; write NAME=VALUE with a number, true, false or a type";
        text { given: Text } "the comptime parameter '{given}' has no value; write NAME=VALUE";
        pair { given: Text } "the option --param {given} has no value; write NAME=VALUE";
    }
    CUBE0507 {
        argument { name: Symbol, kernel: Symbol }
            "argument {name} of kernel {kernel} has a type that the host cannot pass; use a type in docs/reference/types.md";
    }
    CUBE0508 {
        form { target: Symbol, form: Symbol, forms: Text }
            "target {target} cannot produce {form}; choose one of {forms}";
        twice { processor: Symbol }
            "two targets of the bundle are for processor {processor}, but a bundle has one code object for each processor; remove one target";
    }
    CUBE0602 {
        kernels { folder: Symbol }
            "the folder {folder} has no kernels; run `cargo xtask demo` in the root of a checkout";
        example { name: Symbol, file: Symbol, error: Text }
            "{name} has no example ({error}); write {file} with a kernel that uses the operation";
        uses { file: Symbol, name: Symbol } "the example {file} does not use {name}; add this operation";
        bundle { folder: Symbol }
            "the folder {folder} has no .mlir files with kernels; set CUBE_DUMP={folder} and run a program to write its kernels to this folder";
        input { error: Text } "cannot read standard input: {error}; pass the text through a pipe or a file";
        read { file: Symbol, error: Text } "cannot read {file}: {error}; name a readable file";
        folder { file: Symbol } "{file} is a folder; name a file with the extension .mlir";
        root { folder: Symbol } "the folder {folder} does not exist; run the command in the root of a checkout";
        once { error: Text } "cannot pass standard input to a child process: {error}; name a file instead";
        test { error: Text } "the test program of cube-reduce cannot be run: {error}; name an executable program";
        child { tool: Text, error: Text } "cannot run {tool} in a child process: {error}; raise the limits of processes and memory";
        unreadable { file: Symbol, error: Text } "{file}: {error}";
    }
    CUBE0600 {
        server { error: Text } "the server process of the tests ended: {error}; run the tests again";
        tool { word: Symbol, hint: Text } "unknown tool {word}; run cube --help to list the tools{hint}";
    }
    CUBE0601 {
        code { code: Symbol, hint: Text } "unknown error code {code}; {hint} see docs/reference/errors.md for all codes";
        runtime { code: Symbol, near: Symbol }
            "unknown code {code} of the runtime; did you mean {near}? use cubec --explain for codes of the compiler";
    }
    CUBE0603 {
        output { why: Text } "cannot write the output: {why}; choose another file";
        file { file: Symbol, error: Text } "cannot write {file}: {error}; name a writable file";
        taken { folder: Symbol } "the folder {folder} contains other files; choose a new folder";
        folder { folder: Symbol, error: Text } "cannot write to {folder}: {error}; name a writable folder";
        candidate { error: Text } "cannot write a reduced kernel: {error}; make space in the folder for temporary files";
        page { error: Text } "{error}";
    }
    CUBE0604 {
        usage { why: Text, tool: Symbol } "{why}; see {tool} --help";
        command_line { why: Text } "{why}";
        value { option: Symbol } "--{option} requires a value; write --{option}=VALUE";
        steps { option: Symbol }
            "{option} requires passes; add --compile-to=PHASE, --pass-pipeline=PIPELINE, or names of passes";
        docs "cube docs accepts only the option --check; remove the other options";
    }
    CUBE0605 {
        near { name: Symbol, near: Symbol } "unknown pass or option --{name}; see cube-opt --help; did you mean --{near}?";
    }
    CUBE0606 {
        serving { error: Text } "the compiler server ended: {error}; start the client again";
    }
    CUBE0607 {
        unknown { given: Text, known: Text, hint: Text }
            "unknown value of --emit: {given}; choose one of {known}{hint}";
    }
    CUBE0608 {
        argument "--arg requires a name and a value; write --arg NAME=VALUE, as in --arg x=random:64";
        kernel { file: Symbol, found: Symbol, named: Symbol }
            "{file} contains kernel {found}, not {named}; use --kernel {found}";
        length { name: Symbol, other: Symbol }
            "parameter {name} takes its length from {other}, but {other} has no length; pass {other} with a length, as in --arg {other}=zeros:64";
        memory { name: Symbol, shape: Text, elem: Text, bytes: Number }
            "parameter {name}: shape {shape} of {elem} exceeds half of this machine's {bytes} bytes of memory; use fewer elements";
        picture { name: Symbol, elem: Text }
            "parameter {name}: a picture requires a buffer of u8 or f32, not of {elem}; convert the picture to .npy";
        lines { name: Symbol, elements: Number, line: Number }
            "parameter {name}: {elements} elements are not a whole number of lines with {line} elements; use a multiple of {line}";
        twice { name: Symbol, count: Number, values: Text }
            "parameter {name} is given {count} times ({values}); keep one --arg {name}=VALUE";
        value { name: Symbol, why: Text } "parameter {name}: {why}";
        missing { kernel: Symbol, names: Text, options: Text } "kernel {kernel} needs a value for {names}; add {options}";
        unknown { kernel: Symbol, name: Symbol, known: Text, hint: Text }
            "kernel {kernel} has no parameter {name}; {known}{hint}";
        scalar { option: Text, name: Symbol, elem: Text }
            "{option} {name}: the parameter is a scalar of type {elem}, which a kernel cannot change; name a buffer";
        cubes { name: Symbol, lines: Number }
            "{name} has more lines ({lines}) than the cubes along x can cover; set --cube-count";
        refused { why: Text } "{why}";
        count { given: Text } "--cube-count {given} is invalid; use one to three whole numbers below 2^32";
    }
    CUBE0609 {
        check { name: Symbol, why: Text } "check {name}: {why}";
        results { backend: Symbol, other: Symbol, what: Text }
            "the results of {backend} and {other} differ: {what}; find the faulty pass with cube-run --bisect";
        demo { names: Text, target: Text }
            "the results of {names} on {target} differ from plain Rust; see the rows marked WRONG, and report these kernels";
        expected { names: Text, ulp: Number }
            "the values of {names} differ from the expected values by more than {ulp} ulp; compare the values, or raise --ulp";
    }
    CUBE0610 {
        target { target: Symbol, backend: Symbol }
            "this backend runs code for {backend}, not for {target}; print the code with cubec KERNEL.mlir --target {target} -o -";
        here { backend: Symbol, reason: Text, advice: Text } "backend {backend} cannot run here: {reason}{advice}";
        device { name: Symbol, hint: Text } "unknown device {name}; choose cpu or cuda{hint}";
        interpreter "this tool has no interpreter; use cube-run";
        unknown { name: Symbol, known: Text, hint: Text } "unknown backend {name}; choose one of {known}{hint}";
    }
    CUBE0611 {
        stale { path: Symbol, line: Number } "{path}:{line} is out of date; run `cube docs`";
    }
    CUBE0612 {
        input { input: Symbol, file: Symbol }
            "the input {input} is missing or has changed; restore the file, or put it into the folder of {file}";
        file { file: Symbol, why: Text } "{file} is not a reproducer: {why}; write a reproducer with --reproducer";
    }
    CUBE0613 {
        outcome { outcome: Text, recorded: Text }
            "the command ended with {outcome}, but the reproducer records {recorded}; write a new reproducer if this failure is repaired";
    }
    CUBE0614 {
        test { file: Symbol, why: Text } "the test of cube-reduce fails for the initial {file}: {why}; correct the test";
        launch { why: Text } "the kernel cannot be launched: {why}; correct the arguments";
    }
    CUBE0615 {
        server { why: Text } "{why}";
    }
    CUBE0616 {
        restarted "MLIR's server crashed on this request and was started again; please report the document";
    }
    CUBE0617 {
        board { target: Symbol }
            "--explain-cost: target {target} has no description of a board; choose a target with a board, for example nvptx:sm_90a";
        facts { why: Text, names: Text }
            "--explain-cost: {why}; write the facts as cubes=X,{names}, with NAME=NUMBER for each scalar";
    }
    CUBE0703 {
        memory { needed: Number, limit: Number }
            "the run requires {needed} bytes in addition to its arguments, but the limit is {limit}; disable findings, or use smaller buffers";
    }
    CUBE0720 {
        pass { pass: Symbol, number: Number, phase: Symbol, unseen: Text, what: Text, folder: Symbol, again: Text }
            "pass {pass} (number {number}, phase {phase}){unseen} changes the result: {what}; '{folder}' has the kernel before and after; to repeat: {again}";
    }
    CUBE0721 {
        generation { what: Text, file: Symbol }
            "LLVM's code generation changes the result, or its input is invalid: {what}; please report the input {file}";
        pass { pass: Symbol, number: Number, count: Number, what: Text, before: Text, after: Text }
            "LLVM's pass {pass} (number {number} of {count}) changes the result: {what}; to print the module before the pass: cubec {before}; after the pass: cubec {after}";
        fails { count: Number, output: Text }
            "the result is wrong, and the compiler fails if LLVM runs only {count} passes: {output}; please report the error with this kernel";
        artifact { error: Text } "{error}";
    }
    CUBE0730 {
        target { target: Symbol } "-g: code for {target} has no debug information yet; remove -g, or compile for cpu";
    }
    CUBE0900 {
        named { file: Symbol, program: Symbol, advice: Text }
            "CUBE_COMPILER is '{file}', which is not a program; set CUBE_COMPILER to the path of {program}, or unset it and {advice}";
        none { program: Symbol, beside: Text, advice: Text }
            "no cube compiler was found: CUBE_COMPILER is not set and {program} is not in a folder of PATH{beside}; {advice}";
    }
    CUBE0901 {
        start { file: Symbol, error: Text, install: Text }
            "the compiler '{file}' could not be started ({error}); check that the compiler is built for this machine, or install the compiler again with `{install}`";
        greeting { file: Symbol, ended: Text }
            "the compiler '{file}' {ended} before its greeting: the program is damaged, or not a cube compiler; run `{file} serve` to see why";
    }
    CUBE0902 {
        other { file: Symbol, output: Text, program: Symbol, install: Text }
            "'{file}' is not a cube compiler, because its output begins with \"{output}\"; set CUBE_COMPILER to {program}, or install {program} with `{install}`";
        greeting { file: Symbol, error: Text, program: Symbol, install: Text }
            "'{file}' sent no greeting of a cube compiler ({error}); set CUBE_COMPILER to {program}, or install {program} with `{install}`";
    }
    CUBE0903 {
        build { file: Symbol, version: Text, own: Text, other: Text, advice: Text }
            "the compiler '{file}' ({other}) and this program ({own}) are different builds of version {version}; {advice}";
        version { file: Symbol, version: Text, protocol: Number, own: Text, install: Text }
            "the compiler '{file}' has version {version} (protocol {protocol}), but this program requires version {own}; install version {own} with `{install}`";
    }
    CUBE0904 {
        crash { file: Symbol, ended: Text }
            "the compiler '{file}' {ended} before it answered; the next kernel starts a new process; report this kernel if the error occurs again";
    }
    CUBE0905 {
        answer { file: Symbol, error: Text, install: Text }
            "the answer of the compiler '{file}' is malformed ({error}); try again, or reinstall the compiler with `{install}`";
    }
    CUBE0906 {
        greeting { file: Symbol, limit: Text, program: Symbol }
            "'{file}' did not send a greeting of a cube compiler within {limit}; set CUBE_COMPILER to {program}, or try again on a less busy machine";
        answer { file: Symbol, limit: Text }
            "the compiler '{file}' did not answer within {limit} and was terminated; raise ChildCompiler::time_limit, or make the kernel smaller";
    }
    CUBE0907 {
        frame { error: Text } "{error}; split the module or the kernel";
    }
    CUBE0908 {
        panic { what: Text } "the compiler panicked: {what}; please report this bug with the kernel";
    }
    CUBE0923 {
        debug { variable: Symbol, value: Text }
            "{variable} is '{value}'; set the variable to 1 for code with debug information, or unset the variable";
        megabytes { variable: Symbol, value: Text }
            "{variable} is '{value}', which is not a number of MiB; set the variable to a number of at least 1, or unset the variable";
        processes { variable: Symbol, value: Text }
            "{variable} is '{value}'; set the variable to a number of compiler processes from 1 to 256, or unset the variable";
        folder { variable: Symbol, folder: Symbol, error: Text }
            "{variable} names the folder '{folder}', which cannot be written: {error}; set the variable to another folder, or unset the variable";
    }
    CUBE0921 {
        read { error: Text } "{error}";
        rule { rule: Text } "the artifact is invalid: {rule}; compile the kernel again";
    }
    CUBE0925 {
        call { function: Text, why: Text } "{function}: {why}";
    }
    CUBE0943 {
        stopped { why: Text } "{why}";
    }
    CUBE0950 {
        mistake { what: Text } "{what}";
    }
    CUBE0951 {
        header { name: Symbol, mark: Text, line: Text, why: Text }
            "{name} begins with '{mark}{line}', but {why}; write the stage files again, or remove the line if this is a source file";
    }
    CUBE0960 {
        name { name: Symbol }
            "'{name}' is not a valid name of a crate; begin with a letter, and use letters, digits, - and _";
        word { name: Symbol } "'{name}' is a reserved word of Rust or cargo; use another name, for example {name}-kernels";
        taken { folder: Symbol } "{folder} exists already; name a new folder";
        checkout { folder: Symbol } "{folder} is not a checkout of Cube, because {folder}/cube/Cargo.toml does not exist; name the root of a checkout";
    }
}
