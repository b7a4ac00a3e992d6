// `ll-opt`: MLIR's own driver with every upstream dialect and pass, and ours.
#include "dialect/Bridge.h"
#include "linear-layout/src/sys/bridge.rs.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

int32_t ll::bridge::opt_main(rust::Slice<const rust::String> arguments) {
  std::vector<std::string> owned;
  for (const rust::String &argument : arguments)
    owned.emplace_back(argument.data(), argument.size());
  std::vector<char *> argv;
  for (std::string &argument : owned)
    argv.push_back(argument.data());
  argv.push_back(nullptr);

  registerAllPasses();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  register_dialects(reinterpret_cast<size_t>(&registry));
  return asMainReturnCode(MlirOptMain(static_cast<int>(owned.size()), argv.data(),
                                      "ll-opt: tensor layouts to NVVM and ROCDL\n", registry));
}
