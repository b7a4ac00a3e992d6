// The dialect `cute`: layouts of CuTe as encodings.
#define LL_DIALECT ll::cute::CuteDialect
#define LL_STEM CuteAttrs
#include "dialect/Definition.inc"
