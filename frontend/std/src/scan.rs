//! Prefix sums of any length. Each cube scans one block of the input. The sums of the blocks are scanned
//! recursively and then added to the following blocks.
use cube_frontend::prelude::*;
use cube_frontend::server::Handle;

/// Length of a block, and number of units of a cube.
const BLOCK: u32 = 256;

#[cube(launch)]
fn scan_blocks<N: Numeric>(
    input: &Array<N>,
    output: &mut Array<N>,
    sums: &mut Array<N>,
    len: u32,
    #[comptime] block: u32,
    #[comptime] inclusive: bool,
) {
    let at = CUBE_POS * block + UNIT_POS;
    let mut shared = SharedMemory::<N>::new(comptime!(2 * block));
    shared[UNIT_POS] = if at < len { input[at] } else { N::from_int(0) };
    sync_cube();
    // Each step doubles the number of values that an element sums. It reads one half of the shared memory and writes
    // the other half (Hillis and Steele 1986).
    let mut from = 0u32;
    let mut distance = 1u32;
    while distance < block {
        let mut sum = shared[from + UNIT_POS];
        if UNIT_POS >= distance {
            sum += shared[from + UNIT_POS - distance];
        }
        let to = block - from;
        shared[to + UNIT_POS] = sum;
        sync_cube();
        from = to;
        distance *= 2;
    }
    let sum = shared[from + UNIT_POS];
    if at < len {
        // The exclusive sum equals the inclusive sum of the previous unit. A subtraction of the unit's value would be
        // inexact for floats.
        output[at] = if inclusive {
            sum
        } else if UNIT_POS == 0 {
            N::from_int(0)
        } else {
            shared[from + UNIT_POS - 1]
        };
    }
    if UNIT_POS == block - 1 {
        sums[CUBE_POS] = sum;
    }
}

#[cube(launch)]
fn add_blocks<N: Numeric>(sums: &Array<N>, output: &mut Array<N>, len: u32, #[comptime] block: u32) {
    let at = CUBE_POS * block + UNIT_POS;
    if at < len {
        output[at] += sums[CUBE_POS];
    }
}

/// Writes the prefix sums of `input` to `output`. Both buffers have `len` elements. An inclusive prefix sum
/// contains the element at its own index.
///
/// # Errors
/// A launch failed, or the memory for the sums of the blocks cannot be allocated.
pub fn launch<R: Runtime, N: Numeric>(
    client: &ComputeClient<R::Server>,
    input: &Handle,
    output: &Handle,
    len: usize,
    inclusive: bool,
) -> Result<(), LaunchError> {
    let blocks = len.div_ceil(BLOCK as usize).max(1);
    let sums = client.try_uninit(blocks * N::size().unwrap_or(1))?;
    let count = || cube_frontend::calculate_cube_count_elemwise(blocks, CubeDim::new_single());
    let dim = CubeDim::new_1d(BLOCK);
    let arg = |handle, len| crate::array::<N, R>(handle, len);
    let length = ScalarArg::new(len as u32);
    scan_blocks::try_launch::<N, R>(
        client,
        count(),
        dim,
        arg(input, len),
        arg(output, len),
        arg(&sums, blocks),
        length,
        BLOCK,
        inclusive,
    )?;
    if blocks > 1 {
        let before = client.try_uninit(blocks * N::size().unwrap_or(1))?;
        launch::<R, N>(client, &sums, &before, blocks, false)?;
        add_blocks::try_launch::<N, R>(client, count(), dim, arg(&before, blocks), arg(output, len), length, BLOCK)?;
    }
    Ok(())
}
