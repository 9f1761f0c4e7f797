//! What a kernel has to know of its arguments while it is written.
use super::values::{Kept, KnownValue, SharedValue};
use crate::ir::{Elem, MemTy, Raw, Ty, with};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// What of an argument is known when the kernel is compiled.
#[derive(Clone)]
pub enum CompileArg {
    /// A number.
    Scalar,
    /// An array with lines of that size; whether its length is another than that of its memory.
    Array(u32, bool),
    /// The same for a tensor.
    Tensor(u32),
    /// The fields of a struct.
    Node(Vec<CompileArg>),
    /// The variant of an enum and its fields.
    Variant(usize, Vec<CompileArg>),
    /// A value of the host.
    Host(HostValue),
}

/// A value of the host in an argument: as itself, to be taken out again, and as a value that tells kernels apart.
#[derive(Clone)]
pub struct HostValue {
    name: &'static str,
    value: Kept,
    told: SharedValue,
}

impl CompileArg {
    /// A value of the host, under the name that reports show.
    pub fn host<T: KnownValue + Clone + Send + Sync + 'static>(name: &'static str, value: &T) -> Self {
        let value = Arc::new(value.clone());
        CompileArg::Host(HostValue { name, value: value.clone(), told: value })
    }

    /// The value of the host.
    pub fn to_host<T: Clone + 'static>(&self) -> T {
        match self {
            CompileArg::Host(host) => host.value.downcast_ref::<T>().cloned(),
            _ => None,
        }
        .expect("the derive gives each field what it took from it")
    }

    /// A field.
    pub fn part(&self, index: usize) -> &CompileArg {
        match self {
            CompileArg::Node(parts) | CompileArg::Variant(_, parts) => &parts[index],
            other => other,
        }
    }

    /// The variant.
    pub fn variant(&self) -> usize {
        match self {
            CompileArg::Variant(index, _) => *index,
            _ => 0,
        }
    }

    /// Adds what tells kernels apart: numbers to the hash, and values of the host also to `values`.
    pub(super) fn hash_into(&self, hash: &mut blake3::Hasher, values: &mut Vec<(&'static str, SharedValue)>) {
        let mut number = |tag: u8, value: u64| {
            hash.update(&[tag]);
            hash.update(&value.to_le_bytes());
        };
        match self {
            CompileArg::Scalar => number(0, 0),
            CompileArg::Array(line, host_len) => number(1, u64::from(*line) | u64::from(*host_len) << 32),
            CompileArg::Tensor(line) => number(2, u64::from(*line)),
            CompileArg::Node(parts) => {
                number(3, parts.len() as u64);
                parts.iter().for_each(|p| p.hash_into(hash, values));
            }
            CompileArg::Variant(index, parts) => {
                number(4, *index as u64);
                parts.iter().for_each(|p| p.hash_into(hash, values));
            }
            CompileArg::Host(host) => {
                number(5, 0);
                host.told.hash_into(hash);
                values.push((host.name, host.told.clone()));
            }
        }
    }
}

/// The name of a type on the host: that of its storage, where the host has a type of its own for it.
fn host_name(elem: Elem) -> &'static str {
    match elem {
        Elem::E4M3 | Elem::E5M2 | Elem::TF32 => elem.name(),
        other => other.host().name(),
    }
}

/// The arguments of the kernel that is being written: one of them, by its name.
pub struct Params {
    name: String,
    writes: bool,
    declared: Declared,
}

/// Whether the kernel may write each of the arguments that it has so far.
pub(super) type Declared = Rc<RefCell<Vec<bool>>>;

impl Params {
    /// All arguments, of which `declared` is told.
    pub(super) fn new(declared: Declared) -> Self {
        Params { name: String::new(), writes: false, declared }
    }

    /// An argument of the function.
    pub fn named(&self, name: &str, writes: bool) -> Params {
        Params { name: name.to_string(), writes, declared: self.declared.clone() }
    }

    /// A field of this one.
    pub fn field(&self, name: &str) -> Params {
        self.named(&format!("{}_{}", self.name, name.trim_start_matches('_')), self.writes)
    }

    /// This one, which the kernel writes.
    pub fn written(self) -> Params {
        Params { writes: true, ..self }
    }

    /// A name that no other argument has.
    fn unique(&self) -> String {
        with(|b| {
            let count = b.names.entry(self.name.clone()).or_default();
            *count += 1;
            if *count == 1 { self.name.clone() } else { format!("{}_{}", self.name, *count) }
        })
    }

    /// A scalar argument.
    pub(super) fn scalar(&self, elem: Elem) -> Raw {
        let id =
            self.declare(Ty::scalar(elem).to_string(), vec![format!("cube.host = {:?}", elem.host().name())], false);
        Raw::Ssa(id, Ty::scalar(elem))
    }

    /// A buffer argument.
    pub(super) fn buffer(&self, ty: MemTy, atomic: bool, host_len: bool) -> u32 {
        with(|b| b.check_line(ty.ty, &format!("the argument `{}` has", self.name)));
        let mut attributes = vec![format!("cube.host = {:?}", host_name(ty.ty.elem))];
        let writes = self.writes || atomic;
        if !writes {
            attributes.push("cube.access = \"read\"".into());
        }
        if host_len {
            attributes.push("cube.len = \"host\"".into());
        }
        self.declare(ty.to_string(), attributes, writes)
    }

    /// Values have numbers while the kernel is written; arguments get their names when it is finished.
    fn declare(&self, ty: String, attributes: Vec<String>, writes: bool) -> u32 {
        self.declared.borrow_mut().push(writes);
        let name = self.unique();
        with(|b| {
            let id = b.argument();
            b.arguments.push(format!("%{id}: {ty} {{{}}}", attributes.join(", ")));
            b.named.insert(id, name);
            id
        })
    }
}
