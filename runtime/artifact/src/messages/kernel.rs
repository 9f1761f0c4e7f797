//! Messages about kernels, functions, comptime parameters and control flow.

// C++ code of a dialect checks the rules with this mark and has the same texts. Tests of these rules compare both texts.
super::table::messages! {
    // C++ checks two cases: parameters of buffer types, and calls, because MLIR looks up their symbols.
    CUBE0110 {
        element { ty: Type }
            "element type of a buffer must be an integer or a float, not {ty}; write a line of elements as !cube.array<T, N>";
    }
    CUBE0111 {
        line { line: Number } "line size must be 1, 2, 4, 8 or 16, not {line}";
    }
    CUBE0113 {
        signature { ty: Type, callee: Text, defined: Type }
            "{op} op has type {ty} but {callee} has type {defined}; make them equal";
    }
    CUBE0114 {
        number { size: Value }
            "the size of shared or local memory must be an i32 of at least 1 or a comptime parameter of that type, not {size}";
        size { name: Symbol, value: Value }
            "the size of shared or local memory must be an i32 of at least 1, and comptime parameter @{name} is {value}; choose at least 1";
    }
    CUBE0120 {
        sizes { dim: Text } "{op} has cube_dim {dim}; give one to three sizes of at least 1, as in cube_dim(64, 2)"
            rust "{op} has the cube dim {dim}; give one to three sizes of at least 1, as in `CubeDim::new_2d(64, 2)`";
    }
    CUBE0121 {
        units { units: Number, limit: Number }
            "{op} has {units} units per cube, the limit of all targets is {limit}; use more and smaller cubes";
    }
    CUBE0122 {
        kernel "{op} has no body; give it one in braces";
        function "{op} has no body; functions of other modules cannot be called";
    }
    CUBE0123 {
        results "{op} returns values; write the results of a kernel to buffers";
    }
    CUBE0124 {
        twice { param: Symbol, count: Number } "{op} declares comptime parameter @{param} {count} times; rename one";
    }
    CUBE0125 {
        inside { index: Number, ty: Type }
            "{op} argument {index} has type {ty}, which exists only inside a launch; take !cube.array or !cube.tensor, and create it with cube.alloc or cube.slice";
        unknown { index: Number, ty: Type, known: Words }
            "{op} argument {index} has type {ty}; arguments are !cube.array<T> or !cube.array<T, N>, the same with tensor, and scalars of {known}";
    }
    CUBE0126 {
        unknown { index: Number, name: Symbol, near: Text, known: Text }
            "{op} argument {index} has the unknown attribute {name}{near}; choose one of {known}";
    }
    CUBE0127 {
        unknown { index: Number, name: Symbol, known: Text }
            "{op} argument {index} has cube.host = \"{name}\"; choose one of {known}";
        differs { index: Number, name: Symbol, host: Type, ty: Type }
            "{op} argument {index} has cube.host = \"{name}\", which is {host} in IR, but its type is {ty}; change one of them";
    }
    CUBE0128 {
        noalias { index: Number } "{op} argument {index} has cube.noalias but is not a buffer; remove it";
        no_buffer { index: Number } "{op} argument {index} has cube.access but is not a buffer; remove it";
        word { index: Number, word: Text }
            "{op} argument {index} has cube.access = \"{word}\"; write read, write or read_write";
    }
    CUBE0129 {
        end "{op} does not end in cube.return; add it as the last operation";
    }
    CUBE0130 {
        stands_in { around: Name }
            "{op} is in {around}; it must end a cube.kernel or a cube.func, directly or from inside cube.if, cube.for and cube.loop";
    }
    CUBE0131 {
        types { given: Type, wanted: Type } "{op} returns ({given}), but the signature has ({wanted}); return those types";
    }
    CUBE0132 {
        undeclared { name: Symbol, kernel: Symbol, known: Text }
            "{op} uses comptime parameter @{name}, but kernel @{kernel} declares {known}; add it to comptime(...)";
    }
    CUBE0135 {
        name { name: Symbol }
            "{op} has the name {name}; a kernel's name becomes a symbol of the target: use letters, digits and _, a digit not first";
    }
    CUBE0136 {
        count { count: Number, limit: Number }
            "{op} declares {count} comptime parameters, the limit is {limit}; combine some";
    }
    CUBE0142 {
        end { last: Name }
            "{op} has a block that ends in {last}; end it in cube.yield (which can be omitted), cube.break, cube.continue, cube.return or cube.terminate";
    }
    CUBE0143 {
        step { step: Number }
            "{op} has the step {step}; steps are positive: count up, and compute the descending value inside";
        counter { ty: Type } "{op} has a body that does not take one {ty}; give it the counter";
    }
    CUBE0144 {
        stands_in { around: Name }
            "{op} is in {around}; it must end a block of cube.if, cube.for, cube.loop and their comptime forms";
    }
    CUBE0145 {
        no_loop { around: Name }
            "{op} is not in a loop that it could leave: {around} is around it; use cube.for or cube.loop, and cube.if between";
    }
    CUBE0150 {
        text { index: Number }
            "{op} argument {index} has cube.derived, which is not a text such as \"shape(x, 0)\" on a scalar of i32 or i64; write one, or remove it";
    }
    CUBE0151 {
        word { index: Number, word: Text }
            "{op} argument {index} has cube.len = \"{word}\"; write \"host\" for a separate length of the host, or \"buffer\" for the length of the memory, on a buffer";
    }
    CUBE0152 {
        no_name "{op} names no operation; write float \"arith.addf\" or int \"arith.addi\", or both";
        does_not_compute { name: Symbol }
            "{op} names '{name}', but only pure operations of arith, math and vector can be selected by type; name one of them";
        unknown { name: Symbol } "{op} names '{name}', which is not an operation of arith, math or vector; name one";
        attribute { name: Symbol, value: Text, entry: Text } "'{name}' takes no {value} for its attribute {entry}";
    }
    CUBE0153 {
        fields { why: Text }
            "this is not a valid description of a target: {why}; run attach-target for a known chip";
    }
    CUBE0155 {
        count { count: Number, limit: Number }
            "{op} takes {count} arguments, the limit is {limit}; put values of one type into a buffer";
    }
    CUBE0156 {
        compiler { name: Symbol, on: Text }
            "{op} has the attribute {name}, which only the compiler writes, on a {on}; remove it";
        unknown { name: Symbol, near: Text, known: Text }
            "{op} has the unknown attribute {name}{near}; remove it, or choose one of {known}";
        prints
            "{op} has a cube.prints that does not belong to its last buffer, or a buffer for printed text without cube.prints; remove both, or restore both as pass lower-print wrote them";
        format { entry: Value }
            "{op} has the entry {entry} in cube.prints, which is not a text of types, a bar and a format, as in \"i32x1|{{}} units\"; correct it";
        cubes { why: Text }
            "{op} has a cube.cube_count that is not three expressions for x, y and z{why}; correct it, or remove it";
        lost { name: Symbol } "{op} has lost the attribute {name}, which an earlier pass wrote; restore it";
    }
    CUBE0301 {
        unknown { kernel: Symbol, name: Symbol, known: Text }
            "kernel @{kernel} has no comptime parameter {name}; it declares {known}";
    }
    CUBE0302 {
        default { param: Symbol, default: Value, kind: Text }
            "{op} gives comptime parameter @{param} the default {default}, but it is {kind}";
        type_for_value { name: Symbol }
            "{op} uses @{name} as a value, but it is declared as a type; write !cube.param<@{name}>";
        declared { name: Symbol, ty: Type, of: Type }
            "{op} gives comptime parameter @{name} the type {ty}, but it is declared with {of}; use one type";
        value { param: Symbol, kind: Text, given: Value } "comptime parameter @{param} requires {kind}, not '{given}'";
        other_type { value: Value, name: Symbol, ty: Type }
            "the value {value} of comptime parameter @{name} does not have type {ty}";
    }
    CUBE0303 {
        missing { param: Symbol, kernel: Symbol }
            "comptime parameter @{param} of kernel @{kernel} has no value and no default; give it with params={param}=...";
        no_value { param: Symbol } "comptime parameter @{param} has no value of its type; pass one";
    }
    CUBE0304 {
        left { name: Symbol } "comptime parameter @{name} is not declared by the kernel; add it to comptime(...)";
    }
}
