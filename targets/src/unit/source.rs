//! The sources of the costs and latencies of the known chips.
use crate::{CostClass, Target, amdgpu, cpu, nvptx, spirv, wgsl};

/// The source of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A document, a table or a program states the number.
    Stated(&'static str),
    /// No compared source states the number. The text is the rule of the estimate.
    Estimate(&'static str),
}

impl Source {
    /// The name of the source, or the rule of the estimate.
    pub fn text(self) -> &'static str {
        match self {
            Source::Stated(text) | Source::Estimate(text) => text,
        }
    }

    /// Whether the number is an estimate.
    pub fn is_estimate(self) -> bool {
        matches!(self, Source::Estimate(_))
    }

    /// The classes whose number is an estimate.
    pub(crate) fn estimated<const N: usize>(
        all: &[(CostClass, u32); N],
        source: impl Fn(CostClass) -> Source,
    ) -> Vec<CostClass> {
        all.iter().map(|(class, _)| *class).filter(|class| source(*class).is_estimate()).collect()
    }
}

impl Target {
    /// The source of the cost of a class. `None` for a class without a cost, and for a chip that is not in the tables.
    pub fn source_of_cost(&self, class: CostClass) -> Option<Source> {
        self.costs.get(&class)?;
        match self.backend.as_str() {
            nvptx::BACKEND => nvptx::source_of_cost(&self.chip, class),
            amdgpu::BACKEND => Some(amdgpu::source_of_cost(&self.chip, class)),
            cpu::BACKEND => Some(cpu::source_of_cost(class)),
            spirv::BACKEND | wgsl::BACKEND => Some(Source::Estimate(
                "GPUs of every vendor: a special function has a quarter of the rate of f32, a division takes 20 sums, and f64 has 1/16 of the rate",
            )),
            _ => None,
        }
    }

    /// The source of the latency of a class. `None` for a class without a latency, and for a chip that is not in the
    /// tables.
    pub fn source_of_latency(&self, class: CostClass) -> Option<Source> {
        self.latencies.get(&class)?;
        match self.backend.as_str() {
            nvptx::BACKEND => nvptx::source_of_latency(&self.chip, class),
            amdgpu::BACKEND => Some(amdgpu::source_of_latency(class)),
            cpu::BACKEND => Some(cpu::source_of_latency(class)),
            _ => None,
        }
    }
}
