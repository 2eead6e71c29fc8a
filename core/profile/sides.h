/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sides: two recordings in one profile, whose samples stay apart.
 *
 * Both are read into the same profile, one after the other, so equal frames and
 * stack traces have equal ids. side_take() moves the samples of the first
 * recording out before the second is read; sides_join() puts the samples of
 * both back, with different events.
 */
#ifndef CORE_PROFILE_SIDES_H
#define CORE_PROFILE_SIDES_H

#include "core/profile/event_view.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of parts of equal length that a recording is divided into. */
#define SIDE_PARTS 15

struct side {
	struct event *events;
	size_t event_count;
	struct cell *cells;
	size_t cell_count;
	struct remark *remarks;
	size_t remark_count;
	struct event_view
		*views; /* all of them; after the join, of all events */
	size_t view_count;
	int64_t from_ns, to_ns; /* first and last sample; equal = unknown */
	/*
	 * Set by the caller: times between from_ns and to_ns were left out, so
	 * the length of the compared part is unknown.
	 */
	bool has_gaps;
	/*
	 * The parts of the recording in ns. part_count is 0 if samples have no
	 * times or the recording is too short to divide.
	 */
	int64_t part_ns[SIDE_PARTS];
	size_t part_count;
	/*
	 * The count that stands for one sample. It is larger than 1 for
	 * collapsed stack traces with times: 10101010 ns at 99 Hz.
	 */
	uint64_t sample_step;
	int64_t bucket_first; /* private, like the next */
	unsigned bucket_shift;
};

/*
 * Moves the samples, events and remarks out of a profile, which keeps names,
 * frames, stack traces and threads and can be filled again. Takes ownership of
 * the views, which may have been made before a filter removed samples.
 */
void side_take(struct side *s, struct profile *p, struct event_view *views,
	       size_t view_count);
void side_release(struct side *s); /* may be zeroed */

/*
 * Puts the samples of both sides into the profile, whose own were taken. The
 * events of the second side follow those of the first, and its views are
 * changed accordingly. The time bucket of a cell becomes 1 + its part, 0
 * without parts. thread_of[] replaces the threads of cells, by thread id.
 */
void sides_join(struct profile *p, struct side sides[2],
		const uint32_t *thread_of);

/* Removes the parts from the cells, which become fewer. */
void sides_forget_parts(struct profile *p);

#endif
