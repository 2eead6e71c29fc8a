/* SPDX-License-Identifier: Apache-2.0 */
/*
 * std_encoder: makes stack trace dumps that SJK reads: V2, which its own
 * commands write, or V4, which has tags and events without stack traces.
 *
 * The caller takes the compressed bytes from `out`, writes them, and clears
 * it.
 */
#ifndef CORE_FORMATS_STD_STD_ENCODER_H
#define CORE_FORMATS_STD_STD_ENCODER_H

#include "core/base/intern.h"
#include "core/base/map64.h"
#include "core/base/text.h"
#include "core/formats/std/std_decoder.h"
#include "core/formats/std/std_format.h"
#include "core/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct std_encoder {
	struct text out; /* compressed */
	enum std_version version;
	struct profile *profile; /* has the strings and frames */
	struct z_stream_s *stream;
	struct text records;        /* not yet compressed */
	struct intern strings;      /* ids are the numbers of the strings */
	struct map64 frames;        /* frame of the profile to number */
	struct map64 dynamic;       /* string of the profile to slot */
	struct std_numbers columns; /* V2: keys of the counters */
	/* V4: ids are the numbers of the sets, texts their pairs. */
	struct intern tag_sets, counter_sets;
	/* Of the current event. */
	struct text pairs;
	struct sample_counter *counters;
	size_t counter_count, counter_cap;
};

/* V1 cannot be written. The profile is borrowed. */
void std_encoder_init(struct std_encoder *e, enum std_version version,
		      struct profile *p);
void std_encoder_release(struct std_encoder *e);

/*
 * Adds an event. V2 drops tags, and events without a stack trace. Negative
 * counters are not stored, because SJK cannot read them.
 */
void std_encoder_add(struct std_encoder *e, const struct std_event *event);

/* Makes all events so far readable, even if the dump is never finished. */
void std_encoder_sync(struct std_encoder *e);

void std_encoder_finish(struct std_encoder *e);

#endif
