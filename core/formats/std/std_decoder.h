/* SPDX-License-Identifier: Apache-2.0 */
/*
 * std_decoder: the events of SJK's stack trace dumps (.std, .sjk), one by one.
 *
 * A dump is a magic and one zlib stream of records. Most records define strings
 * and frames to which events refer by number. There are three versions: V1 and
 * V2 hold stack traces of threads, V4 any events with tags and counters.
 */
#ifndef CORE_FORMATS_STD_STD_DECODER_H
#define CORE_FORMATS_STD_STD_DECODER_H

#include "core/base/cursor.h"
#include "core/base/error.h"
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/formats/std/std_format.h"
#include "core/profile/profile.h"
#include "core/profile/sample_tap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One event; pointers are valid until the next one. */
struct std_event {
	bool has_trace;       /* it is a sample of a thread; depth may be 0 */
	int64_t time_ms;      /* since the epoch; STD_NONE = unknown */
	int64_t thread_id;    /* Java's; STD_NONE = unknown */
	uint32_t thread_name; /* string of the profile; 0 = unknown */
	enum thread_state state;
	const uint32_t *frames; /* of the profile, leaf first */
	size_t depth;
	/*
	 * Of V4, both include the thread's attributes; of V2, only counters,
	 * without them.
	 */
	const struct sample_tag *tags;
	size_t tag_count;
	const struct sample_counter *counters;
	size_t counter_count;
};

struct std_set; /* tags or counters, in V4 */

/* Sets by their number, which may be defined again. */
struct std_sets {
	struct map64 slots; /* number to index */
	struct std_set *all;
	size_t count, cap;
};

struct std_numbers {
	uint32_t *values;
	size_t count, cap;
};

struct std_decoder {
	struct profile *profile; /* gets strings, frames and losses */
	enum std_version version;
	uint8_t *bytes; /* the records */
	size_t len;
	struct cursor c;
	const char *damage;         /* why the records end early, or NULL */
	struct std_numbers strings; /* of the profile; [0] is none */
	struct std_numbers frames;
	struct map64 slots; /* number of a dynamic string to index */
	struct std_numbers dynamic;
	struct std_numbers columns; /* V2: keys of the counters */
	struct std_sets tag_sets, counter_sets;
	size_t set_work;  /* pairs that definitions of sets have moved */
	size_t set_pairs; /* pairs of the sets */
	size_t name_work; /* bytes of names that frames have joined */
	struct std_keys {
		uint32_t parts, id, name, state; /* keys of tags and counters */
		uint32_t time, counters, trace;  /* values of parts */
	} keys;
	struct text name; /* of a class */
	/* Of the current event. */
	struct std_numbers trace;
	struct sample_counter *counters;
	size_t counter_count, counter_cap;
};

/*
 * Compares two strings of a profile like Java's String.compareTo(), by UTF-16
 * code units: the order of keys in V4.
 */
int std_compare(const struct profile *p, uint32_t a, uint32_t b);

/* True if bytes begin with a magic of these dumps. */
bool std_is_dump(const uint8_t *bytes, size_t len);

/*
 * Decompresses a dump. Fails with ERROR_INPUT if there are no records;
 * std_decoder_close() must follow in any case. bytes may be released.
 */
int std_decoder_open(struct std_decoder *d, const uint8_t *bytes, size_t len,
		     struct profile *p, struct error *err);

/*
 * Reads the next event; false at the end or at damaged records, which are
 * recorded with profile_lost().
 */
bool std_decoder_next(struct std_decoder *d, struct std_event *e);

void std_decoder_close(struct std_decoder *d);

#endif
