//! The properties of a launch on which a predicted time depends, without the memory of its buffers.
use super::derived::{integer, property_of};
use super::{Dims, Scalar};
use crate::error::RuntimeError;
use crate::properties::DeviceProperties;
use cube_artifact::cost::{Prediction, Profile};
use cube_artifact::derived::{Arguments, Property};
use cube_artifact::{Param, ParamKind};

/// One argument of a launch.
#[derive(Clone, Debug)]
pub enum ArgFacts {
    /// A buffer that begins at a multiple of 256 bytes.
    Buffer {
        /// Size in bytes.
        bytes: u64,
        /// The shape; `None` for a one-dimensional array of all elements.
        dims: Option<Dims>,
    },
    /// A scalar.
    Scalar(Scalar),
}

/// A launch whose time can be predicted before its kernel is compiled.
#[derive(Clone, Debug)]
pub struct LaunchFacts {
    /// The arguments, in order.
    pub args: Vec<ArgFacts>,
    /// Cube counts along x, y, z.
    pub cubes: [u32; 3],
}

impl LaunchFacts {
    /// Predicts the time of the launch.
    ///
    /// # Errors
    /// The kernel reads a property that this launch does not define.
    pub fn predict(&self, profile: &Profile) -> Result<Prediction, String> {
        profile.predict(&Named { facts: self, params: &profile.params })
    }

    /// Checks the limits of a device that do not depend on the kernel's code: the cube counts.
    ///
    /// # Errors
    /// [`crate::ErrorKind::DeviceLimit`], with the exceeded limit.
    pub fn check(&self, device: &DeviceProperties) -> Result<(), RuntimeError> {
        super::limits::count(self.cubes, device)
    }

    /// Checks the limits of a device for the cube of a kernel that is not compiled: its units and its shared memory.
    ///
    /// # Errors
    /// [`crate::ErrorKind::DeviceLimit`], with the exceeded limit.
    pub fn check_cube(&self, profile: &Profile, device: &DeviceProperties) -> Result<(), RuntimeError> {
        super::limits::cube(profile.cube_dim, profile.shared_bytes, device)
    }
}

struct Named<'a> {
    facts: &'a LaunchFacts,
    params: &'a [Param],
}

impl Named<'_> {
    fn of(&self, name: &str) -> Option<(&ParamKind, &ArgFacts)> {
        let mut all = self.params.iter().zip(&self.facts.args);
        all.find(|(param, _)| param.name == name).map(|(param, arg)| (&param.kind, arg))
    }
}

impl Arguments for Named<'_> {
    fn scalar(&self, name: &str) -> Option<u64> {
        if let ArgFacts::Scalar(scalar) = self.of(name)?.1 { integer(*scalar) } else { None }
    }

    fn of(&self, property: Property, name: &str, dimension: u32) -> Option<u64> {
        let (kind, ArgFacts::Buffer { bytes, dims }) = self.of(name)? else { return None };
        property_of(kind, *bytes, 0, dims.as_ref(), property, dimension)
    }

    fn cubes(&self, axis: u32) -> Option<u64> {
        self.facts.cubes.get(axis as usize).map(|count| u64::from(*count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_artifact::cost::{Block, BlockKind, Node};
    use cube_artifact::{BufferAccess, ElemType};
    use cube_target::{CostClass, Target};

    /// A kernel with a loop from 0 to `end`, an expression of a launch.
    fn profile(end: &str) -> Profile {
        let target = Target::known("nvptx", "sm_90a").expect("a known chip");
        let buffer = |name: &str, line| {
            let kind = ParamKind::Buffer { elem: ElemType::F32, line, align: 1, access: BufferAccess::Read };
            Param { name: name.into(), kind }
        };
        let of_loop = BlockKind::Loop { from: 0, to: 1, step: 2, bits: 32, signed: false };
        let body = Block { kind: of_loop, counts: [(CostClass::FmaF32, 8)].into(), ..Block::default() };
        Profile {
            kernel: "k".into(),
            params: vec![
                buffer("x", 1),
                buffer("y", 4),
                Param { name: "n".into(), kind: ParamKind::Scalar { elem: ElemType::I32 } },
            ],
            machine: target.machine.clone().expect("a board"),
            cube_dim: [256, 1, 1],
            plane_dim: 32,
            cube_count: None,
            registers: 16,
            register_file: 65536,
            shared_bytes: 5000,
            resident_planes: 16,
            costs: target.costs.clone(),
            latencies: target.latencies.clone(),
            nodes: vec![Node::Number(0), Node::Launch(end.into()), Node::Number(1)],
            blocks: vec![Block::default(), body],
            accesses: vec![],
        }
    }

    fn facts(elements: u64, n: i32) -> LaunchFacts {
        let buffer = |dims| ArgFacts::Buffer { bytes: 4 * elements, dims };
        let args = vec![buffer(None), buffer(Some(Dims::contiguous(&[2, 8]))), ArgFacts::Scalar(Scalar::I32(n))];
        LaunchFacts { args, cubes: [1000, 1, 1] }
    }

    #[test]
    fn predictions_read_the_arguments_by_their_names() {
        let instructions = |end: &str, elements, n| facts(elements, n).predict(&profile(end)).map(|p| p.instructions);
        // Each iteration has eight instructions.
        for (end, elements, n, trips) in [
            ("n", 1, 100, 100.0),
            ("len(x)", 64, 1, 64.0),
            ("buffer_len(y)", 64, 1, 16.0),
            ("shape(y, 1)", 64, 1, 8.0),
            ("cubes(0)", 1, 1, 1000.0),
        ] {
            assert_eq!(instructions(end, elements, n), Ok(8.0 * trips), "{end}");
        }
        assert!(instructions("m", 1, 1).is_err() && instructions("len(n)", 1, 1).is_err());
    }

    #[test]
    fn limits_are_checked_without_code() {
        let device = DeviceProperties {
            max_cube_count: [1000, 1, 1],
            max_cube_dim: [1024; 3],
            max_units_per_cube: 256,
            max_shared_bytes: 5000,
            ..DeviceProperties::default()
        };
        let launch = facts(1, 1);
        assert_eq!((launch.check(&device), launch.check_cube(&profile("n"), &device)), (Ok(()), Ok(())));
        let small = DeviceProperties { max_cube_count: [999, 1, 1], max_shared_bytes: 4999, ..device };
        let [count, cube] = [launch.check(&small), launch.check_cube(&profile("n"), &small)].map(Result::unwrap_err);
        assert!(count.message.contains("1000 cubes along x exceed the device's limit of 999"), "{count}");
        assert!(cube.message.contains("5000 bytes of shared memory, but the device's limit is 4999"), "{cube}");
    }
}
