// The text of an option reaches the pass unchanged; MLIR reports unknown options.

// RUN: not ll-opt --convert-layouts-to-llvm='target={cuda:90 fast}' %s 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: :[[#@LINE+23]]:1: error: 'builtin.module' op unknown target `cuda:90 fast`; known targets are

// RUN: not ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{aim=cuda:90})' %s 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: error: `convert-layouts-to-llvm` has no option `aim`; valid options are `

// Of two values MLIR takes the last.
// RUN: ll-opt --pass-pipeline='builtin.module(convert-layouts-to-llvm{target=cuda:90 target=cuda:80})' %s | FileCheck %s --check-prefix=LAST
// LAST: ttg.target = "cuda:80"

// An empty text is none: the module's own target counts.
// RUN: ll-opt --convert-layouts-to-llvm='target=' %s | FileCheck %s --check-prefix=OWN
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --check-prefix=OWN
// OWN: ttg.target = "cuda:100"

// A list is separated by commas; what it names has to be there.
// RUN: ll-opt --convert-encodings-to-linear='keep=blocked,slice' %s
// RUN: not ll-opt --convert-encodings-to-linear='keep=slice,bloked' %s 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: error: 'builtin.module' op unknown encoding family `bloked`, expected one of
// LIST: note: did you mean `blocked`?
// RUN: not ll-opt --recognize-encodings='only=slise' %s 2>&1 | FileCheck %s --check-prefix=ONLY
// ONLY: error: 'builtin.module' op unknown encoding family `slise`, expected one of
// ONLY: note: did you mean `slice`?

module attributes {ttg.target = "cuda:100", "ttg.num-warps" = 4 : i32} {
  tt.func public @f() {
    tt.return
  }
}
