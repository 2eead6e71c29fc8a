/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader: an input format.
 *
 * To add one: a read_<format>.c that ends with a struct reader, and a line in
 * the list of reader.c.
 */
#ifndef CORE_FORMATS_READER_H
#define CORE_FORMATS_READER_H

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct reader {
	const char *name;    /* what --format takes: "jfr" */
	const char *summary; /* "JDK Flight Recorder" */

	/*
	 * True when the head of an input, at most READER_HEAD bytes, is surely
	 * of this format.
	 */
	bool (*sniff)(const uint8_t *head, size_t len);

	/*
	 * For formats of text, or NULL: the same for more of the input, at most
	 * READER_LOOK bytes without a NUL, when no reader knew its head.
	 */
	bool (*look)(const uint8_t *text, size_t len);

	/*
	 * Adds what the input holds to a profile.  Damage is no error: it keeps
	 * the readable rest and counts losses with profile_lost().  Fails with
	 * ERROR_INPUT if nothing is readable; the message does
	 * not name the file.
	 */
	int (*read)(const uint8_t *bytes, size_t len, struct profile *p,
		    struct error *err);
};

/* The formats there are; each is at the foot of its read_<name>.c. */
extern const struct reader jfr_reader;
extern const struct reader nps_reader;
extern const struct reader dump_json_reader; /* Thread.dump_to_file JSON */
extern const struct reader dump_reader;      /* text thread dumps */
extern const struct reader collapsed_reader;

/* The dialects among which dump_reader chooses. */
extern const struct reader dump_to_file_dialect; /* plain text, JDK 21 */
extern const struct reader javacore_dialect;     /* OpenJ9 */
extern const struct reader hotspot_dialect;      /* and what resembles it */

#define READER_HEAD 4096
#define READER_LOOK ((size_t)1 << 20)

/* In the order in which they are asked: binary formats first. */
extern const struct reader *const readers[]; /* ends with NULL */

/*
 * The reader called name, or for "auto" the one whose format the input is in,
 * of which head are the first len bytes, READER_LOOK if there are so many.
 * NULL and ERROR_INPUT (ERROR_MISUSE for an unknown name) when there is none.
 */
const struct reader *reader_for(const char *name, const uint8_t *head,
				size_t len, struct error *err);

#endif
