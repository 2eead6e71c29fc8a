/* SPDX-License-Identifier: Apache-2.0 */
/* labels: the words of other tools for units and for the labels of samples. */
#ifndef CORE_FORMATS_LABELS_H
#define CORE_FORMATS_LABELS_H

#include "core/base/lines.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns the unit of a word such as "milliseconds", and the factor from the
 * word's unit to it: 1000000. Numbers of anything else are UNIT_SAMPLES.
 */
enum unit unit_of_word(struct line word, double *factor);

/* The thread and state of a sample, collected from its labels. */
struct thread_labels {
	struct line thread;
	int64_t os_id, java_id;
	enum thread_state state;
};

/*
 * Adds a label with a text or, if the text is empty, a number. Returns false if
 * it does not describe the thread.
 */
bool thread_labels_add(struct thread_labels *l, struct line key,
		       struct line text, int64_t number);

/* Returns the id of the thread; 0 if no label described it. */
uint32_t thread_labels_thread(struct profile *p, const struct thread_labels *l);

#endif
