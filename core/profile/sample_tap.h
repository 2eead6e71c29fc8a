/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_tap: single samples, for callers of readers that need each sample
 * with its time instead of cells.
 */
#ifndef CORE_PROFILE_SAMPLE_TAP_H
#define CORE_PROFILE_SAMPLE_TAP_H

#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys and values are strings of the profile; a value may be empty (0). */
struct sample_tag {
	uint32_t key, value;
};

struct sample_counter {
	uint32_t key;
	int64_t value;
};

/* The data of a sample that a profile does not keep. Valid during the call. */
struct sample_details {
	const struct sample_tag *tags;
	size_t tag_count;
	const struct sample_counter *counters;
	size_t counter_count;
	bool is_event; /* not a sample of a thread: it has no stack trace */
};

struct sample_tap {
	/*
	 * Gets each sample, in the order of the input, instead of the profile's
	 * cells. d is NULL if the format has no such data.
	 */
	void (*add)(void *self, const struct sample *s,
		    const struct sample_details *d);
	void *self;
};

#endif
