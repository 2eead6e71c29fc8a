/* SPDX-License-Identifier: Apache-2.0 */
/* std_builder: constructs valid and damaged stack trace dumps of SJK. */
#ifndef TESTS_UNIT_STD_BUILDER_H
#define TESTS_UNIT_STD_BUILDER_H

#include "core/base/text.h"
#include "core/formats/std/std_format.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Append parts of records. */
void std_put_vint(struct text *t, uint32_t value);
void std_put_vlong(struct text *t, int64_t value);
void std_put_utf(struct text *t, const char *string);

/* Append records. */
void std_put_string(struct text *t, const char *string);
void std_put_dynamic(struct text *t, uint32_t slot, const char *string);
void std_put_frame(struct text *t, uint32_t package, uint32_t class_name,
		   uint32_t method, uint32_t source, int line);
/*
 * A change of a set: operation, key, slot; operation 0 ends the list. The slot
 * is not written for operations without one.
 */
void std_put_set(struct text *t, enum std_tag tag, uint32_t number,
		 uint32_t base, const uint32_t (*changes)[3]);

/* Returns the dump of these records, which the caller releases. */
struct text std_made(enum std_version version, const struct text *records);

/* Reads a dump; fails the test if it is rejected. */
struct profile *std_read_made(enum std_version version,
			      const struct text *records);
struct profile *std_read_bytes(const void *bytes, size_t len, bool exact);

/* Returns the records of a dump, which the caller releases. */
struct text std_records(const void *bytes, size_t len);

#endif
