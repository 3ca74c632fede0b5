// DescriptorMemory.h - memory of the tables and texts of a descriptor while it
// is put together. A descriptor is an ordinary BoostProgram then; its
// DescriptorImage is what the program has.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Allocator.h"
#include <type_traits>
#include <vector>

namespace boostc {

/// The bytes of a table. Entries that DescriptorMemory has put the texts and
/// tables of are equal where their bytes are.
template <typename T> llvm::StringRef getBytes(llvm::ArrayRef<T> entries) {
  static_assert(std::has_unique_object_representations_v<T>);
  return {reinterpret_cast<const char *>(entries.data()),
          entries.size() * sizeof(T)};
}

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

  /// The same for equal texts.
  const char *makeText(const llvm::Twine &text) {
    llvm::SmallString<128> memory;
    return texts.insert(text.toStringRef(memory)).first->getKeyData();
  }

  /// A table of `entries`, the same for equal ones.
  template <typename T>
  void setTable(llvm::ArrayRef<T> entries, const T *&table, uint32_t &count) {
    const void *&known = tables[getBytes(entries)];
    if (!known && !entries.empty()) {
      llvm::MutableArrayRef<T> copy = makeTable<T>(entries.size());
      llvm::copy(entries, copy.begin());
      known = copy.data();
    }
    table = static_cast<const T *>(known);
    count = static_cast<uint32_t>(entries.size());
  }

  /// What a pointer that the linker sets holds until then: the name of its
  /// symbol.
  template <typename Pointer> Pointer makeSymbol(llvm::StringRef name) {
    return reinterpret_cast<Pointer>(const_cast<char *>(makeText(name)));
  }

private:
  llvm::BumpPtrAllocator allocator;
  llvm::StringSet<> texts;
  llvm::StringMap<const void *> tables; ///< by their bytes
};

/// A table that has each entry once.
template <typename T> class UniqueEntries {
public:
  /// The index of `entry`, which is appended unless an equal one exists.
  uint32_t add(const T &entry) {
    auto [known, isNew] = indices.try_emplace(
        getBytes(llvm::ArrayRef(entry)), static_cast<uint32_t>(entries.size()));
    if (isNew)
      entries.push_back(entry);
    return known->second;
  }

  llvm::ArrayRef<T> get() const { return entries; }

private:
  std::vector<T> entries;
  llvm::StringMap<uint32_t> indices; ///< by their bytes
};

/// The name that makeSymbol() has put there.
template <typename Pointer> llvm::StringRef getSymbol(Pointer pointer) {
  return reinterpret_cast<const char *>(pointer);
}

} // namespace boostc
