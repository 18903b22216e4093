// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A text that is copied in no time, for one may have many megabytes.
#pragma once

#include <glib.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "plugin/base/gref.h"

namespace genclip {

class SharedText {
 public:
  SharedText() : SharedText(std::string()) {}
  SharedText(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}

  const std::string &text() const { return *text_; }
  operator const std::string &() const { return *text_; }

  // Its bytes, which keep it alive.
  GRef<GBytes> bytes() const {
    auto *held = new std::shared_ptr<const std::string>(text_);
    return GRef<GBytes>::adopt(g_bytes_new_with_free_func(
        text_->data(), text_->size(),
        [](gpointer data) { delete static_cast<std::shared_ptr<const std::string> *>(data); }, held));
  }

  friend bool operator==(const SharedText &one, const SharedText &other) {
    return *one.text_ == *other.text_;
  }
  friend bool operator==(const SharedText &one, const std::string &other) { return *one.text_ == other; }
  friend bool operator==(const SharedText &one, const char *other) { return *one.text_ == other; }
  friend std::ostream &operator<<(std::ostream &out, const SharedText &text) { return out << *text.text_; }

 private:
  std::shared_ptr<const std::string> text_;  // Never null.
};

}  // namespace genclip
