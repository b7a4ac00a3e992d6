// Calls every function of linear_layout_c.h once, also with what it must refuse.
#include "linear_layout_c.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/CAPI/Diagnostics.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static void printBasis(MlirStringRef inDim, unsigned bit, intptr_t rank, const int32_t *coordinates,
                       void *) {
  llvm::outs() << unwrap(inDim) << " bit " << bit << ":";
  for (intptr_t i = 0; i < rank; ++i)
    llvm::outs() << ' ' << coordinates[i];
  llvm::outs() << '\n';
}

static void printText(MlirStringRef text, void *) { llvm::outs() << unwrap(text) << '\n'; }

static void compare(MlirType left, MlirType right) {
  bool isEqual = false;
  if (failed(unwrap(linearLayoutCompare(left, right, &isEqual))))
    llvm::outs() << "cannot be compared\n";
  else
    llvm::outs() << (isEqual ? "equal\n" : "different\n");
}

static void show(LinearLayoutResponse *response) {
  llvm::outs() << (linearLayoutResponseSucceeded(response) ? "done: " : "failed: ")
               << unwrap(linearLayoutResponseReport(response)) << '\n'
               << unwrap(linearLayoutResponseOutput(response));
  linearLayoutResponseDestroy(response);
}

int main() {
  llvm::outs() << "version " << linearLayoutVersion() << '\n';
  DialectRegistry registry;
  linearLayoutRegisterDialects(wrap(&registry));
  linearLayoutRegisterPasses();
  linearLayoutRegisterPasses();
  MLIRContext context(registry);
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) {
    llvm::outs() << "error: " << diagnostic << '\n';
    MlirStringRef rule = linearLayoutDiagnosticRule(wrap(diagnostic));
    if (rule.length)
      llvm::outs() << "rule: " << StringRef(rule.data, rule.length) << '\n';
    return success();
  });
  auto type = [&](const char *text) { return wrap(parseType(text, &context)); };

  MlirType rows = type("tensor<8x16xf16, #ttg.blocked<{sizePerThread = [1, 2], "
                       "threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>>");
  MlirType same = type("tensor<8x16xf32, #ttg.linear<{register = [[0, 1]], "
                       "lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0]], block = []}>>");
  MlirType columns = type("tensor<8x16xf16, #ttg.blocked<{sizePerThread = [2, 1], "
                          "threadsPerWarp = [4, 8], warpsPerCTA = [1, 2], order = [0, 1]}>>");
  MlirType buffer = type("!ttg.memdesc<8x16xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, "
                         "maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory>");
  if (failed(unwrap(linearLayoutVisitBases(rows, printBasis, nullptr))) ||
      failed(unwrap(linearLayoutPrint(buffer, printText, nullptr))))
    return 1;
  compare(rows, same);
  compare(rows, columns);

  // An encoding that breaks a rule.
  type("tensor<8xf16, #ttg.blocked<{sizePerThread = [3], threadsPerWarp = [32], "
       "warpsPerCTA = [1], order = [0]}>>");

  // A type without a layout, no callback, nowhere to write to, and no type at all.
  compare(rows, type("tensor<8x16xf16>"));
  compare(type("i32"), rows);
  compare(MlirType{nullptr}, rows);
  compare(rows, MlirType{nullptr});
  bool allFail = failed(unwrap(linearLayoutVisitBases(rows, nullptr, nullptr))) &&
                 failed(unwrap(linearLayoutPrint(rows, nullptr, nullptr))) &&
                 failed(unwrap(linearLayoutCompare(rows, same, nullptr)));
  llvm::outs() << (allFail ? "refused\n" : "not refused\n");

  // From text to text, without a context; no options are the defaults.
  auto string = [](const char *text) { return wrap(StringRef(text)); };
  show(linearLayoutRewrite(string("module {}"), string(R"({"pipeline": "cse"})")));
  show(linearLayoutCompile(string("module {}"), MlirStringRef{nullptr, 0}));
  show(linearLayoutCompile(string("module {}"), string("\xff")));
  float number = 1;
  LinearLayoutBuffer memory = {&number, sizeof(number)};
  const char *kernel = "module attributes {\"ttg.num-warps\" = 1 : i32, ttg.target = \"cuda:90\"} {"
                       "tt.func public @set(%p: !tt.ptr<f32>, %v: f32) {"
                       "tt.store %p, %v : !tt.ptr<f32> tt.return } }";
  LinearLayoutResponse *response = linearLayoutSimulate(
      string(kernel), string(R"({"args": [{"buffer": [0, 0]}, {"float": 2.5}]})"), &memory, 1);
  llvm::outs() << linearLayoutResponseSucceeded(response) << ' ' << number << '\n';
  linearLayoutResponseDestroy(response);
  linearLayoutResponseDestroy(nullptr);
}
