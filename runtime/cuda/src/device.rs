//! An NVIDIA GPU as a device.
use crate::chip::Capability;
use crate::context::{Contexts, Entered, Failure, unexpected};
use crate::driver::{self, Attribute, Code, DriverError, Gpu};
use crate::kernel::{self, Loaded, Refusal};
use crate::memory::{Allocation, BUFFER_ALIGNMENT, DeviceMemory, own};
use cube_artifact::Variables;
use cube_artifact::{Artifact, CodeFormat};
use cube_runtime::launch::{BoundLaunch, LaunchArrays, bind_into};
use cube_runtime::pool::OutOfMemory;
use cube_runtime::prints::Prints;
use cube_runtime::{Arg, Buffer, Clock, Device, DeviceProperties, ErrorKind, Init, Kernel, MemoryUsage, RuntimeError};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Maximum loaded kernels that are remembered, so that a program with ever new kernels does not fill the memory.
const MOST_LOADED: usize = 1024;

/// Empty arrays that a thread keeps between its launches.
#[derive(Default)]
struct Arrays {
    launch: LaunchArrays,
    /// Addresses of the buffers.
    addresses: Vec<u64>,
    /// Values of the code's parameters.
    slots: Vec<u64>,
}

thread_local!(static ARRAYS: Cell<Option<Arrays>> = const { Cell::new(None) });

/// One NVIDIA GPU, with its own context and stream.
///
/// Launches are queued and run in order of submission; [`Device::sync`] and [`Device::read`] wait for them, and report
/// the fault of a kernel. After a fault all memory of the device is lost, and the device continues: its old buffers
/// return the fault, and new buffers and all loaded kernels work.
pub struct CudaDevice {
    name: String,
    chip: Capability,
    cuda: String,
    properties: DeviceProperties,
    contexts: Arc<Contexts>,
    memory: Arc<DeviceMemory>,
    loaded: Mutex<HashMap<[u8; 32], Kernel>>,
}

impl CudaDevice {
    /// The GPU whose number is in `CUBE_CUDA_DEVICE` of the variables, or the first GPU.
    ///
    /// # Errors
    /// Errors as for [`CudaDevice::at`]; also a variable without a number.
    pub fn new(variables: &Variables) -> Result<Self, RuntimeError> {
        Self::at(ordinal_from(variables.text("CUBE_CUDA_DEVICE"))?)
    }

    /// The GPU with this number, counted from 0 as in the driver.
    ///
    /// # Errors
    /// [`ErrorKind::NoDevice`] where driver or GPU are not there, [`ErrorKind::Driver`] where they do not work.
    pub fn at(ordinal: u32) -> Result<Self, RuntimeError> {
        let gpu = find(ordinal)?;
        Self::open(gpu, ordinal).map_err(|error| unexpected(&error))
    }

    fn open(gpu: Gpu, ordinal: u32) -> Result<Self, DriverError> {
        use Attribute::*;
        let of = |attribute| gpu.attribute(attribute);
        let axes = |[x, y, z]: [Attribute; 3]| Ok([of(x)?, of(y)?, of(z)?]);
        let grid = [
            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
        ];
        let block = [
            CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
            CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
            CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
        ];
        let chip = Capability {
            major: of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            minor: of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        };
        let properties = DeviceProperties {
            backend: "nvptx".into(),
            formats: vec![CodeFormat::PTX],
            max_cube_count: axes(grid)?,
            max_cube_dim: axes(block)?,
            max_units_per_cube: of(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            max_shared_bytes: of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            memory_bytes: gpu.memory_bytes()?,
            buffer_alignment: BUFFER_ALIGNMENT,
            parallel_cubes: of(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            plane_dim: [of(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?; 2],
            load_bits: cube_target::Target::promised("nvptx", Some(&chip.to_string())).access_bits,
            cache_bytes: vec![u64::from(of(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?)],
            ..DeviceProperties::default()
        };
        let version = driver::version()?;
        let cuda = format!("{}.{}", version / 1000, version % 1000 / 10);
        let contexts = Arc::new(Contexts::new(gpu, ordinal)?);
        let memory = Arc::new(DeviceMemory::new(properties.memory_bytes));
        Ok(CudaDevice { name: gpu.name()?, chip, cuda, properties, contexts, memory, loaded: Mutex::default() })
    }

    /// The chip in the notation of targets, for example `sm_90`.
    pub fn chip(&self) -> String {
        self.chip.to_string()
    }

    /// The CUDA version that the driver supports, for example `13.0`.
    pub fn cuda_version(&self) -> &str {
        &self.cuda
    }

    /// The time of the launches of `work`, measured on the device.
    ///
    /// # Errors
    /// Errors of `work`, and a fault of its launches.
    pub fn time(&self, work: impl FnOnce() -> Result<(), RuntimeError>) -> Result<Duration, RuntimeError> {
        let events = self.contexts.call(|entered| Ok((entered.generation(), entered.engine().begin()?)))?;
        let worked = work();
        let (generation, events) = events;
        // The end also frees the events.
        let measured = self.contexts.call(|entered| {
            // Events of a context that has ended are gone with it.
            if entered.generation() != generation {
                return Err(Failure::Told(self.contexts.lost(generation)));
            }
            self.contexts.synced(entered, || entered.engine().end(events))
        });
        worked?;
        Ok(Duration::from_secs_f64(f64::from(measured?.max(0.0)) / 1e3))
    }

    fn load_new(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError> {
        self.properties.loads(artifact, &format!("nvptx:{}", self.chip))?;
        self.fits(artifact.target.chip.as_deref())?;
        artifact.check().map_err(|rule| {
            RuntimeError::invalid_artifact(format!("{rule}: compile it again with the matching cubec"))
        })?;
        if let Some(feature) = artifact.features.first() {
            return Err(RuntimeError::device_limit(format!(
                "it needs the feature '{feature}', which is not known of {}: compile it with the matching cubec",
                self.name
            )));
        }
        let loaded = Loaded::new(artifact, self.contexts.clone())?;
        self.on_device(artifact, &loaded)?;
        Ok(Kernel::new(Arc::new(artifact.clone()), Arc::new(loaded)))
    }

    // Code for another chip is refused by name before the driver sees it.
    fn fits(&self, chip: Option<&str>) -> Result<(), RuntimeError> {
        let Some(chip) = chip else { return Ok(()) };
        match self.chip.runs(chip) {
            Some(true) => Ok(()),
            Some(false) => Err(RuntimeError::device_limit(format!(
                "it is compiled for {chip}, and {} is {}: compile it with target nvptx:{}",
                self.name, self.chip, self.chip
            ))),
            None => Err(RuntimeError::invalid_artifact(format!(
                "its chip '{chip}' is no NVIDIA GPU: compile it with target nvptx:{}",
                self.chip
            ))),
        }
    }

    // Has the driver compile the code, so that loading tells what is wrong with it and launching does not take the time.
    fn on_device(&self, artifact: &Artifact, loaded: &Loaded) -> Result<(), RuntimeError> {
        self.contexts.call(|entered| match loaded.function(artifact, entered, self.properties.max_shared_bytes) {
            Ok(_) => Ok(()),
            Err(refusal) => Err(self.refusal(refusal)),
        })
    }

    fn refusal(&self, refusal: Refusal) -> Failure {
        match refusal {
            Refusal::Driver(error, _) if error.ends_the_process() => Failure::Driver(error),
            Refusal::Driver(error, log) => Failure::Told(kernel::refused(&error, &log, &self.cuda)),
            Refusal::Told(error) => Failure::Told(error),
        }
    }

    fn run(&self, loaded_kernel: &Kernel, args: &[Arg], cube_count: [u32; 3]) -> Result<(), RuntimeError> {
        let artifact = loaded_kernel.artifact();
        let loaded = loaded_kernel.code::<Loaded>().filter(|loaded| loaded.is_of(&self.contexts));
        let loaded =
            loaded.ok_or_else(|| RuntimeError::user("it was loaded by another device: load it on this one"))?;
        let prints = Prints::new(self, artifact)?;
        // An error loses the arrays, and the next launch allocates new ones.
        let Arrays { launch, mut addresses, mut slots } = ARRAYS.take().unwrap_or_default();
        let bound = bind_into(artifact, loaded_kernel.plan(), args, cube_count, &self.properties, launch)?;
        let bound = bound.with_prints(prints.buffer());
        bound.buffers.iter().try_for_each(|(buffer, _)| own(buffer, &self.contexts).map(drop))?;
        if bound.cubes > 0 {
            self.queue(loaded, artifact, &bound, &mut addresses, &mut slots)?;
        }
        addresses.clear();
        slots.clear();
        ARRAYS.set(Some(Arrays { launch: bound.into_arrays(), addresses, slots }));
        prints.show(self)
    }

    // Fills in the parameters and queues the launch. `addresses` and `slots` are empty.
    fn queue(
        &self,
        loaded: &Loaded,
        artifact: &Artifact,
        bound: &BoundLaunch<'_>,
        addresses: &mut Vec<u64>,
        slots: &mut Vec<u64>,
    ) -> Result<(), RuntimeError> {
        let launch = |entered: &Entered<'_>| {
            for (buffer, _) in &bound.buffers {
                addresses.push(own(buffer, &self.contexts)?.address(entered, buffer.offset())?);
            }
            let function = loaded
                .function(artifact, entered, self.properties.max_shared_bytes)
                .map_err(|refusal| self.refusal(refusal))?;
            loaded.parameters(bound, addresses, slots);
            kernel::launch(entered, function, artifact, bound, slots)?;
            self.contexts.note(loaded.name());
            Ok(())
        };
        self.contexts.with(launch, |error| match error {
            error if error.is(Code::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) || error.is(Code::CUDA_ERROR_INVALID_VALUE) => {
                RuntimeError::device_limit(format!(
                    "the device cannot run cubes of {:?} units of it ({}): compile it with a smaller cube dim",
                    artifact.cube_dim, error.words
                ))
            }
            _ => unexpected(error),
        })
    }

    fn out_of_memory(&self, entered: &Entered<'_>, error: OutOfMemory<DriverError>) -> Failure {
        if let Some(refusal) = error.refusal.as_ref().filter(|refusal| !refusal.is(Code::CUDA_ERROR_OUT_OF_MEMORY)) {
            return Failure::Driver(refusal.clone());
        }
        let left = match entered.engine().memory() {
            Ok((free, total)) => format!("; the device has {free} of {total} bytes left"),
            Err(_) => String::new(),
        };
        Failure::Told(error.error(&self.name, &left))
    }
}

impl Device for CudaDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn alloc(&self, bytes: u64, init: Init) -> Result<Buffer, RuntimeError> {
        if bytes > self.properties.memory_bytes {
            return Err(RuntimeError::device_limit(format!(
                "a buffer of {bytes} bytes is larger than the {} bytes of memory of {}: work in parts",
                self.properties.memory_bytes, self.name
            )));
        }
        let allocation = self.contexts.call(|entered| {
            let made = self.memory.alloc(entered, bytes);
            let (block, address) = made.map_err(|error| self.out_of_memory(entered, error))?;
            let (contexts, memory) = (self.contexts.clone(), self.memory.clone());
            let generation = entered.generation();
            // From here on a failure returns the block.
            let allocation = Allocation { contexts, memory, generation, address, block: Some(block), bytes };
            if init == Init::Zero && bytes > 0 {
                entered.engine().clear(address, bytes)?;
            }
            Ok(allocation)
        })?;
        Ok(Buffer::new(Arc::new(allocation)))
    }

    fn memory_usage(&self) -> MemoryUsage {
        self.memory.usage()
    }

    fn memory_cleanup(&self) {
        // A fault of earlier work is for the next call to report.
        let _ = self.contexts.call(|entered| {
            self.memory.cleanup(entered);
            Ok(())
        });
    }

    fn write(&self, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, data.len() as u64)?;
        let allocation = own(buffer, &self.contexts)?;
        self.contexts.call(|entered| {
            let address = allocation.address(entered, range.start)?;
            self.contexts.synced(entered, || entered.engine().write(address, data))
        })
    }

    fn read(&self, buffer: &Buffer, offset: u64, out: &mut [u8]) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, out.len() as u64)?;
        let allocation = own(buffer, &self.contexts)?;
        self.contexts.call(|entered| {
            let address = allocation.address(entered, range.start)?;
            self.contexts.synced(entered, || entered.engine().read(address, out))
        })
    }

    fn load(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError> {
        let key = artifact.content_hash();
        if let Some(kernel) = self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(kernel.clone());
        }
        let kernel = self.load_new(artifact).map_err(|error| error.in_kernel(&artifact.kernel))?;
        // Two threads that load the same kernel at once get the same code in the end.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.len() >= MOST_LOADED {
            loaded.clear();
        }
        Ok(loaded.entry(key).or_insert(kernel).clone())
    }

    fn launch_kernel(&self, kernel: &Kernel, args: &[Arg], cube_count: [u32; 3]) -> Result<(), RuntimeError> {
        let named = |error: RuntimeError| match error.kind {
            // A fault names its own kernel, which is another.
            ErrorKind::Fault => error,
            _ => error.in_kernel(&kernel.artifact().kernel),
        };
        self.run(kernel, args, cube_count).map_err(named)
    }

    fn measure(&self, work: &mut dyn FnMut() -> Result<(), RuntimeError>) -> Result<(Duration, Clock), RuntimeError> {
        self.time(work).map(|time| (time, Clock::Device))
    }

    fn sync(&self) -> Result<(), RuntimeError> {
        self.contexts.sync()
    }
}

fn find(ordinal: u32) -> Result<Gpu, RuntimeError> {
    let missing = |message: String| RuntimeError::new(ErrorKind::NoDevice, message);
    if !driver::present() {
        let message =
            "there is no CUDA driver (libcuda) on this machine: install NVIDIA's driver, or run on another backend";
        return Err(missing(message.into()));
    }
    let refused = |error: DriverError| {
        missing(format!("the CUDA driver does not start ({}): see whether nvidia-smi works", error.words))
    };
    driver::init().map_err(refused)?;
    let count = driver::device_count().map_err(refused)?;
    let number = i32::try_from(ordinal).unwrap_or(i32::MAX);
    if number >= count {
        return Err(missing(format!(
            "there is no CUDA device {ordinal}, the driver finds {count}: set CUBE_CUDA_DEVICE to a number below that"
        )));
    }
    Gpu::get(number).map_err(refused)
}

fn ordinal_from(variable: Option<&str>) -> Result<u32, RuntimeError> {
    let Some(text) = variable else { return Ok(0) };
    text.trim().parse().map_err(|_| {
        RuntimeError::environment(format!(
            "CUBE_CUDA_DEVICE is '{text}', which is not a number of a device: set it to 0, 1, ..."
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_is_chosen_by_number() {
        assert_eq!(ordinal_from(None), Ok(0));
        assert_eq!(ordinal_from(Some(" 3 ")), Ok(3));
        let error = ordinal_from(Some("first")).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Environment);
        assert!(error.message.contains("'first', which is not a number"), "{error}");
    }
}
