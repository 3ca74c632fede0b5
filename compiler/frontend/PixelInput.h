// PixelInput.h - a samples' input with dtype u8: the loader moves pixels, which
// stay bytes, and the program makes numbers of them.
#pragma once

#include "compiler/frontend/Document.h"
#include "compiler/frontend/ErrorList.h"
#include "llvm/ADT/SmallVector.h"

namespace boostc::frontend {

/// Whether `input` is declared as bytes.
bool isPixels(const Member &input);

/// What bytes of channel c become: scale[c] * x + shift[c]. One number each
/// where all channels have the same.
struct PixelScaling {
  llvm::SmallVector<double> scale = {1.0}, shift = {0.0};
};

/// The transforms `rescale` and `normalize` of a resolved model, together.
PixelScaling getPixelScaling(const Node &model);

/// Emits errors for an input of bytes without the shape of an image, or whose
/// transforms make other numbers of pixels before the last one that moves them.
void checkPixels(const Node &model, const Member &input, ErrorList &errors);

} // namespace boostc::frontend
