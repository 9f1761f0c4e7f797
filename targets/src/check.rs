//! Checks that the fields of a target description are consistent.
use crate::generic::{INDEX_BITS, PLANE_WIDTHS};
use crate::{
    Class, Element, IntegerFunction, MathAccuracy, MathFunction, PlaneOperation, SpaceKind, Support, Target, VERSION,
};
use std::collections::BTreeSet;

/// The reason why a target description is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction(pub String);

impl std::fmt::Display for Contradiction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Contradiction {}

impl Target {
    /// Checks that the fields of the description are consistent.
    ///
    /// # Errors
    /// The error names the first violated rule and the values of the fields.
    pub fn check(&self) -> Result<(), Contradiction> {
        let broken = |text: String| Err(Contradiction(text));
        if self.version != VERSION {
            return broken(format!("version {} is not {VERSION}", self.version));
        }
        if self.backend.is_empty() || self.chip.is_empty() {
            return broken("backend and chip need names".into());
        }
        self.check_planes()?;
        self.check_memory()?;
        self.check_units()?;
        let limits = &self.limits;
        if limits.cube_dim.contains(&0) || limits.cube_count.contains(&0) || limits.units_per_cube == 0 {
            return broken("limits start at 1".into());
        }
        if let Some(most) = limits.cube_dim.iter().find(|most| **most > limits.units_per_cube) {
            return broken(format!("cube_dim allows {most}, units_per_cube only {}", limits.units_per_cube));
        }
        Ok(())
    }

    fn check_planes(&self) -> Result<(), Contradiction> {
        let (planes, broken) = (&self.planes, |text: String| Err(Contradiction(text)));
        let Some(widest) = planes.widths.last().copied() else { return broken("planes.widths is empty".into()) };
        if let Some(width) = planes.widths.iter().find(|width| !width.is_power_of_two()) {
            return broken(format!("planes.widths has {width}, which is not a power of two"));
        }
        if let Some(width) = planes.widths.iter().find(|width| !PLANE_WIDTHS.contains(width)) {
            let most = PLANE_WIDTHS[PLANE_WIDTHS.len() - 1];
            return broken(format!("planes.widths has {width}, and a plane has {most} lanes at most"));
        }
        if self.index_bits > INDEX_BITS {
            return broken(format!("index_bits {} is more than {INDEX_BITS}", self.index_bits));
        }
        if planes.widths.windows(2).any(|pair| pair[0] >= pair[1]) {
            return broken(format!("planes.widths {:?} is not in ascending order", planes.widths));
        }
        if !planes.widths.contains(&planes.width) {
            return broken(format!("planes.width {} is not one of planes.widths {:?}", planes.width, planes.widths));
        }
        if planes.mask_bits < widest || !planes.mask_bits.is_multiple_of(32) {
            return broken(format!("planes.mask_bits {} has no bit for each of {widest} lanes", planes.mask_bits));
        }
        let twice = repeated(planes.operations.iter().copied());
        if let Some(operation) = twice {
            return broken(format!("planes.operations lists {operation:?} twice"));
        }
        let has = |operation| planes.operations.contains(&operation);
        if has(PlaneOperation::Scan) && !has(PlaneOperation::Shuffle) {
            return broken("planes.operations has scan without shuffle, but a scan consists of shuffles".into());
        }
        Ok(())
    }

    fn check_units(&self) -> Result<(), Contradiction> {
        let broken = |text: String| Err(Contradiction(text));
        self.check_functions()?;
        for matrix in &self.matrices {
            if [matrix.m, matrix.n, matrix.k].contains(&0) {
                return broken(format!("matrices has a size of 0 in {matrix:?}"));
            }
            if self.planes.widths.iter().all(|width| *width == 1) {
                return broken(format!("matrices has {matrix:?}, which a plane computes, and planes have one lane"));
            }
            // The factors of a matrix product can have storage types. The type of the sums must support arithmetic.
            if self.arithmetic(matrix.a).is_none() || self.arithmetic(matrix.b).is_none() {
                return broken(format!("matrices multiplies elements that elements does not list: {matrix:?}"));
            }
            if matches!(self.arithmetic(matrix.c), None | Some(Support::Storage)) {
                return broken(format!("matrices adds {}, which elements does not compute with", matrix.c.ir()));
            }
        }
        if let Some(matrix) = repeated(self.matrices.iter().copied()) {
            return broken(format!("matrices lists {matrix:?} twice"));
        }
        if !self.copies.is_empty() && self.space(SpaceKind::Shared).is_some_and(|shared| shared.bytes == Some(0)) {
            return broken("copies go to shared memory, which has no bytes".into());
        }
        if let Some(engine) = repeated(self.copies.iter().copied()) {
            return broken(format!("copies lists {engine:?} twice"));
        }
        if let Some(capability) = repeated(self.capabilities.iter()) {
            return broken(format!("capabilities lists {capability} twice"));
        }
        Ok(())
    }

    // Checks that each listed function is for an element with arithmetic, of the right class.
    fn check_functions(&self) -> Result<(), Contradiction> {
        let broken = |text: String| Err(Contradiction(text));
        let computes = |element: Element| matches!(self.arithmetic(element), Some(Support::Native | Support::Emulated));
        for element in self.math.values().flat_map(|forms| forms.keys()) {
            if element.class() != Class::Float || !computes(*element) {
                return broken(format!(
                    "math lists a function of {}, which is not a float to compute with",
                    element.ir()
                ));
            }
        }
        let native = |(element, support): (&Element, &Support)| (*support == Support::Native).then_some(*element);
        let floats = self.elements.iter().filter_map(native).filter(|element| element.class() == Class::Float);
        for element in floats {
            let accuracy = self.math_accuracy(MathFunction::Div, element);
            if accuracy.and_then(MathAccuracy::units).is_none() {
                return broken(format!("math has no error bound for div of {}, which is a native type", element.ir()));
            }
        }
        let below_64 = |element: &Element| element.class() == Class::Int && (8..64).contains(&element.bits());
        for element in self.elements.iter().filter_map(native).filter(below_64) {
            if !self.has_integer(IntegerFunction::Division, element) {
                return broken(format!("integers has no Division of {}, which is a native type", element.ir()));
            }
        }
        for (function, elements) in &self.integers {
            if let Some(element) = elements.iter().find(|e| e.class() == Class::Float || !computes(**e)) {
                let name = element.ir();
                return broken(format!(
                    "integers lists {function:?} of {name}, which is not an integer to compute with"
                ));
            }
            if repeated(elements.iter().copied()).is_some() {
                return broken(format!("integers lists an element of {function:?} twice"));
            }
        }
        for (from, to) in self.conversions.iter().flat_map(|(from, all)| all.iter().map(move |to| (*from, *to))) {
            // A chip can convert 8-bit floats although it does not support arithmetic on them.
            let known = |e: Element| computes(e) || self.arithmetic(e).is_some() && e.holder() == Some(Element::I8);
            if !known(from) || to.class() != Class::Float || !known(to) {
                return broken(format!("conversions lists {} to {}, one of which is unsupported", from.ir(), to.ir()));
            }
        }
        let estimates =
            [("costs", &self.estimated_costs, &self.costs), ("latencies", &self.estimated_latencies, &self.latencies)];
        for (name, estimated, all) in estimates {
            if let Some(class) = estimated.iter().find(|class| !all.contains_key(class)) {
                return broken(format!("estimated_{name} lists {class:?}, which {name} does not"));
            }
            if let Some(class) = repeated(estimated.iter().copied()) {
                return broken(format!("estimated_{name} lists {class:?} twice"));
            }
        }
        if self.resident_planes == Some(0) || self.registers == Some(0) {
            return broken("resident_planes and registers must be at least 1".into());
        }
        match self.costs.iter().find(|(_, cost)| **cost == 0) {
            Some((class, _)) => broken(format!("costs has the cost 0 for {class:?}")),
            None => Ok(()),
        }
    }

    fn check_memory(&self) -> Result<(), Contradiction> {
        let broken = |text: String| Err(Contradiction(text));
        for (element, operations) in self.atomics.iter().chain(self.shared_atomics.iter().flatten()) {
            if matches!(self.arithmetic(*element), None | Some(Support::Storage)) {
                return broken(format!("atomics lists {}, which elements does not compute with", element.ir()));
            }
            if let Some(operation) = repeated(operations.iter().copied()) {
                return broken(format!("atomics lists {operation:?} of {} twice", element.ir()));
            }
        }
        for kind in SpaceKind::ALL {
            if self.space(kind).is_none() {
                return broken(format!("spaces has no {kind:?} space"));
            }
        }
        for (kind, space) in &self.spaces {
            if space.bytes.is_some_and(|all| space.static_bytes.is_some_and(|part| part > all)) {
                return broken(format!("the {kind:?} space reserves more bytes than it has"));
            }
            if ![32, 64].contains(&space.address_bits) {
                return broken(format!("addresses of the {kind:?} space have {} bits", space.address_bits));
            }
        }
        if !self.access_bits.is_power_of_two() || !(8..=4096).contains(&self.access_bits) {
            return broken(format!("access_bits {} is not a power of two from 8 to 4096", self.access_bits));
        }
        if ![32, 64].contains(&self.index_bits) {
            return broken(format!("index_bits {} is neither 32 nor 64", self.index_bits));
        }
        Ok(())
    }
}

fn repeated<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut seen = BTreeSet::new();
    values.into_iter().find(|value| !seen.insert(*value))
}
