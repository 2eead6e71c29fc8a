/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units: parses and prints durations, sizes and numbers.
 *
 * Input is digits with an optional decimal fraction and a unit, without spaces;
 * the locale is ignored. Each parser fails with ERROR_MISUSE, quotes the word
 * and gives examples.
 *
 * Output has a space before the unit. As in -Xmx, the JVM's logs and JFR, 1 KB
 * is 1,024 bytes. All output for people uses these functions, so that units
 * look the same everywhere; render/page/js/flame_format.js prints the same
 * units in the page.
 */
#ifndef CORE_BASE_UNITS_H
#define CORE_BASE_UNITS_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdint.h>

/*
 * Units: ns us ms s m (or min) h d; without a unit, seconds. Several are added
 * up: "1m 30s".
 */
int units_duration(const char *text, int64_t *ns, struct error *err);

/* Units: k m g t (powers of 1024), in either case, also kb and kib. */
int units_size(const char *text, uint64_t *bytes, struct error *err);

/* A whole number, 0 or more. */
int units_count(const char *text, uint64_t *count, struct error *err);

/* A finite number, 0 or more; a '%' after it is ignored. */
int units_number(const char *text, double *number, struct error *err);

/*
 * Appends an exact value that units_duration() accepts: 1500ms, 90s, 5min, 2h.
 */
void units_add_duration(struct text *out, int64_t ns);

/* Appends an exact value that units_size() accepts: 1500, 64k, 1g. */
void units_add_size(struct text *out, uint64_t bytes);

/*
 * Appends a time in ns since the epoch: "2026-11-21T20:19:00" in the zone of
 * TZ, as log files have it, or "2026-11-21T20:19:00.123Z".  Appends nothing for
 * a year that has no name.
 */
void units_add_local_time(struct text *out, int64_t ns);
void units_add_utc(struct text *out, int64_t ns);

/* Appends "960 ms" or "10.1 s", with at least three digits; NaN is "-". */
void units_add_time(struct text *out, double ns);

/*
 * Appends "512 B", "152 MB" or "5.02 GB", with at least three digits; NaN is
 * "-".
 */
void units_add_bytes(struct text *out, double bytes);

/*
 * The same for a measured value: a whole number has decimals, too, "3.00 MB",
 * so that the format of a value that changes stays.
 */
void units_add_measured_bytes(struct text *out, double bytes);

/* Appends "1,730". */
void units_add_count(struct text *out, uint64_t count);

/* Appends "1,730 samples", "1 sample". */
void units_add_counted(struct text *out, uint64_t count, const char *noun);

/* The texts of the functions above by value, to print in a message. */
struct units_shown {
	char text[48];
};
struct units_shown units_time(double ns);
struct units_shown units_bytes(double bytes);
struct units_shown units_counted(uint64_t count, const char *noun);

/* "" for 1, "s" for other numbers: the ending of a noun after the number. */
const char *units_plural(uint64_t count);

#endif
