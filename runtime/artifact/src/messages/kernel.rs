//! Messages about kernels, functions, comptime parameters and control flow.

// The C++ code in `dialects/cube/td` checks the rules of CUBE0110, CUBE0111 and CUBE0113, and the rule
// CUBE0114.number. The C++ code has copies of their texts. Tests compare the texts.
super::table::messages! {
    // C++ code checks the parameters of buffer types, and also calls, because MLIR's C++ interface looks up the symbol
    // of the called function.
    CUBE0110 {
        element { ty: Type }
            "the element type of a buffer must be an integer or a float, not {ty}; for lines (short vectors) of N elements, write !cube.array<T, N>";
    }
    CUBE0111 {
        line { line: Number } "line size must be 1, 2, 4, 8 or 16, not {line}";
    }
    CUBE0113 {
        signature { ty: Type, callee: Text, defined: Type }
            "{op} has type {ty}, but {callee} has type {defined}; use equal types";
    }
    CUBE0114 {
        number { size: Value }
            "the size of shared or local memory must be an i32 of at least 1 or a comptime parameter of that type, not {size}";
        size { name: Symbol, value: Value }
            "the size of shared or local memory must be an i32 of at least 1, but comptime parameter @{name} is {value}; choose a value of at least 1";
    }
    CUBE0120 {
        sizes { dim: Text } "{op} has cube_dim {dim}; use one to three sizes of at least 1, as in cube_dim(64, 2)"
            rust "{op} has the cube dim {dim}; use one to three sizes of at least 1, as in `CubeDim::new_2d(64, 2)`";
    }
    CUBE0121 {
        units { units: Number, limit: Number }
            "{op} has {units} units per cube, but the language allows at most {limit}; launch more cubes with fewer units";
    }
    CUBE0122 {
        kernel "{op} has no body; add a body in braces";
        function "{op} has no body; define the function in this module";
    }
    CUBE0123 {
        results "{op} returns values; write the results of the kernel to buffers";
    }
    CUBE0124 {
        twice { param: Symbol, count: Number }
            "{op} declares comptime parameter @{param} {count} times; give each parameter its own name";
    }
    CUBE0125 {
        inside { index: Number, ty: Type }
            "argument {index} of {op} has type {ty}, which exists only inside a kernel; use !cube.array or !cube.tensor, and create the value in the kernel";
        unknown { index: Number, ty: Type, known: Words }
            "argument {index} of {op} has type {ty}; use !cube.array, !cube.tensor, or a scalar of type {known}";
    }
    CUBE0126 {
        unknown { index: Number, name: Symbol, near: Text, known: Text }
            "argument {index} of {op} has the unknown attribute {name}{near}; choose one of {known}";
    }
    CUBE0127 {
        unknown { index: Number, name: Symbol, known: Text }
            "argument {index} of {op} has cube.host = \"{name}\", which is not a host type; choose one of {known}";
        differs { index: Number, name: Symbol, host: Type, ty: Type }
            "argument {index} of {op} has cube.host = \"{name}\", which requires type {host}, but the argument has type {ty}; change cube.host or the type";
    }
    CUBE0128 {
        noalias { index: Number }
            "argument {index} of {op} has cube.noalias, but is not a buffer; remove the attribute";
        no_buffer { index: Number }
            "argument {index} of {op} has cube.access, but is not a buffer; remove the attribute";
        word { index: Number, word: Text }
            "argument {index} of {op} has cube.access = \"{word}\"; use read, write or read_write instead";
        cubes { index: Number, ty: Type }
            "argument {index} of {op} has cube.cubes and type {ty}; give the number of cubes in an argument of type !cube.array<i32>";
        twice { index: Number }
            "argument {index} of {op} also has cube.cubes; keep the attribute on one argument";
    }
    CUBE0129 {
        end "{op} does not end in cube.return; add cube.return as the last operation";
    }
    CUBE0130 {
        stands_in { around: Name }
            "{op} is inside {around}; use {op} only at the end of a kernel, a function, or a block of cube.if, cube.for or cube.loop";
    }
    CUBE0131 {
        types { given: Type, expected: Type }
            "{op} has values of the types ({given}), but the function has the result types ({expected}); return values of the result types";
    }
    CUBE0132 {
        undeclared { name: Symbol, kernel: Symbol, known: Text }
            "{op} uses comptime parameter @{name}, but kernel @{kernel} declares {known}; add @{name} to comptime(...)";
    }
    CUBE0135 {
        name { name: Symbol }
            "{op} has the invalid name '{name}'; use letters, digits and _, and begin with a letter or _";
    }
    CUBE0136 {
        count { count: Number, limit: Number }
            "{op} declares {count} comptime parameters, but the limit is {limit}; combine several parameters";
    }
    CUBE0142 {
        end { last: Name }
            "a block of {op} ends in {last}; end the block with cube.break, cube.continue, cube.return, cube.terminate, or an optional cube.yield";
    }
    CUBE0143 {
        step { step: Number }
            "{op} has the step {step}; use a positive step, and compute descending values in the loop";
        counter { ty: Type } "the body of {op} must have one argument of type {ty}, the counter; add this argument";
    }
    CUBE0144 {
        stands_in { around: Name }
            "{op} is inside {around}; use {op} only at the end of a block of cube.if, cube.for, cube.loop, cube.comptime_if or cube.comptime_for";
    }
    CUBE0145 {
        outside
            "{op} is outside of every cube.for and cube.loop; move {op} into a loop, or remove {op}"
            rust "{op} is outside of every loop; move {op} into a loop, or remove {op}";
        through { around: Name }
            "{op} cannot exit from a loop through {around}; put only cube.if and cube.comptime_if between {op} and its cube.for or cube.loop"
            rust "{op} cannot exit from a loop through this {around}; please report this kernel";
    }
    CUBE0150 {
        text { index: Number }
            "argument {index} of {op} has an invalid attribute cube.derived; write an expression such as \"shape(x, 0)\" on an i32 or i64 scalar, or remove the attribute";
    }
    CUBE0151 {
        word { index: Number, word: Text }
            "argument {index} of {op} has cube.len = \"{word}\"; use cube.len only on a buffer, with \"host\" (length from the host) or \"buffer\" (length of the memory)";
    }
    CUBE0152 {
        no_name "{op} has neither a float nor an int operation; add float \"arith.addf\", int \"arith.addi\", or both";
        does_not_compute { name: Symbol }
            "{op} names '{name}', which is not a pure operation of arith, math or vector; name a pure operation of these dialects";
        unknown { name: Symbol }
            "{op} names '{name}', which is not an operation of arith, math or vector; name an operation of these dialects";
        attribute { name: Symbol, value: Text, entry: Text }
            "the attribute {entry} of '{name}' has the invalid value {value}; use a value that '{name}' accepts, or remove the attribute";
    }
    CUBE0153 {
        fields { why: Text } "the description of the target is invalid: {why}; run attach-target for a known chip";
    }
    CUBE0155 {
        count { count: Number, limit: Number }
            "{op} has {count} arguments, but the limit is {limit}; put several values of one type into a buffer";
    }
    CUBE0156 {
        compiler { name: Symbol, on: Text }
            "{op} has the attribute {name}, which only the compiler writes, on a {on}; remove the attribute";
        unknown { name: Symbol, near: Text, known: Text }
            "{op} has the unknown attribute {name}{near}; remove the attribute, or choose one of {known}";
        prints
            "{op} must have both the attribute cube.prints and a last buffer for printed text, or neither; restore the missing part, or remove the other part";
        format { entry: Value }
            "{op} has the invalid entry {entry} in cube.prints; write the types, a vertical bar and the format, as in \"i32x1|{{}} units\"";
        cubes { why: Text }
            "{op} has an invalid attribute cube.cube_count{why}; write three expressions for x, y and z, or remove the attribute";
        overwritten { why: Text }
            "{op} has an invalid attribute cube.overwritten{why}; write an expression for each named buffer, or remove the attribute";
        lost { name: Symbol } "{op} no longer has the attribute {name}, which an earlier pass wrote; restore the attribute";
    }
    CUBE0301 {
        unknown { kernel: Symbol, name: Symbol, known: Text }
            "kernel @{kernel} has no comptime parameter {name} (declared: {known}); choose a declared parameter, or add {name} to comptime(...)";
    }
    CUBE0302 {
        default { param: Symbol, default: Value, kind: Text }
            "comptime parameter @{param} of {op} has the default {default}, but requires {kind}; change the default";
        type_for_value { name: Symbol }
            "{op} uses comptime parameter @{name} as a value, but the parameter is declared as a type; write !cube.param<@{name}>";
        declared { name: Symbol, ty: Type, of: Type }
            "{op} uses comptime parameter @{name} with type {ty}, but the parameter is declared with type {of}; use one type";
        value { param: Symbol, kind: Text, given: Value }
            "comptime parameter @{param} requires {kind}, not '{given}'; choose another value";
        other_type { value: Value, name: Symbol, ty: Type }
            "the value {value} of comptime parameter @{name} does not have type {ty}; choose a value of this type";
    }
    CUBE0303 {
        missing { param: Symbol, kernel: Symbol }
            "comptime parameter @{param} of kernel @{kernel} has no value and no default; set its value with --param {param}=VALUE (cubec, cube-run) or the pass option params={param}=VALUE";
        no_value { param: Symbol } "comptime parameter @{param} has no valid value; pass a value of its type";
    }
    CUBE0304 {
        left { name: Symbol } "comptime parameter @{name} is not declared by the kernel; add @{name} to comptime(...)";
    }
}
