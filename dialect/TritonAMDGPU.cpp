// The dialect `amdg`: registration.
#include "dialect/Dialects.h"

using namespace mlir;

#include "TritonAMDGPUOps.dialect.cpp.inc"
#define GET_OP_CLASSES
#include "TritonAMDGPUOps.cpp.inc"

void ll::amdg::TritonAMDGPUDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TritonAMDGPUOps.cpp.inc"
      >();
}
