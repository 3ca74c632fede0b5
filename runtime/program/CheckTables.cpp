// What the schema says of a descriptor, checked field by field.
#include "runtime/abi/DescriptorSchema.h"
#include "runtime/program/DescriptorTables.h"
#include "runtime/program/ValidateProgram.h"

using namespace boostabi;

namespace boostrt {
namespace {

class TablesCheck : DescriptorCheck {
public:
  TablesCheck(const BoostProgram &program, const std::string &path)
      : DescriptorCheck(path), program_(program) {}

  Status run() const {
    return structure(kBoostProgram, reinterpret_cast<const char *>(&program_),
                     "");
  }

private:
  /// `path` is what the names of its fields follow: "targets[0].".
  Status structure(const StructSchema &schema, const char *entry,
                   const std::string &path) const {
    for (const FieldSchema &field : schema.fields)
      if (!field.isOptional || !isZero(field, entry))
        BOOSTRT_RETURN_IF_ERROR(check(field, entry, path + field.name));
    return Status();
  }

  Status check(const FieldSchema &field, const char *entry,
               const std::string &path) const {
    switch (field.kind) {
    case FieldKind::Bool:
      if (auto value = read<uint32_t>(entry, field); value > 1)
        return fail("{} is {}, expected 0 or 1", path, value);
      return Status();
    case FieldKind::Enum:
      if (auto value = read<uint32_t>(entry, field);
          !field.enumeration->find(value))
        return fail("{} is {}, which is not a {}", path, value,
                    field.enumeration->name);
      return Status();
    case FieldKind::Index:
      return index(field, entry, path);
    case FieldKind::Name:
      return name(read<const char *>(entry, field), path);
    case FieldKind::Text:
    case FieldKind::Code:
    case FieldKind::Data:
      if (!read<const char *>(entry, field))
        return fail("{} is missing", path);
      return Status();
    case FieldKind::Inline:
      return structure(*field.structure, entry + field.offset, path + ".");
    case FieldKind::Table:
      return table(field, entry, path);
    case FieldKind::Linked:
      return linked(*field.structure, read<const char *>(entry, field), path);
    case FieldKind::I32:
    case FieldKind::I64:
    case FieldKind::U32:
    case FieldKind::U64:
    case FieldKind::F64:
      return Status();
    }
    return fail("{} has a kind that no program has", path);
  }

  Status index(const FieldSchema &field, const char *entry,
               const std::string &path) const {
    auto value = read<uint32_t>(entry, field);
    uint32_t count = findTable(program_, *field.structure).count;
    if (value != UINT32_MAX && value >= count)
      return fail("{} is {}, where there are {}", path, value, count);
    return Status();
  }

  Status table(const FieldSchema &field, const char *entry,
               const std::string &path) const {
    auto [first, count] = readTable(entry, field);
    if (count > kMaxTableEntries || (count > 0 && !first))
      return fail("table {} of {} entries", path, count);
    for (uint32_t i = 0; field.structure && i < count; ++i)
      BOOSTRT_RETURN_IF_ERROR(structure(*field.structure,
                                        first + i * field.structure->bytes,
                                        fmt::format("{}[{}].", path, i)));
    return Status();
  }

  Status linked(const StructSchema &schema, const char *entry,
                const std::string &path) const {
    for (uint32_t i = 0; !areZero({entry, schema.bytes});
         ++i, entry += schema.bytes)
      BOOSTRT_RETURN_IF_ERROR(
          structure(schema, entry, fmt::format("{}[{}].", path, i)));
    return Status();
  }

  const BoostProgram &program_;
};

} // namespace

Status checkTables(const BoostProgram &program, const std::string &path) {
  return TablesCheck(program, path).run();
}

} // namespace boostrt
