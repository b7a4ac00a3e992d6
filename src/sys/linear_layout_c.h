// linear-layout for compilers written in C or C++: dialects, passes, and what an encoding means.
//
// The dialects are `tt`, `ttg`, `ttng`, `amdg`, `cute`, `tilus` and `gluon`. Everything here may be called from any thread;
// nothing here aborts, throws, or keeps what it is given. A function that fails has reported an
// error diagnostic to the context of its argument, at an unknown location; only a null argument
// fails without one.
//
// Link with LLVM and MLIR 22 as shared libraries: a static copy has type ids of its own, and would
// not know these dialects.
#ifndef LINEAR_LAYOUT_C_H
#define LINEAR_LAYOUT_C_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this library, as `0.1.0`.
const char *linearLayoutVersion(void);

// Adds the dialects to a registry, with what MLIR's `convert-to-llvm` has to know of the dialects
// that a lowering leaves behind.
void linearLayoutRegisterDialects(MlirDialectRegistry registry);

// Adds the passes to MLIR's registry of this process, so that a textual pipeline may name them:
// `convert-layouts-to-llvm{target=cuda:90}`. Calling it again has no effect.
void linearLayoutRegisterPasses(void);

// The label of the rule that an error says is broken, as `reduce_c4`; empty where it is that of no rule.
// `ll-opt --explain-rule=reduce_c4` says what a label stands for. The text lives as long as the context.
MlirStringRef linearLayoutDiagnosticRule(MlirDiagnostic diagnostic);

// Called once for each basis of a layout, the innermost in-dim (`register` or `offset`) first.
//
// Bit `bit` of the in-dim `inDim` moves `coordinates[i]` elements along dim i of the tensor;
// `rank` is the tensor's. The text and the array live as long as the call.
typedef void (*LinearLayoutBasisCallback)(MlirStringRef inDim, unsigned bit, intptr_t rank,
                                          const int32_t *coordinates, void *userData);

// Visits the bases of the linear layout of a type: a ranked tensor or a `!ttg.memdesc` with an
// encoding. Fails where the type has no layout.
MlirLogicalResult linearLayoutVisitBases(MlirType type, LinearLayoutBasisCallback visit,
                                         void *userData);

// Prints the linear layout of a type, a basis a line, as Triton prints layouts.
MlirLogicalResult linearLayoutPrint(MlirType type, MlirStringCallback print, void *userData);

// Sets `equal` to whether two types have the same element in the same place of the same thread,
// whatever their encodings are called. Fails where one of them has no layout.
MlirLogicalResult linearLayoutCompare(MlirType left, MlirType right, bool *equal);

#ifdef __cplusplus
}
#endif

#endif // LINEAR_LAYOUT_C_H
