// DescriptorSchema.h - the tables of a program as data: every struct of
// boost_descriptor.h with the names, types and places of its fields. What walks
// a descriptor (its writer, its check, its JSON) is written once, for all.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <cstddef>
#include <cstring>
#include <span>

namespace boostabi {

struct EnumCase {
  uint32_t value;
  const char *name; ///< "truncated_normal"
};

struct EnumSchema {
  const char *name; ///< "BoostInitializerKind"
  std::span<const EnumCase> cases;

  /// Null when there is none of this value.
  constexpr const char *find(uint32_t value) const {
    for (const EnumCase &each : cases)
      if (each.value == value)
        return each.name;
    return nullptr;
  }
};

/// The classes of fields in Descriptor.td.
enum class FieldKind {
  I32,
  I64,
  U32,
  U64,
  F64,
  Bool,
  Enum,
  Text,
  Name,
  Inline,
  Table,
  Linked,
  Code,
  Data,
  Index
};

struct StructSchema;

struct FieldSchema {
  const char *name;
  FieldKind kind;
  size_t offset;
  size_t bytes;
  uint32_t length = 1; ///< more than 1: it is an array
  /// What it is one of, or of an array what it is counted by.
  const EnumSchema *enumeration = nullptr;
  /// What is inside, or pointed at, or counted; null: i64.
  const StructSchema *structure = nullptr;
  size_t count = 0; ///< of a table: offset of the number of its entries
  bool isOptional = false;
  bool isHidden = false;
  bool isFlat = false;
};

struct StructSchema {
  const char *name; ///< "BoostTensor"
  size_t bytes;
  std::span<const FieldSchema> fields;
};

template <typename E> extern const EnumSchema &kSchemaOf;

#include "runtime/abi/DescriptorSchema.inc"

/// The name of a case of E, as IR and JSON have it; "?" when `value` is none.
template <typename E> constexpr const char *nameOf(uint32_t value) {
  const char *name = kSchemaOf<E>.find(value);
  return name ? name : "?";
}

/// The value of a field of the struct at `entry`, or of element `index` of it.
template <typename T>
T read(const char *entry, const FieldSchema &field, uint32_t index = 0) {
  T value;
  std::memcpy(&value, entry + field.offset + index * sizeof value,
              sizeof value);
  return value;
}

/// Where the entries of a table are, and how many.
struct Entries {
  const char *first;
  uint32_t count;
};

inline Entries readTable(const char *entry, const FieldSchema &field) {
  Entries entries{read<const char *>(entry, field), 0};
  std::memcpy(&entries.count, entry + field.count, sizeof entries.count);
  return entries;
}

} // namespace boostabi
