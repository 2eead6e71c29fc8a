/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/std/std_decoder.h"

#include "core/base/alloc.h"
#include "core/base/zip.h"
#include "core/profile/java_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * A dump that repeats one stack trace has a ratio of about 60, because times
 * and counters differ.
 */
#define STD_BOMB    ((size_t)64 << 20)

#define STD_SET_MAX 4096 /* pairs of a set; SJK's own have up to 50 */
/* Pairs that definitions of sets may move, per byte of the records. */
#define STD_SET_WORK      32
#define STD_SET_WORK_FREE ((size_t)1 << 20)
#define STD_SET_PAIRS     ((size_t)1 << 22) /* pairs of all sets together */
/*
 * Bytes of the names that definitions of frames join, besides a number per byte
 * of the records: a short definition refers to two names of up to 64 KiB.
 */
#define STD_NAMES      ((size_t)16 << 20)
#define STD_NAMES_EACH 8

struct std_set {
	struct sample_tag *pairs; /* sorted by key and value */
	size_t count;
	/* Of a tag set: the pairs without the list of parts, and that list. */
	struct sample_tag *shown;
	size_t shown_count;
	bool has_time, has_counters, has_trace;
	uint32_t thread_name;
	enum thread_state state;
};

static void numbers_add(struct std_numbers *n, uint32_t value)
{
	array_add(n->values, n->count, n->cap, value);
}

/* Reads a vint: up to 4 bytes; all 8 bits of the fourth are digits. */
static inline uint32_t decoder_vint(struct cursor *c)
{
	uint32_t value = 0;

	for (unsigned shift = 0; shift < 21; shift += 7) {
		uint8_t byte = cursor_u8(c);

		value |= (uint32_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	return value | (uint32_t)cursor_u8(c) << 21;
}

/* Reads a vint that is probably short, where bytes are probably left. */
static inline uint32_t decoder_fast_vint(struct cursor *c)
{
	const uint8_t *next;
	uint64_t value;

	if (__builtin_expect(cursor_left(c) < CURSOR_LONGEST_VARINT, 0))
		return decoder_vint(c);
	/* Up to three bytes, both encodings are the same. */
	next = cursor_decode_varint(c->at, &value);
	if (__builtin_expect(next - c->at > 3, 0))
		return decoder_vint(c);
	c->at = next;
	return (uint32_t)value;
}

static void decoder_lose_reference(struct std_decoder *d, const char *what,
				   uint32_t number)
{
	profile_lost(d->profile, "names and frames without a definition", 1,
		     "%s %" PRIu32 " at offset %zu", what, number,
		     cursor_offset(&d->c));
}

/* Returns the string of a number of the static dictionary. */
static uint32_t decoder_string(struct std_decoder *d)
{
	uint32_t number = decoder_vint(&d->c);

	if (number < d->strings.count)
		return d->strings.values[number];
	decoder_lose_reference(d, "string", number);
	return 0;
}

static uint32_t decoder_dynamic(struct std_decoder *d)
{
	uint32_t number = decoder_vint(&d->c);
	uint32_t at;

	if (!number)
		return 0;
	at = map64_get(&d->slots, number);
	if (at != MAP64_NONE)
		return d->dynamic.values[at];
	decoder_lose_reference(d, "dynamic string", number);
	return 0;
}

static uint32_t decoder_read_utf(struct std_decoder *d)
{
	size_t len = cursor_u16(&d->c);
	const char *text = (const char *)cursor_bytes(&d->c, len);

	return text ? profile_string(d->profile, text, len) : 0;
}

static void decoder_set_dynamic(struct std_decoder *d, uint32_t number,
				uint32_t string)
{
	uint32_t at = map64_get(&d->slots, number);

	if (at != MAP64_NONE) {
		d->dynamic.values[at] = string;
		return;
	}
	map64_add(&d->slots, number, (uint32_t)d->dynamic.count);
	numbers_add(&d->dynamic, string);
}

static void decoder_define_dynamic(struct std_decoder *d)
{
	uint32_t number = decoder_vint(&d->c);
	uint32_t string = decoder_read_utf(d);

	if (cursor_ok(&d->c) && number)
		decoder_set_dynamic(d, number, string);
}

/* Returns the string of a class, whose package is separate. */
static uint32_t decoder_class(struct std_decoder *d, uint32_t package,
			      uint32_t class_name)
{
	struct profile *p = d->profile;

	d->name_work += strlen(profile_text(p, package)) +
			strlen(profile_text(p, class_name));
	if (d->name_work > STD_NAMES &&
	    (d->name_work - STD_NAMES) / STD_NAMES_EACH > d->len) {
		profile_lost(p, "packages of classes skipped", 1, "offset %zu",
			     cursor_offset(&d->c));
		return class_name;
	}
	text_clear(&d->name);
	if (package)
		text_printf(&d->name, "%s.", profile_text(p, package));
	text_puts(&d->name, profile_text(p, class_name));
	if (p->keep_exact)
		return profile_string(p, d->name.bytes, d->name.len);
	return java_class_name(p, d->name.bytes, d->name.len);
}

static void decoder_define_frame(struct std_decoder *d)
{
	uint32_t package = decoder_string(d);
	uint32_t class_name = decoder_string(d);
	uint32_t method = decoder_string(d);
	uint32_t source = decoder_string(d);
	uint32_t line = decoder_vint(&d->c);
	struct frame f = { .method = method, .kind = FRAME_JAVA };

	if (!cursor_ok(&d->c))
		return;
	f.class_name = decoder_class(d, package, class_name);
	if (!line)
		f.kind = FRAME_NATIVE;
	else if (line > STD_LINE_BIAS && d->profile->keep_lines)
		f.line = line - STD_LINE_BIAS;
	if (d->profile->keep_exact)
		f.source = source;
	numbers_add(&d->frames, profile_frame(d->profile, &f));
}

int std_compare(const struct profile *p, uint32_t a, uint32_t b)
{
	const unsigned char *x = (const void *)profile_text(p, a);
	const unsigned char *y = (const void *)profile_text(p, b);

	/* The order of UTF-16 is that of modified UTF-8 except for C0 80. */

	while (*x && *x == *y) {
		x++;
		y++;
	}
	return (*x == 0xc0 ? 0 : *x) - (*y == 0xc0 ? 0 : *y);
}

static int decoder_compare_pairs(const struct std_decoder *d,
				 const struct sample_tag *a,
				 const struct sample_tag *b)
{
	int order = std_compare(d->profile, a->key, b->key);

	return order ? order : std_compare(d->profile, a->value, b->value);
}

static void set_insert(const struct std_decoder *d, struct std_set *s,
		       struct sample_tag pair)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = decoder_compare_pairs(d, &s->pairs[middle], &pair);

		if (order == 0)
			return;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(&s->pairs[low + 1], &s->pairs[low],
		(s->count - low) * sizeof(pair));
	s->pairs[low] = pair;
	s->count++;
}

/* Removes the pairs of a key; only those with this value if `any` is false. */
static void set_remove(struct std_set *s, struct sample_tag pair, bool any)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (s->pairs[i].key != pair.key ||
		    (!any && s->pairs[i].value != pair.value))
			s->pairs[kept++] = s->pairs[i];
	}
	s->count = kept;
}

/* A set that is being defined: removals act at once, additions at the end. */
struct definition {
	struct std_set set;
	struct sample_tag *added;
	size_t added_count, added_cap;
};

static bool definition_change(struct std_decoder *d, struct definition *def,
			      uint8_t change)
{
	struct sample_tag pair = { 0 };

	if (change > STD_REMOVE)
		return false;
	pair.key = decoder_string(d);
	if (change != STD_ADD_EMPTY && change != STD_REMOVE_KEY)
		pair.value = decoder_dynamic(d);
	if (change == STD_REPLACE || change == STD_REMOVE_KEY ||
	    change == STD_REMOVE)
		set_remove(&def->set, pair, change != STD_REMOVE);
	if (change == STD_ADD || change == STD_ADD_EMPTY ||
	    change == STD_REPLACE) {
		array_add(def->added, def->added_count, def->added_cap, pair);
	}
	d->set_work += def->set.count;
	return cursor_ok(&d->c);
}

/* True if the definitions cost more than dumps can need. */
static bool decoder_is_flooded(const struct std_decoder *d,
			       const struct definition *def)
{
	size_t work = d->set_work;

	if (def->set.count + def->added_count > STD_SET_MAX ||
	    d->set_pairs > STD_SET_PAIRS)
		return true;
	return work > STD_SET_WORK_FREE &&
	       (work - STD_SET_WORK_FREE) / STD_SET_WORK > d->len;
}

static enum thread_state decoder_state(const struct std_decoder *d,
				       uint32_t name)
{
	for (int i = 1; i < THREAD_STATES; i++) {
		if (strcmp(thread_state_names[i],
			   profile_text(d->profile, name)) == 0)
			return (enum thread_state)i;
	}
	return STATE_NONE;
}

/* Interprets the pairs that describe the event and its thread. */
static void set_interpret(const struct std_decoder *d, struct std_set *s)
{
	s->shown = xcalloc(s->count, sizeof(*s->shown));
	for (size_t i = 0; i < s->count; i++) {
		const struct sample_tag *pair = &s->pairs[i];

		if (pair->key != d->keys.parts) {
			s->shown[s->shown_count++] = *pair;
			if (pair->key == d->keys.name)
				s->thread_name = pair->value;
			else if (pair->key == d->keys.state)
				s->state = decoder_state(d, pair->value);
			continue;
		}
		s->has_time |= pair->value == d->keys.time;
		s->has_counters |= pair->value == d->keys.counters;
		s->has_trace |= pair->value == d->keys.trace;
	}
}

static const struct std_set *sets_find(const struct std_sets *sets,
				       uint32_t number)
{
	uint32_t at = map64_get(&sets->slots, number);

	return at == MAP64_NONE ? NULL : &sets->all[at];
}

static void set_release(struct std_set *s)
{
	free(s->pairs);
	free(s->shown);
}

static void sets_put(struct std_decoder *d, struct std_sets *sets,
		     uint32_t number, const struct std_set *s)
{
	uint32_t at = map64_get(&sets->slots, number);

	d->set_pairs += s->count;
	if (at != MAP64_NONE) {
		d->set_pairs -= sets->all[at].count;
		set_release(&sets->all[at]);
		sets->all[at] = *s;
		return;
	}
	map64_add(&sets->slots, number, (uint32_t)sets->count);
	array_add(sets->all, sets->count, sets->cap, *s);
}

/* Reads the changes of a definition; false if the record is unreadable. */
static bool definition_read(struct std_decoder *d, struct definition *def,
			    const struct std_set *base)
{
	uint8_t change;

	def->set.pairs = xcalloc(base ? base->count : 0,
				 sizeof(*def->set.pairs));
	def->set.count = base ? base->count : 0;
	if (base && base->count)
		memcpy(def->set.pairs, base->pairs,
		       base->count * sizeof(*base->pairs));
	d->set_work += def->set.count;
	while ((change = cursor_u8(&d->c)) != STD_END) {
		if (!definition_change(d, def, change) ||
		    decoder_is_flooded(d, def))
			return false;
	}
	if (!cursor_ok(&d->c) || decoder_is_flooded(d, def))
		return false;
	def->set.pairs = xrealloc(def->set.pairs,
				  def->set.count + def->added_count,
				  sizeof(*def->set.pairs));
	for (size_t i = 0; i < def->added_count; i++)
		set_insert(d, &def->set, def->added[i]);
	d->set_work += def->added_count * def->set.count;
	return true;
}

static bool decoder_define_set(struct std_decoder *d, struct std_sets *sets)
{
	uint32_t number = decoder_vint(&d->c);
	uint32_t base = decoder_vint(&d->c);
	const struct std_set *from = base ? sets_find(sets, base) : NULL;
	struct definition def = { 0 };
	bool ok;

	if (base && !from)
		decoder_lose_reference(d, "set", base);
	ok = definition_read(d, &def, from);
	free(def.added);
	if (!ok || !number) {
		set_release(&def.set);
		return ok;
	}
	set_interpret(d, &def.set);
	sets_put(d, sets, number, &def.set);
	return true;
}

/* Reads the frames of an event; the depth is limited by the input. */
static void decoder_read_trace(struct std_decoder *d, struct std_event *e)
{
	size_t depth = decoder_vint(&d->c);
	/* A copy, which the compiler keeps in registers. */
	struct cursor c = d->c;
	uint32_t *frames;

	if (depth > cursor_left(&d->c)) {
		cursor_fail(&d->c);
		return;
	}
	array_reserve(d->trace.values, d->trace.cap, depth + 1);
	frames = d->trace.values;
	for (size_t i = 0; i < depth; i++) {
		uint32_t number = decoder_fast_vint(&c);

		if (__builtin_expect(number < d->frames.count, 1)) {
			frames[i] = d->frames.values[number];
		} else {
			d->c = c;
			decoder_lose_reference(d, "frame", number);
			frames[i] = d->frames.values[0];
		}
	}
	d->c = c;
	e->has_trace = true;
	e->frames = frames;
	e->depth = depth;
}

static void decoder_add_counter(struct std_decoder *d, uint32_t key,
				int64_t value)
{
	array_add(d->counters, d->counter_count, d->counter_cap,
		  (struct sample_counter){
			  key,
			  value,
		  });
}

static int64_t decoder_read_time(struct std_decoder *d)
{
	int64_t ms = (int64_t)cursor_varint(&d->c);

	return __builtin_add_overflow(ms, STD_EPOCH_MS, &ms) ? STD_NONE : ms;
}

static void decoder_read_v1(struct std_decoder *d, struct std_event *e)
{
	e->thread_id = (int64_t)cursor_u64(&d->c);
	e->time_ms = (int64_t)cursor_u64(&d->c);
	decoder_read_trace(d, e);
}

static void decoder_read_v2(struct std_decoder *d, struct std_event *e)
{
	const uint8_t *mask;
	uint32_t state;

	e->thread_id = (int64_t)cursor_varint(&d->c);
	e->thread_name = decoder_dynamic(d);
	e->time_ms = decoder_read_time(d);
	state = decoder_vint(&d->c);
	if (state < THREAD_STATES)
		e->state = (enum thread_state)state;
	mask = cursor_bytes(&d->c, (d->columns.count + 7) / 8);
	for (size_t i = 0; mask && i < d->columns.count; i++) {
		if (mask[i / 8] >> i % 8 & 1)
			decoder_add_counter(d, d->columns.values[i],
					    (int64_t)cursor_varint(&d->c));
	}
	decoder_read_trace(d, e);
}

static void decoder_read_counters(struct std_decoder *d, struct std_event *e)
{
	uint32_t number = decoder_vint(&d->c);
	const struct std_set *set = sets_find(&d->counter_sets, number);

	if (!set && number)
		decoder_lose_reference(d, "set", number);
	for (size_t i = 0; set && i < set->count; i++) {
		int64_t value = (int64_t)cursor_varint(&d->c);

		decoder_add_counter(d, set->pairs[i].key, value);
		if (set->pairs[i].key == d->keys.id)
			e->thread_id = value;
	}
}

static void decoder_read_v4(struct std_decoder *d, struct std_event *e)
{
	uint32_t number = decoder_vint(&d->c);
	const struct std_set *set = sets_find(&d->tag_sets, number);

	if (!set) {
		if (number)
			decoder_lose_reference(d, "set", number);
		return;
	}
	e->tags = set->shown;
	e->tag_count = set->shown_count;
	e->thread_name = set->thread_name;
	e->state = set->state;
	if (set->has_time)
		e->time_ms = decoder_read_time(d);
	if (set->has_counters)
		decoder_read_counters(d, e);
	if (set->has_trace)
		decoder_read_trace(d, e);
}

static void decoder_read_event(struct std_decoder *d, struct std_event *e)
{
	*e = (struct std_event){
		.time_ms = STD_NONE,
		.thread_id = STD_NONE,
	};
	d->counter_count = 0;
	if (d->version == STD_V1)
		decoder_read_v1(d, e);
	else if (d->version == STD_V2)
		decoder_read_v2(d, e);
	else
		decoder_read_v4(d, e);
	e->counters = d->counters;
	e->counter_count = d->counter_count;
}

/* Reads a definition; false if the type of record does not exist. */
static bool decoder_read_definition(struct std_decoder *d, uint8_t tag)
{
	if (tag == STD_STRING) {
		numbers_add(&d->strings, decoder_read_utf(d));
		return true;
	}
	if (tag == STD_FRAME) {
		decoder_define_frame(d);
		return true;
	}
	if (tag == STD_DYNAMIC_STRING && d->version != STD_V1) {
		decoder_define_dynamic(d);
		return true;
	}
	if (tag == STD_COUNTER && d->version == STD_V2) {
		numbers_add(&d->columns, decoder_read_utf(d));
		return true;
	}
	if (tag == STD_COUNTER && d->version == STD_V4)
		return decoder_define_set(d, &d->counter_sets);
	if (tag == STD_TAG_SET && d->version == STD_V4)
		return decoder_define_set(d, &d->tag_sets);
	return false;
}

bool std_decoder_next(struct std_decoder *d, struct std_event *e)
{
	while (cursor_left(&d->c)) {
		size_t offset = cursor_offset(&d->c);
		uint8_t tag = cursor_u8(&d->c);
		bool known = true;

		if (tag == STD_EVENT)
			decoder_read_event(d, e);
		else
			known = decoder_read_definition(d, tag);
		if (cursor_ok(&d->c) && known) {
			if (tag == STD_EVENT)
				return true;
			continue;
		}
		/* What follows cannot be read: records carry no length. */
		if (!d->damage)
			profile_lost(d->profile, "unreadable records", 1,
				     "type %u at offset %zu of %zu", tag,
				     offset, d->len);
		cursor_fail(&d->c);
		return false;
	}
	return false;
}

bool std_is_dump(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < STD_VERSIONS && len >= STD_MAGIC_LEN; i++) {
		if (memcmp(bytes, std_magics[i], STD_MAGIC_LEN) == 0)
			return true;
	}
	return false;
}

static uint32_t decoder_intern(struct std_decoder *d, const char *text)
{
	return profile_string(d->profile, text, strlen(text));
}

/* Sets what the dictionaries have before the first record. */
static void decoder_start(struct std_decoder *d)
{
	static const struct frame unknown = { .kind = FRAME_SYNTHETIC };

	numbers_add(&d->strings, 0);
	numbers_add(&d->frames, profile_frame(d->profile, &unknown));
	if (d->version != STD_V4)
		return;
	for (size_t i = 0; std_first_strings[i]; i++)
		numbers_add(&d->strings,
			    decoder_intern(d, std_first_strings[i]));
	for (size_t i = 0; std_first_dynamic[i]; i++)
		decoder_set_dynamic(d, (uint32_t)i + 1,
				    decoder_intern(d, std_first_dynamic[i]));
	d->keys.parts = decoder_intern(d, STD_KEY_PARTS);
	d->keys.id = decoder_intern(d, STD_KEY_ID);
	d->keys.name = decoder_intern(d, STD_KEY_NAME);
	d->keys.state = decoder_intern(d, STD_KEY_STATE);
	d->keys.time = decoder_intern(d, STD_PART_TIME);
	d->keys.counters = decoder_intern(d, STD_PART_COUNTERS);
	d->keys.trace = decoder_intern(d, STD_PART_TRACE);
}

int std_decoder_open(struct std_decoder *d, const uint8_t *bytes, size_t len,
		     struct profile *p, struct error *err)
{
	struct inflated data;

	memset(d, 0, sizeof(*d));
	d->profile = p;
	if (!std_is_dump(bytes, len))
		return fail(err, ERROR_INPUT,
			    "not a stack trace dump of SJK: it begins neither "
			    "with TRACEDUMP_1, TRACEDUMP_2 nor EVENTDUMP_1");
	while (memcmp(bytes, std_magics[d->version], STD_MAGIC_LEN) != 0)
		d->version++;
	data = inflate_watched(INFLATE_ZLIB, bytes + STD_MAGIC_LEN,
			       len - STD_MAGIC_LEN, 0, STD_BOMB);
	d->bytes = data.bytes;
	d->len = data.len;
	d->damage = data.damage;
	if (!data.len)
		return fail(err, ERROR_INPUT, "has no records%s%s",
			    data.damage ? ": " : "",
			    data.damage ? data.damage : "");
	if (data.damage)
		profile_lost(p, "truncated compressed data", 1,
			     "%s; %zu bytes came out", data.damage, data.len);
	d->c = cursor_over(data.bytes, data.len);
	decoder_start(d);
	return 0;
}

static void sets_release(struct std_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++)
		set_release(&sets->all[i]);
	free(sets->all);
	map64_release(&sets->slots);
}

void std_decoder_close(struct std_decoder *d)
{
	free(d->bytes);
	free(d->strings.values);
	free(d->frames.values);
	free(d->dynamic.values);
	free(d->columns.values);
	free(d->trace.values);
	free(d->counters);
	map64_release(&d->slots);
	sets_release(&d->tag_sets);
	sets_release(&d->counter_sets);
	text_release(&d->name);
}
