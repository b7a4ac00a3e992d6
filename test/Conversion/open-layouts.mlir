// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:90 -split-input-file -verify-diagnostics %s
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 -split-input-file -verify-diagnostics %s

// Open layouts do not lower, and the error names the pass that resolves them.

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @made(%p: !tt.ptr<i32>) {
    // expected-error @+2 {{requires a resolved layout, but got `tensor<128xi32, #gluon.auto_encoding>`}}
    // expected-note @+1 {{run the pass `resolve-auto-layouts` first}}
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #gluon.auto_encoding>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  // expected-error @+2 {{requires a resolved layout, but got `tensor<128xi32, #gluon.coalesced_encoding>`}}
  // expected-note @+1 {{run the pass `resolve-auto-layouts` first}}
  tt.func private @taken(%x: tensor<128xi32, #gluon.coalesced_encoding>) {
    tt.return
  }
}
