/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/labels.h"

#include "core/base/ascii.h"

#include <stddef.h>
#include <string.h>

enum unit unit_of_word(struct line word, double *factor)
{
	static const struct {
		const char *word;
		enum unit unit;
		double factor;
	} units[] = {
		{ "nanoseconds", UNIT_NS, 1 },
		{ "nanosecond", UNIT_NS, 1 },
		{ "ns", UNIT_NS, 1 },
		{ "microseconds", UNIT_NS, 1e3 },
		{ "us", UNIT_NS, 1e3 },
		{ "milliseconds", UNIT_NS, 1e6 },
		{ "ms", UNIT_NS, 1e6 },
		{ "seconds", UNIT_NS, 1e9 },
		{ "s", UNIT_NS, 1e9 },
		{ "bytes", UNIT_BYTES, 1 },
		{ "byte", UNIT_BYTES, 1 },
		{ "By", UNIT_BYTES, 1 },
		{ "kilobytes", UNIT_BYTES, 1024 },
		{ "megabytes", UNIT_BYTES, 1048576 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (line_is(word, units[i].word)) {
			*factor = units[i].factor;
			return units[i].unit;
		}
	}
	*factor = 1;
	return UNIT_SAMPLES;
}

enum label_role { LABEL_THREAD, LABEL_OS_ID, LABEL_JAVA_ID, LABEL_STATE };

static const struct {
	const char *key;
	enum label_role role;
} keys[] = {
	{ "thread", LABEL_THREAD },          { "thread.name", LABEL_THREAD },
	{ "thread_name", LABEL_THREAD },     { "thread name", LABEL_THREAD },
	{ "thread_id", LABEL_OS_ID },        { "thread.id", LABEL_OS_ID },
	{ "thread id", LABEL_OS_ID },        { "tid", LABEL_OS_ID },
	{ "java_thread_id", LABEL_JAVA_ID }, { "thread_state", LABEL_STATE },
};

/* Returns the number that a label has as a text, or 0. */
static int64_t label_number(struct line text)
{
	int64_t value = 0;

	if (text.len > 18)
		return 0;
	for (size_t i = 0; i < text.len; i++) {
		if (!is_digit(text.text[i]))
			return 0;
		value = value * 10 + (text.text[i] - '0');
	}
	return value;
}

static enum thread_state label_state(struct line text)
{
	for (size_t i = STATE_NONE + 1; i < THREAD_STATES; i++) {
		if (line_is(text, thread_state_names[i]))
			return (enum thread_state)i;
	}
	return STATE_NONE;
}

bool thread_labels_add(struct thread_labels *l, struct line key,
		       struct line text, int64_t number)
{
	size_t i = 0, count = sizeof(keys) / sizeof(*keys);

	while (i < count && !line_is(key, keys[i].key))
		i++;
	if (i == count)
		return false;
	if (text.len && keys[i].role != LABEL_STATE)
		number = label_number(text);
	switch (keys[i].role) {
	case LABEL_THREAD:
		l->thread = text;
		break;
	case LABEL_OS_ID:
		l->os_id = number;
		break;
	case LABEL_JAVA_ID:
		l->java_id = number;
		break;
	case LABEL_STATE:
		l->state = label_state(text);
		break;
	}
	return true;
}

/* Each sample may refer to the name, so reading it must be cheap. */
#define THREAD_NAME_MAX 4096 /* bytes */

uint32_t thread_labels_thread(struct profile *p, const struct thread_labels *l)
{
	struct thread t = { .java_id = l->java_id, .os_id = l->os_id };
	size_t len = l->thread.len;

	if (len > THREAD_NAME_MAX) {
		len = THREAD_NAME_MAX;
		profile_note(p, "names of threads truncated", 1, "%zu bytes",
			     l->thread.len);
	}
	t.name = profile_string(p, l->thread.text, len);
	if (!t.name && !t.os_id && !t.java_id)
		return 0;
	return profile_thread(p, &t);
}
