# Checkpoints and the tensor file format; included by CMakeLists.txt beside it.
# A library of its own, because the tests of what survives a crash need no trainer.
add_library(boostrt_checkpoint STATIC
  ${CMAKE_CURRENT_LIST_DIR}/Checkpoint.cpp
  ${CMAKE_CURRENT_LIST_DIR}/CheckpointManifest.cpp
  ${CMAKE_CURRENT_LIST_DIR}/CheckpointNames.cpp
  ${CMAKE_CURRENT_LIST_DIR}/CheckpointPosition.cpp
  ${CMAKE_CURRENT_LIST_DIR}/CheckpointStore.cpp
  ${CMAKE_CURRENT_LIST_DIR}/RecipeDifference.cpp
  ${CMAKE_CURRENT_LIST_DIR}/RunSteps.cpp
  ${CMAKE_CURRENT_LIST_DIR}/Safetensors.cpp
  ${CMAKE_CURRENT_LIST_DIR}/SafetensorsReader.cpp
  ${CMAKE_CURRENT_LIST_DIR}/VerifiedFile.cpp)
target_link_libraries(boostrt_checkpoint PUBLIC
  boostrt_support nlohmann_json::nlohmann_json)
