#include "compiler/lowering/llvm/DescriptorImage.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
#include <iterator>

using namespace mlir;
using namespace boostc;
using namespace boostabi;

uint64_t DescriptorImage::appendBytes(uint64_t size, uint64_t alignment) {
  uint64_t at = llvm::alignTo(bytes.size(), alignment);
  bytes.resize(at + size, 0);
  return at;
}

uint64_t DescriptorImage::appendText(StringRef text) {
  auto [entry, isNew] = strings.try_emplace(text, 0);
  if (isNew) {
    entry->second = appendBytes(text.size() + 1, 1);
    llvm::copy(text, bytes.begin() + static_cast<int64_t>(entry->second));
  }
  return entry->second;
}

uint64_t DescriptorImage::append(const StructSchema &structure,
                                 const void *entries, uint64_t count) {
  uint64_t size = structure.bytes * count;
  uint64_t at = appendBytes(size, alignof(BoostProgram));
  const char *from = static_cast<const char *>(entries);
  std::copy(from, from + size, bytes.begin() + static_cast<int64_t>(at));
  for (uint64_t entry = 0; entry < size; entry += structure.bytes)
    setPointers(structure, from + entry, at + entry);
  return at;
}

uint64_t DescriptorImage::appendTable(const FieldSchema &field,
                                      const char *entry) {
  auto [first, count] = readTable(entry, field);
  if (count == 0) // whatever comes next may be where it points
    return appendBytes(0, alignof(int64_t));
  if (auto known = tables.find(first); known != tables.end())
    return known->second;
  uint64_t at;
  if (field.structure) {
    at = append(*field.structure, first, count);
  } else {
    uint64_t size = sizeof(int64_t) * count;
    at = appendBytes(size, alignof(int64_t));
    std::copy(first, first + size, bytes.begin() + static_cast<int64_t>(at));
  }
  return tables[first] = at;
}

void DescriptorImage::setPointers(const StructSchema &structure,
                                  const char *entry, uint64_t at) {
  for (const FieldSchema &field : structure.fields) {
    uint64_t position = at + field.offset;
    if (field.kind == FieldKind::Inline) {
      setPointers(*field.structure, entry + field.offset, position);
      continue;
    }
    bool isText =
        field.kind == FieldKind::Text || field.kind == FieldKind::Name;
    bool isTable = field.kind == FieldKind::Table;
    bool isLinked = field.kind == FieldKind::Linked ||
                    field.kind == FieldKind::Code ||
                    field.kind == FieldKind::Data;
    if (!isText && !isTable && !isLinked)
      continue;
    auto text = read<const char *>(entry, field);
    std::fill_n(bytes.begin() + static_cast<int64_t>(position), sizeof text, 0);
    if (!text)
      continue;
    if (isLinked)
      pointers[position] = {0, text};
    else
      pointers[position] = {
          isText ? appendText(text) : appendTable(field, entry), {}};
  }
}

namespace {

/// A field of a constant struct, and what emits its value.
struct Field {
  Type type;
  std::function<Value()> emit;
};

/// Fields of one struct: each insertion copies the constant so far, and is
/// printed with the type of the struct.
constexpr size_t kMaxFields = 32;

} // namespace

/// A packed struct of `fields`.
static Field makeStruct(OpBuilder &builder, Location loc,
                        std::vector<Field> fields) {
  SmallVector<Type> types;
  for (const Field &field : fields)
    types.push_back(field.type);
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), types,
                                               /*isPacked=*/true);
  auto emit = [&builder, loc, type, fields = std::move(fields)] {
    Value value = LLVM::UndefOp::create(builder, loc, type);
    for (auto [number, field] : llvm::enumerate(fields))
      value = LLVM::InsertValueOp::create(
          builder, loc, value, field.emit(),
          ArrayRef<int64_t>{static_cast<int64_t>(number)});
    return value;
  };
  return {type, std::move(emit)};
}

/// The same, as structs of structs where there are many.
static Field makeNestedStruct(OpBuilder &builder, Location loc,
                              std::vector<Field> fields) {
  while (fields.size() > kMaxFields) {
    std::vector<Field> groups;
    for (size_t first = 0; first < fields.size(); first += kMaxFields) {
      size_t count = std::min(kMaxFields, fields.size() - first);
      auto begin = std::make_move_iterator(fields.begin() +
                                           static_cast<ptrdiff_t>(first));
      groups.push_back(makeStruct(
          builder, loc, {begin, begin + static_cast<ptrdiff_t>(count)}));
    }
    fields = std::move(groups);
  }
  return makeStruct(builder, loc, std::move(fields));
}

void DescriptorImage::emit(OpBuilder &builder, Location loc,
                           StringRef name) const {
  MLIRContext *context = builder.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  // Runs of bytes and, between them, the pointers.
  std::vector<Field> fields;
  uint64_t at = 0;
  auto addRun = [&](uint64_t end) {
    if (end > at) {
      StringRef run(bytes.data() + at, end - at);
      Type type = LLVM::LLVMArrayType::get(builder.getI8Type(), run.size());
      fields.push_back({type, [&builder, loc, type, run]() -> Value {
                          return LLVM::ConstantOp::create(
                              builder, loc, type, builder.getStringAttr(run));
                        }});
    }
    at = end;
  };
  Value self;
  for (const auto &[position, target] : pointers) {
    addRun(position);
    fields.push_back(
        {pointer, [&, &target = target]() -> Value {
           if (!target.symbol.empty())
             return LLVM::AddressOfOp::create(builder, loc, pointer,
                                              target.symbol);
           return LLVM::GEPOp::create(
               builder, loc, pointer, builder.getI8Type(), self,
               LLVM::GEPArg(static_cast<int32_t>(target.position)));
         }});
    at += sizeof(void *);
  }
  addRun(bytes.size());
  Field image = makeNestedStruct(builder, loc, std::move(fields));
  auto global = LLVM::GlobalOp::create(
      builder, loc, image.type, /*isConstant=*/true, LLVM::Linkage::Internal,
      name, Attribute(), BOOSTC_ALIGNMENT);

  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&global.getInitializerRegion());
  self = LLVM::AddressOfOp::create(builder, loc, pointer, name);
  LLVM::ReturnOp::create(builder, loc, image.emit());
}
