//! Messages about buffers, accesses, lanes, planes and layouts.

super::table::messages! {
    CUBE0133 {
        line { word: Text, ty: Type, buffer: Type, expected: Type }
            "{op} {word} a value of type {ty}, but a line of {buffer} has type {expected}; use the type of the line";
        element { ty: Type, buffer: Type, element: Type }
            "{op} has an operand of type {ty}, but an element of {buffer} has type {element}; use the type of the element";
    }
    CUBE0134 {
        read_only { index: Number, kernel: Symbol }
            "argument {index} of kernel @{kernel} has cube.access = \"read\" and cannot be the destination of {op}; declare \"read_write\", or write to another buffer"
            rust "argument {index} of kernel {kernel} is not `&mut` and cannot be the destination of {op}; declare the argument as `&mut`, or write to another argument";
    }
    CUBE0137 {
        part { given: Type, of: Type, expected: Type }
            "{op} has the result type {given}, but a slice of {of} has type {expected}; use the type of the slice";
    }
    CUBE0138 {
        bytes { bytes: Number, limit: Number }
            "{op} requires {bytes} bytes, but the language allows at most {limit}; use smaller tiles, or an argument of the kernel";
    }
    CUBE0139 {
        lines { buffer: Type, line: Number }
            "{op} requires a buffer whose lines have one element, but the lines of {buffer} have {line} elements; use another buffer";
        number { element: Type }
            "{op} does not support elements of type {element}; use an integer or a float of 8 to 64 bits that supports arithmetic";
    }
    CUBE0140 {
        word { element: Type, word: Words, known: Words }
            "{op} cannot combine values of type {element} with {word}; choose one of {known}";
    }
    CUBE0141 {
        stored { element: Type }
            "{op} computes with {element}, which is a storage type; convert the value with cube.cast first"
            rust "{op} computes with {element}, which is a storage type; convert the value first, as with `f32::cast_from`";
    }
    CUBE0146 {
        index { lane: Number, ty: Type, last: Number }
            "{op} has the lane index {lane}, but {ty} has the lanes 0 to {last}; use the index of an existing lane";
        lane { one: Type, line: Type, element: Type }
            "{op} has a value of type {one} for a lane of {line}, but the lanes have type {element}; use the type of the lanes";
    }
    CUBE0147 {
        lanes { from: Type, to: Type }
            "{op} has an operand of type {from} and a result of type {to}; use types with equal numbers of lanes";
    }
    CUBE0148 {
        word { word: Text, why: Text } "{op} has the attribute `{word}`, but {why}; remove the attribute";
    }
    CUBE0149 {
        values { places: Number, values: Number }
            "the text of {op} has {places} placeholders {{}} for {values} values; write one {{}} for each value";
    }
    CUBE0170 {
        no_layout { text: Text, why: Text, at: Text } "{op} has `{text}`, which is not a layout: {why}{at}; write a layout such as (4,8):(1,4)";
    }
    CUBE0171 {
        fewer "{op} has fewer operands than placeholders `?`; add one operand for each placeholder";
        constant "{op} has placeholders `?`; use layout.make, which has an operand for each placeholder";
        count { operands: Number, leaves: Number }
            "{op} has {operands} operands for {leaves} placeholders `?`; use one operand for each placeholder";
    }
    CUBE0172 {
        operands { given: Number, places: Number }
            "{op} has {given} operands for {places} placeholders `?`; use one operand for each placeholder";
        no_coordinate { text: Text, why: Text, at: Text } "{op} has `{text}`, which is not a coordinate: {why}{at}; write a coordinate such as (?,_)";
        depth { why: Text } "{op} has a coordinate whose {why}; use less nesting";
        places { given: Number, places: Number }
            "{op} has {given} operands for {places} placeholders `?` in its coordinate; use one operand for each placeholder";
        keeps "the coordinate of {op} contains `_`, so it has no single offset; slice the layout instead";
    }
    CUBE0173 {
        to { to: Number } "{op} has the limit `to` = {to}; use a limit of at least 1";
    }
    CUBE0174 {
        line { given: Type, buffer: Type, line: Type }
            "{op} has the result type {given}, but a view of {buffer} has type !layout.view<{line}>; use the type of the view";
    }
    CUBE0175 {
        element { word: Text, ty: Type, view: Type, line: Type, expected: Text }
            "{op} {word} a value of type {ty}, but an element of {view} has type {line}; use {expected}";
    }
    CUBE0176 {
        no_results "{op} has no results; add one i32 result for each leaf of the shape";
        results { given: Number, leaves: Number }
            "{op} has {given} results, but the shape has {leaves} leaves; use one i32 result for each leaf";
        count { given: Number, leaves: Number }
            "{op} has {given} results, but the shape has {leaves} leaves; use one result for each leaf";
    }
    CUBE0177 {
        neighbours { why: Text } "{op} has align, but {why}";
    }
    CUBE0178 {
        argument { index: Number, bytes: Number }
            "argument {index} of {op} has cube.align = {bytes}; write a power of two up to 128, the alignment of the buffer's address in bytes";
    }
    CUBE0370 {
        bounds { word: Text } "{op} has the proof `by {word}` without `inbounds`; write `inbounds by {word}`";
        one_line { word: Text }
            "{op} has the proof `by {word}`, but a proof covers only one line; write `inbounds` for several lines";
    }
    CUBE0371 {
        length { ty: Type }
            "{op} has the proof `by range`, but the length of {ty} is known only at the launch; write `checked`";
        range { n: Number, ty: Type }
            "{op} has the proof `by range`, but the index can be {n}, which is outside of {ty}; write `checked`";
    }
}
