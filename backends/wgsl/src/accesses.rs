//! Loads and stores.
use crate::memory::{Array, ElementStorage};
use crate::scalar::{as_word, word};
use crate::state::Wgsl;
use cube_ir::access::{AccessKind, access_of};
use cube_ir::{Op, TypeExt};
use cube_structured::{Writer, Written};

impl Wgsl {
    /// Writes a load or store.
    ///
    /// # Errors
    /// The accessed memory is neither an argument nor an allocation.
    pub(crate) fn accessed<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
        let access = access_of(op).filter(|access| access.mask.is_none() && access.offsets.is_none());
        let known = access.and_then(|access| Some((self.array(access.buffer)?, access.index()?, access)));
        let Some((array, index, access)) = known else {
            return Err(w.refuse(op, "its buffer is not known"));
        };
        let mut index = w.scalar(op, index)?;
        if array.layout.shift != 0 {
            let of_vector = w.fresh('v');
            w.line(format_args!("let {of_vector} = {index} >> {}u;", array.layout.shift));
            index = of_vector;
        }
        match (access.kind, access.value) {
            (AccessKind::Load, _) => self.loaded(w, op, array, &index),
            (AccessKind::Store, Some(value)) => {
                let lanes = w.names(op, value)?;
                stored(w, array, &index, &lanes);
                Ok(())
            }
            _ => Err(w.refuse(op, "it is neither a load nor a store")),
        }
    }

    fn loaded<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>, array: &Array, index: &str) -> Written {
        let result = op.result(0);
        let count = result.ty().element_count();
        let name = &array.name;
        if array.layout.lanes == 1 {
            let load = |lane: u64| match array.form {
                ElementStorage::Plain => format!("{name}[{}]", array.element_index(index, lane)),
                ElementStorage::Atomic { .. } => {
                    array.word(&format!("atomicLoad(&{name}[{}])", array.element_index(index, lane)))
                }
                ElementStorage::Bytes { atomic } => byte(array, atomic, &array.element_index(index, lane)),
            };
            return w.define(op, result, (0..count).map(load).collect());
        }
        let mut names = Vec::new();
        for lane in (0..count).step_by(array.layout.lanes as usize) {
            let vector = w.fresh('v');
            w.line(format_args!("let {vector} = {name}[{}];", array.element_index(index, lane)));
            names.extend(COMPONENTS.iter().take(array.layout.lanes as usize).map(|part| format!("{vector}.{part}")));
        }
        w.name(result, names);
        Ok(())
    }
}

/// The names of a vector's components.
pub(crate) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

// The byte at an index, as bits of a word.
fn byte(array: &Array, atomic: bool, element_index: &str) -> String {
    let (element, shift) = byte_in_word(element_index);
    let word = format!("{}[{element}]", array.name);
    let word = if atomic { format!("atomicLoad(&{word})") } else { word };
    format!("extractBits({word}, {shift}, 8u)")
}

fn byte_in_word(element_index: &str) -> (String, String) {
    match as_word(element_index) {
        Some(element_index) => (word(element_index / 4), word(element_index % 4 * 8)),
        None => (format!("({element_index}) / 4u"), format!("(({element_index}) & 3u) * 8u")),
    }
}

fn stored(w: &mut Writer<'_, '_>, array: &Array, index: &str, values: &[String]) {
    let name = &array.name;
    for (lane, values) in (0..).step_by(array.layout.lanes as usize).zip(values.chunks(array.layout.lanes as usize)) {
        let element_index = array.element_index(index, lane);
        match (array.form, values) {
            (ElementStorage::Atomic { .. }, [value]) => {
                w.line(format_args!("atomicStore(&{name}[{element_index}], {});", array.number(value)));
            }
            (ElementStorage::Bytes { .. }, [value]) => {
                let (element, shift) = byte_in_word(&element_index);
                let at = w.fresh('v');
                w.line(format_args!("let {at} = {shift};"));
                w.line(format_args!("atomicAnd(&{name}[{element}], ~(0xffu << {at}));"));
                w.line(format_args!("atomicOr(&{name}[{element}], {value} << {at});"));
            }
            (_, [value]) => w.line(format_args!("{name}[{element_index}] = {value};")),
            (_, values) => {
                let ty = format!("vec{}<{}>", array.layout.lanes, array.scalar.wgsl());
                w.line(format_args!("{name}[{element_index}] = {ty}({});", values.join(", ")));
            }
        }
    }
}
