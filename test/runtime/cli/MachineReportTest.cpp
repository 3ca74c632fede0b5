// What boost-run doctor prints, on machines of our own and on this one.
#include "runtime/cli/MachineReport.h"
#include "test/runtime/trainer/Fixtures.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

using namespace boostrt;
using testing::HasSubstr;

namespace {

MachineReport machine() {
  MachineReport report;
  report.cpu = "Some CPU";
  report.missingForV4 = {"avx512f", "avx512bw"};
  report.cpus = 8;
  report.usableCpus = 4;
  report.cpuLibrary = "oneDNN 9.9.9";
  report.gpus.version = 13000;
  report.gpus.list = {{"NVIDIA H200", 90, uint64_t{141} << 30, true},
                      {"NVIDIA T4", 75, uint64_t{15} << 30, false}};
  report.files = {{"libx.so.9", "/a/libx.so.9", "CUDA toolkit", "9.1.2", ""},
                  {"ptxas", "/b/ptxas", "PATH", "", ""},
                  {"liby.so.1", "", "", "", "not found"}};
  return report;
}

TEST(MachineReport, AMachineWithGpus) {
  MachineReport report = machine();
  EXPECT_TRUE(report.verdict().ok());
  EXPECT_EQ(report.toText(),
            "CPU: Some CPU\n"
            "  x86-64-v3    yes\n"
            "  x86-64-v4    no, lacks avx512f, avx512bw\n"
            "  further      none\n"
            "  CPUs         4 of 8 may be used\n"
            "  library      oneDNN 9.9.9\n"
            "GPU: NVIDIA's driver serves CUDA 13.0\n"
            "  NVIDIA H200: sm_90, 141.0 GiB\n"
            "  NVIDIA T4: sm_75, 15.0 GiB, too old for programs\n"
            "Files of NVIDIA's, which programs for GPUs and boostc use where "
            "they are found:\n"
            "  libx.so.9          9.1.2, /a/libx.so.9 (CUDA toolkit)\n"
            "  ptxas              /b/ptxas (PATH)\n"
            "  liby.so.1          not found\n"
            "Programs can run here; --device: cuda, cpu, sim\n");
  nlohmann::ordered_json json = report.toJson();
  EXPECT_EQ(json["cpu"].dump(),
            R"({"name":"Some CPU","usable":true,"missing_for_x86_64_v3":[],)"
            R"("missing_for_x86_64_v4":["avx512f","avx512bw"],)"
            R"("further_features":[],"cpus":8,"usable_cpus":4,)"
            R"("library":"oneDNN 9.9.9"})");
  EXPECT_EQ(json["driver"].dump(), R"({"works":true,"cuda":"13.0"})");
  EXPECT_EQ(json["gpus"][1].dump(),
            R"({"name":"NVIDIA T4","architecture":75,"bytes":16106127360,)"
            R"("usable":false})");
  EXPECT_EQ(json["files"][0].dump(),
            R"({"name":"libx.so.9","path":"/a/libx.so.9",)"
            R"("place":"CUDA toolkit","version":"9.1.2"})");
  EXPECT_EQ(json["files"][2].dump(),
            R"({"name":"liby.so.1","failure":"not found"})");
}

TEST(MachineReport, WithoutADriver) {
  MachineReport report = machine();
  report.gpus = {};
  report.driverFailure = "there is none";
  report.furtherFeatures = {"avx512vnni", "amx-tile"};
  EXPECT_TRUE(report.verdict().ok());
  EXPECT_THAT(report.toText(), HasSubstr("GPU: none; there is none\nFiles "));
  EXPECT_THAT(report.toText(),
              HasSubstr("  further      avx512vnni, amx-tile\n"));
  EXPECT_THAT(report.toText(), HasSubstr("here; --device: cpu, sim\n"));
  EXPECT_EQ(report.toJson()["driver"].dump(),
            R"({"works":false,"failure":"there is none"})");
}

TEST(MachineReport, ADriverWithoutGpus) {
  MachineReport report = machine();
  report.gpus.list.clear();
  EXPECT_THAT(
      report.toText(),
      HasSubstr(
          "GPU: NVIDIA's driver serves CUDA 13.0; it finds no GPU\nFiles "));
  EXPECT_FALSE(report.canUseGpu());
}

TEST(MachineReport, NothingCanRunPrograms) {
  MachineReport report = machine();
  report.missingForV3 = {"avx2"};
  EXPECT_THAT(report.toText(), HasSubstr("here; --device: cuda\n"));
  EXPECT_TRUE(report.verdict().ok());
  // Programs run on the first GPU, which is too old now.
  std::swap(report.gpus.list[0], report.gpus.list[1]);
  EXPECT_FALSE(report.canUseGpu());
  EXPECT_THAT(report.toText(), HasSubstr("x86-64-v3    no, lacks avx2\n"));
  EXPECT_THAT(report.toText(), testing::Not(HasSubstr("--device:")));
  Status status = report.verdict();
  EXPECT_EQ(status.code(), ExitCode::Usage);
  EXPECT_EQ(status.message(),
            "no device of this machine can run programs: the CPU lacks avx2, "
            "which x86-64-v3 has, and there is no GPU of compute capability "
            "8.0 or newer");
}

TEST(MachineReport, ThisMachine) {
  cuda::SearchContext nowhere;
  nowhere.root = "/no/such/folder";
  MachineReport report = examineMachine(nowhere, "libno-such-cuda.so.1");
  EXPECT_TRUE(report.canUseCpu()) << report.toText(); // or no test would run
  EXPECT_FALSE(report.cpu.empty());
  EXPECT_GT(report.usableCpus, 0u);
  EXPECT_THAT(report.cpuLibrary, testing::StartsWith("oneDNN "));
  EXPECT_EQ(report.driverFailure,
            "libno-such-cuda.so.1, NVIDIA's driver, is not installed");
  std::vector<std::string> names;
  for (const FoundFile &file : report.files) {
    names.push_back(file.name);
    EXPECT_NE(file.path.empty(), file.failure.empty()) << file.name;
  }
  EXPECT_THAT(names, testing::ElementsAre("libcublasLt.so.13", "libcudnn.so.9",
                                          "libcusolver.so.12", "libnccl.so.2",
                                          "ptxas"));
}

TEST(MachineReport, WithoutALibraryThereIsAnotherWay) {
  std::string folder = testing::TempDir() + "/boost-doctor";
  std::filesystem::create_directory(folder);
  for (const char *library :
       {"/libcublasLt.so.13", "/libcudnn.so.9", "/libnccl.so.2"})
    std::ofstream(folder + library) << "no library";
  cuda::SearchContext context;
  context.root = "/no/such/folder";
  context.origin = folder;
  MachineReport report = examineMachine(context, "libno-such-cuda.so.1");
  std::filesystem::remove_all(folder);
  const char *otherWays[] = {
      "; generated kernels compute all matmuls",
      "; generated kernels compute all convolutions", nullptr,
      "; what GPUs of several ranks exchange goes through the host"};
  for (size_t i = 0; i < std::size(otherWays); ++i)
    // Unless the dynamic linker knows one.
    if (otherWays[i] && report.files[i].path.empty()) {
      EXPECT_THAT(report.files[i].failure, testing::EndsWith(otherWays[i]));
    }
}

TEST(MachineReport, TheCommand) {
  Finished text = boostRunProcess({"doctor"});
  EXPECT_EQ(text.exitCode, 0) << text.err;
  EXPECT_THAT(text.out, testing::StartsWith("CPU: "));
  EXPECT_THAT(text.out, HasSubstr("Programs can run here; --device: "));
  Finished json = boostRunProcess({"doctor", "--json"});
  EXPECT_EQ(json.exitCode, 0) << json.err;
  nlohmann::json parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed["boost_run"], BOOSTC_VERSION);
  EXPECT_TRUE(parsed["cpu"]["usable"]);
  EXPECT_EQ(boostRunProcess({"doctor", "train.so"}).exitCode, 2);
}

} // namespace
