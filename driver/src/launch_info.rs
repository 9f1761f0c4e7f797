//! The properties of a kernel that a launch requires, which the driver reads at level `flat`.
use cube_artifact::{Artifact, CodeFormat, ParamKind, Target};
use cube_backend::{Emitted, Signature, shared_bytes, signature, unit_limit};
use cube_dialect::kernels_of;
use cube_ir::{OwnedModule, SessionError};

/// The launch interface of the artifact, which the driver reads from the kernel at level flat.
#[derive(Clone)]
pub(crate) struct LaunchInfo {
    pub(crate) kernel: String,
    pub(crate) signature: Signature,
    /// Bytes of shared memory. After level legal, the number contains the memory that phase `legalize` added.
    pub(crate) shared_bytes: u32,
    pub(crate) cube_dim: [u32; 3],
    pub(crate) checked: bool,
    pub(crate) unit_limit: Option<u64>,
}

impl LaunchInfo {
    pub(crate) fn artifact(mut self, target: Target, emitted: Emitted) -> Artifact {
        let buffers = self.signature.params.iter_mut().filter_map(|param| match &mut param.kind {
            ParamKind::Buffer { access, .. } => Some(access),
            ParamKind::Scalar { .. } => None,
        });
        for (access, written) in buffers.zip(emitted.accesses.into_iter().flatten()) {
            *access = written;
        }
        Artifact {
            entry: emitted.entry.unwrap_or_else(|| self.kernel.clone()),
            kernel: self.kernel,
            target,
            format: emitted.format,
            code: emitted.code,
            params: self.signature.params,
            derived: self.signature.derived,
            info: self.signature.info,
            prints: self.signature.prints,
            cube_dim: self.cube_dim,
            cube_count: self.signature.cube_count,
            first_cubes: emitted.first_cubes,
            overwritten: self.signature.overwritten,
            checked: self.checked,
            shared_bytes: emitted.shared_bytes.map_or(self.shared_bytes, saturated),
            unit_limit: self.unit_limit,
            features: emitted.features,
            scratch_bytes: emitted.scratch_bytes,
            plane_dim: emitted.plane_dim,
        }
    }
}

// A size as a `u32` of the artifact, saturated.
fn saturated(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl LaunchInfo {
    /// Computes the bytes of shared memory again, from a module at level legal.
    pub(crate) fn measure_shared(&mut self, module: &OwnedModule<'_>) {
        if let Some(kernel) = kernels_of(module.op()).first() {
            self.shared_bytes = saturated(shared_bytes(&kernel.facts()));
        }
    }

    /// The launch properties, as an artifact without code.
    pub(crate) fn without_code(self) -> Artifact {
        let target = Target { backend: String::new(), chip: None };
        self.artifact(target, Emitted::new(vec![], CodeFormat::ELF_OBJECT))
    }
}

impl From<Artifact> for LaunchInfo {
    fn from(a: Artifact) -> Self {
        let (derived, info, cube_count, overwritten) = (a.derived, a.info, a.cube_count, a.overwritten);
        let signature = Signature { params: a.params, derived, info, cube_count, overwritten, prints: a.prints };
        let (cube_dim, checked, shared_bytes, unit_limit) = (a.cube_dim, a.checked, a.shared_bytes, a.unit_limit);
        LaunchInfo { kernel: a.kernel, signature, shared_bytes, cube_dim, checked, unit_limit }
    }
}

/// The launch properties of the only kernel in a module at level flat.
pub(crate) fn launch_info(module: &OwnedModule<'_>) -> Result<LaunchInfo, SessionError> {
    let kernels = kernels_of(module.op());
    let kernel = kernels.first().ok_or_else(|| SessionError::from(cube_ir::diagnostic!(CUBE0503.none)))?;
    let facts = kernel.facts();
    let signature = signature(&facts).map_err(|wrong| SessionError::at(kernel.op(), wrong))?;
    Ok(LaunchInfo {
        kernel: facts.name.to_string(),
        signature,
        shared_bytes: saturated(shared_bytes(&facts)),
        cube_dim: facts.cube_dim,
        checked: facts.checked,
        unit_limit: unit_limit(&facts),
    })
}
