//! Expressions of one kernel as a list of steps. Equal parts of the expressions are one step, so that a launch computes each
//! part once and looks up no names.
use super::{Derived, Function, Magic, Property};
use std::collections::HashMap;

/// One step: a value of the launch, or a function of earlier steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Number(u64),
    Scalar(u32),
    Of(Property, u32, u32),
    Cubes(u32),
    Binary(Function, u32, u32),
    Magic(Magic, u32),
}

/// The properties of a launch that steps read. Arguments have numbers instead of names.
pub trait NumberedArguments {
    /// The value of a scalar argument, extended as in [`super::Arguments::scalar`]; `None` for a float.
    fn scalar(&self, argument: u32) -> Option<u64>;

    /// A property of a buffer argument; `None` for a scalar.
    fn of(&self, property: Property, argument: u32, dimension: u32) -> Option<u64>;

    /// The number of cubes that the launch requests along an axis, 0 to 2.
    fn cubes(&self, axis: u32) -> u64;
}

/// The steps of several expressions.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    steps: Vec<Step>,
    positions: HashMap<Step, u32>,
}

impl Steps {
    /// Adds the steps of an expression. `number` returns the number of the argument with a name. The result is the position of
    /// the expression's value in the values that [`Steps::evaluate`] computes.
    ///
    /// # Errors
    /// The error is the first name that no argument has, or an axis above 2.
    pub fn add(&mut self, expression: &Derived, number: &dyn Fn(&str) -> Option<u32>) -> Result<u32, String> {
        let step = match expression {
            Derived::Number(n) => Step::Number(*n),
            Derived::Scalar(name) => Step::Scalar(number(name).ok_or_else(|| super::unknown_scalar(name))?),
            Derived::Of(property, name, dimension) => {
                Step::Of(*property, number(name).ok_or_else(|| super::unknown_buffer(name, *property))?, *dimension)
            }
            Derived::Cubes(axis) if *axis > 2 => return Err(super::unknown_axis(*axis)),
            Derived::Cubes(axis) => Step::Cubes(*axis),
            Derived::Binary(function, x, y) => {
                let (x, y) = (self.add(x, number)?, self.add(y, number)?);
                match (self.steps[x as usize], self.steps[y as usize]) {
                    (Step::Number(x), Step::Number(y)) => Step::Number(function.apply(x, y)),
                    _ => Step::Binary(*function, x, y),
                }
            }
            Derived::Magic(which, n) => Step::Magic(*which, self.add(n, number)?),
        };
        Ok(*self.positions.entry(step).or_insert_with(|| {
            self.steps.push(step);
            (self.steps.len() - 1) as u32
        }))
    }

    /// Whether a step reads the value of a scalar argument.
    pub fn reads_scalar(&self, argument: u32) -> bool {
        self.positions.contains_key(&Step::Scalar(argument))
    }

    /// Computes the values of all steps for a launch, and replaces the contents of `values` by them.
    ///
    /// # Errors
    /// The error is the number of the first argument that is not of the kind that a step reads.
    pub fn evaluate(&self, arguments: &impl NumberedArguments, values: &mut Vec<u64>) -> Result<(), u32> {
        values.clear();
        for step in &self.steps {
            let value = match *step {
                Step::Number(n) => n,
                Step::Scalar(argument) => arguments.scalar(argument).ok_or(argument)?,
                Step::Of(property, argument, dimension) => {
                    arguments.of(property, argument, dimension).ok_or(argument)?
                }
                Step::Cubes(axis) => arguments.cubes(axis),
                Step::Binary(function, x, y) => function.apply(values[x as usize], values[y as usize]),
                Step::Magic(which, n) => which.of(values[n as usize]),
            };
            values.push(value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Launch;

    impl NumberedArguments for Launch {
        fn scalar(&self, argument: u32) -> Option<u64> {
            (argument == 0).then_some(7)
        }

        fn of(&self, property: Property, argument: u32, dimension: u32) -> Option<u64> {
            (argument == 1).then_some(property as u64 + 100 * u64::from(dimension))
        }

        fn cubes(&self, axis: u32) -> u64 {
            [9, 1, 1][axis as usize]
        }
    }

    /// The same launch, by names.
    struct Names;

    impl super::super::Arguments for Names {
        fn scalar(&self, name: &str) -> Option<u64> {
            Launch.scalar(number(name)?)
        }

        fn of(&self, property: Property, name: &str, dimension: u32) -> Option<u64> {
            Launch.of(property, number(name)?, dimension)
        }

        fn cubes(&self, axis: u32) -> Option<u64> {
            Some(Launch.cubes(axis))
        }
    }

    fn number(name: &str) -> Option<u32> {
        ["n", "x"].iter().position(|known| *known == name).map(|number| number as u32)
    }

    fn added(steps: &mut Steps, text: &str) -> Result<u32, String> {
        steps.add(&Derived::parse(text).unwrap(), &number)
    }

    #[test]
    fn steps_have_the_values_of_the_expressions() {
        let (mut steps, mut values) = (Steps::default(), vec![1]);
        let mut texts: Vec<String> = Vec::new();
        for leaf in
            ["12", "n", "len(x)", "buffer_len(x)", "rank(x)", "shape(x, 1)", "stride(x, 2)", "offset(x)", "cubes(0)"]
        {
            texts.extend(Function::ALL.iter().map(|f| format!("{}({leaf}, add(n, {leaf}))", f.word())));
            texts.extend(Magic::ALL.iter().map(|magic| format!("{}({leaf})", magic.word())));
        }
        let positions: Vec<u32> = texts.iter().map(|text| added(&mut steps, text).unwrap()).collect();
        assert_eq!(steps.evaluate(&Launch, &mut values), Ok(()));
        for (text, position) in texts.iter().zip(positions) {
            assert_eq!(Ok(values[position as usize]), Derived::parse(text).unwrap().evaluate(&Names), "{text}");
        }
    }

    #[test]
    fn equal_parts_are_one_step() {
        let mut steps = Steps::default();
        let [one, two] = ["add(mul(n, 3), mul(n, 3))", "mul(n, 3)"].map(|text| added(&mut steps, text).unwrap());
        assert_eq!((one, two, steps.steps.len()), (3, 2, 4));
        assert_eq!(added(&mut steps, "add(2, mul(3, 4))"), Ok(7));
        assert_eq!(steps.steps[7], Step::Number(14));
    }

    #[test]
    fn a_scalar_is_read_if_a_step_has_its_value() {
        let mut steps = Steps::default();
        added(&mut steps, "add(len(x), cubes(1))").unwrap();
        assert!(!steps.reads_scalar(0));
        added(&mut steps, "add(len(x), n)").unwrap();
        assert_eq!([0, 1].map(|argument| steps.reads_scalar(argument)), [true, false]);
    }

    #[test]
    fn unknown_names_and_other_kinds_are_errors() {
        let (mut steps, mut values) = (Steps::default(), vec![]);
        assert_eq!(added(&mut steps, "add(n, y)"), Err("no integer scalar has the name 'y'".into()));
        assert_eq!(added(&mut steps, "len(y)"), Err("no buffer has the name 'y' for len".into()));
        added(&mut steps, "len(n)").unwrap();
        assert_eq!(steps.evaluate(&Launch, &mut values), Err(0));
        assert_eq!(added(&mut steps, "cubes(3)"), Err("a launch has no axis 3".into()));
    }
}
