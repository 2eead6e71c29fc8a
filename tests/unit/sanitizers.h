/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sanitizers: IS_SANITIZED is 1 if sanitizers run, with which tests take ten
 * times as long.
 *
 * Tests that visit each position of their input then skip some positions.
 */
#ifndef TESTS_UNIT_SANITIZERS_H
#define TESTS_UNIT_SANITIZERS_H

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

#endif
