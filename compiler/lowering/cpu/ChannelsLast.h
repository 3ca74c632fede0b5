// ChannelsLast.h - where images of convolutions have their channels innermost
// on CPUs.
#pragma once

#include "compiler/lowering/kernels/TapSum.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace boostc {

/// [N, C, H, W] as pixels of channels.
mlir::MemRefType getChannelsLast(mlir::MemRefType type);

/// A convolution as its kernel computes it then.
struct ChannelsLastForm {
  /// Images with their channels innermost, weights as taps of matrices along
  /// whose innermost dimension vectors run.
  ConvolutionTypes types;
  ConvolutionGeometry geometry;
  /// Zeros around the rows of the image that is read. The types count them, and
  /// the padding does, too: they are less of it, or, where a gradient of the
  /// input reads a wider output, more.
  TapBorder border;
};

/// The image has a border where the copy costs less than it saves: where there
/// are few channels next to many taps, of which foldTaps() fills tiles, or
/// where no kernel has code for so many pixels that see beyond a row.
ChannelsLastForm getChannelsLast(rt::ConvolutionOp op,
                                 VectorRegisters registers);

/// Whether the convolutions of `function`, on tensors or memrefs, have kernels
/// for this order, and cost fewer cycles than with the batch innermost. False
/// without a convolution.
bool prefersChannelsLast(mlir::func::FuncOp function,
                         VectorRegisters registers);

/// Whether `op`, on tensors or memrefs, is a convolution whose kernel will
/// multiply bf16, in pairs or tiles, in this order.
bool multipliesBFloat16(ContractionOpInterface op, VectorRegisters registers);

} // namespace boostc
