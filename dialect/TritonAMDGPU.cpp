// The dialect `amdg`: registration.
#define LL_DIALECT ll::amdg::TritonAMDGPUDialect
#define LL_STEM TritonAMDGPUOps
#include "dialect/Definition.inc"
