// The dialect `gluon`: open layouts, and the operation that sets one.
#ifndef LL_GLUON_OPS
#define LL_GLUON_OPS

include "mlir/IR/AttrTypeBase.td"
include "TritonTypes.td"

def Gluon_Dialect : Dialect {
  let name = "gluon";
  let cppNamespace = "::ll::gluon";
  let summary = "Layouts to be inferred";
  let description = [{
    A tensor may have an attribute of this dialect instead of an encoding. The pass `resolve-auto-layouts` replaces the
    attribute by an inferred encoding, as lowering requires.
    - gluon_c1: if the layout of a result follows from the layout of an operand, both must have the same
      unresolved layout, or neither has one
  }];
  let dependentDialects = ["::ll::ttg::TritonGPUDialect"];
  let extraClassDeclaration = LL_DialectHooks.text;
}

class Gluon_Attr<string name, string attrMnemonic> : AttrDef<Gluon_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Gluon_AutoEncoding : Gluon_Attr<"AutoEncoding", "auto_encoding"> {
  let summary = "an encoding that is inferred from the definition and the uses of a tensor";
  let description = [{
    ```mlir
    #gluon.auto_encoding
    ```
  }];
}

def Gluon_CoalescedEncoding : Gluon_Attr<"CoalescedEncoding", "coalesced_encoding"> {
  let summary = "the encoding in which neighbouring threads access neighbouring addresses";
  let description = [{
    The encoding that `coalesce` chooses for the access to global memory that uses or defines the tensor.
    ```mlir
    #gluon.coalesced_encoding
    ```
  }];
}

class Gluon_Op<string mnemonic, list<Trait> traits = []>
    : Op<Gluon_Dialect, mnemonic, !listconcat(traits, [LL_Verified])>;

def Gluon_SetAutoLayoutOp : Gluon_Op<"set_auto_layout", [LL_NotLowered, LL_FixedLayouts, SameOperandsAndResultShape,
                                                         SameOperandsAndResultElementType]> {
  let summary = "set the layout of a tensor with an open layout";
  let description = [{
    No data moves: the operand gets the layout of the result.
    ```mlir
    %1 = gluon.set_auto_layout %0 : tensor<16xf32, #gluon.auto_encoding> -> tensor<16xf32, #blocked>
    ```
    - set_auto_layout_c1: the operand must have the encoding `#gluon.auto_encoding`
    - set_auto_layout_c2: the result must have a concrete encoding, or `#gluon.coalesced_encoding`
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

#endif
