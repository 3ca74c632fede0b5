#include "runtime/program/DescriptorTables.h"

#include <algorithm>

using namespace boostabi;
using Json = nlohmann::ordered_json;

namespace boostrt {
namespace {

const FieldSchema *findField(const StructSchema &schema,
                             const StructSchema &structure) {
  auto found =
      std::ranges::find_if(schema.fields, [&](const FieldSchema &field) {
        return field.kind == FieldKind::Table && field.structure == &structure;
      });
  return found == schema.fields.end() ? nullptr : &*found;
}

/// The first name in it: its own, or its tensor's.
const char *nameOfEntry(const StructSchema &structure, const char *entry) {
  for (const FieldSchema &field : structure.fields) {
    if (field.kind == FieldKind::Name)
      return read<const char *>(entry, field);
    if (field.isFlat)
      return nameOfEntry(*field.structure, entry + field.offset);
  }
  return "?";
}

class Describer {
public:
  explicit Describer(const BoostProgram &program) : program_(program) {}

  /// Adds the fields of the struct at `entry` to `json`.
  void describe(const StructSchema &structure, const char *entry,
                Json &json) const {
    for (const FieldSchema &field : structure.fields) {
      if (field.isHidden || (field.isOptional && isZero(field, entry)))
        continue;
      if (field.isFlat)
        describe(*field.structure, entry + field.offset, json);
      else if (Json value = describe(field, entry); !value.is_null())
        json[field.name] = std::move(value);
    }
  }

private:
  /// Null where there is nothing to say.
  Json describe(const FieldSchema &field, const char *entry) const {
    switch (field.kind) {
    case FieldKind::I32:
      return numbers<int32_t>(field, entry);
    case FieldKind::I64:
      return numbers<int64_t>(field, entry);
    case FieldKind::U32:
      return numbers<uint32_t>(field, entry);
    case FieldKind::U64:
      return numbers<uint64_t>(field, entry);
    case FieldKind::F64:
      return numbers<double>(field, entry);
    case FieldKind::Bool:
      return read<uint32_t>(entry, field) != 0;
    case FieldKind::Enum:
      return field.enumeration->find(read<uint32_t>(entry, field));
    case FieldKind::Index:
      return nameAt(*field.structure, read<uint32_t>(entry, field));
    case FieldKind::Name:
    case FieldKind::Text:
      return read<const char *>(entry, field);
    case FieldKind::Inline:
      return describeOne(*field.structure, entry + field.offset);
    case FieldKind::Table:
      return describeTable(field, readTable(entry, field));
    case FieldKind::Linked:
      return describeLinked(*field.structure, read<const char *>(entry, field));
    case FieldKind::Code:
    case FieldKind::Data:
      break;
    }
    return {};
  }

  template <typename T>
  static Json numbers(const FieldSchema &field, const char *entry) {
    if (field.length == 1)
      return read<T>(entry, field);
    Json list = Json::array();
    for (uint32_t i = 0; i < field.length; ++i)
      list.push_back(read<T>(entry, field, i));
    if (!field.enumeration)
      return list;
    Json byCase = Json::object();
    for (uint32_t i = 0; i < field.length; ++i)
      byCase[field.enumeration->find(i)] = list[i];
    return byCase;
  }

  Json nameAt(const StructSchema &structure, uint32_t index) const {
    if (index == UINT32_MAX)
      return {};
    return nameOfEntry(structure, findTable(program_, structure).first +
                                      index * structure.bytes);
  }

  Json describeOne(const StructSchema &structure, const char *entry) const {
    Json json = Json::object();
    describe(structure, entry, json);
    return json;
  }

  Json describeTable(const FieldSchema &field, Entries entries) const {
    Json list = Json::array();
    for (uint32_t i = 0; i < entries.count; ++i) {
      if (field.structure) {
        list.push_back(describeOne(*field.structure,
                                   entries.first + i * field.structure->bytes));
        continue;
      }
      int64_t value;
      std::memcpy(&value, entries.first + i * sizeof value, sizeof value);
      list.push_back(value);
    }
    return list;
  }

  /// Up to the entry of zeros.
  Json describeLinked(const StructSchema &structure, const char *entry) const {
    Json list = Json::array();
    for (; !areZero({entry, structure.bytes}); entry += structure.bytes)
      list.push_back(describeOne(structure, entry));
    return list;
  }

  const BoostProgram &program_;
};

} // namespace

Entries findTable(const BoostProgram &program, const StructSchema &structure) {
  if (const FieldSchema *field = findField(kBoostProgram, structure))
    return readTable(reinterpret_cast<const char *>(&program), *field);
  // All targets have the same.
  const FieldSchema *field = findField(kBoostTarget, structure);
  return readTable(reinterpret_cast<const char *>(program.targets), *field);
}

bool areZero(std::span<const char> bytes) {
  return std::ranges::all_of(bytes, [](char byte) { return byte == 0; });
}

bool isZero(const FieldSchema &field, const char *entry) {
  if (field.kind == FieldKind::Text) {
    auto text = read<const char *>(entry, field);
    return text && *text == '\0';
  }
  return areZero({entry + field.offset, field.bytes});
}

Json describeTables(const BoostProgram &program) {
  Json json;
  Describer(program).describe(kBoostProgram,
                              reinterpret_cast<const char *>(&program), json);
  return json;
}

} // namespace boostrt
