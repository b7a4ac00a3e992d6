// Verification, forwarded to Rust.
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

using namespace mlir;

LogicalResult ll::verifySameEncoding(Operation *op, bool results) {
  return success(bridge::verify_same_encoding(wrap(op), results));
}

bool ll::isCachePolicy(Attribute attr) { return isa<tt::CachePolicyAttr, ttng::CachePolicyAttr>(attr); }

LogicalResult ll::ttg::TritonGPUDialect::verifyOperationAttribute(Operation *op,
                                                                  NamedAttribute attribute) {
  return success(bridge::verify_attribute(wrap(op),
                                          bridge::bytes(attribute.getName().getValue())));
}

LogicalResult ll::verifyOperation(Operation *op) {
  return success(bridge::verify_operation(wrap(op)));
}
