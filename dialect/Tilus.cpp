// The dialect `tilus`: register layouts of Tilus as encodings.
#define LL_DIALECT ll::tilus::TilusDialect
#define LL_STEM TilusAttrs
#include "dialect/Definition.inc"
