//! The numbers of LLVM's atomic operations.
use cube_dialect::Combine;

/// The combining operations of `llvm.atomicrmw`. The index is the number of the operation in the LLVM
/// dialect.
pub const ATOMICS: [Option<Combine>; 15] = [
    Some(Combine::Exchange),
    Some(Combine::AddI),
    Some(Combine::SubI),
    Some(Combine::AndI),
    None,
    Some(Combine::OrI),
    Some(Combine::XOrI),
    Some(Combine::MaxSI),
    Some(Combine::MinSI),
    Some(Combine::MaxUI),
    Some(Combine::MinUI),
    Some(Combine::AddF),
    Some(Combine::SubF),
    Some(Combine::MaxF),
    Some(Combine::MinF),
];
