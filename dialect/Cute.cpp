// The dialect `cute`, which has layouts of CuTe as encodings and nothing else.
#define LL_DIALECT ll::cute::CuteDialect
#define LL_STEM CuteAttrs
#include "dialect/Definition.inc"
