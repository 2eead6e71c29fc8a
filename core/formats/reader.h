/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader: the interface of input formats.
 *
 * To add a format: write a read_<format>.c that ends with a struct reader, and
 * add it to the list in reader.c.
 */
#ifndef CORE_FORMATS_READER_H
#define CORE_FORMATS_READER_H

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct reader {
	const char *name;    /* value of --format: "jfr" */
	const char *summary; /* "JDK Flight Recorder" */

	/*
	 * True if the head of an input, at most READER_HEAD bytes, certainly
	 * has this format.
	 */
	bool (*sniff)(const uint8_t *head, size_t len);

	/*
	 * For text formats, or NULL: the same for more of the input, at most
	 * READER_LOOK bytes without a NUL, if no reader recognized its head.
	 */
	bool (*look)(const uint8_t *text, size_t len);

	/*
	 * Adds the contents of the input to a profile. Damage is not an error:
	 * the reader keeps the readable part and counts losses with
	 * profile_lost(). Fails with ERROR_INPUT if nothing is readable; the
	 * message does not name the file.
	 */
	int (*read)(const uint8_t *bytes, size_t len, struct profile *p,
		    struct error *err);
};

/* The formats; each is defined at the end of its read_<name>.c. */
extern const struct reader jfr_reader;
extern const struct reader std_reader;
extern const struct reader nps_reader;
extern const struct reader apps_reader;
extern const struct reader zip_reader;
extern const struct reader snap_reader; /* tar archives of sjkc snap */
extern const struct reader perf_data_reader;
extern const struct reader dump_json_reader; /* JSON of Thread.dump_to_file */
extern const struct reader dump_reader;      /* thread dumps as text */
extern const struct reader pprof_reader;
extern const struct reader otlp_reader;
extern const struct reader speedscope_reader;
extern const struct reader firefox_reader;
extern const struct reader page_reader; /* HTML */
extern const struct reader perf_reader; /* text of perf script */
extern const struct reader collapsed_reader;

/* The dialects of dump_reader. */
extern const struct reader dump_to_file_dialect; /* plain text, JDK 21 */
extern const struct reader javacore_dialect;     /* OpenJ9 */
extern const struct reader hotspot_dialect;      /* HotSpot and similar */

/* A dialect of page_reader, which detects it; reads whole pages. */
extern const struct reader async_page_dialect; /* async-profiler */

#define READER_HEAD 4096
#define READER_LOOK ((size_t)1 << 20)

/* In the order of detection: binary formats first. */
extern const struct reader *const readers[]; /* NULL after the last */

/*
 * Returns the reader called name, or for "auto" the reader of the input's
 * format; head is its first len bytes, up to READER_LOOK. NULL and ERROR_INPUT
 * (ERROR_MISUSE for an unknown name) if there is none. The name NULL means
 * "auto" for commands without --format: the error does not advise the option,
 * and names the formats that the command wants, "jstack std", or all if wanted
 * is NULL.
 */
const struct reader *reader_for(const char *name, const char *wanted,
				const uint8_t *head, size_t len,
				struct error *err);

#endif
