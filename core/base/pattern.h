/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern: regular expressions (PCRE2), with limits on what one may cost.
 */
#ifndef CORE_BASE_PATTERN_H
#define CORE_BASE_PATTERN_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct pattern;

/*
 * Compiles a regular expression over UTF-8.  NULL and ERROR_MISUSE, with the
 * place and the reason, when it is not one.
 */
struct pattern *pattern_new(const char *regex, struct error *err);

/* Likewise, of texts that match as a whole. */
struct pattern *pattern_new_whole(const char *regex, struct error *err);

/*
 * True when any part of the text matches.  A text that is too costly to decide
 * (a pathological expression) does not match, and the next ones may cost less.
 */
bool pattern_matches(struct pattern *p, const char *text, size_t len);

/* How many texts were too costly to decide. */
size_t pattern_undecided(const struct pattern *p);

void pattern_free(struct pattern *p);

#endif
