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
#include <stddef.h>
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

// --- from text to a result, without a context of the caller's ---
//
// Each function works in a context of its own and may run beside others. `options` is a JSON object; the file
// `python/linear_layout/compiler.py` documents its keys. None of these ends the process where LLVM's back end gives
// up: that is an error of the answer, and costs the memory that LLVM held.

// An answer: whether it succeeded, a report as JSON, and what was asked for. Belongs to the caller.
typedef struct LinearLayoutResponse LinearLayoutResponse;

// Memory of the caller's that a kernel is run on.
typedef struct {
  void *data;
  size_t size;
} LinearLayoutBuffer;

// Translates a module, lowering it first, to LLVM IR, assembly or an object.
LinearLayoutResponse *linearLayoutCompile(MlirStringRef source, MlirStringRef options);

// Runs a pipeline of passes on a module; the output is its text.
LinearLayoutResponse *linearLayoutRewrite(MlirStringRef source, MlirStringRef options);

// Runs a kernel on the CPU. The buffers hold what it leaves, or what they held where it fails; they must not overlap.
LinearLayoutResponse *linearLayoutSimulate(MlirStringRef source, MlirStringRef options,
                                           const LinearLayoutBuffer *buffers, size_t numBuffers);

// The parts of an answer; the texts live as long as it does.
bool linearLayoutResponseSucceeded(const LinearLayoutResponse *response);
MlirStringRef linearLayoutResponseReport(const LinearLayoutResponse *response);
MlirStringRef linearLayoutResponseOutput(const LinearLayoutResponse *response);
void linearLayoutResponseDestroy(LinearLayoutResponse *response);

#ifdef __cplusplus
}
#endif

#endif // LINEAR_LAYOUT_C_H
