// linear-layout for compilers written in C or C++: dialects, passes, and the layouts that encodings describe.
//
// The dialects are `tt`, `ttg`, `ttng`, `amdg`, `cute`, `tilus` and `gluon`. All functions may be called from any
// thread. No function aborts, throws, or keeps its arguments after it returns. A function that fails has emitted an
// error diagnostic in the context of its argument, at an unknown location; only a null argument makes it fail without a
// diagnostic.
//
// Link with LLVM and MLIR 22 as shared libraries: a static copy has type ids of its own, so that it would not recognise
// these dialects.
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

// Returns the version of this library, for example `0.1.0`.
const char *linearLayoutVersion(void);

// Adds the dialects to a registry, together with the interfaces that MLIR's `convert-to-llvm` needs for the dialects
// that remain after lowering.
void linearLayoutRegisterDialects(MlirDialectRegistry registry);

// Adds the passes to MLIR's registry of this process, so that a textual pipeline may contain their names:
// `convert-layouts-to-llvm{target=cuda:90}`. A second call has no effect.
void linearLayoutRegisterPasses(void);

// Returns the label of the rule that an error reports as broken, for example `reduce_c4`, or an empty string if the
// error has no label. `ll-opt --explain-rule=reduce_c4` explains the label. The text lives as long as the context.
MlirStringRef linearLayoutDiagnosticRule(MlirDiagnostic diagnostic);

// A callback that is called once for each basis vector of a layout, beginning with the innermost input dimension
// (`register` or `offset`).
//
// Bit `bit` of the input dimension `inDim` advances `coordinates[i]` elements along dimension i of the tensor; `rank`
// is the rank of the tensor. `inDim` and `coordinates` are valid only during the call.
typedef void (*LinearLayoutBasisCallback)(MlirStringRef inDim, unsigned bit, intptr_t rank,
                                          const int32_t *coordinates, void *userData);

// Calls `visit` for each basis vector of the linear layout of a type, which is a ranked tensor or a `!ttg.memdesc` with
// an encoding. Fails if the type has no layout.
MlirLogicalResult linearLayoutVisitBases(MlirType type, LinearLayoutBasisCallback visit,
                                         void *userData);

// Prints the linear layout of a type in Triton's format, one basis vector per line.
MlirLogicalResult linearLayoutPrint(MlirType type, MlirStringCallback print, void *userData);

// Sets `equal` to true if two types have the same linear layout, even if their encodings have different names, and to
// false otherwise. Fails if one of the types has no layout.
MlirLogicalResult linearLayoutCompare(MlirType left, MlirType right, bool *equal);

// --- Functions from text to a result, which need no context of the caller ---
//
// Each function works in its own context, and may run concurrently with other functions. `options` is a JSON object;
// the file `python/linear_layout/compiler.py` documents its keys. No function ends the process if LLVM's back end
// fails: the failure is reported in the response, and the memory that LLVM has allocated is leaked.

// A response: success or failure, a report as JSON, and the requested output. The caller owns the response.
typedef struct LinearLayoutResponse LinearLayoutResponse;

// Memory of the caller, which a kernel that is run on the CPU reads and writes.
typedef struct {
  void *data;
  size_t size;
} LinearLayoutBuffer;

// Lowers a module and translates it to LLVM IR, assembly or an object file.
LinearLayoutResponse *linearLayoutCompile(MlirStringRef source, MlirStringRef options);

// Runs a pipeline of passes on a module. The output is the text of the module.
LinearLayoutResponse *linearLayoutRewrite(MlirStringRef source, MlirStringRef options);

// Runs a kernel on the CPU. Afterwards the buffers contain the kernel's results. If the function fails, they keep their
// contents. The buffers must not overlap.
LinearLayoutResponse *linearLayoutSimulate(MlirStringRef source, MlirStringRef options,
                                           const LinearLayoutBuffer *buffers, size_t numBuffers);

// Returns the parts of a response. The texts live as long as the response.
bool linearLayoutResponseSucceeded(const LinearLayoutResponse *response);
MlirStringRef linearLayoutResponseReport(const LinearLayoutResponse *response);
MlirStringRef linearLayoutResponseOutput(const LinearLayoutResponse *response);
void linearLayoutResponseDestroy(LinearLayoutResponse *response);

#ifdef __cplusplus
}
#endif

#endif // LINEAR_LAYOUT_C_H
