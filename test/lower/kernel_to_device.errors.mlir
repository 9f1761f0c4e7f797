// RUN: cube-opt %s --kernel-to-device=target=nvtpx --verify-diagnostics

// expected-error@+1 {{kernel-to-device knows the targets nvptx and amdgpu, not 'nvtpx' [CUBE0320]}}
module {
  cube.kernel @k() { cube.return }
}
