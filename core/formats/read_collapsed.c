/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collapsed stack traces: lines "root;caller;leaf weight", made by the tools
 * around flame graphs.  The weight is what stands after the last blank, a
 * whole number; lines that begin with # and a blank are comments.
 *
 * The difference of two profiles has two weights a line, "before after".  When
 * all of the first lines are so, it is one, and the second weight counts.
 *
 * Read at memory's pace: a line shares the frames that it has in common with
 * the line before (they are mostly sorted), and a name seen before is found
 * by its bytes without being looked at again.
 */
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/hash.h"
#include "core/base/lines.h"
#include "core/formats/collapsed_frame.h"
#include "core/formats/readers.h"
#include "core/profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_LONGEST  ((size_t)1 << 20) /* bytes; more is no name */
#define DIFF_LINES     64                /* that are looked at */
#define PROGRESS_LINES 4096
#define SAMPLE_BATCH   64 /* added at once, which is faster */

/* A name met in the input, and what it stands for. */
struct seen {
	const char *text; /* borrowed from the input; NULL = free */
	uint32_t len;
	uint32_t frame; /* 0: no name at all, such lines are skipped */
	uint64_t hash;
};

struct collapsed {
	struct profile *profile;
	const char *readable; /* end of the input */
	struct seen *seen;
	size_t seen_size; /* a power of two */
	size_t seen_count;
	/* Of each frame of the line before: where its name ends, and ids. */
	size_t *ends; /* from the start of the line */
	uint32_t *frames, *stacks;
	size_t depth, depth_cap;
	struct line before; /* its stack trace, without the weight */
	uint64_t seed;
	uint32_t event;
	uint64_t taken; /* lines */
	struct sample batch[SAMPLE_BATCH];
	size_t batched;
	bool is_diff;
};

/*
 * Takes blanks and a number off the end of a line.  NULL, or why it cannot.
 */
static const char *take_weight(struct line *line, uint64_t *weight)
{
	size_t len = line->len, end;
	uint64_t value = 0;

	while (len && is_blank(line->text[len - 1]))
		len--;
	end = len;
	while (len && is_digit(line->text[len - 1]))
		len--;
	if (len == end || !len || !is_blank(line->text[len - 1]))
		return "no whole number after the last blank";
	for (size_t i = len; i < end; i++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, line->text[i] - '0', &value))
			return "a weight of 2^64 or more";
	}
	/* One blank parts them: more of them belong to a name. */
	if (--len == 0)
		return "no stack trace before the weight";
	line->len = len;
	*weight = value;
	return NULL;
}

/* "#name;name 5" is none: a name may begin so. */
static bool is_comment(struct line line)
{
	return line.len == 0 || (line.text[0] == '#' &&
				 (line.len == 1 || is_blank(line.text[1])));
}

static inline uint64_t load(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* The first len bytes of memory, as a little-endian number (x86, ARM). */
static inline uint64_t first_bytes(uint64_t word, size_t len)
{
	return len < 8 ? word & (((uint64_t)1 << 8 * len) - 1) : word;
}

/* How many bytes are before the first ';' of a word, 8 when it has none. */
static inline size_t before_semicolon(uint64_t word)
{
	uint64_t x = word ^ 0x3b3b3b3b3b3b3b3bu;
	uint64_t zeros = (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;

	return zeros ? (size_t)__builtin_ctzll(zeros) / 8 : 8;
}

/*
 * The length of the name at `at`, which ends at a ';' or at end; hashes it on
 * the way.  Eight bytes at a time as long as that many are readable.
 */
static inline size_t scan_name(const struct collapsed *c, const char *at,
			       const char *end, uint64_t *hash)
{
	const char *start = at;
	uint64_t h = c->seed;

	while (at < end) {
		size_t left = (size_t)(end - at);
		uint64_t word = 0;
		size_t len;

		if (c->readable - at >= 8)
			word = load(at);
		else
			memcpy(&word, at, left < 8 ? left : 8);
		len = before_semicolon(word);
		if (len > left)
			len = left;
		h = hash_mix(h ^ first_bytes(word, len), c->seed);
		at += len;
		if (len < 8)
			break;
	}
	*hash = h;
	return (size_t)(at - start);
}

static struct seen *find_seen(const struct collapsed *c, const char *text,
			      size_t len, uint64_t hash)
{
	size_t mask = c->seen_size - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		struct seen *s = &c->seen[i];

		if (!s->text || (s->hash == hash && s->len == len &&
				 memcmp(s->text, text, len) == 0))
			return s;
	}
}

static void grow_seen(struct collapsed *c)
{
	struct seen *old = c->seen;
	size_t old_size = c->seen_size;

	c->seen_size = old_size ? old_size * 2 : 4096;
	c->seen = xcalloc(c->seen_size, sizeof(*c->seen));
	for (size_t i = 0; i < old_size; i++) {
		if (old[i].text)
			*find_seen(c, old[i].text, old[i].len,
				   old[i].hash) = old[i];
	}
	free(old);
}

/* The id of a frame, or 0 when that is no name. */
static inline uint32_t frame_of(struct collapsed *c, const char *text,
				size_t len, uint64_t hash)
{
	struct seen *s;

	if (len > FRAME_LONGEST)
		return 0;
	s = find_seen(c, text, len, hash);
	if (s->text)
		return s->frame;
	*s = (struct seen){ text, (uint32_t)len, 0, hash };
	/* A name is a C string. */
	if (!memchr(text, '\0', len))
		s->frame = collapsed_frame(c->profile, text, len);
	c->seen_count++;
	if (c->seen_count * 2 > c->seen_size) {
		uint32_t frame = s->frame;

		grow_seen(c);
		return frame;
	}
	return s->frame;
}

static size_t common_length(struct line a, struct line b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	size_t i = 0;

	while (len - i >= 8) {
		uint64_t differ = load(a.text + i) ^ load(b.text + i);

		if (differ)
			return i + (size_t)__builtin_ctzll(differ) / 8;
		i += 8;
	}
	while (i < len && a.text[i] == b.text[i])
		i++;
	return i;
}

/* Forgets the frames that this line does not begin with. */
static void keep_common(struct collapsed *c, struct line line)
{
	size_t common = common_length(c->before, line);

	while (c->depth) {
		size_t end = c->ends[c->depth - 1];

		if (end < common || (end == common && (end == line.len ||
						       line.text[end] == ';')))
			break;
		c->depth--;
	}
}

static void reserve_depth(struct collapsed *c)
{
	size_t cap = c->depth_cap;

	if (c->depth < cap)
		return;
	array_reserve(c->ends, cap, c->depth + 1);
	c->frames = xrealloc(c->frames, cap, sizeof(*c->frames));
	c->stacks = xrealloc(c->stacks, cap, sizeof(*c->stacks));
	c->depth_cap = cap;
}

/* Makes the rest of a line's stack trace.  NULL, or why it cannot. */
static const char *push_frames(struct collapsed *c, struct line line)
{
	const char *end = line.text + line.len;
	size_t known = c->depth;
	size_t at = known ? c->ends[known - 1] + 1 : 0;

	/* An empty name may be the last: "a; 5" ends with one. */
	while (at <= line.len) {
		uint64_t hash;
		size_t len = scan_name(c, line.text + at, end, &hash);
		uint32_t frame = frame_of(c, line.text + at, len, hash);

		if (!frame) {
			c->depth = known;
			return len > FRAME_LONGEST ? "a name of over 1 MiB"
						   : "a NUL byte in a name";
		}
		reserve_depth(c);
		c->ends[c->depth] = at + len;
		c->frames[c->depth++] = frame;
		at += len + 1;
	}
	profile_push_all(c->profile, known ? c->stacks[known - 1] : 0,
			 c->frames + known, c->depth - known,
			 c->stacks + known);
	return NULL;
}

/* What the writer of collapsed stack traces says of samples without one. */
static bool is_no_stack(struct line line)
{
	return line_is(line, "[no stack trace]");
}

static void flush(struct collapsed *c)
{
	profile_add_all(c->profile, c->batch, c->batched);
	c->batched = 0;
}

/* Adds one line.  NULL, or why it is skipped. */
static const char *read_line(struct collapsed *c, struct line line)
{
	struct sample s = { .event = c->event };
	uint64_t first;
	const char *why = take_weight(&line, &s.weight);

	if (!why && c->is_diff)
		why = take_weight(&line, &first);
	if (why)
		return why;
	s.count = s.weight;
	if (!is_no_stack(line)) {
		keep_common(c, line);
		why = push_frames(c, line);
		c->before = line;
		if (why)
			return why;
		s.stack = c->stacks[c->depth - 1];
	}
	c->taken++;
	if (s.weight)
		c->batch[c->batched++] = s;
	if (c->batched == SAMPLE_BATCH)
		flush(c);
	return NULL;
}

/* True when all of the first lines have two weights. */
static bool is_diff(const void *bytes, size_t len)
{
	struct lines lines = lines_over(bytes, len);
	struct line line;
	bool any = false;

	for (size_t i = 0; i < DIFF_LINES && lines_next(&lines, &line);) {
		uint64_t weight;

		if (is_comment(line) || take_weight(&line, &weight))
			continue;
		if (take_weight(&line, &weight))
			return false;
		any = any || memchr(line.text, ';', line.len);
		i++;
	}
	return any;
}

static void read_lines(struct collapsed *c, const uint8_t *bytes, size_t len)
{
	struct lines lines = lines_over(bytes, len);
	struct line line;

	while (lines_next(&lines, &line)) {
		size_t done = (size_t)(lines.at - (const char *)bytes);
		const char *why;

		if (lines.number % PROGRESS_LINES == 0)
			profile_progress(c->profile, done, len);
		if (is_comment(line))
			continue;
		why = read_line(c, line);
		if (why)
			profile_lost(c->profile, "lines skipped", 1,
				     "line %" PRIu64 ": %s", lines.number, why);
	}
}

static int read_collapsed(const uint8_t *bytes, size_t len, struct profile *p,
			  struct error *err)
{
	struct collapsed c = {
		.profile = p,
		.readable = (const char *)bytes + len,
		.seed = hash_salt,
		.event = profile_event(p, "collapsed", UNIT_SAMPLES),
		.is_diff = is_diff(bytes, len),
		.before = { (const char *)bytes, 0 },
	};

	grow_seen(&c);
	read_lines(&c, bytes, len);
	flush(&c);
	free(c.seen);
	free(c.ends);
	free(c.frames);
	free(c.stacks);
	if (!c.taken)
		return fail(err, ERROR_INPUT,
			    "no line is a stack trace and a weight");
	if (c.is_diff)
		profile_note(p, "lines with two weights", c.taken,
			     "the second of them counts");
	return 0;
}

/* What a line of the head speaks for. */
enum looks { LOOKS_EMPTY, LOOKS_STACK, LOOKS_NAME, LOOKS_OTHER, LOOKS_BINARY };

static enum looks line_looks(struct line line)
{
	uint64_t weight;

	for (size_t i = 0; i < line.len; i++) {
		if ((unsigned char)line.text[i] < ' ' && line.text[i] != '\t')
			return LOOKS_BINARY;
	}
	if (is_comment(line))
		return LOOKS_EMPTY;
	if (take_weight(&line, &weight) || is_blank(line.text[0]))
		return LOOKS_OTHER;
	if (memchr(line.text, '"', line.len) ||
	    memmem(line.text, line.len, "; ", 2))
		return LOOKS_OTHER;
	if (memchr(line.text, ';', line.len))
		return LOOKS_STACK;
	/* "main 5" is a stack trace; "12:01 eth0 5" and "cpu  3 4 5" are not.
	 */
	if (is_digit(line.text[0]) || memmem(line.text, line.len, "  ", 2))
		return LOOKS_OTHER;
	return LOOKS_NAME;
}

/* A first line that the head cannot hold: its weight is not to be seen. */
static bool is_long_stack(struct line line)
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

static bool sniff_collapsed(const uint8_t *head, size_t len)
{
	struct lines lines = lines_over(head, len);
	size_t seen[LOOKS_BINARY + 1] = { 0 };
	enum looks first = LOOKS_EMPTY;
	struct line line;

	while (lines_next(&lines, &line)) {
		enum looks looks;

		/* The last line may be cut by the head's end. */
		if (lines.at == lines.end && len >= READER_HEAD &&
		    head[len - 1] != '\n') {
			if (first == LOOKS_EMPTY)
				return is_long_stack(line);
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
	return seen[LOOKS_NAME] && !seen[LOOKS_OTHER];
}

/* Where it begins with a line that the head could not hold. */
static bool look_collapsed(const uint8_t *text, size_t len)
{
	return len > READER_HEAD && !memchr(text, '\n', READER_HEAD) &&
	       sniff_collapsed(text, len);
}

const struct reader collapsed_reader = {
	.name = "collapsed",
	.summary = "collapsed stack traces, \"root;caller;leaf weight\"",
	.sniff = sniff_collapsed,
	.look = look_collapsed,
	.read = read_collapsed,
};
