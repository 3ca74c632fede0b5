// The reader: every field is checked where it is, then what fields say
// together.
#include "runtime/launch/RankTable.h"
#include "runtime/support/File.h"
#include "runtime/support/JsonText.h"
#include "runtime/support/ParseNumber.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace boostrt {
namespace {

using Kind = JsonNode::Kind;

class Reader {
public:
  Reader(const JsonText &source, TableKind kind)
      : source_(source), kind_(kind) {}

  Status read(const JsonNode &root) {
    if (root.kind != Kind::Object)
      return source_.error(
          root.offset,
          fmt::format("a rank table is an object with server_list, not {}",
                      root.kindName()));
    BOOSTRT_RETURN_IF_ERROR(checkVersion(root));
    const JsonNode *list = nullptr;
    BOOSTRT_RETURN_IF_ERROR(take(root, "server_list", Kind::List, list));
    if (list->items.empty())
      return source_.error(list->offset, "server_list is empty; a job has at "
                                         "least one server");
    BOOSTRT_RETURN_IF_ERROR(checkCount(root, *list));
    BOOSTRT_RETURN_IF_ERROR(checkStatus(root));
    for (const JsonNode &server : list->items)
      BOOSTRT_RETURN_IF_ERROR(readServer(server));
    return kind_ == TableKind::Part ? Status() : checkRanks(*list);
  }

  RankTable table;

private:
  /// The member `key` of `object`, which must be of `kind`.
  Status take(const JsonNode &object, std::string_view key, Kind kind,
              const JsonNode *&value) {
    value = object.find(key);
    if (!value)
      return missing(object, key);
    if (value->kind == kind)
      return Status();
    JsonNode expected;
    expected.kind = kind;
    return source_.error(value->offset,
                         fmt::format("{} is {}, expected {}", key,
                                     value->kindName(), expected.kindName()));
  }

  Status missing(const JsonNode &object, std::string_view key) {
    // A misspelt key is pointed at.
    for (const JsonNode::Member &member : object.members) {
      std::string_view legal[] = {key};
      if (!nearestSpelling(member.key, legal).empty() &&
          !isOfTheFormat(member.key))
        return source_.error(member.offset,
                             fmt::format("'{}' is unknown and {} is missing{}",
                                         printable(member.key), key,
                                         didYouMean(member.key, legal)));
    }
    return source_.error(object.offset,
                         fmt::format("this object has no {}", key));
  }

  static bool isOfTheFormat(std::string_view key) {
    for (std::string_view name :
         {"version", "server_count", "server_list", "status", "server_id",
          "device", "device_id", "device_ip", "rank_id", "host_nic_ip"})
      if (key == name)
        return true;
    return false;
  }

  /// A number, which the format writes as a text.
  Status takeNumber(const JsonNode &object, std::string_view key,
                    uint32_t limit, uint32_t &number, size_t &offset) {
    const JsonNode *value = object.find(key);
    if (!value)
      return missing(object, key);
    offset = value->offset;
    if (value->kind != Kind::Text && value->kind != Kind::Number)
      return source_.error(offset,
                           fmt::format("{} is {}, expected a number from 0 to "
                                       "{} as a text, such as \"0\"",
                                       key, value->kindName(), limit));
    const std::string &text = value->text;
    if (isMasked(text))
      return masked(offset, key, text);
    std::optional<uint32_t> value32 = parseWhole<uint32_t>(text);
    if (!value32 || *value32 > limit)
      return source_.error(
          offset, fmt::format("{} is '{}', expected a number from 0 to {}", key,
                              printable(text), limit));
    number = *value32;
    return Status();
  }

  /// Documents hide addresses as 10.*.*.*, and such tables get copied.
  static bool isMasked(std::string_view text) {
    return text.find('*') != std::string_view::npos;
  }

  Status masked(size_t offset, std::string_view key, std::string_view text) {
    return source_.error(
        offset, fmt::format("{} is '{}': it is masked, as in a document; write "
                            "the real one",
                            key, printable(text)));
  }

  Status checkVersion(const JsonNode &root) {
    const JsonNode *version = nullptr;
    BOOSTRT_RETURN_IF_ERROR(take(root, "version", Kind::Text, version));
    if (version->text == "1.0")
      return Status();
    return source_.error(
        version->offset,
        fmt::format("version is '{}', but this boost-run reads rank tables of "
                    "version 1.0",
                    printable(version->text)));
  }

  Status checkCount(const JsonNode &root, const JsonNode &list) {
    uint32_t count = 0;
    size_t offset = 0;
    BOOSTRT_RETURN_IF_ERROR(
        takeNumber(root, "server_count", kMaxRanks, count, offset));
    if (count == list.items.size())
      return Status();
    return source_.error(
        offset, fmt::format("server_count is {}, but server_list has {}", count,
                            countOf(list.items.size(), "server")));
  }

  Status checkStatus(const JsonNode &root) {
    const JsonNode *status = nullptr;
    BOOSTRT_RETURN_IF_ERROR(take(root, "status", Kind::Text, status));
    if (status->text == "completed")
      return Status();
    return source_.error(status->offset,
                         fmt::format("status is '{}', expected 'completed'; "
                                     "the program that writes this "
                                     "table has not finished it",
                                     printable(status->text)));
  }

  Status readServer(const JsonNode &node) {
    if (node.kind != Kind::Object)
      return source_.error(node.offset,
                           fmt::format("a server is an object with server_id "
                                       "and device, not {}",
                                       node.kindName()));
    RankTable::Server server;
    const JsonNode *id = nullptr, *list = nullptr;
    BOOSTRT_RETURN_IF_ERROR(take(node, "server_id", Kind::Text, id));
    server.id = id->text;
    if (server.id.empty() || printable(server.id) != server.id)
      return source_.error(id->offset,
                           fmt::format("server_id is '{}', expected the "
                                       "address or the name of a host",
                                       printable(server.id)));
    if (isMasked(server.id))
      return masked(id->offset, "server_id", server.id);
    auto [first, isNew] = servers_.try_emplace(server.id, id->offset);
    if (!isNew)
      return source_.error(
          id->offset,
          fmt::format("server_id '{}' is there twice; the first one is at {}",
                      server.id, source_.place(first->second)));
    BOOSTRT_RETURN_IF_ERROR(checkNic(node));
    BOOSTRT_RETURN_IF_ERROR(take(node, "device", Kind::List, list));
    if (list->items.empty())
      return source_.error(list->offset,
                           fmt::format("server '{}' has no device", server.id));
    std::map<uint32_t, size_t> ids;
    for (const JsonNode &device : list->items)
      BOOSTRT_RETURN_IF_ERROR(readDevice(device, server, ids));
    table.servers.push_back(std::move(server));
    return Status();
  }

  Status checkNic(const JsonNode &server) {
    const JsonNode *nic = server.find("host_nic_ip");
    if (!nic)
      return Status();
    if (nic->kind != Kind::Text)
      return source_.error(nic->offset,
                           fmt::format("host_nic_ip is {}, expected a text, "
                                       "\"reserve\" or an address",
                                       nic->kindName()));
    return isMasked(nic->text) ? masked(nic->offset, "host_nic_ip", nic->text)
                               : Status();
  }

  Status readDevice(const JsonNode &node, RankTable::Server &server,
                    std::map<uint32_t, size_t> &ids) {
    if (node.kind != Kind::Object)
      return source_.error(node.offset,
                           fmt::format("a device is an object with device_id "
                                       "and rank_id, not {}",
                                       node.kindName()));
    RankTable::Device device;
    size_t idOffset = 0, rankOffset = 0;
    BOOSTRT_RETURN_IF_ERROR(
        takeNumber(node, "device_id", kMaxRanks - 1, device.id, idOffset));
    auto [first, isNew] = ids.try_emplace(device.id, idOffset);
    if (!isNew)
      return source_.error(
          idOffset,
          fmt::format("device_id {} is there twice on server '{}'; "
                      "the first one is at {}",
                      device.id, server.id, source_.place(first->second)));
    if (const JsonNode *address = node.find("device_ip")) {
      if (address->kind != Kind::Text)
        return source_.error(address->offset,
                             fmt::format("device_ip is {}, expected a text",
                                         address->kindName()));
      if (isMasked(address->text))
        return masked(address->offset, "device_ip", address->text);
      device.address = address->text;
    }
    BOOSTRT_RETURN_IF_ERROR(
        takeNumber(node, "rank_id", kMaxRanks - 1, device.rank, rankOffset));
    auto [other, isFirst] = ranks_.try_emplace(device.rank, rankOffset);
    if (!isFirst)
      return source_.error(
          rankOffset,
          fmt::format("rank_id {} is there twice; the first one is at {}",
                      device.rank, source_.place(other->second)));
    server.devices.push_back(std::move(device));
    return Status();
  }

  /// Ranks are 0 to n-1, numbered along the table: neighbours share a server,
  /// and rank = ranks of the servers before + index of the device.
  Status checkRanks(const JsonNode &list) {
    uint32_t expected = 0;
    for (const auto &[rank, offset] : ranks_) {
      if (rank != expected)
        return source_.error(
            list.offset,
            fmt::format("the table lists {} devices, and none of them has "
                        "rank_id {}; rank_ids are 0 to {}",
                        ranks_.size(), expected, ranks_.size() - 1));
      ++expected;
    }
    expected = 0;
    for (const RankTable::Server &server : table.servers)
      for (const RankTable::Device &device : server.devices) {
        if (device.rank != expected)
          return source_.error(
              ranks_.at(device.rank),
              fmt::format("rank_id is {}, expected {}: ranks are numbered "
                          "along the table, so that those of a server are "
                          "neighbours",
                          device.rank, expected));
        ++expected;
      }
    return Status();
  }

  const JsonText &source_;
  TableKind kind_;
  std::map<std::string, size_t> servers_; ///< server_id -> where
  std::map<uint32_t, size_t> ranks_;      ///< rank_id -> where
};

} // namespace

Result<RankTable> parseRankTable(const std::string &text,
                                 const std::string &path, TableKind kind) {
  JsonText source(path, text);
  Result<JsonNode> root = source.parse();
  if (!root.ok())
    return root.status();
  Reader reader(source, kind);
  BOOSTRT_RETURN_IF_ERROR(reader.read(*root));
  reader.table.path = path;
  return std::move(reader.table);
}

Result<RankTable> readRankTable(const std::string &path, TableKind kind) {
  constexpr uint64_t kMaxBytes = uint64_t{16} << 20;
  Result<std::vector<uint8_t>> bytes =
      readWholeFile(realFileSystem(), path, kMaxBytes, ExitCode::Input);
  if (!bytes.ok())
    return bytes.status();
  return parseRankTable(std::string(bytes->begin(), bytes->end()), path, kind);
}

} // namespace boostrt
