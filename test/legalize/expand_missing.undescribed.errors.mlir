// RUN: cube-opt %s --verify-diagnostics --expand-missing

// Without a description the pass keeps only the types of every chip, and the message names the remedy.
// expected-error @+1 {{requires type i64, which a module without a target description (see attach-target) does not support}}
cube.kernel @argument(%n: i64) {
  cube.return
}
