// The dialect `gluon`: registration.
#define LL_DIALECT ll::gluon::GluonDialect
#define LL_STEM GluonOps
#include "dialect/Definition.inc"
