/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_collapsed: reads collapsed stack traces, lines "root;caller;leaf weight"
 * as used by flame graph tools. The weight follows the last space. Lines that
 * begin with "# " are comments. Decimal weights are rounded; what a line gains
 * or loses is carried to the next one, so that the total is right.
 *
 * The difference of two profiles has two weights per line, "before after". If
 * all of the first lines have two, the input is a difference, and the second
 * weight is used.
 *
 * The reader is as fast as memory: lines are usually sorted, so a line reuses
 * the frames that it shares with the previous line, and a known name is found
 * by its bytes without being parsed again.
 */
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/hash.h"
#include "core/base/lines.h"
#include "core/base/saturate.h"
#include "core/formats/frame_text.h"
#include "core/formats/reader.h"
#include "core/profile/profile.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DIFF_LINES     64 /* number of lines that are checked */
#define ODD_LINES      2  /* least number that makes an input recognized */
#define PROGRESS_LINES 4096
#define SAMPLE_BATCH   64 /* adding several samples at once is faster */

/* A name in the input, and its frame. */
struct seen {
	const char *text; /* borrowed from the input; NULL = free */
	uint32_t len;
	uint32_t frame; /* 0: not a valid name, lines with it are skipped */
	uint64_t hash;
};

struct collapsed {
	struct profile *profile;
	const char *readable; /* end of the input */
	struct seen *seen;
	size_t seen_size; /* a power of two */
	size_t seen_count;
	/* For each frame of the previous line: the end of its name, and ids. */
	size_t *ends; /* from the start of the line */
	uint32_t *frames, *stacks;
	size_t depth, depth_cap;
	struct line before; /* previous line without its weight */
	uint64_t seed;
	uint32_t event;
	uint64_t taken;    /* number of lines added */
	uint64_t decimals; /* number of these with a decimal weight */
	uint64_t carry;    /* billionths; half of one rounds to the nearest */
	struct sample batch[SAMPLE_BATCH];
	size_t batched;
	bool is_diff;
};

#define ONE UINT64_C(1000000000) /* billionths */

struct weight {
	uint64_t whole;
	uint64_t billionths;
};

/* Returns the first nine digits of a fraction. */
static uint64_t weight_fraction(const char *digits, size_t count)
{
	uint64_t value = 0;

	for (size_t i = 0; i < 9; i++)
		value = value * 10 +
			(i < count ? (uint64_t)(digits[i] - '0') : 0);
	return value;
}

/*
 * Removes a number and the spaces around it from the end of a line. NULL, or
 * the reason of a failure.
 */
static const char *line_cut_weight(struct line *line, struct weight *weight)
{
	size_t len = line->len, end;
	struct weight w = { 0 };

	while (len && is_blank(line->text[len - 1]))
		len--;
	end = len;
	while (len && is_digit(line->text[len - 1]))
		len--;
	if (len && line->text[len - 1] == '.') {
		w.billionths = weight_fraction(line->text + len, end - len);
		end = --len;
		while (len && is_digit(line->text[len - 1]))
			len--;
	}
	if (len == end || !len || !is_blank(line->text[len - 1]))
		return "no number after the last space";
	for (size_t i = len; i < end; i++) {
		if (__builtin_mul_overflow(w.whole, 10, &w.whole) ||
		    __builtin_add_overflow(w.whole, line->text[i] - '0',
					   &w.whole))
			return "a weight of 2^64 or more";
	}
	/* One space separates the weight; further spaces belong to a name. */
	if (--len == 0)
		return "no stack trace before the weight";
	line->len = len;
	*weight = w;
	return NULL;
}

/* "#name;name 5" is not a comment, because a name may begin with #. */
static bool line_is_comment(struct line line)
{
	return line.len == 0 || (line.text[0] == '#' &&
				 (line.len == 1 || is_blank(line.text[1])));
}

static inline uint64_t word_load(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/*
 * Returns the first len bytes in memory order (x86 and ARM are little-endian).
 */
static inline uint64_t word_first_bytes(uint64_t word, size_t len)
{
	return len < 8 ? word & (((uint64_t)1 << 8 * len) - 1) : word;
}

/* Number of bytes before the first ';' of a word, 8 if there is none. */
static inline size_t word_before_semicolon(uint64_t word)
{
	uint64_t x = word ^ 0x3b3b3b3b3b3b3b3bu;
	uint64_t zeros = (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;

	return zeros ? (size_t)__builtin_ctzll(zeros) / 8 : 8;
}

/*
 * Returns the length of the name at `at`, which ends at a ';' or at end, and
 * computes its hash. Reads eight bytes at a time while as many are readable.
 */
static inline size_t collapsed_scan_name(const struct collapsed *c,
					 const char *at, const char *end,
					 uint64_t *hash)
{
	const char *start = at;
	uint64_t h = c->seed;

	while (at < end) {
		size_t left = (size_t)(end - at);
		uint64_t word = 0;
		size_t len;

		if (c->readable - at >= 8)
			word = word_load(at);
		else
			memcpy(&word, at, left < 8 ? left : 8);
		len = word_before_semicolon(word);
		if (len > left)
			len = left;
		h = hash_mix(h ^ word_first_bytes(word, len), c->seed);
		at += len;
		if (len < 8)
			break;
	}
	*hash = h;
	return (size_t)(at - start);
}

static struct seen *collapsed_find_seen(const struct collapsed *c,
					const char *text, size_t len,
					uint64_t hash)
{
	size_t mask = c->seen_size - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		struct seen *s = &c->seen[i];

		if (!s->text || (s->hash == hash && s->len == len &&
				 memcmp(s->text, text, len) == 0))
			return s;
	}
}

static void collapsed_grow_seen(struct collapsed *c)
{
	struct seen *old = c->seen;
	size_t old_size = c->seen_size;

	c->seen_size = old_size ? old_size * 2 : 4096;
	c->seen = xcalloc(c->seen_size, sizeof(*c->seen));
	for (size_t i = 0; i < old_size; i++) {
		if (old[i].text)
			*collapsed_find_seen(c, old[i].text, old[i].len,
					     old[i].hash) = old[i];
	}
	free(old);
}

/* Returns the id of a frame, or 0 for an invalid name. */
static inline uint32_t collapsed_get_frame(struct collapsed *c,
					   const char *text, size_t len,
					   uint64_t hash)
{
	struct seen *s;

	if (len > FRAME_LONGEST)
		return 0;
	s = collapsed_find_seen(c, text, len, hash);
	if (s->text)
		return s->frame;
	*s = (struct seen){ text, (uint32_t)len, 0, hash };
	/* Names with a NUL are invalid. */
	if (!memchr(text, '\0', len))
		s->frame = frame_text_id(c->profile, text, len, 0);
	c->seen_count++;
	if (c->seen_count * 2 > c->seen_size) {
		uint32_t frame = s->frame;

		collapsed_grow_seen(c);
		return frame;
	}
	return s->frame;
}

static size_t collapsed_common_length(struct line a, struct line b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	size_t i = 0;

	while (len - i >= 8) {
		uint64_t differ = word_load(a.text + i) ^ word_load(b.text + i);

		if (differ)
			return i + (size_t)__builtin_ctzll(differ) / 8;
		i += 8;
	}
	while (i < len && a.text[i] == b.text[i])
		i++;
	return i;
}

/* Drops the frames of the previous line that differ in this line. */
static void collapsed_keep_common(struct collapsed *c, struct line line)
{
	size_t common = collapsed_common_length(c->before, line);

	while (c->depth) {
		size_t end = c->ends[c->depth - 1];

		if (end < common || (end == common && (end == line.len ||
						       line.text[end] == ';')))
			break;
		c->depth--;
	}
}

static void collapsed_reserve_depth(struct collapsed *c)
{
	size_t cap = c->depth_cap;

	if (c->depth < cap)
		return;
	array_reserve(c->ends, cap, c->depth + 1);
	c->frames = xrealloc(c->frames, cap, sizeof(*c->frames));
	c->stacks = xrealloc(c->stacks, cap, sizeof(*c->stacks));
	c->depth_cap = cap;
}

/* Adds the remaining frames of a line. NULL, or the reason of a failure. */
static const char *collapsed_push_frames(struct collapsed *c, struct line line)
{
	const char *end = line.text + line.len;
	size_t known = c->depth;
	size_t at = known ? c->ends[known - 1] + 1 : 0;

	/* The last name may be empty: "a; 5" ends with an empty name. */
	while (at <= line.len) {
		uint64_t hash;
		size_t len = collapsed_scan_name(c, line.text + at, end, &hash);
		uint32_t frame = collapsed_get_frame(c, line.text + at, len,
						     hash);

		if (!frame) {
			c->depth = known;
			return len > FRAME_LONGEST ? "a name of over 1 MiB"
						   : "a NUL byte in a name";
		}
		collapsed_reserve_depth(c);
		c->ends[c->depth] = at + len;
		c->frames[c->depth++] = frame;
		at += len + 1;
	}
	profile_push_all(c->profile, known ? c->stacks[known - 1] : 0,
			 c->frames + known, c->depth - known,
			 c->stacks + known);
	return NULL;
}

/* True for the line of samples without a stack trace. */
static bool line_is_no_stack(struct line line)
{
	return line_is(line, "[no stack trace]");
}

static void collapsed_flush(struct collapsed *c)
{
	profile_add_all(c->profile, c->batch, c->batched);
	c->batched = 0;
}

static uint64_t collapsed_round(struct collapsed *c, const struct weight *w)
{
	if (!w->billionths)
		return w->whole;
	c->decimals++;
	c->carry += w->billionths;
	if (c->carry < ONE)
		return w->whole;
	c->carry -= ONE;
	return saturate_add(w->whole, 1);
}

/* Adds one line. NULL, or the reason why the line is skipped. */
static const char *collapsed_read_line(struct collapsed *c, struct line line)
{
	struct sample s = { .event = c->event };
	struct weight weight, first;
	const char *why = line_cut_weight(&line, &weight);

	if (!why && c->is_diff)
		why = line_cut_weight(&line, &first);
	if (why)
		return why;
	s.count = s.weight = collapsed_round(c, &weight);
	if (!line_is_no_stack(line)) {
		collapsed_keep_common(c, line);
		why = collapsed_push_frames(c, line);
		c->before = line;
		if (why)
			return why;
		s.stack = c->stacks[c->depth - 1];
	}
	c->taken++;
	if (s.weight)
		c->batch[c->batched++] = s;
	if (c->batched == SAMPLE_BATCH)
		collapsed_flush(c);
	return NULL;
}

/* True if all of the first lines have two weights. */
static bool collapsed_is_diff(const void *bytes, size_t len)
{
	struct lines lines = lines_over(bytes, len);
	struct line line;
	bool any = false;

	for (size_t i = 0; i < DIFF_LINES && lines_next(&lines, &line);) {
		struct weight weight;

		if (line_is_comment(line) || line_cut_weight(&line, &weight))
			continue;
		if (line_cut_weight(&line, &weight))
			return false;
		any = any || memchr(line.text, ';', line.len);
		i++;
	}
	return any;
}

static void collapsed_read_lines(struct collapsed *c, const uint8_t *bytes,
				 size_t len)
{
	struct lines lines = lines_over(bytes, len);
	struct line line;

	while (lines_next(&lines, &line)) {
		size_t done = (size_t)(lines.at - (const char *)bytes);
		const char *why;

		if (lines.number % PROGRESS_LINES == 0)
			profile_progress(c->profile, done, len);
		if (line_is_comment(line))
			continue;
		why = collapsed_read_line(c, line);
		if (why)
			profile_lost(c->profile,
				     lines_end_open(&lines) ? "truncated lines"
							    : "lines skipped",
				     1, "line %" PRIu64 ": %s", lines.number,
				     why);
	}
}

static int collapsed_read(const uint8_t *bytes, size_t len, struct profile *p,
			  struct error *err)
{
	struct collapsed c = {
		.profile = p,
		.readable = (const char *)bytes + len,
		.seed = hash_salt,
		.event = profile_event(p, "collapsed", UNIT_SAMPLES),
		.is_diff = collapsed_is_diff(bytes, len),
		.before = { (const char *)bytes, 0 },
		.carry = ONE / 2,
	};

	collapsed_grow_seen(&c);
	collapsed_read_lines(&c, bytes, len);
	collapsed_flush(&c);
	free(c.seen);
	free(c.ends);
	free(c.frames);
	free(c.stacks);
	if (!c.taken)
		return fail(err, ERROR_INPUT,
			    "no line is a stack trace and a weight");
	if (c.decimals)
		profile_note(p, "decimal weights rounded, with the right total",
			     c.decimals, "%s", "");
	if (c.is_diff)
		profile_note(p, "lines with two weights", c.taken,
			     "sjkc uses the second");
	return 0;
}

/* Classes of lines in the head of an input. */
enum looks {
	LOOKS_EMPTY,
	LOOKS_STACK,
	LOOKS_ODD_STACK, /* with names that code and logs also have */
	LOOKS_NAME,
	LOOKS_OTHER,
	LOOKS_BINARY
};

static enum looks line_looks(struct line line)
{
	struct weight weight;

	for (size_t i = 0; i < line.len; i++) {
		if ((unsigned char)line.text[i] < ' ' && line.text[i] != '\t')
			return LOOKS_BINARY;
	}
	if (line_is_comment(line))
		return LOOKS_EMPTY;
	if (line_cut_weight(&line, &weight) || is_blank(line.text[0]))
		return LOOKS_OTHER;
	if (memchr(line.text, ';', line.len))
		return memchr(line.text, '"', line.len) ||
				       memmem(line.text, line.len, "; ", 2)
			       ? LOOKS_ODD_STACK
			       : LOOKS_STACK;
	if (memchr(line.text, '"', line.len))
		return LOOKS_OTHER;
	/*
	 * "main 5" is a stack trace; "12:01 eth0 5" and "cpu  3 4 5" are not.
	 */
	if (is_digit(line.text[0]) || memmem(line.text, line.len, "  ", 2))
		return LOOKS_OTHER;
	return LOOKS_NAME;
}

/* True for a first line longer than the head, whose weight is unknown. */
static bool line_is_long_stack(struct line line)
{
	size_t names = 0;

	if (line_looks(line) == LOOKS_BINARY ||
	    memchr(line.text, '"', line.len) ||
	    memmem(line.text, line.len, "; ", 2))
		return false;
	for (size_t i = 0; i < line.len; i++)
		names += line.text[i] == ';';
	return names >= 8;
}

static bool collapsed_sniff(const uint8_t *head, size_t len)
{
	struct lines lines = lines_over(head, len);
	size_t seen[LOOKS_BINARY + 1] = { 0 };
	enum looks first = LOOKS_EMPTY;
	struct line line;

	while (lines_next(&lines, &line)) {
		enum looks looks;

		/* The head may end within the last line. */
		if (lines.at == lines.end && len >= READER_HEAD &&
		    head[len - 1] != '\n') {
			if (first == LOOKS_EMPTY)
				return line_is_long_stack(line);
			break;
		}
		looks = line_looks(line);
		seen[looks]++;
		if (first == LOOKS_EMPTY)
			first = looks;
	}
	if (seen[LOOKS_BINARY])
		return false;
	if (seen[LOOKS_STACK])
		return first == LOOKS_STACK ||
		       seen[LOOKS_STACK] > seen[LOOKS_OTHER];
	return (seen[LOOKS_NAME] || seen[LOOKS_ODD_STACK] >= ODD_LINES) &&
	       !seen[LOOKS_OTHER];
}

/* Handles an input whose first line is longer than the head. */
static bool collapsed_look(const uint8_t *text, size_t len)
{
	return len > READER_HEAD && !memchr(text, '\n', READER_HEAD) &&
	       collapsed_sniff(text, len);
}

const struct reader collapsed_reader = {
	.name = "collapsed",
	.summary = "collapsed stack traces, \"root;caller;leaf weight\"",
	.sniff = collapsed_sniff,
	.look = collapsed_look,
	.read = collapsed_read,
};
