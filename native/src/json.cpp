#include "actors/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "actors/error.h"

namespace actors {

namespace {

class Parser {
 public:
  Parser(const std::string& text, const std::string& source) : text_(text), source_(source) {}

  Json document() {
    Json value = this->value(0);
    skipSpace();
    if (at_ != text_.size()) fail("unexpected text after the value");
    return value;
  }

 private:
  static constexpr int maxDepth = 64;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::CorruptFile, source_ + " is not valid JSON: " + what + " at byte " + std::to_string(at_));
  }

  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      at_++;
  }

  char peek() {
    skipSpace();
    if (at_ == text_.size()) fail("it ends too early");
    return text_[at_];
  }

  void expect(char wanted) {
    if (peek() != wanted) fail(std::string("expected '") + wanted + "'");
    at_++;
  }

  bool take(char wanted) {
    if (peek() != wanted) return false;
    at_++;
    return true;
  }

  void word(const char* rest) {
    for (; *rest != '\0'; rest++, at_++) {
      if (at_ == text_.size() || text_[at_] != *rest) fail("unknown word");
    }
  }

  Json value(int depth) {
    if (depth > maxDepth) fail("nested too deeply");
    Json result;
    switch (peek()) {
      case '{': object(result, depth); break;
      case '[': array(result, depth); break;
      case '"':
        result.kind = Json::Kind::String;
        result.string = string();
        break;
      case 't':
        word("true");
        result.kind = Json::Kind::Boolean;
        result.boolean = true;
        break;
      case 'f':
        word("false");
        result.kind = Json::Kind::Boolean;
        break;
      case 'n': word("null"); break;
      default: number(result);
    }
    return result;
  }

  void object(Json& result, int depth) {
    result.kind = Json::Kind::Object;
    expect('{');
    if (take('}')) return;
    do {
      if (peek() != '"') fail("expected a key");
      std::string key = string();
      expect(':');
      if (!result.object.emplace(key, value(depth + 1)).second) fail("key " + quoted(key) + " appears twice");
    } while (take(','));
    expect('}');
  }

  void array(Json& result, int depth) {
    result.kind = Json::Kind::Array;
    expect('[');
    if (take(']')) return;
    do result.array.push_back(value(depth + 1));
    while (take(','));
    expect(']');
  }

  void number(Json& result) {
    const char* first = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    const char* end = first;
    while (end != last && (std::string("+-.eE").find(*end) != std::string::npos || (*end >= '0' && *end <= '9'))) end++;
    const std::string digits(first, end);
    char* parsed = nullptr;
    result.number = std::strtod(digits.c_str(), &parsed);
    if (digits.empty() || *parsed != '\0') fail("expected a value");
    result.kind = Json::Kind::Number;
    at_ += digits.size();
  }

  std::string string() {
    std::string result;
    at_++;
    for (;;) {
      if (at_ == text_.size()) fail("a string does not end");
      const char c = text_[at_++];
      if (c == '"') return result;
      if (static_cast<unsigned char>(c) < 0x20) fail("a control character in a string");
      if (c == '\\') escape(result);
      else result += c;
    }
  }

  void escape(std::string& result) {
    if (at_ == text_.size()) fail("a string does not end");
    const char c = text_[at_++];
    switch (c) {
      case 'n': result += '\n'; break;
      case 't': result += '\t'; break;
      case 'r': result += '\r'; break;
      case 'b': result += '\b'; break;
      case 'f': result += '\f'; break;
      case '"':
      case '\\':
      case '/': result += c; break;
      case 'u': codePoint(result); break;
      default: fail("unknown escape");
    }
  }

  /// Surrogate pairs stay two code units: names and config values never hold them.
  void codePoint(std::string& result) {
    unsigned code = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + std::min(at_ + 4, text_.size()), code, 16);
    if (error != std::errc() || end != text_.data() + at_ + 4) fail("a bad \\u escape");
    at_ += 4;
    if (code < 0x80) {
      result += static_cast<char>(code);
    } else if (code < 0x800) {
      result += static_cast<char>(0xC0 | code >> 6);
      result += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      result += static_cast<char>(0xE0 | code >> 12);
      result += static_cast<char>(0x80 | (code >> 6 & 0x3F));
      result += static_cast<char>(0x80 | (code & 0x3F));
    }
  }

  const std::string& text_;
  const std::string& source_;
  std::size_t at_ = 0;
};

}  // namespace

Json Json::parse(const std::string& text, const std::string& source) { return Parser(text, source).document(); }

const Json* Json::find(const std::string& key) const {
  const auto found = object.find(key);
  return found == object.end() || found->second.kind == Kind::Null ? nullptr : &found->second;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char hex[] = "0123456789abcdef";
      result += "\\u00";
      result += hex[c >> 4];
      result += hex[c & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string shortest(double value) {
  std::array<char, 32> text;
  for (int precision = 1; precision <= 17; precision++) {
    std::snprintf(text.data(), text.size(), "%.*g", precision, value);
    if (std::strtod(text.data(), nullptr) == value) break;
  }
  return text.data();
}

}  // namespace actors
