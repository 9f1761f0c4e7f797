//! The adapters of a machine, and the choice of one adapter.
use crate::context::{catch_panic, now};
use cube_artifact::Variables;
use cube_runtime::{ErrorKind, RuntimeError};
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;
use wgpu::DeviceType;

/// The environment variable that chooses an adapter.
pub const ADAPTER_VARIABLE: &str = "CUBE_WGPU_ADAPTER";

/// The choice of an adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum AdapterChoice {
    /// The first adapter in the order discrete, integrated, virtual, CPU, other.
    #[default]
    Default,
    /// A discrete GPU, identified by its number among the discrete GPUs.
    Discrete(usize),
    /// An integrated GPU, identified by its number among the integrated GPUs.
    Integrated(usize),
    /// A virtual GPU, identified by its number among the virtual GPUs.
    Virtual(usize),
    /// A software implementation that runs on the CPU, for example lavapipe.
    Cpu,
    /// The first adapter whose name contains the given text. The comparison ignores case.
    Named(String),
}

impl FromStr for AdapterChoice {
    type Err = std::convert::Infallible;

    /// Parses `default`, `cpu`, `discrete`, `integrated`, `virtual`, or a part of an adapter's name. A number can
    /// follow `discrete`, `integrated` and `virtual`, for example `discrete:1`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, number) = match text.split_once(':') {
            Some((kind, number)) => (kind, number.parse().ok()),
            None => (text, Some(0)),
        };
        Ok(match (kind, number) {
            ("" | "default", Some(0)) => AdapterChoice::Default,
            ("discrete", Some(n)) => AdapterChoice::Discrete(n),
            ("integrated", Some(n)) => AdapterChoice::Integrated(n),
            ("virtual", Some(n)) => AdapterChoice::Virtual(n),
            ("cpu", Some(0)) => AdapterChoice::Cpu,
            _ => AdapterChoice::Named(text.into()),
        })
    }
}

impl fmt::Display for AdapterChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdapterChoice::Default => f.write_str("default"),
            AdapterChoice::Discrete(n) => write!(f, "discrete:{n}"),
            AdapterChoice::Integrated(n) => write!(f, "integrated:{n}"),
            AdapterChoice::Virtual(n) => write!(f, "virtual:{n}"),
            AdapterChoice::Cpu => f.write_str("cpu"),
            AdapterChoice::Named(name) => f.write_str(name),
        }
    }
}

impl AdapterChoice {
    /// The choice in the variable `CUBE_WGPU_ADAPTER`, or the default choice if the variable is not set.
    pub fn of(variables: &Variables) -> Self {
        let text = variables.text(ADAPTER_VARIABLE).unwrap_or_default();
        text.trim().parse().unwrap_or_default()
    }

    /// The index of the chosen adapter in `adapters`.
    fn pick(&self, adapters: &[(DeviceType, String)]) -> Option<usize> {
        let nth = |kind, n: usize| {
            let all = adapters.iter().enumerate().filter(|(_, (own, _))| *own == kind);
            all.map(|(at, _)| at).nth(n)
        };
        match self {
            AdapterChoice::Default => (0..adapters.len()).min_by_key(|at| rank(adapters[*at].0)),
            AdapterChoice::Discrete(n) => nth(DeviceType::DiscreteGpu, *n),
            AdapterChoice::Integrated(n) => nth(DeviceType::IntegratedGpu, *n),
            AdapterChoice::Virtual(n) => nth(DeviceType::VirtualGpu, *n),
            AdapterChoice::Cpu => nth(DeviceType::Cpu, 0),
            AdapterChoice::Named(name) => {
                let name = name.to_lowercase();
                adapters.iter().position(|(_, own)| own.to_lowercase().contains(&name))
            }
        }
    }
}

fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Cpu => 3,
        DeviceType::Other => 4,
    }
}

/// The name of a kind of adapter in settings and messages.
fn word(kind: DeviceType) -> &'static str {
    match kind {
        DeviceType::DiscreteGpu => "discrete",
        DeviceType::IntegratedGpu => "integrated",
        DeviceType::VirtualGpu => "virtual",
        DeviceType::Cpu => "cpu",
        DeviceType::Other => "other",
    }
}

fn adapters() -> Result<Vec<wgpu::Adapter>, RuntimeError> {
    // The program has only one wgpu instance, because NVIDIA's driver refuses further instances after about thirty.
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    catch_panic(|| {
        let new = || {
            let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
            // With this flag, the default of a build for development, naga searches the line of each statement from the beginning
            // of the text.
            descriptor.flags.remove(wgpu::InstanceFlags::DEBUG);
            wgpu::Instance::new(descriptor)
        };
        now(INSTANCE.get_or_init(new).enumerate_adapters(wgpu::Backends::PRIMARY))
    })
}

/// The adapters of this machine, each as `KIND: NAME (BACKEND, DRIVER)`.
///
/// # Errors
/// wgpu cannot start.
pub fn list() -> Result<Vec<String>, RuntimeError> {
    let line = |adapter: &wgpu::Adapter| {
        let info = adapter.get_info();
        format!("{}: {} ({}, {})", word(info.device_type), info.name, info.backend, info.driver)
    };
    Ok(adapters()?.iter().map(line).collect())
}

/// Finds the adapter that a choice selects.
///
/// # Errors
/// [`ErrorKind::NoDevice`] with a list of the existing adapters, if no adapter matches the choice.
pub(crate) fn find(choice: &AdapterChoice) -> Result<wgpu::Adapter, RuntimeError> {
    let mut all = adapters()?;
    let facts: Vec<_> = all.iter().map(wgpu::Adapter::get_info).map(|info| (info.device_type, info.name)).collect();
    match choice.pick(&facts) {
        Some(at) => Ok(all.swap_remove(at)),
        None => Err(RuntimeError::new(ErrorKind::NoDevice, missing(choice, &facts))),
    }
}

fn missing(choice: &AdapterChoice, facts: &[(DeviceType, String)]) -> String {
    if facts.is_empty() {
        return "this machine has no adapter for wgpu; install a driver of Vulkan, for example mesa-vulkan-drivers, or run on another backend".into();
    }
    let known: Vec<String> = facts.iter().map(|(kind, name)| format!("{} ({})", name, word(*kind))).collect();
    format!(
        "no adapter matches '{choice}', and this machine has {}; set {ADAPTER_VARIABLE} to discrete, integrated, virtual, cpu or a part of a name",
        known.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Vec<(DeviceType, String)> {
        let all = [
            (DeviceType::Cpu, "llvmpipe"),
            (DeviceType::IntegratedGpu, "Iris"),
            (DeviceType::DiscreteGpu, "GeForce A"),
            (DeviceType::DiscreteGpu, "GeForce B"),
        ];
        all.map(|(kind, name)| (kind, name.to_string())).to_vec()
    }

    #[test]
    fn adapter_choice_is_a_kind_with_a_number_or_a_substring() {
        let picked = |text: &str| text.parse::<AdapterChoice>().unwrap().pick(&machine());
        assert_eq!(
            ["", "default", "discrete:1", "integrated", "cpu", "IRIS", "force b", "virtual", "discrete:2", "radeon"]
                .map(picked),
            [Some(2), Some(2), Some(3), Some(1), Some(0), Some(1), Some(3), None, None, None]
        );
    }

    #[test]
    fn the_default_on_a_machine_without_a_gpu_is_the_cpu() {
        assert_eq!(AdapterChoice::Default.pick(&machine()[..1]), Some(0));
        assert_eq!(AdapterChoice::Default.pick(&[]), None);
    }

    #[test]
    fn a_missing_adapter_is_named_with_those_that_exist() {
        let text = missing(&AdapterChoice::Virtual(0), &machine()[..2]);
        assert!(
            text.starts_with("no adapter matches 'virtual:0', and this machine has llvmpipe (cpu), Iris (integrated)"),
            "{text}"
        );
        assert!(missing(&AdapterChoice::Default, &[]).contains("mesa-vulkan-drivers"));
    }

    #[test]
    fn a_choice_reads_back_from_its_text() {
        for text in ["default", "discrete:3", "integrated:0", "virtual:1", "cpu", "Radeon: x"] {
            assert_eq!(text.parse::<AdapterChoice>().unwrap().to_string(), text);
        }
    }
}
