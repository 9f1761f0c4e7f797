//! The help text, generated from the list of functions.

use crate::language::{FUNCTIONS, find, nearest};
use std::fmt::Write;

const INTRODUCTION: &str = "\
cube-layout evaluates, prints and draws layouts in CuTe notation

usage: cube-layout [options] EXPRESSION...    evaluate each, sharing names
       cube-layout [options] -f FILE          one statement per line; # starts a comment
       cube-layout [options] repl             a prompt
       cube-layout batch                      one JSON request a line in, one JSON result a line out
       cube-layout help [FUNCTION]

options:
  --table        print the offsets of the value as a table
  --tv           print which thread holds each element of the tile
  --tile SHAPE   the tile for --tv and --svg of a bare layout, for instance '(16,256)'
  --svg FILE     draw the last value: a layout, a thread-value layout, or bank conflicts
  --html FILE    draw all values on one page
  -h, --help     this text        -V, --version

a layout is shape:stride; an index is split into digits, leftmost fastest, and the offset is the sum of
digit times stride. shapes nest:

  $ cube-layout '(4,(2,8)):(1,(4,32))' --table

layouts compose as functions do; the result is a layout, or a refusal that shows why no layout computes it:

  $ cube-layout 'composition((6,2):(8,2), (4,3):(3,1))'
  ((2,2),3):((24,2),8)
  $ cube-layout 'composition((4,3):(1,10), 6:1)'
  error: no layout computes (4,3):(1,10) o 6:1: the values stay on a line for 4 steps of 1, and 4 does
  not divide 6; the nearest inner layout that works is 4:1

a tuple is a shape, a coordinate (with _ for all) or one tiler per mode; names are variables:

  $ cube-layout 'A = zipped_divide((2048,2048):(2048,1), (16,256))' 'slice(A, ((_,_),5))'

S<B,M,S> is a swizzle, and `o` composes:

  $ cube-layout 'banks(S<5,0,5> o 0 o (32,32):(32,1), 4, 32:1, 1)' --svg banks.svg
  $ cube-layout 'synthesize((32,32):(32,1), 4, 32:32, 1, 32:1, 1)'

exit codes: 0 all right, 1 an error in the input, 2 an error in the options

functions (cube-layout help FUNCTION shows an example):
";

/// The whole help.
pub fn all() -> String {
    let mut out = INTRODUCTION.to_string();
    for function in FUNCTIONS {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {}\n      {}", function.usage, function.summary);
    }
    out
}

/// The help text for one function.
///
/// # Errors
/// No function has this name.
pub fn of(name: &str) -> Result<String, String> {
    let Some(function) = find(name) else {
        return Err(match nearest(name, FUNCTIONS.iter().map(|function| function.name)) {
            Some(close) => format!("no function `{name}`; did you mean `{close}`?"),
            None => format!("no function `{name}`; `cube-layout help` lists them"),
        });
    };
    let (call, result) = function.example;
    Ok(format!(
        "{}\n  {}\n\n  $ cube-layout '{call}'\n  {}\n",
        function.usage,
        function.summary,
        result.replace('\n', "\n  ")
    ))
}

#[cfg(test)]
mod tests {
    use super::{all, of};

    #[test]
    fn each_function_is_listed_and_explained() {
        assert!(all().contains("  composition(A, B), also written A o B\n"));
        assert!(of("coalesce").unwrap().contains("$ cube-layout 'coalesce((2,(1,6)):(1,(7,2)))'\n  12:1\n"));
        assert_eq!(of("coalece").unwrap_err(), "no function `coalece`; did you mean `coalesce`?");
        assert_eq!(of("banana").unwrap_err(), "no function `banana`; `cube-layout help` lists them");
    }
}
