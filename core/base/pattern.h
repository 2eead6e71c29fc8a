/* SPDX-License-Identifier: Apache-2.0 */
/* pattern: regular expressions (PCRE2) with a bounded cost. */
#ifndef CORE_BASE_PATTERN_H
#define CORE_BASE_PATTERN_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct pattern;

/*
 * Compiles a regular expression for UTF-8. Returns NULL and ERROR_MISUSE, with
 * the position and the reason, if the expression is invalid.
 */
struct pattern *pattern_new(const char *regex, struct error *err);

/* The same, for matches of the whole text. */
struct pattern *pattern_new_whole(const char *regex, struct error *err);

/*
 * True if a part of the text matches. A text that exceeds the cost limit (a
 * pathological expression) does not match, and lowers the limit for later
 * texts.
 */
bool pattern_matches(struct pattern *p, const char *text, size_t len);

/* Number of texts that exceeded the limit. */
size_t pattern_undecided(const struct pattern *p);

void pattern_free(struct pattern *p);

#endif
