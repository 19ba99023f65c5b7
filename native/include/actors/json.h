#pragma once

#include <map>
#include <string>
#include <vector>

namespace actors {

/// A parsed JSON value: enough for config.json and the safetensors header.
class Json {
 public:
  enum class Kind { Null, Boolean, Number, String, Array, Object };

  /// Throws CorruptFile naming `source` and the byte where parsing failed.
  static Json parse(const std::string& text, const std::string& source);

  Kind kind = Kind::Null;
  bool boolean = false;
  double number = 0.0;
  std::string string;
  std::vector<Json> array;
  std::map<std::string, Json> object;

  /// The member, or null when absent, null or not an object.
  const Json* find(const std::string& key) const;
};

/// `text` as a quoted JSON string.
std::string quoted(const std::string& text);

/// The shortest decimal that reads back as the same double.
std::string shortest(double value);

}  // namespace actors
