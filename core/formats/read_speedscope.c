/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_speedscope: reads files of speedscope.app and of programs that write for
 * it (file-format-schema.json), "sampled" and "evented" profiles.
 *
 * The frames are read first, wherever they are in the file. Each profile is a
 * thread, except in our own files, whose profiles are events, or threads of
 * events. Profiles have no times of day.
 */
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/json.h"
#include "core/base/lines.h"
#include "core/formats/frame_text.h"
#include "core/formats/labels.h"
#include "core/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS  4096 /* samples */
#define NO_WEIGHT (-1.0)

/* A profile of the file while it is read: its members have any order. */
struct scope_part {
	struct text name, unit, type;
	uint32_t *stacks; /* of the samples */
	size_t stack_count, stack_cap;
	double *weights;
	size_t weight_count, weight_cap;
	struct json_reader events; /* where they begin; at NULL: none */
	double start;
};

struct scope_reader {
	struct profile *profile;
	uint32_t *frames;
	size_t frame_count, frame_cap;
	uint32_t *stack; /* open frames of an evented profile */
	size_t depth, stack_cap;
	struct text text;
	const char *start; /* of the file */
	uint64_t len;
	bool is_ours;
	bool has_frames;
	uint64_t profiles, samples;
};

/* ---- frames ---- */

static void scope_read_frame(struct scope_reader *s, struct json_reader *r)
{
	struct line key;
	uint32_t line = 0;

	text_clear(&s->text);
	json_enter_object(r);
	while (json_next_member(r, &key)) {
		if (line_is(key, "name")) {
			text_clear(&s->text);
			json_read_text(r, &s->text);
		} else if (line_is(key, "line") && !json_accept_null(r)) {
			double number = json_read_double(r);

			if (number > 0 && number < INT32_MAX)
				line = (uint32_t)number;
		} else if (!line_is(key, "line")) {
			json_skip(r);
		}
	}
	if (r->failed)
		return;
	if (s->text.len > FRAME_LONGEST) {
		profile_lost(s->profile, "names truncated", 1, "frame %zu",
			     s->frame_count);
		s->text.len = FRAME_LONGEST;
	}
	array_add(s->frames, s->frame_count, s->frame_cap,
		  frame_text_id(s->profile, s->text.bytes, s->text.len, line));
}

static void scope_read_shared(struct scope_reader *s, struct json_reader *r)
{
	struct line key;

	json_enter_object(r);
	while (json_next_member(r, &key)) {
		if (!line_is(key, "frames") || s->has_frames) {
			json_skip(r);
			continue;
		}
		json_enter_array(r);
		while (json_next_element(r))
			scope_read_frame(s, r);
		s->has_frames = true;
	}
}

static void scope_read_head(struct scope_reader *s, struct json_reader r)
{
	struct line key;

	json_enter_object(&r);
	while (json_next_member(&r, &key)) {
		if (line_is(key, "shared")) {
			scope_read_shared(s, &r);
		} else if (line_is(key, "exporter") && !json_accept_null(&r)) {
			text_clear(&s->text);
			json_read_text(&r, &s->text);
			s->is_ours = line_starts(
				(struct line){ s->text.bytes, s->text.len },
				"sjkc ");
		} else if (!line_is(key, "exporter")) {
			json_skip(&r);
		}
	}
}

/* ---- profiles ---- */

static uint32_t scope_frame(struct scope_reader *s, uint64_t index)
{
	if (index < s->frame_count)
		return s->frames[index];
	profile_note(s->profile, "references to missing frames", 1,
		     "frame %" PRIu64, index);
	return frame_text_id(s->profile, "", 0, 0);
}

/* True for the frame that stands for a missing stack trace in our files. */
static bool scope_is_no_stack(const struct scope_reader *s, uint32_t stack)
{
	const struct profile *p = s->profile;
	const struct stack *node = &p->stacks[stack];

	return stack && !node->caller &&
	       strcmp(profile_text(p, p->frames[node->frame].method),
		      "[no stack trace]") == 0;
}

/* Reads the stack traces of a sampled profile, root first. */
static void scope_read_samples(struct scope_reader *s, struct scope_part *part,
			       struct json_reader *r)
{
	json_enter_array(r);
	while (json_next_element(r)) {
		uint32_t stack = 0;

		json_enter_array(r);
		while (json_next_element(r)) {
			uint64_t index = json_read_uint(r);

			if (!r->failed)
				stack = profile_push(s->profile, stack,
						     scope_frame(s, index));
		}
		if (r->failed)
			return;
		if (s->is_ours && scope_is_no_stack(s, stack))
			stack = 0;
		array_add(part->stacks, part->stack_count, part->stack_cap,
			  stack);
		if (part->stack_count % PROGRESS == 0)
			profile_progress(s->profile,
					 (uint64_t)(r->at - s->start), s->len);
	}
}

static void scope_read_weights(struct scope_part *part, struct json_reader *r)
{
	json_enter_array(r);
	while (json_next_element(r)) {
		double weight = json_read_double(r);

		if (r->failed)
			return;
		array_add(part->weights, part->weight_count, part->weight_cap,
			  weight);
	}
}

static void scope_read_part(struct scope_reader *s, struct scope_part *part,
			    struct json_reader *r)
{
	struct line key;

	json_enter_object(r);
	while (json_next_member(r, &key)) {
		if (line_is(key, "name")) {
			json_read_text(r, &part->name);
		} else if (line_is(key, "unit")) {
			json_read_text(r, &part->unit);
		} else if (line_is(key, "type")) {
			json_read_text(r, &part->type);
		} else if (line_is(key, "startValue")) {
			part->start = json_read_double(r);
		} else if (line_is(key, "samples")) {
			scope_read_samples(s, part, r);
		} else if (line_is(key, "weights")) {
			scope_read_weights(part, r);
		} else if (line_is(key, "events") && !part->events.at) {
			part->events = *r;
			json_skip(r);
		} else {
			json_skip(r);
		}
	}
}

/* Sets the thread of a name such as "[main tid=12]". */
static uint32_t scope_thread(struct profile *p, struct line name, bool is_ours)
{
	struct thread t = { 0 };
	const char *tid = memmem(name.text, name.len, " tid=", 5);

	if (is_ours && name.len > 2) {
		name.text++;
		name.len -= 2;
		if (tid) {
			t.os_id = strtol(tid + 5, NULL, 10);
			name.len = (size_t)(tid - name.text);
		}
	}
	t.name = profile_string(p, name.text, name.len);
	return t.name ? profile_thread(p, &t) : 0;
}

/* Names the event and the thread of a profile. */
static void scope_identify(struct scope_reader *s, struct scope_part *part,
			   struct sample *sample, double *factor)
{
	static const char *const events[] = {
		[UNIT_SAMPLES] = "samples",
		[UNIT_NS] = "time",
		[UNIT_BYTES] = "bytes",
	};
	struct line name = { part->name.len ? part->name.bytes : "",
			     part->name.len };
	struct line word = { part->unit.len ? part->unit.bytes : "",
			     part->unit.len };
	enum unit unit = unit_of_word(word, factor);
	struct text event = { 0 };

	if (s->is_ours && name.len) {
		const char *thread = memmem(name.text, name.len, " [", 2);
		size_t len = thread ? (size_t)(thread - name.text) : name.len;

		text_add(&event, name.text, len);
		name.text += len + (thread != NULL);
		name.len -= len + (thread != NULL);
	} else {
		text_puts(&event, events[unit]);
	}
	sample->event = profile_event(s->profile, event.bytes, unit);
	sample->thread = scope_thread(s->profile, name, s->is_ours);
	text_release(&event);
}

static void scope_add(struct scope_reader *s, struct sample *sample,
		      double weight, double factor)
{
	bool counts = s->profile->events[sample->event].unit == UNIT_SAMPLES;
	double scaled = weight * factor + 0.5;

	if (!(scaled >= 0.5)) {
		profile_lost(s->profile, "negative weights skipped", 1, "%s",
			     "");
		return;
	}
	sample->weight = scaled < 1.8e19 ? (uint64_t)scaled : UINT64_MAX;
	sample->count = counts ? sample->weight : 1;
	if (!sample->weight)
		return;
	s->samples++;
	profile_add(s->profile, sample);
}

static void scope_add_samples(struct scope_reader *s, struct scope_part *part,
			      struct sample *sample, double factor)
{
	for (size_t i = 0; i < part->stack_count && i < part->weight_count;
	     i++) {
		sample->stack = part->stacks[i];
		scope_add(s, sample, part->weights[i], factor);
	}
	if (part->stack_count > part->weight_count)
		profile_lost(s->profile, "samples without a weight",
			     part->stack_count - part->weight_count,
			     "profile %" PRIu64, s->profiles);
}

/* Opens or closes a frame; the stack is kept as stack traces. */
static void scope_move(struct scope_reader *s, bool opens, uint64_t index)
{
	uint32_t frame = scope_frame(s, index);
	const struct profile *p = s->profile;

	if (opens) {
		uint32_t caller = s->depth ? s->stack[s->depth - 1] : 0;

		array_add(s->stack, s->depth, s->stack_cap,
			  profile_push(s->profile, caller, frame));
		return;
	}
	if (s->depth && p->stacks[s->stack[s->depth - 1]].frame == frame)
		s->depth--;
	else
		profile_lost(s->profile, "frames closed out of order", 1,
			     "profile %" PRIu64, s->profiles);
}

/* Reads {"type":"O","at":12,"frame":3}; returns false if it is damaged. */
static bool scope_read_event(struct scope_reader *s, struct json_reader *r,
			     bool *opens, double *at, uint64_t *frame)
{
	struct line key;

	*opens = false;
	*at = 0;
	*frame = 0;
	json_enter_object(r);
	while (json_next_member(r, &key)) {
		if (line_is(key, "type")) {
			text_clear(&s->text);
			json_read_text(r, &s->text);
			*opens = s->text.len == 1 && s->text.bytes[0] == 'O';
		} else if (line_is(key, "at")) {
			*at = json_read_double(r);
		} else if (line_is(key, "frame")) {
			*frame = json_read_uint(r);
		} else {
			json_skip(r);
		}
	}
	return !r->failed;
}

/* The time between two events belongs to the open frames. */
static void scope_add_events(struct scope_reader *s, struct scope_part *part,
			     struct sample *sample, double factor)
{
	struct json_reader *r = &part->events;
	double last = part->start, at;
	uint64_t frame;
	bool opens;

	s->depth = 0;
	json_enter_array(r);
	while (json_next_element(r)) {
		if (!scope_read_event(s, r, &opens, &at, &frame))
			break;
		sample->stack = s->depth ? s->stack[s->depth - 1] : 0;
		if (sample->stack)
			scope_add(s, sample, at - last, factor);
		last = at;
		scope_move(s, opens, frame);
	}
	if (s->depth)
		profile_lost(s->profile, "frames left open", s->depth,
			     "profile %" PRIu64, s->profiles);
}

static void scope_add_part(struct scope_reader *s, struct json_reader *r)
{
	struct scope_part part = { 0 };
	struct sample sample = { 0 };
	double factor;

	s->profiles++;
	scope_read_part(s, &part, r);
	if (part.stack_count || part.events.at) {
		scope_identify(s, &part, &sample, &factor);
		scope_add_samples(s, &part, &sample, factor);
		if (part.events.at)
			scope_add_events(s, &part, &sample, factor);
	}
	text_release(&part.name);
	text_release(&part.unit);
	text_release(&part.type);
	free(part.stacks);
	free(part.weights);
}

static void scope_read_profiles(struct scope_reader *s, struct json_reader r)
{
	struct line key;

	json_enter_object(&r);
	while (json_next_member(&r, &key)) {
		if (!line_is(key, "profiles")) {
			json_skip(&r);
			continue;
		}
		json_enter_array(&r);
		while (json_next_element(&r))
			scope_add_part(s, &r);
	}
	if (r.failed)
		profile_lost(s->profile, "truncated profiles", 1,
			     "profile %" PRIu64, s->profiles);
}

static int scope_read(const uint8_t *bytes, size_t len, struct profile *p,
		      struct error *err)
{
	struct json_reader r = json_reader_over((const char *)bytes, len);
	struct scope_reader s = {
		.profile = p,
		.start = r.at,
		.len = len,
	};

	scope_read_head(&s, r);
	if (s.has_frames)
		scope_read_profiles(&s, r);
	free(s.frames);
	free(s.stack);
	text_release(&s.text);
	if (!s.has_frames)
		return fail(err, ERROR_INPUT,
			    "no \"shared\" frames: not a file of speedscope, "
			    "or truncated before they end");
	if (!s.samples)
		return fail(err, ERROR_INPUT, "no profile has samples");
	return 0;
}

static bool scope_sniff(const uint8_t *head, size_t len)
{
	static const char schema[] = "speedscope.app/file-format-schema.json";
	size_t at = 0;

	while (at < len && strchr(" \t\r\n", head[at]) && head[at])
		at++;
	return at < len && head[at] == '{' &&
	       memmem(head, len, schema, strlen(schema));
}

const struct reader speedscope_reader = {
	.name = "speedscope",
	.summary = "speedscope JSON",
	.sniff = scope_sniff,
	.read = scope_read,
};
