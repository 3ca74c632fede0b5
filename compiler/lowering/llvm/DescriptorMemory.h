// DescriptorMemory.h - memory of the tables and texts of a descriptor while it
// is put together. A descriptor is an ordinary BoostProgram then; its
// DescriptorImage is what the program has.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

namespace boostc {

class DescriptorMemory {
public:
  /// `count` entries of zeros.
  template <typename T> llvm::MutableArrayRef<T> makeTable(size_t count) {
    T *entries = allocator.Allocate<T>(count);
    std::uninitialized_value_construct_n(entries, count);
    return {entries, count};
  }

  /// The same, as a field of a table and its count.
  template <typename T>
  llvm::MutableArrayRef<T> makeTable(size_t count, const T *&entries,
                                     uint32_t &field) {
    llvm::MutableArrayRef<T> table = makeTable<T>(count);
    entries = table.data();
    field = static_cast<uint32_t>(count);
    return table;
  }

  const char *makeText(const llvm::Twine &text) {
    return llvm::StringSaver(allocator).save(text).data();
  }

  /// What a pointer that the linker sets holds until then: the name of its
  /// symbol.
  template <typename Pointer> Pointer makeSymbol(llvm::StringRef name) {
    return reinterpret_cast<Pointer>(const_cast<char *>(makeText(name)));
  }

private:
  llvm::BumpPtrAllocator allocator;
};

/// The name that makeSymbol() has put there.
template <typename Pointer> llvm::StringRef getSymbol(Pointer pointer) {
  return reinterpret_cast<const char *>(pointer);
}

} // namespace boostc
