/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/std/std_encoder.h"

#include "core/base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Numbers of SJK's own tables; when one is full, it starts again. */
enum { ENCODER_SLOTS = 512, ENCODER_TAG_SETS = 4096, ENCODER_SETS = 512 };

/* Pairs of a set; further ones are dropped. SJK's own have up to 50. */
#define ENCODER_SET_MAX 250

/* Bytes of records that are compressed at once. */
#define ENCODER_RECORDS ((size_t)64 << 10)
#define ENCODER_BUFFER  16384
#define ENCODER_UTF_MAX 65535

static void encoder_deflate(struct std_encoder *e, int flush)
{
	Bytef buffer[ENCODER_BUFFER];
	z_stream *z = e->stream;

	z->next_in = (Bytef *)e->records.bytes;
	z->avail_in = (uInt)e->records.len;
	do {
		z->next_out = buffer;
		z->avail_out = sizeof(buffer);
		deflate(z, flush);
		text_add(&e->out, buffer, sizeof(buffer) - z->avail_out);
	} while (z->avail_out == 0);
	text_clear(&e->records);
}

static void encoder_put_vint(struct std_encoder *e, uint32_t value)
{
	for (int i = 0; i < 3 && value >= 0x80; i++) {
		text_putc(&e->records, (char)(value | 0x80));
		value >>= 7;
	}
	text_putc(&e->records, (char)value);
}

static void encoder_put_vlong(struct std_encoder *e, uint64_t value)
{
	for (int i = 0; i < 8 && value >= 0x80; i++) {
		text_putc(&e->records, (char)(value | 0x80));
		value >>= 7;
	}
	text_putc(&e->records, (char)value);
}

/*
 * Returns the number of bytes of a valid UTF-8 character of at most three
 * bytes, surrogates included; 4 if it needs four bytes, 0 if it is invalid.
 */
static size_t utf_length(const unsigned char *at, size_t left)
{
	size_t len = *at < 0x80   ? 1
		     : *at < 0xc0 ? 0
		     : *at < 0xe0 ? 2
		     : *at < 0xf0 ? 3
		     : *at < 0xf5 ? 4
				  : 0;

	for (size_t i = 1; i < len; i++) {
		if (i == left || (at[i] & 0xc0) != 0x80)
			return 0;
	}
	return len;
}

/* Appends a character beyond U+FFFF as two surrogates of three bytes. */
static void utf_put_surrogates(struct text *out, const unsigned char *at)
{
	uint32_t c = (uint32_t)(at[0] & 7) << 18 |
		     (uint32_t)(at[1] & 63) << 12 |
		     (uint32_t)(at[2] & 63) << 6 | (at[3] & 63);

	c -= 0x10000;
	text_utf8(out, 0xd800 | (c >> 10 & 0x3ff));
	text_utf8(out, 0xdc00 | (c & 0x3ff));
}

/* Converts a string of len bytes to modified UTF-8 of at most 65,535 bytes. */
static struct text encoder_modified_utf(const char *string, size_t len)
{
	const unsigned char *at = (const unsigned char *)string;
	struct text utf = { 0 };

	while (len) {
		size_t used = utf_length(at, len);

		if (utf.len + 6 > ENCODER_UTF_MAX)
			break;
		if (!used)
			text_putc(&utf, '?');
		else if (*at == 0)
			text_add(&utf, "\xc0\x80", 2);
		else if (used == 4)
			utf_put_surrogates(&utf, at);
		else
			text_add(&utf, at, used);
		used += !used;
		at += used;
		len -= used;
	}
	return utf;
}

static void encoder_put_utf(struct std_encoder *e, const char *string,
			    size_t len)
{
	struct text utf = encoder_modified_utf(string, len);

	text_putc(&e->records, (char)(utf.len >> 8));
	text_putc(&e->records, (char)utf.len);
	text_add(&e->records, utf.bytes, utf.len);
	text_release(&utf);
}

static void encoder_put_string_of(struct std_encoder *e, uint32_t string)
{
	encoder_put_utf(e, profile_text(e->profile, string),
			intern_len(&e->profile->strings, string));
}

/* Returns the number of a string; 0 if it is empty. Defines it if new. */
static uint32_t encoder_string(struct std_encoder *e, const char *string,
			       size_t len)
{
	size_t known = e->strings.count;
	uint32_t number = intern_id(&e->strings, string, len);

	if (e->strings.count > known) {
		text_putc(&e->records, STD_STRING);
		encoder_put_utf(e, string, len);
	}
	return number;
}

static uint32_t encoder_string_of(struct std_encoder *e, uint32_t string)
{
	return encoder_string(e, profile_text(e->profile, string),
			      intern_len(&e->profile->strings, string));
}

/* Returns the slot of a string of the profile; defines it if new. */
static uint32_t encoder_dynamic(struct std_encoder *e, uint32_t string)
{
	uint32_t slot = map64_get(&e->dynamic, string);

	if (!string && e->version == STD_V2)
		return 0;
	if (slot != MAP64_NONE)
		return slot;
	if (e->dynamic.count == ENCODER_SLOTS)
		map64_clear(&e->dynamic);
	slot = (uint32_t)e->dynamic.count + 1;
	map64_add(&e->dynamic, string, slot);
	text_putc(&e->records, STD_DYNAMIC_STRING);
	encoder_put_vint(e, slot);
	encoder_put_string_of(e, string);
	return slot;
}

/* Every frame needs a class: frames that are not Java's get their kind. */
static const char *encoder_class(const struct std_encoder *e,
				 const struct frame *f)
{
	return f->class_name ? profile_text(e->profile, f->class_name)
			     : frame_kind_names[f->kind];
}

static uint32_t encoder_line(const struct frame *f)
{
	if (f->kind == FRAME_NATIVE)
		return 0;
	if (f->line && f->line <= STD_VINT_MAX - STD_LINE_BIAS)
		return f->line + STD_LINE_BIAS;
	return STD_LINE_BIAS - 1; /* -1: no line */
}

static uint32_t encoder_frame(struct std_encoder *e, uint32_t frame)
{
	const struct frame *f = &e->profile->frames[frame];
	uint32_t number = map64_get(&e->frames, frame);
	const char *name = encoder_class(e, f);
	const char *dot = strrchr(name, '.');
	size_t package_len = dot ? (size_t)(dot - name) : 0;
	uint32_t strings[4];

	if (number != MAP64_NONE)
		return number;
	if (dot)
		dot++;
	else
		dot = name;
	strings[0] = encoder_string(e, name, package_len);
	strings[1] = encoder_string(e, dot, strlen(dot));
	strings[2] = encoder_string_of(e, f->method);
	strings[3] = encoder_string_of(e, f->source);
	text_putc(&e->records, STD_FRAME);
	for (size_t i = 0; i < 4; i++)
		encoder_put_vint(e, strings[i]);
	encoder_put_vint(e, encoder_line(f));
	number = (uint32_t)e->frames.count + 1;
	map64_add(&e->frames, frame, number);
	return number;
}

static void encoder_put_trace(struct std_encoder *e,
			      const struct std_event *event)
{
	encoder_put_vint(e, (uint32_t)event->depth);
	for (size_t i = 0; i < event->depth; i++)
		encoder_put_vint(e, encoder_frame(e, event->frames[i]));
}

static void encoder_put_time(struct std_encoder *e, int64_t ms)
{
	if (ms == STD_NONE)
		ms = 0;
	encoder_put_vlong(e, (uint64_t)ms - (uint64_t)STD_EPOCH_MS);
}

static bool encoder_is_key(const struct std_encoder *e, uint32_t key,
			   const char *name)
{
	return strcmp(profile_text(e->profile, key), name) == 0;
}

static void encoder_define_columns(struct std_encoder *e)
{
	for (size_t i = 0; i < e->counter_count; i++) {
		uint32_t key = e->counters[i].key;
		size_t at = 0;

		while (at < e->columns.count && e->columns.values[at] != key)
			at++;
		if (at < e->columns.count)
			continue;
		array_reserve(e->columns.values, e->columns.cap, at + 1);
		e->columns.values[e->columns.count++] = key;
		text_putc(&e->records, STD_COUNTER);
		encoder_put_string_of(e, key);
	}
}

static const struct sample_counter *
encoder_find_counter(const struct std_encoder *e, uint32_t key)
{
	for (size_t i = 0; i < e->counter_count; i++) {
		if (e->counters[i].key == key)
			return &e->counters[i];
	}
	return NULL;
}

static void encoder_put_columns(struct std_encoder *e)
{
	for (size_t group = 0; group < e->columns.count; group += 8) {
		unsigned mask = 0;

		for (size_t i = group; i < group + 8 && i < e->columns.count;
		     i++) {
			if (encoder_find_counter(e, e->columns.values[i]))
				mask |= 1u << (i - group);
		}
		text_putc(&e->records, (char)mask);
	}
	for (size_t i = 0; i < e->columns.count; i++) {
		const struct sample_counter *c = encoder_find_counter(
			e, e->columns.values[i]);

		if (c)
			encoder_put_vlong(e, (uint64_t)c->value);
	}
}

/* Definitions precede the event, because they are records of their own. */
static void encoder_add_v2(struct std_encoder *e, const struct std_event *event)
{
	uint32_t name;

	for (size_t i = 0; i < event->depth; i++)
		encoder_frame(e, event->frames[i]);
	encoder_define_columns(e);
	name = encoder_dynamic(e, event->thread_name);
	text_putc(&e->records, STD_EVENT);
	encoder_put_vlong(e, event->thread_id == STD_NONE
				     ? UINT64_MAX
				     : (uint64_t)event->thread_id);
	encoder_put_vint(e, name);
	encoder_put_time(e, event->time_ms);
	encoder_put_vint(e, (uint32_t)event->state);
	encoder_put_columns(e);
	encoder_put_trace(e, event);
}

/* A set that is being made: keys and values, strings of the profile. */
static void encoder_put_pair(struct std_encoder *e, uint32_t key,
			     uint32_t value)
{
	const uint32_t pair[] = { key, value };

	if (e->pairs.len < ENCODER_SET_MAX * sizeof(pair))
		text_add(&e->pairs, pair, sizeof(pair));
}

static void encoder_get_pair(const struct std_encoder *e, size_t at,
			     uint32_t pair[2])
{
	memcpy(pair, e->pairs.bytes + at, 2 * sizeof(*pair));
}

/* Defines the strings of a set first, because they are records of their own. */
static void encoder_define_pairs(struct std_encoder *e)
{
	uint32_t pair[2];

	/* Slots that this set uses must not be defined again meanwhile. */
	if (e->dynamic.count + ENCODER_SET_MAX > ENCODER_SLOTS)
		map64_clear(&e->dynamic);
	for (size_t at = 0; at < e->pairs.len; at += sizeof(pair)) {
		encoder_get_pair(e, at, pair);
		encoder_string_of(e, pair[0]);
		if (pair[1])
			encoder_dynamic(e, pair[1]);
	}
}

/* Returns the number of the set of e->pairs; defines it if it is new. */
static uint32_t encoder_set(struct std_encoder *e, struct intern *sets,
			    size_t max, char tag)
{
	uint32_t number = intern_find(sets, e->pairs.bytes, e->pairs.len);
	uint32_t pair[2];

	if (number || !e->pairs.len)
		return number;
	if (sets->count == max)
		intern_release(sets);
	number = intern_id(sets, e->pairs.bytes, e->pairs.len);
	encoder_define_pairs(e);
	text_putc(&e->records, tag);
	encoder_put_vint(e, number);
	encoder_put_vint(e, 0); /* from the empty set */
	for (size_t at = 0; at < e->pairs.len; at += sizeof(pair)) {
		encoder_get_pair(e, at, pair);
		text_putc(&e->records, pair[1] ? STD_ADD : STD_ADD_EMPTY);
		encoder_put_vint(e, encoder_string_of(e, pair[0]));
		if (pair[1])
			encoder_put_vint(e, encoder_dynamic(e, pair[1]));
	}
	text_putc(&e->records, STD_END);
	return number;
}

static uint32_t encoder_intern(struct std_encoder *e, const char *text)
{
	return profile_string(e->profile, text, strlen(text));
}

static void encoder_put_part(struct std_encoder *e, const char *part)
{
	encoder_put_pair(e, encoder_intern(e, STD_KEY_PARTS),
			 encoder_intern(e, part));
}

static uint32_t encoder_tag_set(struct std_encoder *e,
				const struct std_event *event)
{
	text_clear(&e->pairs);
	encoder_put_part(e, STD_PART_TAGS);
	if (event->time_ms != STD_NONE)
		encoder_put_part(e, STD_PART_TIME);
	if (e->counter_count)
		encoder_put_part(e, STD_PART_COUNTERS);
	if (event->has_trace)
		encoder_put_part(e, STD_PART_TRACE);
	if (event->thread_name)
		encoder_put_pair(e, encoder_intern(e, STD_KEY_NAME),
				 event->thread_name);
	if (event->state)
		encoder_put_pair(
			e, encoder_intern(e, STD_KEY_STATE),
			encoder_intern(e, thread_state_names[event->state]));
	for (size_t i = 0; i < event->tag_count; i++) {
		const struct sample_tag *tag = &event->tags[i];

		if (!encoder_is_key(e, tag->key, STD_KEY_NAME) &&
		    !encoder_is_key(e, tag->key, STD_KEY_STATE))
			encoder_put_pair(e, tag->key, tag->value);
	}
	return encoder_set(e, &e->tag_sets, ENCODER_TAG_SETS, STD_TAG_SET);
}

static uint32_t encoder_counter_set(struct std_encoder *e)
{
	text_clear(&e->pairs);
	for (size_t i = 0; i < e->counter_count; i++)
		encoder_put_pair(e, e->counters[i].key, 0);
	e->counter_count = e->pairs.len / (2 * sizeof(uint32_t));
	return encoder_set(e, &e->counter_sets, ENCODER_SETS, STD_COUNTER);
}

static void encoder_add_v4(struct std_encoder *e, const struct std_event *event)
{
	uint32_t counters = encoder_counter_set(e);
	uint32_t tags = encoder_tag_set(e, event);

	for (size_t i = 0; i < event->depth; i++)
		encoder_frame(e, event->frames[i]);
	text_putc(&e->records, STD_EVENT);
	encoder_put_vint(e, tags);
	if (event->time_ms != STD_NONE)
		encoder_put_time(e, event->time_ms);
	if (e->counter_count) {
		encoder_put_vint(e, counters);
		for (size_t i = 0; i < e->counter_count; i++)
			encoder_put_vlong(e, (uint64_t)e->counters[i].value);
	}
	if (event->has_trace)
		encoder_put_trace(e, event);
}

/* Keeps a counter in the order in which V4 stores them. */
static void encoder_keep_counter(struct std_encoder *e, struct sample_counter c)
{
	size_t at = e->counter_count;

	if (c.value < 0 || encoder_find_counter(e, c.key))
		return;
	array_reserve(e->counters, e->counter_cap, at + 1);
	while (at && e->version == STD_V4 &&
	       std_compare(e->profile, e->counters[at - 1].key, c.key) > 0) {
		e->counters[at] = e->counters[at - 1];
		at--;
	}
	e->counters[at] = c;
	e->counter_count++;
}

static void encoder_keep_counters(struct std_encoder *e,
				  const struct std_event *event)
{
	e->counter_count = 0;
	if (e->version == STD_V4 && event->thread_id != STD_NONE)
		encoder_keep_counter(e, (struct sample_counter){
						encoder_intern(e, STD_KEY_ID),
						event->thread_id,
					});
	for (size_t i = 0; i < event->counter_count; i++) {
		if (!encoder_is_key(e, event->counters[i].key, STD_KEY_ID))
			encoder_keep_counter(e, event->counters[i]);
	}
}

void std_encoder_add(struct std_encoder *e, const struct std_event *event)
{
	if (e->version == STD_V2 && !event->has_trace)
		return;
	encoder_keep_counters(e, event);
	if (e->version == STD_V2)
		encoder_add_v2(e, event);
	else
		encoder_add_v4(e, event);
	if (e->records.len >= ENCODER_RECORDS)
		encoder_deflate(e, Z_NO_FLUSH);
}

void std_encoder_sync(struct std_encoder *e)
{
	encoder_deflate(e, Z_SYNC_FLUSH);
}

void std_encoder_finish(struct std_encoder *e) { encoder_deflate(e, Z_FINISH); }

void std_encoder_init(struct std_encoder *e, enum std_version version,
		      struct profile *p)
{
	*e = (struct std_encoder){ .version = version, .profile = p };
	e->stream = xcalloc(1, sizeof(*e->stream));
	if (deflateInit(e->stream, Z_DEFAULT_COMPRESSION) != Z_OK)
		alloc_give_up(0);
	text_add(&e->out, std_magics[version], STD_MAGIC_LEN);
	if (version != STD_V4)
		return;
	for (size_t i = 0; std_first_strings[i]; i++)
		intern_id(&e->strings, std_first_strings[i],
			  strlen(std_first_strings[i]));
	for (size_t i = 0; std_first_dynamic[i]; i++)
		map64_add(&e->dynamic, encoder_intern(e, std_first_dynamic[i]),
			  (uint32_t)i + 1);
}

void std_encoder_release(struct std_encoder *e)
{
	if (e->stream)
		deflateEnd(e->stream);
	free(e->stream);
	free(e->columns.values);
	free(e->counters);
	text_release(&e->out);
	text_release(&e->records);
	text_release(&e->pairs);
	intern_release(&e->strings);
	intern_release(&e->tag_sets);
	intern_release(&e->counter_sets);
	map64_release(&e->frames);
	map64_release(&e->dynamic);
}
