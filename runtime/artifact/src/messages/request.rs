//! Requests: targets, kernels, pipelines and files, of the compiler and its tools.

super::table::messages! {
    CUBE0102 {
        minus_signs { limit: Number } "more than {limit} minus signs in a row";
        brackets { limit: Number } "nesting is deeper than {limit} brackets: flatten it";
        operators { limit: Number } "an affine expression has more than {limit} operators: split it";
    }
    CUBE0103 {
        input { bytes: Number, limit: Number } "the input has {bytes} bytes, the limit is {limit}";
        aliases { limit: Number } "the aliases up to here stand for more than {limit} bytes of text";
        bytes { file: Symbol, limit: Number } "{file} has more than {limit} bytes, which is the limit";
    }
    CUBE0104 {
        encoding "this is not UTF-8 text, nor MLIR bytecode";
        zero "a zero byte has no place in MLIR text";
    }
    CUBE0105 {
        empty "the input is empty: there is no kernel in it";
    }
    CUBE0106 {
        bytecode { file: Symbol, why: Text }
            "{file} is MLIR bytecode that cannot be read: {why}; make it again with `cube-opt --emit-bytecode` of this version, or use text";
    }
    CUBE0107 {
        alignment { limit: Number, alignment: Number }
            "a resource begins with its alignment as four bytes, a power of two up to {limit}; this one is {alignment}";
    }
    CUBE0108 {
        stack { error: Text }
            "the system grants no stack to compile on ({error}); allow the process more memory or threads";
    }
    CUBE0109 {
        elements "an attribute array<TYPE: ...> holds integers or floats, written as i64 or f32";
    }
    CUBE0360 {
        order { phase: Text, target: Symbol, why: Text } "in phase {phase} of the pipeline for {target}: {why}";
    }
    CUBE0361 {
        level { phase: Symbol, target: Symbol, declared: Text, found: Text }
            "phase {phase} of the pipeline for {target} is to leave level {declared}, and its steps leave level {found}; declare that level, or add the step that leaves {declared}";
    }
    CUBE0362 {
        order { why: Text } "in pass pipeline: {why}";
    }
    CUBE0363 {
        contract { target: Symbol, level: Symbol, backend: Symbol }
            "a step for {target} leaves level {level}, for which backend {backend} has no contract; add one to its `contracts`";
    }
    CUBE0364 {
        ended
            "an instrumentation ended the run before the last pass, so there is nothing to give; look at the stages of a kernel with cube_driver::stages";
    }
    CUBE0500 {
        unknown { target: Symbol, known: Text, hint: Text } "there is no target {target}; targets are {known}{hint}";
    }
    CUBE0501 {
        unknown { target: Symbol, chip: Symbol, known: Text, hint: Text }
            "target {target} has no chip {chip}; chips are {known}{hint}";
    }
    CUBE0502 {
        unknown { name: Symbol, known: Text, hint: Text } "there is no phase {name}; phases are {known}{hint}";
    }
    CUBE0503 {
        none "there is no cube.kernel in the module";
    }
    CUBE0504 {
        unknown { name: Symbol, known: Text, hint: Text } "there is no kernel {name}; kernels are {known}{hint}";
    }
    CUBE0505 {
        several { count: Number, known: Text } "the module has {count} kernels; choose one with --kernel: {known}";
    }
    CUBE0506 {
        parameter { name: Symbol, value: Value }
            "comptime parameter {name}={value} is not NAME=VALUE with a number, true, false or a type for a value";
        pair { given: Text } "--param {given} is not NAME=VALUE";
    }
    CUBE0507 {
        argument { name: Symbol, kernel: Symbol } "argument {name} of kernel {kernel} has no type on the host";
    }
    CUBE0508 {
        form { target: Symbol, form: Symbol, forms: Text }
            "target {target} has no form {form} of its code; it has {forms}";
    }
    CUBE0602 {
        test { error: Text } "the test cannot be run: {error}";
        child { tool: Text, error: Text } "cannot run {tool} in a child: {error}";
        unreadable { file: Symbol, error: Text } "{file}: {error}";
    }
    CUBE0603 {
        file { file: Symbol, error: Text } "cannot write {file}: {error}";
        taken { folder: Symbol } "{folder} holds something else than a tree; name a new folder";
        folder { folder: Symbol, error: Text } "cannot write to {folder}: {error}";
        candidate { error: Text } "cannot write a candidate: {error}";
    }
    CUBE0607 {
        unknown { given: Text, known: Text, hint: Text } "--emit {given} is unknown; it is one of {known}{hint}";
    }
    CUBE0608 {
        argument "--arg takes NAME=VALUE, as in --arg x=random:64";
        count { given: Text } "--cube-count {given} is not one to three whole numbers below 2^32";
    }
    CUBE0609 {
        check { name: Symbol, why: Text } "check {name}: {why}";
    }
    CUBE0610 {
        unknown { name: Symbol, known: Text, hint: Text } "there is no backend {name}; backends are {known}{hint}";
    }
    CUBE0612 {
        file { file: Symbol, why: Text } "{file} is no reproducer: {why}";
    }
    CUBE0614 {
        launch { why: Text } "the kernel cannot be launched: {why}";
    }
    CUBE0730 {
        target { target: Symbol } "-g: code for {target} has no debug information yet; leave -g out, or compile for cpu";
    }
    CUBE0951 {
        header { name: Symbol, mark: Text, line: Text, why: Text }
            "{name} begins with '{mark}{line}', and {why}; write the stages anew from the source, or remove the line to compile the text as a source";
    }
}
