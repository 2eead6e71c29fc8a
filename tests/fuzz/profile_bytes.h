/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_bytes: profiles made of bytes, seven for each sample.
 *
 * fuzz_report and fuzz_diff use it.
 */
#ifndef TESTS_FUZZ_PROFILE_BYTES_H
#define TESTS_FUZZ_PROFILE_BYTES_H

#include "core/profile/profile.h"

#include <string.h>

enum {
	PROFILE_BYTES_EACH = 7,
	PROFILE_BYTES_EVENTS = 6,
	PROFILE_BYTES_THREADS = 12,
	PROFILE_BYTES_DEEPEST = 2000,
	PROFILE_BYTES_TIME = 1 << 20
};

/* The last event belongs to the same family as the first. */
static const struct {
	const char *name;
	enum unit unit;
} profile_bytes_events[PROFILE_BYTES_EVENTS] = {
	{ "jdk.FileRead", UNIT_NS },
	{ "cpu", UNIT_SAMPLES },
	{ "\x1b[31m\xff\n", UNIT_SAMPLES },
	{ "wall", UNIT_NS },
	{ "alloc", UNIT_BYTES },
	{ "jdk.SocketRead", UNIT_NS },
};

static uint32_t profile_bytes_string(struct profile *p, const char *text)
{
	return profile_string(p, text, strlen(text));
}

static uint32_t profile_bytes_frame(struct profile *p, uint8_t byte)
{
	static const char *const methods[] = { "a",   "b",       "\x1b]0;\a",
					       "run", "x\ty",    "",
					       "c;d", "\xc3\x28" };
	const struct frame f = {
		.class_name = byte & 8
				      ? profile_bytes_string(p, "org.acme.Main")
				      : 0,
		.method = profile_bytes_string(p, methods[byte & 7]),
		.line = byte >> 6,
		.kind = (enum frame_kind)(byte >> 4 & 3),
	};

	return profile_frame(p, &f);
}

static uint32_t profile_bytes_thread(struct profile *p, uint8_t byte)
{
	static const char *const names[] = { "main",    "main", "",
					     "\x1b[2J", "a b",  "\"q\",\n" };
	struct thread t = {
		.name = profile_bytes_string(p, names[byte % 6]),
		.os_id = byte % PROFILE_BYTES_THREADS,
		.java_id = byte & 1 ? byte : 0,
	};

	return byte % PROFILE_BYTES_THREADS ? profile_thread(p, &t) : 0;
}

/* The next stack trace extends the previous one by callees, or shortens it. */
static uint32_t profile_bytes_next_stack(struct profile *p, uint32_t stack,
					 const uint8_t *at)
{
	static size_t depth;
	size_t change = at[0] & 0x3f;

	if (!stack)
		depth = 0;
	for (; at[0] & 0x80 && stack && change; change--, depth--)
		stack = p->stacks[stack].caller;
	for (; change && depth < PROFILE_BYTES_DEEPEST; change--, depth++)
		stack = profile_push(p, stack, profile_bytes_frame(p, at[1]));
	return stack;
}

static int64_t profile_bytes_time(uint8_t byte)
{
	return byte == 255   ? INT64_MAX
	       : byte == 254 ? INT64_MIN
			     : ((int64_t)byte - 32) * PROFILE_BYTES_TIME;
}

/* Adds the samples of the bytes; the rest of them is a loss. */
static void profile_bytes_add(struct profile *p, const uint8_t *data,
			      size_t size)
{
	uint32_t stack = 0;

	for (; size >= PROFILE_BYTES_EACH;
	     data += PROFILE_BYTES_EACH, size -= PROFILE_BYTES_EACH) {
		size_t event = data[2] % PROFILE_BYTES_EVENTS;
		uint64_t count = (uint64_t)1 << (data[3] & 0x3f);
		uint64_t weight = (uint64_t)data[4] << (data[3] & 0x38);

		stack = profile_bytes_next_stack(p, stack, data);
		profile_add(p,
			    &(struct sample){
				    .event = profile_event(
					    p, profile_bytes_events[event].name,
					    profile_bytes_events[event].unit),
				    .stack = stack,
				    .thread = profile_bytes_thread(p, data[5]),
				    .state = data[5] % THREAD_STATES,
				    .time_ns = profile_bytes_time(data[6]),
				    .count = data[3] & 0x80 ? count : 1,
				    .weight = weight,
			    });
	}
	if (size > 1)
		profile_lost(p, "\x1b[1m", data[0], "at %u", data[1]);
}

#endif
