// RUN: cube-opt %s --verify-diagnostics --expand-missing

// Without a description the pass keeps only the types of every chip, and the message names the remedy.
// expected-error @+1 {{a module without a target description (see attach-target): it lacks i64}}
cube.kernel @argument(%n: i64) {
  cube.return
}
