// The reader of rank tables: one case for each thing that may be wrong; create
// and merge.
#include "runtime/launch/RankTable.h"
#include "test/runtime/support/Files.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace boostrt;
using testing::HasSubstr;

namespace {

const std::string kTable = R"({
  "version": "1.0",
  "server_count": "2",
  "server_list": [
    {
      "server_id": "10.0.0.1",
      "device": [
        {"device_id": "0", "device_ip": "192.1.1.6", "rank_id": "0"},
        {"device_id": "1", "device_ip": "192.1.2.6", "rank_id": "1"}
      ],
      "host_nic_ip": "reserve"
    },
    {
      "server_id": "10.0.0.2",
      "device": [
        {"device_id": "3", "device_ip": "192.1.3.6", "rank_id": "2"}
      ],
      "host_nic_ip": "reserve"
    }
  ],
  "status": "completed"
}
)";

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// What the reader says about `text`: the first line, after the path.
std::string errorOf(const std::string &text,
                    TableKind kind = TableKind::Whole) {
  Result<RankTable> table = parseRankTable(text, "t.json", kind);
  if (table.ok())
    return "no error";
  EXPECT_EQ(table.status().code(), ExitCode::Input);
  std::string message = table.status().message();
  EXPECT_THAT(message, testing::StartsWith("t.json:"));
  return message.substr(7, message.find('\n') - 7);
}

std::string errorWith(const std::string &from, const std::string &to) {
  return errorOf(replaced(kTable, from, to));
}

TEST(RankTable, IsRead) {
  Result<RankTable> table = parseRankTable(kTable, "t.json");
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->size(), 3u);
  EXPECT_EQ(table->ranksOfServer(), (std::vector<uint32_t>{2, 1}));
  EXPECT_EQ(table->servers[1].id, "10.0.0.2");
  EXPECT_EQ(table->servers[1].devices[0].id, 3u);
  EXPECT_EQ(table->servers[1].devices[0].rank, 2u);
  EXPECT_EQ(table->servers[1].devices[0].address, "192.1.3.6");
}

TEST(RankTable, WhatIsWrittenIsRead) {
  Result<RankTable> table = parseRankTable(kTable, "t.json");
  ASSERT_TRUE(table.ok());
  Result<RankTable> again = parseRankTable(table->toJson(), "again.json");
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->toJson(), table->toJson());
}

TEST(RankTable, NumbersMayBeNumbersAndMoreKeysMayBeThere) {
  std::string text = replaced(kTable, "\"rank_id\": \"2\"", "\"rank_id\": 2");
  text = replaced(text, "\"version\"", "\"board\": [{}], \"version\"");
  text = replaced(text, ",\n      \"host_nic_ip\": \"reserve\"", "");
  EXPECT_EQ(errorOf(text), "no error");
}

TEST(RankTable, TheLineIsShown) {
  Result<RankTable> table =
      parseRankTable(replaced(kTable, "\"1.0\"", "\"0.1\""), "t.json");
  EXPECT_EQ(table.status().message(),
            "t.json:2:14: version is '0.1', but this boost-run reads rank "
            "tables of version 1.0\n"
            "  \"version\": \"0.1\",\n"
            "             ^");
}

TEST(RankTable, NotJson) {
  EXPECT_THAT(errorOf(""), testing::StartsWith("1:1: not valid JSON: "));
  EXPECT_THAT(errorWith("\"status\": \"completed\"", "\"status\": completed"),
              testing::StartsWith("21:13: not valid JSON: "));
  EXPECT_THAT(errorWith("\n}\n", ""),
              testing::StartsWith("21:24: not valid JSON: "));
  EXPECT_EQ(errorOf("{'version': 1}"),
            "1:2: not valid JSON: expected a key in double quotes or '}', "
            "found '''; JSON texts are in double quotes");
  EXPECT_EQ(errorWith("\n}\n", ",\n}\n"),
            "22:1: not valid JSON: expected a key in double quotes after ',', "
            "found '}'; remove the comma before it");
  EXPECT_EQ(errorOf(std::string("{}\0", 3)),
            "1:3: not valid JSON: a zero byte; JSON in UTF-8 is expected");
  EXPECT_EQ(errorWith("\"status\"", "\"version\""),
            "21:3: 'version' is there twice; the first one is at t.json:2:3");
  EXPECT_EQ(errorOf(std::string(20, '[')),
            "1:17: nested more than 16 levels deep");
  std::string wide = "{";
  for (int i = 0; i < 65; ++i)
    wide += fmt::format("\"k{}\":{},", i, i);
  EXPECT_THAT(errorOf(wide), HasSubstr("an object of more than 64 members"));
}

TEST(RankTable, EveryFieldThatIsMissing) {
  EXPECT_EQ(errorOf("{}"), "1:1: this object has no version");
  EXPECT_EQ(errorWith("\"version\": \"1.0\",", ""),
            "1:1: this object has no version");
  EXPECT_EQ(errorWith("\"server_count\": \"2\",", ""),
            "1:1: this object has no server_count");
  EXPECT_EQ(errorWith(",\n  \"status\": \"completed\"", ""),
            "1:1: this object has no status");
  EXPECT_EQ(errorWith("\"server_id\": \"10.0.0.2\",", ""),
            "13:5: this object has no server_id");
  EXPECT_EQ(errorWith("\"device_id\": \"3\", ", ""),
            "16:9: this object has no device_id");
  EXPECT_EQ(errorWith(", \"rank_id\": \"2\"", ""),
            "16:9: this object has no rank_id");
  EXPECT_EQ(errorWith("\"server_list\"", "\"sever_list\""),
            "4:3: 'sever_list' is unknown and server_list is missing; did you "
            "mean 'server_list'?");
  EXPECT_EQ(errorWith("\"device\"", "\"devices\""),
            "7:7: 'devices' is unknown and device is missing; did you mean "
            "'device'?");
}

TEST(RankTable, EveryFieldOfTheWrongKind) {
  EXPECT_EQ(errorOf("[1]"), "1:1: a rank table is an object with server_list, "
                            "not a list");
  EXPECT_EQ(errorWith("\"1.0\"", "1.0"),
            "2:14: version is a number, expected a text");
  EXPECT_EQ(errorWith("\"completed\"", "true"),
            "21:13: status is true or false, expected a text");
  EXPECT_EQ(errorOf(R"({"version": "1.0", "server_count": "1",
"server_list": "a", "status": "completed"})"),
            "2:16: server_list is a text, expected a list");
  EXPECT_EQ(errorWith("\"10.0.0.1\"", "null"),
            "6:20: server_id is null, expected a text");
  EXPECT_EQ(errorWith("\"192.1.1.6\"", "6"),
            "8:41: device_ip is a number, expected a text");
  EXPECT_EQ(errorWith("\"reserve\"", "{}"),
            "11:22: host_nic_ip is an object, expected a text, \"reserve\" or "
            "an address");
  EXPECT_EQ(errorWith("\"rank_id\": \"1\"", "\"rank_id\": []"),
            "9:65: rank_id is a list, expected a number from 0 to 65535 as a "
            "text, such as \"0\"");
  EXPECT_EQ(errorWith("\"server_count\": \"2\"", "\"server_count\": null"),
            "3:19: server_count is null, expected a number from 0 to 65536 as "
            "a text, such as \"0\"");
  EXPECT_THAT(
      errorWith("{\"device_id\": \"3\", \"device_ip\": \"192.1.3.6\", "
                "\"rank_id\": \"2\"}",
                "\"2\""),
      "16:9: a device is an object with device_id and rank_id, not a text");
  EXPECT_EQ(errorOf(R"({"version": "1.0", "server_count": "1",
"server_list": ["a"], "status": "completed"})"),
            "2:17: a server is an object with server_id and device, not a "
            "text");
}

TEST(RankTable, EveryFieldWithAWrongValue) {
  EXPECT_EQ(errorWith("\"completed\"", "\"initializing\""),
            "21:13: status is 'initializing', expected 'completed'; the "
            "program that writes this table has not finished it");
  EXPECT_EQ(errorWith("\"10.0.0.1\"", "\"\""),
            "6:20: server_id is '', expected the address or the name of a "
            "host");
  for (const char *wrong : {"-1", "x", "", "1.5", "65536", "99999999999", "1 "})
    EXPECT_EQ(errorWith("\"rank_id\": \"1\"",
                        fmt::format("\"rank_id\": \"{}\"", wrong)),
              fmt::format("9:65: rank_id is '{}', expected a number from 0 to "
                          "65535",
                          wrong));
  EXPECT_EQ(errorWith("\"device_id\": \"3\"", "\"device_id\": -3"),
            "16:23: device_id is '-3', expected a number from 0 to 65535");
  EXPECT_EQ(errorWith("\"server_count\": \"2\"", "\"server_count\": 2.5"),
            "3:19: server_count is '2.5', expected a number from 0 to 65536");
}

TEST(RankTable, MaskedByADocument) {
  const char *why = ": it is masked, as in a document; write the real one";
  EXPECT_EQ(errorWith("10.0.0.1", "10.*.*.*"),
            std::string("6:20: server_id is '10.*.*.*'") + why);
  EXPECT_EQ(errorWith("192.1.1.6", "192.1.*.6"),
            std::string("8:41: device_ip is '192.1.*.6'") + why);
  EXPECT_EQ(errorWith("\"rank_id\": \"1\"", "\"rank_id\": \"*\""),
            std::string("9:65: rank_id is '*'") + why);
  EXPECT_EQ(errorWith("\"device_id\": \"1\"", "\"device_id\": \"*\""),
            std::string("9:23: device_id is '*'") + why);
  EXPECT_EQ(errorWith("reserve", "10.*"),
            std::string("11:22: host_nic_ip is '10.*'") + why);
}

TEST(RankTable, WhatFieldsSayTogether) {
  EXPECT_EQ(errorWith("\"server_count\": \"2\"", "\"server_count\": \"3\""),
            "3:19: server_count is 3, but server_list has 2 servers");
  EXPECT_EQ(errorWith("10.0.0.2", "10.0.0.1"),
            "14:20: server_id '10.0.0.1' is there twice; the first one is at "
            "t.json:6:20");
  EXPECT_EQ(errorWith("\"device_id\": \"1\"", "\"device_id\": \"0\""),
            "9:23: device_id 0 is there twice on server '10.0.0.1'; the first "
            "one is at t.json:8:23");
  EXPECT_EQ(errorWith("\"rank_id\": \"2\"", "\"rank_id\": \"1\""),
            "16:65: rank_id 1 is there twice; the first one is at t.json:9:65");
  EXPECT_EQ(errorWith("\"rank_id\": \"1\"", "\"rank_id\": \"5\""),
            "4:18: the table lists 3 devices, and none of them has rank_id 1; "
            "rank_ids are 0 to 2");
  std::string swapped =
      replaced(kTable, "\"rank_id\": \"2\"", "\"rank_id\": \"x\"");
  swapped = replaced(swapped, "\"rank_id\": \"1\"", "\"rank_id\": \"2\"");
  swapped = replaced(swapped, "\"rank_id\": \"x\"", "\"rank_id\": \"1\"");
  EXPECT_EQ(errorOf(swapped),
            "9:65: rank_id is 2, expected 1: ranks are numbered along the "
            "table, so that those of a server are neighbours");
  EXPECT_EQ(errorOf(R"({"version": "1.0", "server_count": "0",
"server_list": [], "status": "completed"})"),
            "2:16: server_list is empty; a job has at least one server");
  EXPECT_EQ(errorOf(R"({"version": "1.0", "server_count": "1",
"server_list": [{"server_id": "a", "device": []}], "status": "completed"})"),
            "2:46: server 'a' has no device");
}

TEST(RankTable, Create) {
  Result<RankTable> table = createRankTable({"a", "10.0.0.2"}, 2);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(errorOf(table->toJson()), "no error");
  EXPECT_EQ(table->servers[1].devices[1].rank, 3u);
  EXPECT_EQ(table->servers[1].devices[1].id, 1u);
  auto fails = [](std::vector<std::string> hosts, uint32_t devices) {
    Result<RankTable> wrong = createRankTable(hosts, devices);
    EXPECT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.status().code(), ExitCode::Usage);
    return wrong.status().message();
  };
  EXPECT_EQ(fails({"a", ""}, 1),
            "--hosts: host 2 of 2 is empty; addresses or names are separated "
            "by one comma each");
  EXPECT_EQ(fails({"a b"}, 1), "--hosts: 'a b' is not an address or name of a "
                               "host; they are separated by commas");
  EXPECT_EQ(fails({"a", "b", "a"}, 1),
            "--hosts: 'a' is there twice; --devices says how many ranks each "
            "host has");
  EXPECT_EQ(fails({"a", "b"}, 40000),
            "2 hosts with 40000 devices are more than 65536 ranks");
}

TEST(RankTable, Merge) {
  // Parts number their ranks each from 0, or as in the whole.
  Result<RankTable> a = createRankTable({"a"}, 2),
                    b = createRankTable({"b"}, 3);
  ASSERT_TRUE(a.ok() && b.ok());
  a->path = "a.json";
  b->path = "b.json";
  Result<RankTable> merged = mergeRankTables({*b, *a});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(errorOf(merged->toJson()), "no error");
  EXPECT_EQ(merged->servers[0].id, "b");
  EXPECT_EQ(merged->servers[1].devices[0].rank, 3u);
  EXPECT_EQ(mergeRankTables({*a, *b, *a}).status().message(),
            "server 'a' is in 'a.json' and in 'a.json'; each part lists other "
            "servers");
  std::string part =
      replaced(a->toJson(), "\"rank_id\": \"0\"", "\"rank_id\": \"8\"");
  EXPECT_EQ(errorOf(part, TableKind::Part), "no error");
  EXPECT_EQ(errorOf(part), "4:18: the table lists 2 devices, and none of them "
                           "has rank_id 0; rank_ids are 0 to 1");
}

TEST(RankTable, FromAFile) {
  TemporaryDirectory directory;
  writeFile(directory / "t.json", kTable);
  EXPECT_TRUE(readRankTable(directory / "t.json").ok());
  Status status = readRankTable(directory / "none.json").status();
  EXPECT_EQ(status.code(), ExitCode::Input);
  EXPECT_THAT(status.message(), HasSubstr("none.json': No such file"));
}

} // namespace
