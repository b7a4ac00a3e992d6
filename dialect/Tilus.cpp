// The dialect `tilus`, which has register layouts of Tilus as encodings and nothing else.
#define LL_DIALECT ll::tilus::TilusDialect
#define LL_STEM TilusAttrs
#include "dialect/Definition.inc"
