#include "compiler/lowering/kernels/Chunks.h"

using namespace mlir;
using namespace boostc;

size_t boostc::countOps(Operation *kernel) {
  size_t count = 0;
  kernel->walk([&](Operation *) { ++count; });
  return count;
}

SmallVector<size_t> boostc::assignChunks(ArrayRef<size_t> sizes, size_t ops) {
  SmallVector<size_t> chunks;
  size_t chunk = 0, size = 0;
  for (size_t own : sizes) {
    if (size >= ops) {
      ++chunk;
      size = 0;
    }
    chunks.push_back(chunk);
    size += own;
  }
  return chunks;
}

OwningOpRef<Operation *> boostc::makeEmptyChunk(Operation *module) {
  OwningOpRef<Operation *> chunk = module->cloneWithoutRegions();
  chunk->getRegion(0).emplaceBlock();
  return chunk;
}
