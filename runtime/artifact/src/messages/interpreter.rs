//! Messages about kernels that the interpreter cannot run, because they call an unknown function or use an unsupported
//! operation.

super::table::messages! {
    CUBE0112 {
        callee { callee: Text }
            "{op} op calls {callee}, which is not a cube.func of this module; define it or correct the name"
            rust "{op} names {callee}, which is not a function of this module; define the function or correct the name";
        no_function { name: Symbol } "no cube.func has the name @{name} in the module";
    }
    CUBE0700 {
        operands { count: Number } "the interpreter supports {op} only with {count} operands";
        scalar_buffers "the interpreter supports {op} only for buffers of scalars";
        no_access "{op} does not access memory";
        no_buffer "{op} accesses a value that is not a buffer";
        combine { element: Text } "the interpreter does not support this combination of elements of type {element}";
        gives { ty: Type } "the interpreter does not support the result type {ty} of {op}";
        dimension "the interpreter supports {op} only for the constant dimension 0";
        topology "{op} has no topology value";
        no_value "{op} has no value";
        constant { value: Value } "the interpreter cannot read the constant {value}";
        name { name: Symbol } "the interpreter does not support {name}";
        power "the interpreter supports {op} only for exponents of type i32";
        blocks "{op} has several blocks, but the interpreter supports only structured control flow";
        no_loop_body "{op} has no body";
        no_counter "{op} has no counter";
        planes_in_loop "the interpreter supports barriers and plane operations in {op} only if the loop is over units, not over planes";
        loop_condition "{op} has no condition";
        no_condition "{op} has no condition";
        no_loop "{op} is not inside a loop";
        operation { why: Text } "the interpreter does not support {op}: {why}";
        out_of_region "{op} branches to a block outside of its region";
        to_entry "{op} branches to the entry block of a function";
        nowhere "{op} is a branch without a destination";
        case "a case value of {op} is not a number";
        no_view "{op} uses a view of a value that is not a buffer";
        no_kernel { kernel: Symbol } "no function has the name @{kernel} in the module";
        no_entry "the entry function has no body";
        no_memref "{op} accesses a value that is not a memref";
        unit_loop { rule: Text } "{op} does not fit the loops over the units of a cube: {rule}";
        no_function { name: Symbol } "the module has no function @{name} to call";
        call { name: Symbol }
            "the interpreter does not support the call of @{name}, which returns a result or calls itself";
        constant_size "the interpreter supports {op} only for constant sizes";
        no_element "{op} has no element type";
        structure "the interpreter does not support {op} on a structure";
        index_bits "the interpreter supports {op} only for indices of 64 bits";
        one_index "the interpreter supports {op} only for one index";
        atomic { name: Symbol } "the interpreter does not support the kind {name} of {op}";
        part { ty: Type } "{op} selects an element that does not exist in {ty}";
        cast "the interpreter does not support a cast between values of different sizes";
        scalar_memrefs "the interpreter supports {op} only for memrefs of scalars";
        no_body "the kernel has no body";
        of_type { ty: Type } "the interpreter does not support the type {ty} of {op}";
        operand { index: Number } "operand {index} of {op} is not defined at its use";
        undefined "{op} uses a value that is not defined at its use";
        of_kind { kind: Text } "the interpreter does not support {op} for elements of kind {kind}";
        of_buffer "the interpreter does not support {op} on a buffer";
        predicate "{op} has an unknown predicate";
        rounding { mode: Text } "the interpreter does not support {op} with rounding mode {mode}";
        conversion { from: Text, to: Text } "the interpreter does not support {op} for a conversion from {from} to {to}";
        scope "{op} has an unknown scope";
        word "the interpreter does not support {op} with an unknown attribute value";
        position "the interpreter supports {op} only with one dynamic position, or with constant positions in range";
        stretch "the interpreter does not support {op} that repeats an inner dimension";
        gaps "the interpreter supports {op} only for one dimension with stride 1";
        shuffle "the interpreter supports {op} only for one-dimensional vectors";
        no_mask "{op} has no mask";
        reduction { word: Text } "the interpreter does not support {op} with kind {word}";
        no_lanes "{op} reduces a vector without lanes";
    }
    CUBE0701 {
        memory { ty: Type, elements: Number, limit: Number }
            "the type {ty} has {elements} elements, but the interpreter supports at most {limit} elements per unit; use a smaller allocation";
        program { limit: Number }
            "the kernel has more than {limit} instructions or lanes after inlining; split the kernel";
    }
    CUBE0704 {
        bits "{op} uses the bits of a value, but values in --ring have no bits; run without --ring";
        floats "{op} uses the bits of a float, but floats in --ring have no bits; run without --ring";
    }
    CUBE0705 {
        derived { name: Symbol, text: Text, why: Text } "the expression '{text}' of argument {name} is invalid: {why}";
    }
}
