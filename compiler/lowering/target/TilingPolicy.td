#ifndef BOOSTC_LOWERING_TILINGPOLICY
#define BOOSTC_LOWERING_TILINGPOLICY

include "mlir/Pass/PassBase.td"

class TilingOption<string description>
    : Option<"tilingPolicy", "tiling", "::boostc::TilingPolicy", "::boostc::TilingPolicy::Auto", description, [{
        ::llvm::cl::values(
            clEnumValN(::boostc::TilingPolicy::Auto, "auto", "where that is estimated to be faster"),
            clEnumValN(::boostc::TilingPolicy::Always, "always", "wherever possible"),
            clEnumValN(::boostc::TilingPolicy::Never, "never", "nowhere"))}]>;

#endif // BOOSTC_LOWERING_TILINGPOLICY
