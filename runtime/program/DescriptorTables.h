// DescriptorTables.h - a descriptor by its schema: what an index means, and all
// of it as JSON.
#pragma once

#include "runtime/abi/DescriptorSchema.h"

#include <nlohmann/json.hpp>

namespace boostrt {

/// The table of the program that an Index with this structure is of.
boostabi::Entries findTable(const BoostProgram &program,
                            const boostabi::StructSchema &structure);

/// Whether they are: of the entry that ends a Linked table.
bool areZero(std::span<const char> bytes);

/// Whether all bytes of the field are 0, or its text is empty.
bool isZero(const boostabi::FieldSchema &field, const char *entry);

/// The descriptor as `boost-run info --json` has it: each field under its name
/// in runtime/abi/Descriptor.td. Call checkTables() before it.
nlohmann::ordered_json describeTables(const BoostProgram &program);

} // namespace boostrt
