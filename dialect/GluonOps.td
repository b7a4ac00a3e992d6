// The dialect `gluon`: layouts that a program leaves open, and where it says which one is meant.
#ifndef LL_GLUON_OPS
#define LL_GLUON_OPS

include "mlir/IR/AttrTypeBase.td"
include "TritonTypes.td"

def Gluon_Dialect : Dialect {
  let name = "gluon";
  let cppNamespace = "::ll::gluon";
  let summary = "Layouts that a program leaves open";
  let description = [{
    A tensor may have an attribute of this dialect in the place of an encoding, until `resolve-auto-layouts` has
    found the encoding that is meant. Nothing lowers before.
    - gluon_c1: where the layout of a result follows from that of an operand, both are left open in the same way,
      or neither is
  }];
  let dependentDialects = ["::ll::ttg::TritonGPUDialect"];
  let extraClassDeclaration = LL_DialectHooks.text;
}

class Gluon_Attr<string name, string attrMnemonic> : AttrDef<Gluon_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Gluon_AutoEncoding : Gluon_Attr<"AutoEncoding", "auto_encoding"> {
  let summary = "the encoding that what a tensor is made of, or used for, asks for";
  let description = [{
    ```mlir
    #gluon.auto_encoding
    ```
  }];
}

def Gluon_CoalescedEncoding : Gluon_Attr<"CoalescedEncoding", "coalesced_encoding"> {
  let summary = "the encoding in which neighbouring threads access neighbouring addresses";
  let description = [{
    As `coalesce` chooses it for the access to global memory that the tensor goes into, or comes from.
    ```mlir
    #gluon.coalesced_encoding
    ```
  }];
}

class Gluon_Op<string mnemonic, list<Trait> traits = []>
    : Op<Gluon_Dialect, mnemonic, !listconcat(traits, [LL_Verified])>;

def Gluon_SetAutoLayoutOp : Gluon_Op<"set_auto_layout", [LL_NotLowered, LL_FixedLayouts, SameOperandsAndResultShape,
                                                         SameOperandsAndResultElementType]> {
  let summary = "the same tensor, whose layout was left open until here";
  let description = [{
    It moves nothing: it says which layout its operand has.
    ```mlir
    %1 = gluon.set_auto_layout %0 : tensor<16xf32, #gluon.auto_encoding> -> tensor<16xf32, #blocked>
    ```
    - set_auto_layout_c1: the operand has `#gluon.auto_encoding`
    - set_auto_layout_c2: the result has an encoding, or `#gluon.coalesced_encoding`
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

#endif
