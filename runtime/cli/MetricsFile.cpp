#include "runtime/trainer/Report.h"

#include <cmath>
#include <cstdlib>
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
  FileSystem &files = realFileSystem();
  std::unique_ptr<MetricsFile> metrics(new MetricsFile(path));
  OutputTarget target;
  IoError error = files.findTarget(path, target);
  if (error.ok() && resumed && target.kind == OutputTarget::Kind::Replaced) {
    error = files.openToContinue(target, metrics->continued_);
    if (error.ok())
      return metrics;
  }
  if (!error.ok())
    return ioStatus(error, ExitCode::Usage, "write", path);
  Result<OutputFile> output = OutputFile::create(files, path, ExitCode::Usage);
  if (!output.ok())
    return output.status();
  metrics->new_.emplace(std::move(output).value());
  return metrics;
}

void MetricsFile::line(const std::string &text) {
  lines_ += text;
  lines_ += '\n';
  // Often enough to follow, rarely enough to cost nothing.
  if (std::chrono::duration<double>(Clock::now() - flushed_).count() >=
      kFlushSeconds)
    flush();
}

void MetricsFile::flush() {
  flushed_ = Clock::now();
  WritableFile &file = new_ ? new_->file() : *continued_;
  IoError error = file.write(
      {reinterpret_cast<const uint8_t *>(lines_.data()), lines_.size()});
  lines_.clear();
  if (!error.ok())
    return remember(ioStatus(error, ExitCode::Usage, "write", path_));
  if (!new_ || isPublished_)
    return;
  Status status = new_->publish();
  isPublished_ = status.ok();
  remember(status);
}

void MetricsFile::remember(const Status &status) {
  if (failure_.ok() && !status.ok())
    failure_ =
        Status(status.code(), fmt::format("the metrics file is incomplete: {}",
                                          status.message()));
}

Status MetricsFile::close() {
  flush();
  WritableFile &file = new_ ? new_->file() : *continued_;
  if (IoError error = file.sync(); !error.ok())
    remember(ioStatus(error, ExitCode::Usage, "write", path_));
  return failure_;
}

/// Whole samples where there are many; of a large network, a few in a second or
/// less, thousandths.
static double roundRate(double rate) {
  return rate < 100.0 ? std::round(rate * 1000.0) / 1000.0 : std::round(rate);
}

void MetricsFile::step(const StepReport &step) {
  Json json{{"event", "step"},
            {"epoch", step.epoch},
            {"step", step.step},
            {"global_step", step.globalStep},
            {"loss", number(step.loss)},
            {"lr", number(step.learningRate)},
            {"samples_per_s", roundRate(step.samplesPerSecond)}};
  if (step.gradientNorm)
    json["grad_norm"] = number(*step.gradientNorm);
  // Lists for groups, even for a single one.
  if (!step.overflows.empty()) {
    for (float scale : step.lossScales)
      json["loss_scale"].push_back(number(scale));
    json["overflows"] = step.overflows;
  } else if (!step.lossScales.empty()) {
    json["loss_scale"] = number(step.lossScales.front());
  }
  for (const auto &[name, value] : step.numbers)
    json[std::string(name)] = value;
  if (step.skipped > 0)
    json["skipped"] = step.skipped;
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
  if (evaluation.bad.count > 0)
    json["bad_samples"] = evaluation.bad.count;
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

} // namespace boostrt
