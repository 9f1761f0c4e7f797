//! Boards with a chip, for predictions of run times.
//!
//! A chip name such as `sm_90a` selects instructions. Boards with this chip differ in the number of multiprocessors, in
//! clock rates and in memory. Predictions therefore need the numbers of one board. The table has one board for each chip
//! that it lists. The numbers are from the vendors' data sheets, cited from memory: the H200 (132 multiprocessors, 4.8
//! TB/s, 50 MB cache), the A100 SXM 80 GB (108 multiprocessors, 2.04 TB/s, 40 MB), the RTX 4090 (128 multiprocessors,
//! 1.01 TB/s, 72 MB) and the MI300X (304 compute units, 5.3 TB/s, 256 MB). The cache rates, in bytes per cycle of the
//! whole chip, are estimates: 64 bytes per cycle for each slice of NVIDIA's caches, and the published 17.2 TB/s of
//! AMD's Infinity Cache.
use serde::{Deserialize, Serialize};

/// The size and the rates of one board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The name of the board.
    pub name: String,
    /// Multiprocessors (NVIDIA) or compute units (AMD). A cube runs on one multiprocessor.
    pub multiprocessors: u32,
    /// Schedulers of a multiprocessor. Each scheduler issues one instruction of a plane per cycle.
    pub schedulers: u32,
    /// Clock rate under load, in MHz.
    pub clock_mhz: u32,
    /// Peak rate of global memory, in MB/s.
    pub global_mb_per_s: u32,
    /// Size in bytes of the last-level cache of global memory.
    pub cache_bytes: u64,
    /// Rate of the last cache, in bytes per cycle of the whole chip.
    pub cache_bytes_per_cycle: u32,
    /// Shared memory of a multiprocessor in bytes, for all cubes that run on it.
    pub shared_bytes: u64,
    /// Maximum number of cubes that a multiprocessor runs at a time.
    pub cubes: u32,
}

impl Machine {
    /// The board for a chip; `None` if the table has no board for it.
    pub(crate) fn of(chip: &str) -> Option<Machine> {
        let board =
            |name: &str, multiprocessors, clock_mhz, global_mb_per_s, cache_mb: u64, rate, shared_kib: u64, cubes| {
                Some(Machine {
                    name: name.into(),
                    multiprocessors,
                    schedulers: 4,
                    clock_mhz,
                    global_mb_per_s,
                    cache_bytes: cache_mb << 20,
                    cache_bytes_per_cycle: rate,
                    shared_bytes: shared_kib << 10,
                    cubes,
                })
            };
        match chip {
            "sm_80" => board("NVIDIA A100 SXM 80 GB", 108, 1410, 2_039_000, 40, 5120, 164, 32),
            "sm_89" => board("NVIDIA RTX 4090", 128, 2520, 1_008_000, 72, 2048, 100, 24),
            "sm_90" | "sm_90a" => board("NVIDIA H200 SXM", 132, 1755, 4_800_000, 50, 5120, 228, 32),
            "gfx942" => board("AMD MI300X", 304, 2100, 5_300_000, 256, 8192, 64, 16),
            _ => None,
        }
    }
}
