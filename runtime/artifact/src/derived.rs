//! Scalars that the runtime computes from the arguments of a launch: lengths, shapes, strides, and functions of them.
//!
//! ```text
//! expression := integer | name | function '(' argument, ... ')'
//! len(x) buffer_len(x)              length of buffer x, in lines
//! rank(x) shape(x, d) stride(x, d)  rank, shape and stride of buffer x, in elements
//! offset(x)                         address of the first byte of buffer x modulo 256
//! cubes(axis)                       requested number of cubes along axis 0, 1 or 2
//! add sub mul div rem ceildiv min max shl shr
//!                                   of two expressions, as unsigned 64-bit numbers with wrap-around
//! eq lt                             1 if the first expression is equal to, or less than, the second, otherwise 0
//! magic_mul(n) magic_shift(n)       multiplier and shift for a division of u32 by n
//! magic_mul64(n) magic_shift64(n)   multiplier and shift for a division of u64 by n
//! magic_factor(n) magic_addend(n) magic_log(n)
//!                                   factor, addend and shift of a multiply-add that divides u32 by n
//! magic_signed(n) magic_signed64(n) multiplier for a division of i32 or i64 by n
//! ```
//!
//! As in the kernel language, division by 0 gives the dividend, a remainder by 0 is 0, and shift amounts are modulo 64.
//!
//! `derived/magic.rs` has the magic numbers.
mod magic;
mod steps;

pub use magic::{fused_magic, magic, signed_magic};
use std::fmt;
pub use steps::{NumberedArguments, Steps};

/// An expression over the arguments of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Derived {
    /// A number.
    Number(u64),
    /// An integer scalar argument, by name.
    Scalar(String),
    /// A property of a buffer argument: the property, the buffer's name, and the dimension (for shapes and
    /// strides).
    Of(Property, String, u32),
    /// The number of cubes that the launch requests along an axis, before
    /// [`Artifact::cube_count`](crate::Artifact::cube_count) changes it.
    Cubes(u32),
    /// A function of two numbers.
    Binary(Function, Box<Derived>, Box<Derived>),
    /// A magic number for the division by a value.
    Magic(Magic, Box<Derived>),
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$case_doc:meta])* $case:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$case_doc])* $case),* }

        impl $name {
            /// All cases.
            pub const ALL: &'static [$name] = &[$($name::$case),*];

            /// The name of the property or function in expressions.
            pub fn word(self) -> &'static str {
                match self { $($name::$case => $word),* }
            }
        }
    };
}

words! {
    /// A property of a buffer.
    Property {
        /// Number of lines that the host declares for the buffer.
        Len = "len",
        /// Number of lines in the buffer's memory.
        BufferLen = "buffer_len",
        /// Number of dimensions.
        Rank = "rank",
        /// Number of elements along a dimension; 0 if the dimension does not exist.
        Shape = "shape",
        /// Distance in elements between neighbours along a dimension; 0 if the dimension does not exist.
        Stride = "stride",
        /// Distance in bytes of the buffer's first byte from the previous multiple of 256, 0 to 255.
        Offset = "offset",
    }
}

words! {
    /// A function of two numbers.
    #[allow(missing_docs)]
    Function {
        Add = "add", Sub = "sub", Mul = "mul", Div = "div", Rem = "rem", CeilDiv = "ceildiv", Min = "min", Max = "max",
        Shl = "shl", Shr = "shr", Eq = "eq", Lt = "lt",
    }
}

words! {
    /// A magic number that replaces a division.
    Magic {
        /// The multiplier.
        Mul = "magic_mul",
        /// The shift for u32, 0 to 32.
        Shift = "magic_shift",
        /// The multiplier for the division of u64.
        Mul64 = "magic_mul64",
        /// The shift for the division of u64, 0 to 64.
        Shift64 = "magic_shift64",
        /// The factor of the multiply-add that divides u32.
        Factor = "magic_factor",
        /// The addend of the multiply-add that divides u32.
        Addend = "magic_addend",
        /// The shift of the multiply-add that divides u32, 0 to 31.
        Log = "magic_log",
        /// The multiplier for the division of i32.
        Signed = "magic_signed",
        /// The multiplier for the division of i64.
        Signed64 = "magic_signed64",
    }
}

/// The properties of a launch that expressions can read.
pub trait Arguments {
    /// The value of a scalar argument, sign- or zero-extended according to its type; `None` for other names
    /// and types.
    fn scalar(&self, name: &str) -> Option<u64>;

    /// A property of a buffer argument; `None` if no buffer has this name.
    fn of(&self, property: Property, name: &str, dimension: u32) -> Option<u64>;

    /// The number of cubes that the launch requests along an axis; `None` for an axis above 2.
    fn cubes(&self, axis: u32) -> Option<u64>;
}

/// The name of the function `cubes` in the text of expressions.
const CUBES: &str = "cubes";

/// Maximum nesting depth of function calls in an expression.
const MAX_DEPTH: u32 = 32;

impl Derived {
    /// Parses an expression.
    ///
    /// # Errors
    /// The error is a message with the byte offset of the invalid text.
    pub fn parse(text: &str) -> Result<Derived, String> {
        let mut parser = Parser { text, at: 0 };
        let expression = parser.expression(MAX_DEPTH)?;
        parser.space();
        if parser.at < text.len() {
            return Err(parser.wrong("the end"));
        }
        Ok(expression)
    }

    /// The value of the expression for a launch.
    ///
    /// # Errors
    /// The error is the first name in the expression that the launch does not define.
    pub fn evaluate(&self, arguments: &dyn Arguments) -> Result<u64, String> {
        match self {
            Derived::Number(n) => Ok(*n),
            Derived::Scalar(name) => arguments.scalar(name).ok_or_else(|| unknown_scalar(name)),
            Derived::Of(property, name, dimension) => {
                arguments.of(*property, name, *dimension).ok_or_else(|| unknown_buffer(name, *property))
            }
            Derived::Cubes(axis) => arguments.cubes(*axis).ok_or_else(|| unknown_axis(*axis)),
            Derived::Binary(function, x, y) => Ok(function.apply(x.evaluate(arguments)?, y.evaluate(arguments)?)),
            Derived::Magic(which, n) => Ok(which.of(n.evaluate(arguments)?)),
        }
    }

    /// The names of the buffers and scalars that the expression reads.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Derived::Number(_) | Derived::Cubes(_) => vec![],
            Derived::Scalar(name) | Derived::Of(_, name, _) => vec![name],
            Derived::Binary(_, x, y) => [x.names(), y.names()].concat(),
            Derived::Magic(_, n) => n.names(),
        }
    }
}

impl Magic {
    // The number for a division by `n`.
    fn of(self, n: u64) -> u64 {
        match self {
            Magic::Mul => magic(n & u64::from(u32::MAX), 32).0,
            Magic::Shift => magic(n & u64::from(u32::MAX), 32).1,
            Magic::Mul64 => magic(n, 64).0,
            Magic::Shift64 => magic(n, 64).1,
            Magic::Factor => fused_magic(n as u32)[0],
            Magic::Addend => fused_magic(n as u32)[1],
            Magic::Log => fused_magic(n as u32)[2],
            Magic::Signed => signed_magic(i64::from(n as i32), 32),
            Magic::Signed64 => signed_magic(n as i64, 64),
        }
    }
}

fn unknown_axis(axis: u32) -> String {
    format!("a launch has no axis {axis}")
}

fn unknown_scalar(name: &str) -> String {
    format!("no integer scalar has the name '{name}'")
}

fn unknown_buffer(name: &str, property: Property) -> String {
    format!("no buffer has the name '{name}' for {}", property.word())
}

impl Function {
    fn apply(self, x: u64, y: u64) -> u64 {
        match self {
            Function::Add => x.wrapping_add(y),
            Function::Sub => x.wrapping_sub(y),
            Function::Mul => x.wrapping_mul(y),
            Function::Div => x.checked_div(y).unwrap_or(x),
            Function::Rem => x.checked_rem(y).unwrap_or(0),
            Function::CeilDiv if y == 0 => x,
            Function::CeilDiv => x.div_ceil(y),
            Function::Min => x.min(y),
            Function::Max => x.max(y),
            Function::Shl => x << (y % 64),
            Function::Shr => x >> (y % 64),
            Function::Eq => u64::from(x == y),
            Function::Lt => u64::from(x < y),
        }
    }
}

impl fmt::Display for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Derived::Number(n) => write!(f, "{n}"),
            Derived::Scalar(name) => f.write_str(name),
            Derived::Of(p @ (Property::Shape | Property::Stride), name, d) => write!(f, "{}({name}, {d})", p.word()),
            Derived::Cubes(axis) => write!(f, "{CUBES}({axis})"),
            Derived::Of(p, name, _) => write!(f, "{}({name})", p.word()),
            Derived::Binary(function, x, y) => write!(f, "{}({x}, {y})", function.word()),
            Derived::Magic(which, n) => write!(f, "{}({n})", which.word()),
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn wrong(&self, expected: &str) -> String {
        let found = self.text[self.at..].chars().next().map_or("the end".to_string(), |c| format!("'{c}'"));
        format!("expected {expected} at byte {}, found {found}", self.at)
    }

    fn word(&mut self) -> &'t str {
        self.space();
        let rest = &self.text[self.at..];
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn mark(&mut self, mark: char) -> Result<(), String> {
        self.space();
        if !self.text[self.at..].starts_with(mark) {
            return Err(self.wrong(&format!("'{mark}'")));
        }
        self.at += mark.len_utf8();
        Ok(())
    }

    fn number(&mut self) -> Result<u64, String> {
        let start = self.at;
        self.word().parse().map_err(|_| format!("expected a number at byte {start}"))
    }

    fn expression(&mut self, depth: u32) -> Result<Derived, String> {
        let deeper = depth.checked_sub(1).ok_or_else(|| format!("it nests more than {MAX_DEPTH} calls"))?;
        self.space();
        let start = self.at;
        let word = self.word();
        if word.is_empty() {
            return Err(self.wrong("a number, a name or a function"));
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            self.at = start;
            return self.number().map(Derived::Number);
        }
        self.space();
        if !self.text[self.at..].starts_with('(') {
            return Ok(Derived::Scalar(word.into()));
        }
        self.mark('(')?;
        let found = self.call(word, start, deeper)?;
        self.mark(')')?;
        Ok(found)
    }

    fn call(&mut self, word: &str, start: usize, deeper: u32) -> Result<Derived, String> {
        if let Some(property) = Property::ALL.iter().find(|p| p.word() == word) {
            let name = self.word().to_string();
            let mut dimension = 0;
            if matches!(property, Property::Shape | Property::Stride) {
                self.mark(',')?;
                self.space();
                dimension = self.number()?.min(u64::from(u32::MAX)) as u32;
            }
            return Ok(Derived::Of(*property, name, dimension));
        }
        if word == CUBES {
            self.space();
            return Ok(Derived::Cubes(self.number()?.min(u64::from(u32::MAX)) as u32));
        }
        if let Some(which) = Magic::ALL.iter().find(|m| m.word() == word) {
            return Ok(Derived::Magic(*which, Box::new(self.expression(deeper)?)));
        }
        let known = || {
            let words = Property::ALL.iter().map(|p| p.word()).chain(Function::ALL.iter().map(|f| f.word()));
            words.chain(Magic::ALL.iter().map(|m| m.word())).chain([CUBES]).collect::<Vec<_>>().join(", ")
        };
        let function = Function::ALL.iter().find(|f| f.word() == word);
        let function =
            *function.ok_or_else(|| format!("no function '{word}' at byte {start}; known are {}", known()))?;
        let x = self.expression(deeper)?;
        self.mark(',')?;
        Ok(Derived::Binary(function, Box::new(x), Box::new(self.expression(deeper)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Launch;

    impl Arguments for Launch {
        fn scalar(&self, name: &str) -> Option<u64> {
            (name == "n").then_some(7)
        }

        fn of(&self, property: Property, name: &str, dimension: u32) -> Option<u64> {
            (name == "x").then_some(match property {
                Property::Len => 100,
                Property::BufferLen => 128,
                Property::Rank => 2,
                Property::Shape => [10, 40].get(dimension as usize).copied().unwrap_or(0),
                Property::Stride => [40, 1].get(dimension as usize).copied().unwrap_or(0),
                Property::Offset => 20,
            })
        }

        fn cubes(&self, axis: u32) -> Option<u64> {
            [9, 1, 1].get(axis as usize).copied()
        }
    }

    #[test]
    fn expressions_have_the_documented_values() {
        for (text, value) in [
            ("12", 12),
            ("n", 7),
            ("len(x)", 100),
            (" buffer_len( x )", 128),
            ("rank(x)", 2),
            ("shape(x, 1)", 40),
            ("shape(x, 2)", 0),
            ("stride(x,0)", 40),
            ("ceildiv(len(x), n)", 15),
            ("add(mul(n, 3), sub(n, 10))", 18),
            ("div(n, 0)", 7),
            ("rem(n, 0)", 0),
            ("min(n, max(3, 4))", 4),
            ("shr(shl(n, 66), 1)", 14),
            ("rem(offset(x), 16)", 4),
            ("ceildiv(cubes(0), 4)", 3),
            ("cubes( 2 )", 1),
            ("eq(n, 7)", 1),
            ("eq(n, 8)", 0),
            ("lt(n, 7)", 0),
            ("lt(sub(0, 1), 7)", 0),
            ("lt(6, n)", 1),
        ] {
            let parsed = Derived::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(parsed.evaluate(&Launch), Ok(value), "{text}");
            assert_eq!(Derived::parse(&parsed.to_string()), Ok(parsed));
        }
    }

    #[test]
    fn invalid_expressions_are_located() {
        for (text, message) in [
            ("", "expected a number, a name or a function at byte 0, found the end"),
            ("len(x", "expected ')' at byte 5, found the end"),
            ("len(x))", "expected the end at byte 6, found ')'"),
            ("add(1)", "expected ',' at byte 5, found ')'"),
            ("shape(x, y)", "expected a number at byte 9"),
            ("1x", "expected a number at byte 0"),
            ("cubes(n)", "expected a number at byte 6"),
        ] {
            assert_eq!(Derived::parse(text), Err(message.to_string()), "{text}");
        }
        assert!(Derived::parse("sqrt(2)").unwrap_err().starts_with("no function 'sqrt' at byte 0; known are len, "));
        let deep = format!("{}1{}", "magic_mul(".repeat(100), ")".repeat(100));
        assert_eq!(Derived::parse(&deep).unwrap_err(), "it nests more than 32 calls");
        assert_eq!(Derived::parse("y").unwrap().evaluate(&Launch).unwrap_err(), "no integer scalar has the name 'y'");
        assert_eq!(Derived::parse("cubes(3)").unwrap().evaluate(&Launch).unwrap_err(), "a launch has no axis 3");
    }
}
