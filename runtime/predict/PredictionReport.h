// PredictionReport.h - a prediction in words and as JSON.
#pragma once

#include "runtime/predict/Predict.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace boostrt {

/// Lines; the first is a title.
std::string toText(const Prediction &prediction);

/// Times in seconds.
nlohmann::ordered_json toJson(const Prediction &prediction);

} // namespace boostrt
