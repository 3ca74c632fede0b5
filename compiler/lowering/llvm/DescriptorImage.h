// DescriptorImage.h - a constant data structure of C structs, byte for byte as
// the ABI header lays them out, with pointers into itself and to functions.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace boostc {

/// Grows by append(); positions are bytes from the start. Pointer fields hold
/// zeros in the bytes and are recorded apart.
class DescriptorImage {
public:
  /// Appends `count` copies of zeroed T, aligned, and returns the position of
  /// the first.
  template <typename T> uint64_t append(uint64_t count = 1) {
    return appendBytes(sizeof(T) * count, alignof(T));
  }
  /// Overwrites the bytes at `at`.
  template <typename T> void write(uint64_t at, const T &value) {
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
  /// Reads the bytes at `at`; pointers read as null.
  template <typename T> void read(uint64_t at, T &value) const {
    std::memcpy(static_cast<void *>(&value), bytes.data() + at, sizeof(T));
  }
  /// Position of the text with a terminator; equal texts share one.
  uint64_t appendString(llvm::StringRef text);

  /// The pointer at `at` shall hold the address of position `target`.
  void setPointer(uint64_t at, uint64_t target) { pointers[at] = {target, {}}; }
  /// The pointer at `at` shall hold the address of a function.
  void setSymbol(uint64_t at, llvm::StringRef symbol) {
    pointers[at] = {0, symbol.str()};
  }

  /// Emits the image as the constant global `name`.
  void emit(mlir::OpBuilder &builder, mlir::Location loc,
            llvm::StringRef name) const;

private:
  uint64_t appendBytes(uint64_t size, uint64_t alignment);

  struct Target {
    uint64_t position;
    std::string symbol; ///< empty = inside the image
  };
  std::vector<char> bytes;
  std::map<uint64_t, Target> pointers;
  llvm::StringMap<uint64_t> strings;
};

} // namespace boostc
