#include "runtime/trainer/Report.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace boostrt {
namespace {

using Json = nlohmann::ordered_json;

/// A float as its own shortest decimals, not as those of the nearest double.
/// JSON has no infinity: null.
Json number(float value) {
  if (!std::isfinite(value))
    return nullptr;
  return std::strtod(shortest(value).c_str(), nullptr);
}

constexpr double kFlushSeconds = 0.5;

} // namespace

Result<std::unique_ptr<MetricsFile>> MetricsFile::open(const std::string &path,
                                                       bool resumed) {
  std::FILE *file = std::fopen(path.c_str(), resumed ? "ae" : "we");
  if (!file)
    return Status(ExitCode::Usage,
                  fmt::format("--metrics: cannot write '{}': {}", path,
                              std::strerror(errno)));
  return std::unique_ptr<MetricsFile>(new MetricsFile(file, path));
}

MetricsFile::~MetricsFile() {
  if (file_)
    std::fclose(file_);
}

void MetricsFile::line(const std::string &text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() ||
      std::fputc('\n', file_) == EOF)
    failed_ = true;
  // Often enough to follow, rarely enough to cost nothing.
  Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - flushed_).count() < kFlushSeconds)
    return;
  flushed_ = now;
  failed_ |= std::fflush(file_) != 0;
}

void MetricsFile::step(const StepReport &step) {
  Json json{{"event", "step"},
            {"epoch", step.epoch},
            {"step", step.step},
            {"global_step", step.globalStep},
            {"loss", number(step.loss)},
            {"lr", number(step.learningRate)},
            {"samples_per_s", std::round(step.samplesPerSecond)}};
  if (step.gradientNorm)
    json["grad_norm"] = number(*step.gradientNorm);
  for (const AdasumEntry &entry : step.adasum)
    json["adasum"].push_back({{"parameters", entry.parameters},
                              {"coefficients", entry.coefficients},
                              {"orthogonality", entry.orthogonality}});
  line(json.dump());
}

void MetricsFile::evaluation(int64_t epoch, int64_t step, int64_t globalStep,
                             const Evaluation &evaluation) {
  Json json{{"event", "eval"},
            {"epoch", epoch},
            {"step", step},
            {"global_step", globalStep}};
  for (const auto &[name, value] : evaluation.values)
    json[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
  line(json.dump());
}

void MetricsFile::end(double wallSeconds, std::optional<uint64_t> peakBytes,
                      uint64_t plannedBytes) {
  line(Json{{"event", "end"},
            {"wall_s", wallSeconds},
            {"peak_bytes", peakBytes ? Json(*peakBytes) : Json(nullptr)},
            {"planned_bytes", plannedBytes}}
           .dump());
}

std::string MetricsFile::close() {
  failed_ |= std::fflush(file_) != 0;
  failed_ |= std::fclose(file_) != 0;
  file_ = nullptr;
  return failed_ ? fmt::format("the metrics file '{}' is incomplete: a write "
                               "failed (is the disk full?)",
                               path_)
                 : "";
}

} // namespace boostrt
