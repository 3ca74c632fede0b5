// DescriptorImage.h - a descriptor as a constant of the program: the bytes of
// its structs, with pointers into itself and to symbols.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "runtime/abi/DescriptorSchema.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <string>
#include <vector>

namespace boostc {

/// Positions are bytes from the start. Pointers are zeros in the bytes and are
/// recorded apart.
class DescriptorImage {
public:
  /// Copies `program`, with all that it points at. A pointer that the linker
  /// sets holds the name of its symbol; see DescriptorMemory.
  explicit DescriptorImage(const BoostProgram &program) {
    append(boostabi::kBoostProgram, &program, 1);
  }

  /// Emits the image as the constant global `name`.
  void emit(mlir::OpBuilder &builder, mlir::Location loc,
            llvm::StringRef name) const;

private:
  uint64_t appendBytes(uint64_t size, uint64_t alignment);
  /// Position of the text with a terminator; equal texts share one.
  uint64_t appendText(llvm::StringRef text);
  /// Position of the first of `count` structs.
  uint64_t append(const boostabi::StructSchema &structure, const void *entries,
                  uint64_t count);
  /// Position of what the field of the struct at `entry` points at; fields that
  /// point at one table share it.
  uint64_t appendTable(const boostabi::FieldSchema &field, const char *entry);
  /// Sets the pointers of the struct at `entry`, whose copy is at `at`.
  void setPointers(const boostabi::StructSchema &structure, const char *entry,
                   uint64_t at);

  struct Target {
    uint64_t position;
    std::string symbol; ///< empty = inside the image
  };
  std::vector<char> bytes;
  std::map<uint64_t, Target> pointers;
  llvm::StringMap<uint64_t> strings;
  llvm::DenseMap<const char *, uint64_t> tables;
};

} // namespace boostc
