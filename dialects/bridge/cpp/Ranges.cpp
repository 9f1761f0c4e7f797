//===- Ranges.cpp: MLIR's analysis of integer ranges, with a bound on its steps ----------------------------------------===//
#include "Bridge.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using Range = dataflow::IntegerValueRangeLattice;

namespace {
// After `limit` visits of an operation, its results get the full range of their types, so that the analysis ends.
struct BoundedRanges : dataflow::IntegerRangeAnalysis {
  BoundedRanges(DataFlowSolver &solver, unsigned limit) : IntegerRangeAnalysis(solver), limit(limit) {}
  LogicalResult visitOperation(Operation *op, ArrayRef<const Range *> operands, ArrayRef<Range *> results) override {
    if (++visits[op] <= limit)
      return IntegerRangeAnalysis::visitOperation(op, operands, results);
    return setAllToEntryStates(results), success();
  }
  DenseMap<Operation *, unsigned> visits;
  unsigned limit;
};

// Drops what the analysis knows about an operation that a pattern removes.
struct Forget : RewriterBase::Listener {
  explicit Forget(DataFlowSolver &solver) : solver(solver) {}
  void notifyOperationErased(Operation *op) override {
    solver.eraseState(solver.getProgramPointAfter(op));
    llvm::for_each(op->getResults(), [&](Value result) { solver.eraseState(result); });
  }
  DataFlowSolver &solver;
};
} // namespace

int64_t cubeFoldRanges(MlirOperation op, int64_t limit, bool *changed) {
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver); // without constants of all types, the analysis would treat live code as dead
  auto *ranges = solver.load<BoundedRanges>(limit);
  if (failed(solver.initializeAndRun(unwrap(op))))
    return 0; // nothing is known, so nothing changes
  Forget forget(solver);
  RewritePatternSet patterns(unwrap(op)->getContext());
  arith::populateIntRangeOptimizationsPatterns(patterns, solver);
  // A failure says that patterns still apply after the last iteration. The operation is valid then, too.
  (void)applyPatternsGreedily(unwrap(op), std::move(patterns), GreedyRewriteConfig().setListener(&forget), changed);
  return llvm::count_if(ranges->visits, [=](const auto &visit) { return visit.second > limit; });
}
