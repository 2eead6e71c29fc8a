/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/jfr/jfr_pool.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define STACKS_AT_A_TIME ((size_t)64)
#define TRUSTED_COUNT    ((size_t)1 << 18)

/*
 * The site ids of a path: computed from method and type, or assigned to other
 * sites, which are found by hash.
 */
#define DIRECT_METHODS ((uint64_t)1 << 20)
#define DIRECT_TYPES   8u
#define SITE_HASHED    ((uint32_t)1 << 31)
/* Frames in the range of hashed sites, whose first id is SITE_FIRST. */
enum {
	TRUNCATED, /* the root of a truncated stack trace */
	UNREAD,    /* the only frame of a stack trace that is not wanted */
	SITE_FIRST,
};

enum { FRAME_METHOD, FRAME_LINE, FRAME_TYPE, FRAME_PICKS };

static const char *const picks[FRAME_PICKS] = { "method", "lineNumber",
						"type" };

/*
 * The fields of a stack trace before and after its frames, and those of a
 * frame.
 */
struct jfr_frame_layout {
	struct jfr_layout before, frame, behind;
	/*
	 * The frame has method, line, bytecode index and type, all varints, as
	 * all JVMs and async-profiler write them. It is read without the
	 * layout, at twice the speed.
	 */
	bool is_usual;
};

static bool field_is_varint(const struct jfr_metadata *m,
			    const struct jfr_field *f)
{
	const struct jfr_type *t = jfr_type_by_id(m, f->type_id);

	return !f->is_array &&
	       (f->in_pool || (t && t->wire == JFR_WIRE_VARINT));
}

static bool layout_is_usual(const struct jfr_metadata *m,
			    const struct jfr_type *t)
{
	static const char *const names[] = { "method", "lineNumber",
					     "bytecodeIndex", "type" };

	if (t->field_count != 4)
		return false;
	for (size_t i = 0; i < 4; i++) {
		const struct jfr_field *f = &m->fields[t->first_field + i];

		if (strcmp(f->name, names[i]) != 0 || !field_is_varint(m, f))
			return false;
	}
	return true;
}

struct jfr_frame_layout *jfr_frames_new(const struct jfr_metadata *m,
					const struct jfr_type *t)
{
	static const char *const truncated[] = { "truncated" };
	const struct jfr_field *frames = jfr_type_field(m, t, "frames");
	const struct jfr_type *frame_type = frames ? jfr_type_by_id(
							     m, frames->type_id)
						   : NULL;
	struct jfr_type before = *t, behind = *t;
	struct jfr_frame_layout *l;

	if (!frame_type || !frames->is_array || frames->in_pool)
		return NULL;
	before.field_count = (size_t)(frames - &m->fields[t->first_field]);
	behind.first_field += before.field_count + 1;
	behind.field_count -= before.field_count + 1;
	l = xcalloc(1, sizeof(*l));
	l->is_usual = layout_is_usual(m, frame_type);
	if (jfr_layout_compile(&l->before, m, &before, truncated, 1, true) &&
	    jfr_layout_compile(&l->frame, m, frame_type, picks, FRAME_PICKS,
			       true) &&
	    jfr_layout_compile(&l->behind, m, &behind, truncated, 1, true))
		return l;
	jfr_frames_free(l);
	return NULL;
}

/* Adds a new site. */
static uint32_t site_new(struct jfr_pools *ps, const struct jfr_site *site)
{
	array_add(ps->sites, ps->site_count, ps->site_cap, *site);
	return (uint32_t)ps->site_count - 1 + SITE_FIRST;
}

static uint32_t site_hashed(struct jfr_pools *ps, const struct jfr_site *site)
{
	uint64_t place = (uint64_t)site->line << 8 | site->type;
	uint32_t tag = (uint32_t)hash_mix(site->method, place);
	struct idprobe probe;
	uint32_t id;

	idtable_reserve(&ps->site_ids, 1);
	probe = idtable_probe(&ps->site_ids, tag);
	while ((id = idtable_next(&ps->site_ids, &probe))) {
		const struct jfr_site *s = &ps->sites[id - SITE_FIRST];

		if (s->method == site->method && s->line == site->line &&
		    s->type == site->type)
			return id;
	}
	id = site_new(ps, site);
	idtable_put(&ps->site_ids, &probe, id);
	return id;
}

/*
 * Returns the id of a site. async-profiler numbers methods from 1 on: without a
 * line, method and type identify the site.
 */
static inline uint32_t site_id(struct jfr_pools *ps, uint64_t method,
			       uint32_t line, uint32_t type)
{
	struct jfr_site site = { method, line, type };

	if (!line && method < DIRECT_METHODS && type < DIRECT_TYPES)
		return (uint32_t)(method * DIRECT_TYPES) + type;
	return SITE_HASHED | site_hashed(ps, &site);
}

/* Unknown lines, -1, are read as 2^32 - 1 or 2^64 - 1. */
static inline uint32_t site_known_line(uint64_t line)
{
	return line < INT32_MAX ? (uint32_t)line : 0;
}

static inline uint32_t site_known_type(uint64_t type)
{
	return type < UINT32_MAX ? (uint32_t)type : UINT32_MAX;
}

/*
 * Reads a varint whose nine bytes are available. Most frames are five or six
 * bytes of short varints; only for these, a byte at a time is faster than the
 * single load of cursor_varint().
 */
static inline uint64_t varint_read_short(const uint8_t **at)
{
	const uint8_t *p = *at;
	uint64_t value = *p++;

	if (value >= 0x80) {
		value &= 0x7f;
		for (unsigned shift = 7;; shift += 7) {
			uint64_t byte = *p++;

			if (shift == 56) {
				value |= byte << 56;
				break;
			}
			value |= (byte & 0x7f) << shift;
			if (byte < 0x80)
				break;
		}
	}
	*at = p;
	return value;
}

#define LONGEST_FRAME ((ptrdiff_t)4 * 9)

/* Returns the top bits of the last bytes of varints. */
static inline uint64_t varint_ends_in(uint64_t word)
{
	return ~word & 0x8080808080808080u;
}

/* Clears the lowest bit that is set. */
static inline uint64_t bits_clear_first(uint64_t bits)
{
	return bits & (bits - 1);
}

/*
 * Reads a frame of which only method and type are used, if they are in the
 * first three bytes and in the last byte, the eighth at most: nearly every
 * frame. It has no branches, since processors cannot predict where varints end.
 * Returns the site, or SITE_HASHED for any other frame. Eight bytes must be
 * available.
 */
static inline uint32_t frame_read_short(const uint8_t **at)
{
	uint64_t word, ends, fourth, method, type;
	unsigned len;

	memcpy(&word, *at, sizeof(word));
	word = le64toh(word);
	ends = varint_ends_in(word);
	fourth = bits_clear_first(bits_clear_first(bits_clear_first(ends)));
	fourth &= -fourth;
	if (!(ends & 0x808080) || !(ends << 8 & fourth))
		return SITE_HASHED;
	len = ((unsigned)__builtin_ctzll(fourth) + 1) / 8;
	method = word & (ends ^ (ends - 1));
	method = (method & 0x7f) | (method & 0x7f00) >> 1 |
		 (method & 0x7f0000) >> 2;
	type = word >> (len * 8 - 8) & 0x7f;
	if (method >= DIRECT_METHODS || type >= DIRECT_TYPES)
		return SITE_HASHED;
	*at += len;
	return (uint32_t)(method * DIRECT_TYPES + type);
}

/* Bytes that are searched for ends of varints at once. */
#define WINDOW 64
/* Frames without a window after one without a frame. */
#define WINDOW_PAUSE 16

/* Returns a bit for each of WINDOW bytes: set where a varint ends. */
static inline uint64_t varint_ends(const uint8_t *at)
{
	uint64_t ends = 0;

#ifdef __SSE2__
	for (unsigned i = 0; i < WINDOW; i += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(at + i));

		ends |= (uint64_t)(uint16_t)~_mm_movemask_epi8(bytes) << i;
	}
#else
	for (unsigned i = 0; i < WINDOW; i += 8) {
		uint64_t word;

		memcpy(&word, at + i, sizeof(word));
		/* Gathers the top bits of eight bytes. */
		ends |= (varint_ends_in(le64toh(word)) >> 7) *
				0x0102040810204080u >>
			56 << i;
	}
#endif
	return ends;
}

/*
 * Returns the value of a varint of up to eight bytes, the lowest of `bytes`;
 * the others are 0.
 */
static inline uint64_t varint_of_bytes(uint64_t bytes)
{
	uint64_t v = bytes & 0x7f7f7f7f7f7f7f7fu;

	v = (v & 0x007f007f007f007fu) | (v & 0x7f007f007f007f00u) >> 1;
	v = (v & 0x00003fff00003fffu) | (v & 0x3fff00003fff0000u) >> 2;
	return (v & 0x0fffffff) | (v & 0x0fffffff00000000u) >> 4;
}

/*
 * Returns the site of a method, given by the bytes of its varint, without a
 * line. JVMs have large method ids, which are not in a small range, and most
 * frames have one of a few hundred methods.
 */
static inline uint32_t site_of_bytes(struct jfr_pools *ps, uint64_t bytes,
				     uint32_t type)
{
	uint64_t hash = (bytes + type) * 0x9e3779b97f4a7c15u;
	struct jfr_recent *r = &ps->recent[hash >> (64 - JFR_RECENT_BITS)];

	if (__builtin_expect(r->bytes != bytes || r->type != type, 0))
		*r = (struct jfr_recent){ bytes, type,
					  site_id(ps, varint_of_bytes(bytes), 0,
						  type) };
	return r->site;
}

/*
 * Reads frames whose method has up to eight bytes and whose type has one,
 * within a window, and stops at any other frame. The position of the next frame
 * is known a few cycles after that of the last one, without loading its bytes.
 * Returns the number of frames. WINDOW + 8 bytes must be available.
 */
static size_t frames_read_window(struct jfr_pools *ps, const uint8_t **at,
				 size_t count, uint32_t *out)
{
	const uint8_t *base = *at;
	uint64_t ends = varint_ends(base);
	unsigned start = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t third = bits_clear_first(bits_clear_first(ends));
		uint64_t fourth = bits_clear_first(third);
		unsigned first, last;
		uint32_t method, type;
		uint64_t bytes;

		if (!fourth || !(third << 1 & fourth & -fourth))
			break;
		first = (unsigned)__builtin_ctzll(ends) - start;
		if (first > 7)
			break;
		last = (unsigned)__builtin_ctzll(fourth);
		memcpy(&bytes, base + start, sizeof(bytes));
		bytes = le64toh(bytes) & (UINT64_MAX >> (56 - first * 8));
		type = base[last];
		method = (uint32_t)((bytes & 0x7f) | (bytes & 0x7f00) >> 1 |
				    (bytes & 0x7f0000) >> 2);
		if (first > 2 || method >= DIRECT_METHODS ||
		    type >= DIRECT_TYPES)
			out[i] = site_of_bytes(ps, bytes, type);
		else
			out[i] = method * DIRECT_TYPES + type;
		ends = bits_clear_first(fourth);
		start = last + 1;
	}
	*at = base + start;
	return i;
}

static inline uint32_t frame_read_long(struct jfr_pools *ps, const uint8_t **at)
{
	uint64_t method = varint_read_short(at);
	uint64_t line = varint_read_short(at);
	uint64_t type;

	varint_read_short(at); /* bytecode index */
	type = varint_read_short(at);
	return site_id(ps, method,
		       ps->profile->keep_lines ? site_known_line(line) : 0,
		       site_known_type(type));
}

/*
 * Reads the frames that are certainly complete; returns their number. After a
 * frame that no window can hold, the next frames are read one by one, since all
 * frames of a recording may be of this kind.
 */
static size_t frames_read_whole(struct jfr_pools *ps, struct cursor *c,
				size_t count, uint32_t *out)
{
	bool lines = ps->profile->keep_lines;
	const uint8_t *at = c->at;
	size_t i = 0, window_at = 0; /* index of the next window */

	while (i < count && c->end - at >= LONGEST_FRAME) {
		bool is_long = lines;

		if (!lines && i >= window_at && c->end - at >= WINDOW + 8) {
			size_t read = frames_read_window(ps, &at, count - i,
							 out + i);

			i += read;
			if (read)
				continue;
			is_long = true;
			window_at = i + WINDOW_PAUSE;
		}
		out[i] = is_long ? SITE_HASHED : frame_read_short(&at);
		if (__builtin_expect(out[i] == SITE_HASHED, 0))
			out[i] = frame_read_long(ps, &at);
		i++;
	}
	c->at = at;
	return i;
}

static void frames_read(struct jfr_pools *ps, struct cursor *c, size_t count,
			uint32_t *out)
{
	for (size_t i = 0; i < count && cursor_ok(c); i++) {
		uint64_t v[FRAME_PICKS] = { 0 };
		uint32_t line;

		jfr_layout_read(&ps->frame->frame, c, v, NULL);
		line = site_known_line(v[FRAME_LINE]);
		out[i] = site_id(ps, v[FRAME_METHOD],
				 ps->profile->keep_lines ? line : 0,
				 site_known_type(v[FRAME_TYPE]));
	}
}

/* Keeps the stack trace whose sites were appended to the path. */
static void frames_keep_stack(struct jfr_pools *ps, uint64_t key, size_t count,
			      bool truncated)
{
	struct map64 *keys = &ps->pools[JFR_POOL_STACK_TRACE].keys;

	if (!map64_add(keys, key, (uint32_t)ps->stack_count))
		return; /* a newer stack trace has the key */
	if (truncated && count)
		ps->path[ps->path_len + count++] = SITE_HASHED | TRUNCATED;
	array_add(ps->stack_lens, ps->stack_count, ps->stack_cap,
		  (uint32_t)count);
	ps->path_len += count;
}

/*
 * Skips varints by their ends.  Returns false, at any place, if one may have
 * nine bytes, whose last byte has no mark, or the bytes end soon.
 */
static bool varints_skip(struct cursor *c, size_t count)
{
	const uint8_t *at = c->at;

	while (count) {
		uint64_t ends, gaps;
		size_t here;

		if (c->end - at < WINDOW)
			return false;
		ends = varint_ends(at);
		gaps = ~ends & ~ends >> 1;
		gaps &= gaps >> 2;
		gaps &= gaps >> 4;
		if (gaps || !ends)
			return false;
		here = (size_t)__builtin_popcountll(ends);
		if (here > count) {
			while (--count)
				ends = bits_clear_first(ends);
			at += __builtin_ctzll(ends) + 1;
			break;
		}
		at += WINDOW - __builtin_clzll(ends);
		count -= here;
	}
	c->at = at;
	return true;
}

/* Skips the frames of a stack trace of the usual form. */
static void frames_skip(struct cursor *c, size_t count)
{
	if (varints_skip(c, count * 4))
		return;
	for (size_t i = 0; i < count * 4 && cursor_ok(c); i++)
		cursor_skip_varint(c);
}

static void frames_read_stack(struct jfr_pools *ps, struct cursor *c)
{
	const struct jfr_frame_layout *l = ps->frame;
	uint64_t truncated = 0;
	uint64_t key = cursor_varint(c);
	uint32_t *out;
	size_t count, read = 0;

	jfr_layout_read(&l->before, c, &truncated, NULL);
	/* A frame of the usual form takes at least four bytes. */
	count = cursor_count(c, l->is_usual ? 4 : 1);
	array_reserve(ps->path, ps->path_cap, ps->path_len + 1);
	if (ps->wanted && l->is_usual &&
	    map64_get(ps->wanted, key) == MAP64_NONE) {
		frames_skip(c, count);
		ps->path[ps->path_len] = SITE_HASHED | UNREAD;
		jfr_layout_read(&l->behind, c, &truncated, NULL);
		if (cursor_ok(c))
			frames_keep_stack(ps, key, count > 0, false);
		return;
	}
	array_reserve(ps->path, ps->path_cap, ps->path_len + count + 1);
	out = ps->path + ps->path_len;
	if (l->is_usual)
		read = frames_read_whole(ps, c, count, out);
	frames_read(ps, c, count - read, out + read);
	jfr_layout_read(&l->behind, c, &truncated, NULL);
	if (cursor_ok(c))
		frames_keep_stack(ps, key, count, truncated != 0);
}

void jfr_frames_read(struct jfr_pools *ps, struct cursor *c, size_t count)
{
	if (!ps->frame) {
		cursor_fail(c);
		return;
	}
	/*
	 * The count comes from the recording, so memory is reserved only up to
	 * a limit.
	 */
	map64_reserve(&ps->pools[JFR_POOL_STACK_TRACE].keys,
		      count < TRUSTED_COUNT ? count : TRUSTED_COUNT);
	for (size_t i = 0; i < count && cursor_ok(c); i++)
		frames_read_stack(ps, c);
}

/* Reserves twice the space, so that zeroing it has linear cost. */
static void frames_need_direct(struct jfr_pools *ps, size_t need)
{
	size_t count = ps->direct_count;

	if (need < count * 2)
		need = count * 2;
	array_reserve(ps->direct, ps->direct_cap, need);
	memset(ps->direct + count, 0, (need - count) * sizeof(*ps->direct));
	ps->direct_count = need;
}

/* Returns the frame of a site that is given by method and type alone. */
static inline uint32_t frames_direct(struct jfr_pools *ps, uint32_t site)
{
	struct jfr_site place = { site / DIRECT_TYPES, 0, site % DIRECT_TYPES };

	if (__builtin_expect(site >= ps->direct_count, 0)) {
		/* A few frames with high numbers do not justify the space. */
		if (site / 16 > ps->path_len + 1024)
			return jfr_pools_frame(ps, &place);
		frames_need_direct(ps, (size_t)site + 1);
	}
	if (__builtin_expect(!ps->direct[site], 0))
		ps->direct[site] = jfr_pools_frame(ps, &place);
	return ps->direct[site];
}

/* Returns the frames of the hashed sites by their id; the caller frees them. */
static uint32_t *frames_hashed(struct jfr_pools *ps)
{
	uint32_t *frames = xmalloc((ps->site_count + SITE_FIRST) *
				   sizeof(*frames));
	struct frame truncated = {
		.method = profile_string(ps->profile, "[truncated]", 11),
		.kind = FRAME_SYNTHETIC,
	};

	frames[TRUNCATED] = profile_frame(ps->profile, &truncated);
	if (ps->wanted) {
		struct frame unread = {
			.method = profile_string(ps->profile, "[not read]", 10),
			.kind = FRAME_SYNTHETIC,
		};

		frames[UNREAD] = profile_frame(ps->profile, &unread);
	}
	for (size_t i = 0; i < ps->site_count; i++)
		frames[i + SITE_FIRST] = jfr_pools_frame(ps, &ps->sites[i]);
	return frames;
}

/*
 * Adds the stack traces to the profile in portions, so that their frames are in
 * the cache when they are looked up.
 */
static void frames_make_stacks(struct jfr_pools *ps)
{
	uint32_t *hashed = frames_hashed(ps);
	uint32_t *path = ps->path;

	for (size_t i = 0; i < ps->stack_count; i += STACKS_AT_A_TIME) {
		size_t left = ps->stack_count - i;
		size_t n = left < STACKS_AT_A_TIME ? left : STACKS_AT_A_TIME;
		size_t frames = 0;

		for (size_t k = 0; k < n; k++)
			frames += ps->stack_lens[i + k];
		for (size_t k = 0; k < frames; k++) {
			uint32_t site = path[k];

			path[k] = site & SITE_HASHED
					  ? hashed[site & ~SITE_HASHED]
					  : frames_direct(ps, site);
		}
		profile_stacks(ps->profile, path, ps->stack_lens + i, n,
			       ps->stack_nodes + i);
		path += frames;
	}
	free(hashed);
}

/*
 * Indexes stack traces by key: all JVMs number them consecutively, so an array
 * is faster than a hash table if the keys of this recording are.
 */
static void frames_index_keys(struct jfr_pools *ps)
{
	const struct map64 *keys = &ps->pools[JFR_POOL_STACK_TRACE].keys;
	uint64_t first = UINT64_MAX, last = 0;

	ps->key_count = 0;
	for (size_t i = 0; i < keys->size; i++) {
		if (!keys->entries[i].used)
			continue;
		if (keys->entries[i].key < first)
			first = keys->entries[i].key;
		if (keys->entries[i].key > last)
			last = keys->entries[i].key;
	}
	if (!keys->count || last - first >= keys->count * 4 + 1024)
		return;
	ps->key_first = first;
	ps->key_count = (size_t)(last - first) + 1;
	free(ps->by_key);
	ps->by_key = array_new(ps->key_count, sizeof(*ps->by_key));
	for (size_t i = 0; i < keys->size; i++) {
		if (keys->entries[i].used)
			ps->by_key[keys->entries[i].key -
				   first] = ps->stack_nodes[keys->entries[i]
								    .value];
	}
}

void jfr_frames_end(struct jfr_pools *ps)
{
	array_reserve(ps->stack_nodes, ps->node_cap, ps->stack_count);
	frames_make_stacks(ps);
	frames_index_keys(ps);
}

void jfr_frames_clear(struct jfr_pools *ps)
{
	ps->direct_count = 0;
	memset(ps->recent, 0, sizeof(ps->recent));
	idtable_clear(&ps->site_ids);
	ps->site_count = 0;
	ps->path_len = 0;
	ps->stack_count = 0;
	ps->key_count = 0;
}

void jfr_frames_free(struct jfr_frame_layout *l)
{
	if (!l)
		return;
	jfr_layout_release(&l->before);
	jfr_layout_release(&l->frame);
	jfr_layout_release(&l->behind);
	free(l);
}
