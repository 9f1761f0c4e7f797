//! Description of launch arguments, as the kernel's construction uses it.
use super::key::LaunchKey;
use super::values::{KnownValue, SharedValue, StoredValue};
use crate::ir::{Elem, MemTy, Raw, Ty, with};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The properties of a launch argument for which a kernel is compiled. The key of a kernel contains these properties of
/// all arguments.
#[derive(Clone)]
pub enum CompileArg {
    /// A scalar.
    Scalar,
    /// An array: the line size in elements, and whether the array's length differs from the length of its
    /// memory.
    Array(u32, bool),
    /// A tensor: the line size in elements.
    Tensor(u32),
    /// The fields of a struct.
    Node(Vec<CompileArg>),
    /// An enum: the index of the variant, and the fields of the variant.
    Variant(usize, Vec<CompileArg>),
    /// A compile-time value that the host passes.
    Host(HostValue),
}

/// A host value in a launch argument. `value` and `key` share one object. `value` restores the original type, and
/// `key` hashes and compares the value.
#[derive(Clone)]
pub struct HostValue {
    name: &'static str,
    value: StoredValue,
    key: SharedValue,
}

/// Position of the kind of an argument in its word of the key.
const TAG: u32 = 56;

impl CompileArg {
    /// Wraps a host value. Reports show the host value with the name `name`.
    pub fn host<T: KnownValue + Clone + Send + Sync + 'static>(name: &'static str, value: &T) -> Self {
        let value = Arc::new(value.clone());
        CompileArg::Host(HostValue { name, value: value.clone(), key: value })
    }

    /// Restores the host value in its original type.
    pub fn to_host<T: Clone + 'static>(&self) -> T {
        match self {
            CompileArg::Host(host) => host.value.downcast_ref::<T>().cloned(),
            _ => None,
        }
        .expect("generated code reads a field with the type that it stored")
    }

    /// The field of the argument at `index`. For an argument without fields, the result is the argument
    /// itself.
    pub fn part(&self, index: usize) -> &CompileArg {
        match self {
            CompileArg::Node(parts) | CompileArg::Variant(_, parts) => &parts[index],
            other => other,
        }
    }

    /// The variant index of an enum argument. For an argument that is not an enum, the result is 0.
    pub fn variant(&self) -> usize {
        match self {
            CompileArg::Variant(index, _) => *index,
            _ => 0,
        }
    }

    /// Adds the argument to the kernel's key. The function also appends host values to `values`, because `Eq` on
    /// these values distinguishes kernels with equal keys.
    #[inline]
    pub(super) fn hash_into(&self, hash: &mut LaunchKey, values: &mut Vec<(&'static str, SharedValue)>) {
        let word = match self {
            CompileArg::Scalar => 0,
            CompileArg::Array(line, host_len) => 1 << TAG | u64::from(*host_len) << 32 | u64::from(*line),
            CompileArg::Tensor(line) => 2 << TAG | u64::from(*line),
            _ => return self.hash_parts(hash, values),
        };
        hash.word(word);
    }

    #[inline(never)]
    fn hash_parts(&self, hash: &mut LaunchKey, values: &mut Vec<(&'static str, SharedValue)>) {
        let (tag, parts) = match self {
            CompileArg::Node(parts) => (3 << TAG | parts.len() as u64, parts),
            CompileArg::Variant(index, parts) => (4 << TAG | *index as u64, parts),
            CompileArg::Host(host) => {
                host.key.hash_into(hash.word(5 << TAG));
                return values.push((host.name, host.key.clone()));
            }
            // These arguments have no parts.
            CompileArg::Scalar | CompileArg::Array(..) | CompileArg::Tensor(_) => return,
        };
        hash.word(tag);
        parts.iter().for_each(|part| part.hash_into(hash, values));
    }
}

/// The name of the host type that stores an element of type `elem`. A storage type has a separate host type, so its own
/// name is used.
fn host_name(elem: Elem) -> &'static str {
    if elem.element().is_computed() { elem.host().name() } else { elem.name() }
}

/// A kernel parameter before its declaration: its name, and whether the kernel can write the parameter. A struct
/// argument declares one parameter per field.
pub struct Params {
    name: String,
    writes: bool,
    declared: Declared,
}

/// One flag per declared parameter: whether the kernel can write the parameter.
pub(super) type Declared = Rc<RefCell<Vec<bool>>>;

impl Params {
    /// Creates the root of all parameters of a kernel. Each parameter that is declared through this root appends its
    /// flag to `declared`.
    pub(super) fn new(declared: Declared) -> Self {
        Params { name: String::new(), writes: false, declared }
    }

    /// A parameter of the kernel function. `writes` is true if the kernel can write the parameter.
    pub fn named(&self, name: &str, writes: bool) -> Params {
        Params { name: name.to_string(), writes, declared: self.declared.clone() }
    }

    /// The parameter of a field. The field's parameter has the same value of `writes` as the struct's
    /// parameter. The name of the field's parameter starts with the name of the struct's parameter.
    pub fn field(&self, name: &str) -> Params {
        self.named(&format!("{}_{}", self.name, name.trim_start_matches('_')), self.writes)
    }

    /// The same parameter, marked as written by the kernel.
    pub(crate) fn to_written(&self) -> Params {
        self.named(&self.name, true)
    }

    /// Marks the parameter as written by the kernel.
    pub fn written(self) -> Params {
        Params { writes: true, ..self }
    }

    /// A unique name for the parameter. If an earlier parameter has the same name, the function appends a
    /// number to the name.
    fn unique(&self) -> String {
        with(|b| {
            let count = b.names.entry(self.name.clone()).or_default();
            *count += 1;
            if *count == 1 { self.name.clone() } else { format!("{}_{}", self.name, *count) }
        })
    }

    /// Declares a scalar parameter and returns its value.
    pub(super) fn scalar(&self, elem: Elem) -> Raw {
        let id =
            self.declare(Ty::scalar(elem).to_string(), vec![format!("cube.host = {:?}", elem.host().name())], false);
        Raw::Ssa(id, Ty::scalar(elem))
    }

    /// Declares a buffer parameter and returns its SSA number. `host_len` is true if the host passes the length.
    pub(crate) fn buffer(&self, ty: MemTy, atomic: bool, host_len: bool) -> u32 {
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

    /// Declares the buffer with the number of cubes, for a kernel that reads it.
    pub(super) fn cubes(&self) {
        let attributes = ["cube.access = \"read\"", "cube.cubes", "cube.host = \"u32\""].map(String::from);
        self.named("cubes", false).declare("!cube.array<i32>".into(), attributes.into(), false);
    }

    /// Declares the parameter and returns its SSA number. When the kernel's text is complete, the parameter's name
    /// replaces the number.
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
