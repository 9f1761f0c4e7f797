//! Messages about kernels that the interpreter cannot run, because they call an unknown function or use an unsupported
//! operation.

super::table::messages! {
    CUBE0112 {
        callee { callee: Text }
            "{op} calls {callee}, which is not a cube.func of this module; define the function or correct the name"
            rust "{op} names {callee}, which is not a function of this module; define the function or correct the name";
        no_function { name: Symbol } "the module has no cube.func @{name}; define the function or correct the name";
    }
    CUBE0700 {
        operands { count: Number } "the interpreter supports {op} only with {count} operands; pass {count} operands";
        scalar_buffers "the interpreter supports {op} only for buffers of scalars; use a buffer whose lines have one element";
        no_access "{op} does not access memory; use a load or a store";
        no_buffer "{op} accesses a value that is not a buffer; pass a buffer";
        combine { element: Text } "the interpreter does not support this combination of elements of type {element}; use another type";
        gives { ty: Type } "the interpreter does not support the result type {ty} of {op}; use !cube.shared or !cube.local";
        dimension "the interpreter supports {op} only for the constant dimension 0; use the constant 0";
        topology "{op} has no topology value; set its attribute `kind`";
        no_value "{op} has no value; set its attribute `value`";
        constant { value: Value } "the interpreter cannot read the constant {value}; write an integer or a float";
        name { name: Symbol } "the interpreter does not support {name}; run the kernel on the CPU";
        power "the interpreter supports {op} only for exponents of type i32; convert the exponent to i32";
        blocks "{op} has several blocks, but the interpreter supports only structured control flow; use operations of scf";
        no_loop_body "{op} has no body; add a body";
        no_counter "{op} has no counter; add the counter as the first argument of the body";
        planes_in_loop "the interpreter supports barriers and plane operations in loops over units, not in the loop {op} over planes; interpret an earlier stage";
        loop_condition "{op} has no condition; end its first region with scf.condition";
        no_condition "{op} has no condition; pass a condition as the first operand";
        no_loop "{op} is not inside a loop; move {op} into a loop, or remove {op}";
        operation { why: Text } "the interpreter does not support {op}: {why}; use another operation";
        returns_layout "{op} returns a layout or view; read or write through the view inside the function";
        out_of_region "{op} branches to a block outside of its region; branch to a block of the same region";
        to_entry "{op} branches to the entry block of a function; add a new entry block before this block";
        nowhere "the branch {op} has no destination; add the missing block or operand";
        case "a case value of {op} is not a number; use integers as case values";
        no_view "{op} uses a view of a value that is not a buffer; create the view from a buffer";
        no_kernel { kernel: Symbol } "the module has no function @{kernel}; compile the kernel for the CPU with --compile-to=lower";
        no_entry "the entry function has no body; define the function in the module";
        no_memref "{op} accesses a value that is not a memref; pass a memref";
        unit_loop { rule: Text } "{op} does not fit the loops over the units of a cube: {rule}; interpret an earlier stage of the kernel";
        no_function { name: Symbol } "the module has no function @{name} to call; define the function in the module";
        call { name: Symbol }
            "the interpreter does not support the call of @{name}, which returns a result or calls itself; interpret an earlier stage of the kernel";
        constant_size "the interpreter supports {op} only for constant sizes; use a constant as the size";
        no_element "{op} has no element type; set its attribute `elem_type`";
        structure "the interpreter does not support {op} on a structure; use a separate allocation for each field";
        index_bits "the interpreter supports {op} only for indices of 64 bits; convert the index to i64";
        one_index "the interpreter supports {op} only for one index; compute one index from all indices";
        atomic { name: Symbol } "the interpreter does not support the kind {name} of {op}; interpret an earlier stage of the kernel";
        part { ty: Type } "{op} selects an element that does not exist in {ty}; correct the position";
        cast "the interpreter does not support a cast between values of different sizes; use types of equal size";
        scalar_memrefs "the interpreter supports {op} only for memrefs of scalars; use a memref of scalars";
        no_body "the kernel has no body; add a body in braces";
        of_type { ty: Type } "the interpreter does not support the type {ty} of {op}; use a type in docs/reference/types.md";
        operand { index: Number } "operand {index} of {op} is not defined at its use; define the operand before {op}";
        undefined "{op} uses a value that is not defined at its use; define the value before {op}";
        of_kind { kind: Text } "the interpreter does not support {op} for elements of kind {kind}; use elements of a float type";
        of_buffer "the interpreter does not support {op} on a buffer; use the operation on elements of the buffer";
        predicate "{op} has an unknown predicate; choose a predicate that MLIR defines for {op}";
        rounding { mode: Text } "the interpreter does not support {op} with rounding mode {mode}; use to_nearest_even, or omit the mode";
        conversion { from: Text, to: Text } "the interpreter does not support {op} for a conversion from {from} to {to}; use a type in docs/reference/types.md";
        scope "{op} has an unknown scope; use the scope cube, plane or storage";
        word "{op} has an unknown attribute value; correct the attributes of {op}";
        position "the interpreter supports {op} only with one dynamic position, or with constant positions in range; use one dynamic position";
        stretch "the interpreter supports {op} only if it repeats outer dimensions; repeat the outer dimensions only";
        gaps "the interpreter supports {op} only for one dimension with stride 1; extract each dimension separately";
        shuffle "the interpreter supports {op} only for one-dimensional vectors; reshape the vectors to one dimension first";
        no_mask "{op} has no mask; set its attribute `mask`";
        reduction { word: Text } "the interpreter does not support {op} with kind {word}; use a kind for the type of the elements";
        no_lanes "{op} reduces a vector without lanes; use a vector with at least one lane";
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
        derived { name: Symbol, text: Text, why: Text } "the expression '{text}' of argument {name} is invalid: {why}; correct the expression";
    }
}
