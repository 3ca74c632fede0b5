// Transforms.h - the transforms of a model's samples: what they must satisfy,
// and what of them is compiled.
//
// Where the input of the samples has the dtype u8, the loader moves pixels,
// which stay bytes, and the program makes numbers of them: rescale and
// normalize.
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

/// Emits errors for `transforms` and `eval_transforms` that do not end at the
/// shape of `input`, what layers read, that draw where nothing may, or that
/// the loader cannot do on its bytes.
void checkTransforms(const Node &model, const Member &input, ErrorList &errors);

} // namespace boostc::frontend
