/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units: durations, sizes and numbers as people write them.
 *
 * Digits with an optional decimal fraction, then a unit, nothing between and
 * nothing around; the process's locale plays no part.  Each fails with
 * ERROR_MISUSE, saying what was given and what would do.
 */
#ifndef CORE_BASE_UNITS_H
#define CORE_BASE_UNITS_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdint.h>

/* ns us ms s m (or min) h d; without a unit, seconds. */
int units_duration(const char *text, int64_t *ns, struct error *err);

/* k m g t, each 1024 of the one before, any case, also kb and kib. */
int units_size(const char *text, uint64_t *bytes, struct error *err);

/* A whole number from 0 on. */
int units_count(const char *text, uint64_t *count, struct error *err);

/* A finite number from 0 on; a '%' may follow and changes nothing. */
int units_number(const char *text, double *number, struct error *err);

/* Appends it in the largest unit in which it is whole: 1500ms, 90s, 2h. */
void units_add_duration(struct text *out, int64_t ns);

/* The same for 1500, 64k, 1g. */
void units_add_size(struct text *out, uint64_t bytes);

#endif
