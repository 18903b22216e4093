// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether a sanitizer watches this program, which then takes a multiple of its time.
#pragma once

namespace genclip::test {

#if defined(__has_feature)
constexpr bool kIsAddressSanitized = __has_feature(address_sanitizer);
constexpr bool kIsThreadSanitized = __has_feature(thread_sanitizer);
#else
// gcc says it in words of its own.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsAddressSanitized = true;
#else
constexpr bool kIsAddressSanitized = false;
#endif
#if defined(__SANITIZE_THREAD__)
constexpr bool kIsThreadSanitized = true;
#else
constexpr bool kIsThreadSanitized = false;
#endif
#endif

constexpr bool kIsSanitized = kIsAddressSanitized || kIsThreadSanitized;

}  // namespace genclip::test
