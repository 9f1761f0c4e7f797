//! Recorded commands, which a program can submit several times.
use crate::buffer::Buffer;
use crate::error::RuntimeError;
use crate::kernel::Kernel;
use crate::launch::{Arg, Scalar};
use std::any::Any;
use std::sync::{Arc, Mutex};

/// A recorded command. A list of commands keeps the buffers of its commands alive.
#[derive(Clone)]
pub enum Command {
    /// A launch of a loaded kernel.
    Launch {
        /// The kernel.
        kernel: Kernel,
        /// Its arguments.
        args: Vec<Arg>,
        /// Cubes along x, y, z.
        cubes: [u32; 3],
    },
    /// A copy between two buffers of equal size.
    Copy {
        /// The source.
        from: Buffer,
        /// The destination.
        to: Buffer,
    },
}

/// Commands in the order of their execution.
#[derive(Clone, Default)]
pub struct CommandList(Vec<Command>);

impl CommandList {
    /// An empty list.
    pub fn new() -> CommandList {
        CommandList::default()
    }

    /// Appends a launch and returns its position, for [`Graph::set_scalar`].
    pub fn launch(&mut self, kernel: &Kernel, args: &[Arg], cubes: [u32; 3]) -> usize {
        self.0.push(Command::Launch { kernel: kernel.clone(), args: args.to_vec(), cubes });
        self.0.len() - 1
    }

    /// Appends a copy and returns its position.
    pub fn copy(&mut self, from: &Buffer, to: &Buffer) -> usize {
        self.0.push(Command::Copy { from: from.clone(), to: to.clone() });
        self.0.len() - 1
    }

    /// Number of commands.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the list contains no commands.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A recorded list of commands that a device can submit again, see `Device::replay`.
pub struct Graph {
    commands: Vec<Command>,
    /// Number of times that a scalar of the graph was changed.
    version: u64,
    /// The version of the last change of each command.
    changed: Vec<u64>,
    native: Mutex<Option<Arc<dyn Any + Send + Sync>>>,
}

impl Graph {
    /// A graph of recorded commands. The device creates its native form of the graph at the first replay.
    pub fn new(commands: CommandList) -> Graph {
        let changed = vec![0; commands.len()];
        Graph { commands: commands.0, version: 0, changed, native: Mutex::default() }
    }

    /// The commands.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// The number of changes of scalars since the recording. A device stores this number with its native form of the
    /// graph. At each replay, the device compares the stored number with the current number.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The positions of the commands that were changed after a version.
    pub fn changed_after(&self, version: u64) -> impl Iterator<Item = usize> {
        self.changed.iter().enumerate().filter(move |(_, changed)| **changed > version).map(|(position, _)| position)
    }

    /// The device's native form of the graph, for use by devices.
    pub fn native(&self) -> &Mutex<Option<Arc<dyn Any + Send + Sync>>> {
        &self.native
    }

    /// Changes a scalar argument of the launch at `position` for later replays.
    ///
    /// # Errors
    /// The command at `position` is not a launch, the argument is not a scalar, or `value` has another type
    /// than the scalar.
    pub fn set_scalar(&mut self, position: usize, argument: usize, value: Scalar) -> Result<(), RuntimeError> {
        let count = self.commands.len();
        let refused = |why: String| RuntimeError::user(format!("a scalar of a graph cannot change: {why}"));
        let Some(Command::Launch { args, .. }) = self.commands.get_mut(position) else {
            return Err(refused(format!(
                "command {position} of {count} is not a launch; use the position of a launch"
            )));
        };
        match args.get_mut(argument) {
            Some(Arg::Scalar(old)) if old.elem() == value.elem() => *old = value,
            Some(Arg::Scalar(old)) => {
                let (old, new) = (old.elem(), value.elem());
                return Err(refused(format!(
                    "argument {argument} has type {old}, but the value has type {new}; convert the value"
                )));
            }
            _ => return Err(refused(format!("argument {argument} is not a scalar: record a new graph"))),
        }
        self.version += 1;
        self.changed[position] = self.version;
        Ok(())
    }
}
