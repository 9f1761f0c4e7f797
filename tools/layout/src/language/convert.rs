//! Converts values to operands of the layout algebra.

use super::Problem;
use super::value::Value;
use cube_algebra::{Composed, Coord, Layout, Nest, Swizzle, Tiler};
use std::ops::Range;

/// One argument of a function call.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) value: Value,
    pub(super) span: Range<usize>,
}

impl Argument {
    fn wrong(&self, expected: &str) -> Problem {
        Problem::new(self.span.clone(), format!("expected {expected}, found {}", self.value.kind()))
    }

    pub(super) fn number(&self) -> Result<u64, Problem> {
        match self.value {
            Value::Number(number) => Ok(number),
            _ => Err(self.wrong("a number")),
        }
    }

    /// A layout. A number `n` is converted to `n:1`, and a value that contains a layout is converted to this
    /// layout.
    pub(super) fn layout(&self) -> Result<Layout, Problem> {
        match &self.value {
            Value::Layout(layout) => Ok(layout.clone()),
            Value::ThreadValue(tv) => Ok(tv.layout.clone()),
            Value::Slice(slice) => Ok(slice.layout.clone()),
            Value::Number(number) => {
                Layout::leaf(*number, 1).map_err(|error| Problem::from_algebra(error, self.span.clone()))
            }
            Value::Tuple(_) => Err(Problem {
                notes: vec!["write shape:stride, or make_layout(shape) for a compact layout".into()],
                ..self.wrong("a layout")
            }),
            _ => Err(self.wrong("a layout")),
        }
    }

    pub(super) fn swizzle(&self) -> Result<Swizzle, Problem> {
        match self.value {
            Value::Swizzle(swizzle) => Ok(swizzle),
            _ => Err(self.wrong("a swizzle such as S<3,4,3>")),
        }
    }

    /// A composed layout. An ordinary layout is converted by a composition with the identity swizzle.
    pub(super) fn composed(&self) -> Result<Composed, Problem> {
        match &self.value {
            Value::Composed(composed) => Ok(composed.clone()),
            _ => Composed::new(Swizzle::identity(), 0, self.layout()?)
                .map_err(|error| Problem::from_algebra(error, self.span.clone())),
        }
    }

    pub(super) fn tiler(&self) -> Result<Tiler, Problem> {
        self.tiler_of(&self.value)
    }

    fn tiler_of(&self, value: &Value) -> Result<Tiler, Problem> {
        match value {
            Value::Keep => Ok(Tiler::Keep),
            Value::Tuple(items) | Value::ByMode(items) => {
                Ok(Tiler::ByMode(items.iter().map(|item| self.tiler_of(item)).collect::<Result<_, _>>()?))
            }
            other => Argument { value: other.clone(), span: self.span.clone() }.layout().map(Tiler::Layout),
        }
    }

    pub(super) fn shape(&self) -> Result<Nest<u64>, Problem> {
        self.nest(&self.value, &|value| match value {
            Value::Number(number) => Some(*number),
            _ => None,
        })
    }

    pub(super) fn coord(&self) -> Result<Coord, Problem> {
        self.nest(&self.value, &|value| match value {
            Value::Number(number) => Some(Some(*number)),
            Value::Keep => Some(None),
            _ => None,
        })
        .map(Coord)
    }

    fn nest<T>(&self, value: &Value, leaf: &impl Fn(&Value) -> Option<T>) -> Result<Nest<T>, Problem> {
        match value {
            Value::Tuple(items) => {
                Ok(Nest::Tuple(items.iter().map(|item| self.nest(item, leaf)).collect::<Result<_, _>>()?))
            }
            other => leaf(other).map(Nest::Leaf).ok_or_else(|| {
                Problem::new(self.span.clone(), format!("expected a tuple of numbers, found {}", other.kind()))
            }),
        }
    }
}
