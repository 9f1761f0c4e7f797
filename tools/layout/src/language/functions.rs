//! The functions of the language. Each function is declared once with its name, usage, summary, example and
//! implementation. The help text is generated from the list of functions.

mod access;

use super::Problem;
use super::convert::Argument;
use super::value::Value;
use cube_algebra as algebra;
use cube_algebra::{Composed, Error, Layout};
use std::ops::Range;

type Run = fn(&[Argument], Range<usize>) -> Result<Value, Problem>;

pub struct Function {
    /// Name in expressions.
    pub name: &'static str,
    /// The syntax of a call.
    pub usage: &'static str,
    /// The meaning of the function, in one line.
    pub summary: &'static str,
    /// An example call and its result, which a test checks.
    pub example: (&'static str, &'static str),
    least: usize,
    most: usize,
    pub(super) run: Run,
}

impl Function {
    pub(super) fn takes(&self, arguments: usize) -> bool {
        (self.least..=self.most).contains(&arguments)
    }

    pub(super) fn count(&self) -> String {
        let plural = |n: usize| if n == 1 { "1 argument".to_string() } else { format!("{n} arguments") };
        match self.least == self.most {
            true => plural(self.least),
            false if self.most == usize::MAX => format!("{} or more", plural(self.least)),
            false => format!("{} to {}", self.least, plural(self.most)),
        }
    }
}

pub fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

fn at<T>(result: Result<T, Error>, span: Range<usize>) -> Result<T, Problem> {
    result.map_err(|error| Problem::from_algebra(error, span))
}

/// Declares a function whose only argument is a layout.
macro_rules! unary {
    ($name:literal, $usage:literal, $summary:literal, $call:literal => $result:literal, |$layout:ident| $body:expr) => {
        Function {
            name: $name,
            usage: $usage,
            summary: $summary,
            example: ($call, $result),
            least: 1,
            most: 1,
            run: |arguments, span| {
                let $layout = arguments[0].layout()?;
                at($body, span)
            },
        }
    };
}

/// Declares a function that takes a layout and a tiler and returns a layout.
macro_rules! tiled {
    ($name:literal, $usage:literal, $summary:literal, $call:literal => $result:literal, $function:path) => {
        Function {
            name: $name,
            usage: $usage,
            summary: $summary,
            example: ($call, $result),
            least: 2,
            most: 2,
            run: |arguments, span| {
                at($function(&arguments[0].layout()?, &arguments[1].tiler()?), span).map(Value::Layout)
            },
        }
    };
}

/// All functions, in the order of the help text.
pub const FUNCTIONS: &[Function] = &[
    unary!("size", "size(L)", "the number of indices", "size((4,8):(1,4))" => "32",
        |layout| Ok(Value::Number(layout.size()))),
    unary!("cosize", "cosize(L)", "one more than the largest offset", "cosize((4,8):(1,5))" => "39",
        |layout| Ok(Value::Number(layout.cosize()))),
    unary!("rank", "rank(L)", "the number of top-level modes", "rank((4,(2,8)):(1,(4,32)))" => "2",
        |layout| Ok(Value::Number(layout.rank() as u64))),
    unary!("depth", "depth(L)", "depth of the nesting of modes", "depth((4,(2,8)):(1,(4,32)))" => "2",
        |layout| Ok(Value::Number(layout.depth() as u64))),
    Function {
        name: "make_layout",
        usage: "make_layout(shape[, stride]) or make_layout(L0, L1, ...)",
        summary: "a layout from a shape (compact, leftmost fastest), a shape and strides, or modes",
        example: ("make_layout((4,(2,8)))", "(4,(2,8)):(1,(4,8))"),
        least: 1,
        most: usize::MAX,
        run: make_layout,
    },
    Function {
        name: "mode",
        usage: "mode(L, k)",
        summary: "the top-level mode k",
        example: ("mode((4,(2,8)):(1,(4,32)), 1)", "(2,8):(4,32)"),
        least: 2,
        most: 2,
        run: |arguments, span| {
            let k = usize::try_from(arguments[1].number()?).unwrap_or(usize::MAX);
            at(arguments[0].layout()?.mode(k), span).map(Value::Layout)
        },
    },
    unary!("coalesce", "coalesce(L)", "the fewest modes for the same function", "coalesce((2,(1,6)):(1,(7,2)))" => "12:1",
        |layout| Ok(Value::Layout(algebra::coalesce(&layout)))),
    unary!("coalesce_by_mode", "coalesce_by_mode(L)", "each top-level mode coalesced by itself",
        "coalesce_by_mode((2,(4,6)):(1,(2,8)))" => "(2,24):(1,2)",
        |layout| algebra::coalesce_by_mode(&layout).map(Value::Layout)),
    unary!("filter", "filter(L)", "the same offsets without repetition by stride 0", "filter((2,4):(0,1))" => "4:1",
        |layout| Ok(Value::Layout(algebra::filter(&layout)))),
    unary!("filter_zeros", "filter_zeros(L)", "modes of stride 0 with extent 1", "filter_zeros((2,4):(0,1))" => "(1,4):(0,1)",
        |layout| Ok(Value::Layout(algebra::filter_zeros(&layout)))),
    Function {
        name: "composition",
        usage: "composition(A, B), also written A o B",
        summary: "A(B(i)); B can be a tuple with one layout for each mode of A",
        example: ("composition((6,2):(8,2), (4,3):(3,1))", "((2,2),3):((24,2),8)"),
        least: 2,
        most: 2,
        run: |arguments, span| match &arguments[0].value {
            Value::Composed(composed) => at(composed.compose(&arguments[1].layout()?), span).map(Value::Composed),
            _ => at(algebra::compose_tiler(&arguments[0].layout()?, &arguments[1].tiler()?), span).map(Value::Layout),
        },
    },
    Function {
        name: "complement",
        usage: "complement(L[, M])",
        summary: "the first offsets of ascending, disjoint copies of L in M offsets; by default, M is the cosize of L",
        example: ("complement((2,2):(1,6), 24)", "(3,2):(2,12)"),
        least: 1,
        most: 2,
        run: |arguments, span| {
            let layout = arguments[0].layout()?;
            let cotarget = arguments.get(1).map_or(Ok(layout.cosize()), Argument::number)?;
            at(algebra::complement(&layout, cotarget), span).map(Value::Layout)
        },
    },
    Function {
        name: "tiling_complement",
        usage: "tiling_complement(L, M)",
        summary: "the complement; an error if no copy of L contains some offset below M",
        example: ("tiling_complement(4:1, 24)", "6:4"),
        least: 2,
        most: 2,
        run: |arguments, span| {
            at(algebra::tiling_complement(&arguments[0].layout()?, arguments[1].number()?), span).map(Value::Layout)
        },
    },
    unary!("right_inverse", "right_inverse(L)", "the largest R found with L(R(i)) = i", "right_inverse((4,8):(8,1))" => "(8,4):(4,1)",
        |layout| Ok(Value::Layout(algebra::right_inverse(&layout)))),
    unary!("left_inverse", "left_inverse(L)", "an R with R(L(i)) = i", "left_inverse((4,8):(8,1))" => "(8,4):(4,1)",
        |layout| algebra::left_inverse(&layout).map(Value::Layout)),
    unary!("injective", "injective(L)", "whether no two indices share an offset", "injective((4,8):(1,2))" => "false",
        |layout| algebra::injective(&layout).map(Value::Flag)),
    tiled!("logical_divide", "logical_divide(L, tiler)", "((tile,rest),...): each mode divided in place",
        "logical_divide((8,6):(6,1), (4,3))" => "((4,2),(3,2)):((6,24),(1,3))", algebra::logical_divide),
    tiled!("zipped_divide", "zipped_divide(L, tiler)", "((tiles),(rests))",
        "zipped_divide((2048,2048):(2048,1), (1,4))" => "((1,4),(2048,512)):((0,1),(2048,4))", algebra::zipped_divide),
    tiled!("tiled_divide", "tiled_divide(L, tiler)", "((tiles),rest,rest,...)",
        "tiled_divide((8,6):(6,1), (4,3))" => "((4,3),2,2):((6,1),24,3)", algebra::tiled_divide),
    tiled!("flat_divide", "flat_divide(L, tiler)", "(tile,tile,...,rest,rest,...)",
        "flat_divide((8,6):(6,1), (4,3))" => "(4,3,2,2):(6,1,24,3)", algebra::flat_divide),
    tiled!("round_up", "round_up(L, tiler)", "extents rounded up to whole tiles; predicate what is added",
        "round_up((7,9):(9,1), (2,4))" => "(8,12):(9,1)", algebra::round_up),
    tiled!("logical_product", "logical_product(L, tiler)", "(L, copies)",
        "logical_product((2,2):(4,1), 6:1)" => "((2,2),(2,3)):((4,1),(2,8))", algebra::logical_product),
    tiled!("zipped_product", "zipped_product(L, tiler)", "((blocks),(copies))",
        "zipped_product((2,3):(1,2), (4,2))" => "((2,3),(4,2)):((1,2),(2,1))", algebra::zipped_product),
    tiled!("tiled_product", "tiled_product(L, tiler)", "(block,copies,copies,...)",
        "tiled_product((2,2):(4,1), 6:1)" => "((2,2),2,3):((4,1),2,8)", algebra::tiled_product),
    Function {
        name: "blocked_product",
        usage: "blocked_product(A, B)",
        summary: "each mode is (A,copies): the elements of a block stay together",
        example: ("blocked_product((2,5):(5,1), (3,4):(1,3))", "(6,(5,4)):(5,(1,30))"),
        least: 2,
        most: 2,
        run: |arguments, span| {
            at(algebra::blocked_product(&arguments[0].layout()?, &arguments[1].layout()?), span).map(Value::Layout)
        },
    },
    Function {
        name: "raked_product",
        usage: "raked_product(A, B)",
        summary: "each mode is (copies,A): the blocks are interleaved",
        example: ("raked_product((2,5):(5,1), (3,4):(1,3))", "((3,2),(4,5)):((10,5),(30,1))"),
        least: 2,
        most: 2,
        run: |arguments, span| {
            at(algebra::raked_product(&arguments[0].layout()?, &arguments[1].layout()?), span).map(Value::Layout)
        },
    },
    Function {
        name: "make_layout_tv",
        usage: "make_layout_tv(threads, values)",
        summary: "the tile and the thread-value layout, from the layout of the threads and the layout of each thread's values",
        example: (
            "make_layout_tv((4,32):(32,1), (4,8):(8,1))",
            "tile: (16,256)\nlayout: ((32,4),(8,4)):((128,4),(16,1))",
        ),
        least: 2,
        most: 2,
        run: |arguments, span| {
            let tv = algebra::make_layout_tv(&arguments[0].layout()?, &arguments[1].layout()?);
            at(tv, span).map(Value::ThreadValue)
        },
    },
    Function {
        name: "slice",
        usage: "slice(L, coordinate)",
        summary: "the modes whose coordinate is _, and the offset of the others",
        example: ("slice((4,(2,8)):(1,(4,32)), (_,(1,2)))", "layout: (4):(1)\noffset: 68"),
        least: 2,
        most: 2,
        run: |arguments, span| {
            at(algebra::slice(&arguments[1].coord()?, &arguments[0].layout()?), span).map(Value::Slice)
        },
    },
    Function {
        name: "crd2idx",
        usage: "crd2idx(coordinate, L)",
        summary: "the offset of a coordinate",
        example: ("crd2idx((1,(1,2)), (4,(2,8)):(1,(4,32)))", "69"),
        least: 2,
        most: 2,
        run: |arguments, span| {
            at(algebra::crd2idx(&arguments[0].coord()?, &arguments[1].layout()?), span).map(Value::Number)
        },
    },
    Function {
        name: "idx2crd",
        usage: "idx2crd(i, shape or L)",
        summary: "the coordinate of an index",
        example: ("idx2crd(21, (4,(2,8)))", "(1,(1,2))"),
        least: 2,
        most: 2,
        run: idx2crd,
    },
    Function {
        name: "offset",
        usage: "offset(L, i)",
        summary: "the offset of an index; swizzled if L is swizzled",
        example: ("offset(S<1,0,1> o 0 o 4:1, 2)", "3"),
        least: 2,
        most: 2,
        run: |arguments, span| {
            let (memory, index) = (arguments[0].composed()?, arguments[1].number()?);
            let outside = || Problem::new(span, format!("index {index} is outside {}", memory.layout()));
            memory.offset(index).map(Value::Number).ok_or_else(outside)
        },
    },
    Function {
        name: "plain",
        usage: "plain(S o offset o L)",
        summary: "the ordinary layout of the same function, if there is one",
        example: ("plain(S<3,3,-3> o 0 o (4,4):(1,4))", "(8,2):(1,72)"),
        least: 1,
        most: 1,
        run: |arguments, span| {
            let composed: Composed = arguments[0].composed()?;
            let plain = at(composed.plain(1 << 20), span.clone())?;
            plain
                .map(Value::Layout)
                .ok_or_else(|| Problem::new(span, format!("no ordinary layout computes {composed}")))
        },
    },
    Function {
        name: "compose_swizzles",
        usage: "compose_swizzles(outer, inner, n)",
        summary: "the composition of two swizzles on [0,n)",
        example: ("compose_swizzles(S<1,3,3>, S<1,4,3>, 256)", "single: S<2,3,3>\nbasis: 1 2 4 8 16 32 72 144"),
        least: 3,
        most: 3,
        run: access::compose_swizzles,
    },
    Function {
        name: "vector_width",
        usage: "vector_width(L, bytes[, alignment])",
        summary: "the widest access proved for (threads, values) -> memory; the default alignment of the base is 16",
        example: ("vector_width(((32,4),(8,4)):((8,8192),(1,2048)), 2)", "elements: 8\nalignment: 16"),
        least: 2,
        most: 3,
        run: access::vector_width,
    },
    Function {
        name: "coalescing",
        usage: "coalescing(A, TV, bytes)",
        summary: "sectors of 32 bytes that the accesses A(TV(thread,value)) touch",
        example: (
            "coalescing((2,8):(17,1), ((8,2),1):((2,1),2), 4)",
            "vector: 1\nsectors: 3 (packed 2)\nfirst instruction: 3",
        ),
        least: 3,
        most: 3,
        run: access::coalescing,
    },
    Function {
        name: "banks",
        usage: "banks(memory, bytes, threads, vector)",
        summary: "the bank conflicts when each thread accesses a vector; draws before and after the swizzle",
        example: (
            "banks((32,32):(33,1), 4, 32:1, 1)",
            "S<0,4,3> o 0 o (32,32):(33,1): degree 1, phases 1 (without conflicts 1)",
        ),
        least: 4,
        most: 4,
        run: access::banks,
    },
    Function {
        name: "synthesize",
        usage: "synthesize(tile, bytes, threads, vector[, threads, vector, ...])",
        summary: "the swizzle or padding with the fewest bank phases for all accesses, with a certificate",
        example: (
            "synthesize((8,64):(64,1), 2, (8,4):(1,64), 8)",
            "bare: phases 32, degree 8, elements 512\n\
             swizzle: S<3,3,3> o 0 o (8,64):(64,1): phases 4, degree 1, elements 512\n  \
             all 141 of the family tried (S<B,M,S> with B <= 5 and B+M+|S| <= 9, the bits of the tile's offsets): \
             no arrangement of any kind needs fewer\n\
             padding: (8,64):(72,1): phases 4, degree 1, elements 568\n  \
             all 64 of the family tried (strides 64 to 127 of the slowest mode, one cycle of the banks): \
             no arrangement of any kind needs fewer\n\
             best: swizzle",
        ),
        least: 4,
        most: 64,
        run: access::synthesize,
    },
];

fn make_layout(arguments: &[Argument], span: Range<usize>) -> Result<Value, Problem> {
    let bare = |argument: &Argument| matches!(argument.value, Value::Number(_) | Value::Tuple(_));
    let layout = match arguments {
        [shape] if bare(shape) => Layout::column_major(&shape.shape()?),
        [shape, stride] if bare(shape) && bare(stride) => Layout::new(&shape.shape()?, &stride.shape()?),
        modes => Layout::tuple(modes.iter().map(Argument::layout).collect::<Result<_, _>>()?),
    };
    at(layout, span).map(Value::Layout)
}

fn idx2crd(arguments: &[Argument], span: Range<usize>) -> Result<Value, Problem> {
    let shape = match arguments[1].shape() {
        Ok(shape) => shape,
        Err(_) => arguments[1].layout()?.shape(),
    };
    fn value(nest: &algebra::Nest<Option<u64>>) -> Value {
        match nest {
            algebra::Nest::Leaf(digit) => digit.map_or(Value::Keep, Value::Number),
            algebra::Nest::Tuple(items) => Value::Tuple(items.iter().map(value).collect()),
        }
    }
    at(algebra::idx2crd(arguments[0].number()?, &shape), span).map(|coord| value(&coord.0))
}

#[cfg(test)]
mod tests {
    use super::FUNCTIONS;
    use crate::language::Session;

    #[test]
    fn every_help_example_has_its_documented_result() {
        for function in FUNCTIONS {
            let (call, expected) = function.example;
            let value = Session::default().run(call).map(|result| result.unwrap().1.to_string());
            assert_eq!(value.as_deref(), Ok(expected), "{call}");
        }
    }
}
