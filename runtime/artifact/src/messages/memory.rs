//! Messages about buffers, accesses, lanes, planes and layouts.

super::table::messages! {
    CUBE0133 {
        line { word: Text, ty: Type, buffer: Type, wanted: Type }
            "{op} {word} a {ty}, but a line of {buffer} is {wanted}; use that type";
        element { ty: Type, buffer: Type, element: Type }
            "{op} works with a {ty}, but an element of {buffer} is {element}; use that type";
    }
    CUBE0134 {
        read_only { index: Number, kernel: Symbol }
            "{op} writes to argument {index} of kernel @{kernel}, which is declared cube.access = \"read\"; make it \"read_write\" or write elsewhere";
    }
    CUBE0137 {
        part { given: Type, of: Type, wanted: Type } "{op} has the result type {given}, but a slice of {of} has type {wanted}";
    }
    CUBE0138 {
        bytes { bytes: Number, limit: Number }
            "{op} allocates {bytes} bytes, the limit of all targets is {limit}; use smaller tiles, or a buffer of the host";
    }
    CUBE0139 {
        lines { buffer: Type, line: Number }
            "{op} works on {buffer}, whose lines have {line} elements; use a buffer of single elements for atomics";
        number { element: Type }
            "{op} works on {element}; use an integer or float of 8 to 64 bits with arithmetic for atomics";
    }
    CUBE0140 {
        word { element: Type, word: Words, known: Words } "{op} cannot combine {element} by {word}; choose from {known}";
    }
    CUBE0141 {
        stored { element: Type } "{op} works on {element}, which is a storage type; convert it with cube.cast first"
            rust "{op} works on {element}, which is a storage type; convert it first, as with `f32::cast_from`";
    }
    CUBE0146 {
        index { lane: Number, ty: Type, last: Number }
            "{op} has lane {lane} of {ty}, whose lanes are 0 to {last}; give the index of one of them";
        lane { one: Type, line: Type, element: Type } "{op} has {one} for a lane of {line}, whose lanes are {element}; use that type";
    }
    CUBE0147 {
        lanes { from: Type, to: Type } "{op} converts {from} to {to}; use the same number of lanes for both";
    }
    CUBE0148 {
        word { word: Text, why: Text } "{op} has `{word}`, but {why}; remove the word";
    }
    CUBE0149 {
        values { places: Number, values: Number }
            "{op} has {places} placeholders {{}} for {values} values; write one {{}} for each value";
    }
    CUBE0170 {
        no_layout { text: Text, why: Text, at: Text } "{op} has `{text}`, which is not a layout: {why}{at}";
    }
    CUBE0171 {
        fewer "{op} has fewer operands than leaves `?`";
        constant "{op} has leaves `?`; give them as operands of layout.make";
        count { operands: Number, leaves: Number }
            "{op} has {operands} operands for {leaves} leaves `?`; give one for each";
    }
    CUBE0172 {
        operands { given: Number, places: Number } "{op} has {given} operands for {places} placeholders `?`";
        no_coordinate { text: Text, why: Text, at: Text } "{op} has `{text}`, which is not a coordinate: {why}{at}";
        depth { why: Text } "{op} has a coordinate whose {why}";
        places { given: Number, places: Number }
            "{op} has {given} operands for {places} placeholders `?` of its coordinate; give one for each";
        keeps "{op} has a coordinate with `_`, which has no offset; slice the layout instead";
    }
    CUBE0173 {
        to { to: Number } "{op} has `to` {to}; give at least 1";
    }
    CUBE0174 {
        line { given: Type, buffer: Type, line: Type }
            "{op} has the result type {given}, but a view of {buffer} has type !layout.view<{line}>";
    }
    CUBE0175 {
        element { word: Text, ty: Type, view: Type, line: Type, wanted: Text }
            "{op} {word} {ty}, but an element of {view} is {line}; make it {wanted}";
    }
    CUBE0176 {
        no_results "{op} has no results; give one i32 for each leaf of the shape";
        results { given: Number, leaves: Number }
            "{op} has {given} results, but the shape has {leaves} leaves; give one i32 for each";
        count { given: Number, leaves: Number } "{op} has {given} results for {leaves} leaves";
    }
    CUBE0177 {
        neighbours { why: Text } "{op} has align, but {why}";
    }
    CUBE0178 {
        argument { index: Number, bytes: Number }
            "{op} argument {index} has cube.align = {bytes}; write a power of two up to 128, the alignment in bytes of a buffer's address";
    }
    CUBE0370 {
        bounds { word: Text } "{op} is proven by {word}, but not inbounds; write `inbounds by {word}`";
        one_line { word: Text }
            "{op} is proven by {word}, but a proof covers one line only; write `inbounds` for several lines";
    }
    CUBE0371 {
        length { ty: Type } "{op} is proven by range, but the length of {ty} is only known at launch; write checked";
        range { n: Number, ty: Type } "{op} is proven by range, but the index can be {n}, outside {ty}; write checked";
    }
}
