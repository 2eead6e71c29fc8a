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
#include "core/formats/reader.h"
#include "core/profile/java_name.h"
#include "core/profile/profile.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * collapsed_frame: what a frame of collapsed stack traces says.
 *
 * The format has names only, so what a name means is judged by its looks:
 *   a.b.Class.method, a/b/Class.method, either with :LINE   Java
 *   a.b.Class                        a class alone, as allocations have it
 *   ns::function                     C++
 *   function, [libc.so.6], anything else                    native
 * A suffix, which is taken off, tells how the frame ran: _[0] interpreted,
 * _[1] by C1, _[j] compiled, _[i] inlined, _[k] in the kernel.
 */

#define LINE_DIGITS 9 /* more are no line number */

struct name {
	const char *text;
	size_t len;
};

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

static bool collapsed_contains(struct name n, const char *what)
{
	return memmem(n.text, n.len, what, strlen(what)) != NULL;
}

static bool collapsed_equals(struct name n, const char *what)
{
	return n.len == strlen(what) && memcmp(n.text, what, n.len) == 0;
}

/* Takes a suffix such as _[j] off; kind stays when there is none. */
static void take_suffix(struct name *n, enum frame_kind *kind)
{
	static const struct {
		char letter;
		enum frame_kind kind;
	} suffixes[] = {
		{ '0', FRAME_INTERPRETED }, { '1', FRAME_C1 },
		{ 'j', FRAME_JIT },         { 'i', FRAME_INLINED },
		{ 'k', FRAME_KERNEL },
	};
	const char *at = n->text + n->len - 4;

	if (n->len < 5 || at[0] != '_' || at[1] != '[' || at[3] != ']')
		return;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (suffixes[i].letter == at[2]) {
			*kind = suffixes[i].kind;
			n->len -= 4;
		}
	}
}

/* Takes :LINE off and gives it, or 0. */
static uint32_t take_line(struct name *n)
{
	size_t end = n->len;
	uint32_t line = 0;

	while (end && is_digit(n->text[end - 1]))
		end--;
	if (end < 2 || end == n->len || n->len - end > LINE_DIGITS ||
	    n->text[end - 1] != ':')
		return 0;
	for (size_t i = end; i < n->len; i++)
		line = line * 10 + (uint32_t)(n->text[i] - '0');
	if (line)
		n->len = end - 1;
	return line;
}

/* Splits at the last dot; false when that does not look like Java. */
static bool split_java(struct name n, struct name *class_name,
		       struct name *method)
{
	/* foo.cold is a part of a C function, libjvm.so a library. */
	static const char *const never[] = { "so", "cold" };
	const char *dot = memrchr(n.text, '.', n.len);

	for (size_t i = 0; i < n.len; i++) {
		if ((unsigned char)n.text[i] <= ' ' ||
		    strchr("()[]{}:,*&~@=\"", n.text[i]))
			return false;
	}
	if (!dot || dot == n.text || dot + 1 == n.text + n.len)
		return false;
	*class_name = (struct name){ n.text, (size_t)(dot - n.text) };
	*method = (struct name){ dot + 1, n.len - class_name->len - 1 };
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++) {
		if (collapsed_equals(*method, never[i]))
			return false;
	}
	return !is_digit(method->text[0]);
}

/* java.util.List: a package, then what should be a method but is a class. */
static bool is_class_alone(struct name class_name, struct name method)
{
	size_t last = class_name.len;

	while (last && class_name.text[last - 1] != '.' &&
	       class_name.text[last - 1] != '/')
		last--;
	return is_upper(method.text[0]) && last < class_name.len &&
	       is_lower(class_name.text[last]);
}

/* The name without "[]" at its end, however many dimensions it has. */
static struct name collapsed_element(struct name n)
{
	while (n.len > 2 && memcmp(n.text + n.len - 2, "[]", 2) == 0)
		n.len -= 2;
	return n;
}

static bool is_primitive(struct name n)
{
	static const char *const names[] = {
		"byte", "char", "double", "float",
		"int",  "long", "short",  "boolean"
	};
	bool is = false;

	for (size_t i = 0; !is && i < sizeof(names) / sizeof(*names); i++)
		is = collapsed_equals(n, names[i]);
	return is;
}

/*
 * byte[], a.B[]: an array's class, which no function is called.  A class that
 * has no package, Order_[i], is told by its mark: of frames with this mark,
 * methods have a class and functions none.
 */
static bool is_plain_class(struct name n, enum frame_kind kind)
{
	struct name e = collapsed_element(n), class_name, method;
	bool is_array = e.len < n.len;

	if (is_array && is_primitive(e))
		return true;
	if (memchr(e.text, '.', e.len))
		return is_array && split_java(e, &class_name, &method);
	return kind == FRAME_INLINED && is_upper(e.text[0]) &&
	       !collapsed_contains(e, "::") && !memchr(e.text, '(', e.len);
}

/* How it was allocated, _[i] or _[k], is no kind of frame. */
static uint32_t class_frame(struct profile *p, struct name n)
{
	struct frame f = {
		.class_name = java_class_name(p, n.text, n.len),
		.kind = FRAME_CLASS,
	};

	return profile_frame(p, &f);
}

static enum frame_kind kind_by_looks(struct name n)
{
	static const char cut[] = "[truncated";

	if (n.text[0] == '[') {
		/* Behind it may stand why. */
		if (collapsed_equals(n, "[unknown]") ||
		    (n.len >= sizeof(cut) &&
		     memcmp(n.text, cut, sizeof(cut) - 1) == 0))
			return FRAME_SYNTHETIC;
		/* The root frame that stands for a thread. */
		return collapsed_contains(n, " tid=") ? FRAME_SYNTHETIC
						      : FRAME_NATIVE;
	}
	return collapsed_contains(n, "::") ? FRAME_CPP : FRAME_NATIVE;
}

/* The frame's id; an empty text is "[unknown]". */
static uint32_t collapsed_frame(struct profile *p, const char *text, size_t len)
{
	struct name n = { text, len };
	struct name class_name, method;
	struct frame f = { .kind = FRAME_KINDS };
	uint32_t line;
	bool is_java;

	if (!len)
		n = (struct name){ "[unknown]", strlen("[unknown]") };
	take_suffix(&n, &f.kind);
	method = n;
	line = take_line(&method);
	is_java = split_java(method, &class_name, &method);
	if (is_java && is_class_alone(class_name, method)) {
		class_name.len += 1 + method.len;
		return class_frame(p, class_name);
	}
	if (is_java && f.kind != FRAME_KERNEL) {
		if (p->keep_lines)
			f.line = line;
		if (f.kind == FRAME_KINDS)
			f.kind = FRAME_JAVA;
		f.class_name = java_class_name(p, class_name.text,
					       class_name.len);
		f.method = profile_string(p, method.text, method.len);
		return profile_frame(p, &f);
	}
	if (is_plain_class(n, f.kind))
		return class_frame(p, n);
	if (f.kind == FRAME_KINDS)
		f.kind = kind_by_looks(n);
	f.method = profile_string(p, n.text, n.len);
	return profile_frame(p, &f);
}

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
		return "no whole number after the last space";
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

/* The line that stands for samples without a stack trace. */
static bool is_no_stack(struct line line)
{
	return line_is(line, "[no stack trace]");
}

static void collapsed_flush(struct collapsed *c)
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
		collapsed_flush(c);
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
	collapsed_flush(&c);
	free(c.seen);
	free(c.ends);
	free(c.frames);
	free(c.stacks);
	if (!c.taken)
		return fail(err, ERROR_INPUT,
			    "no line is a stack trace and a weight");
	if (c.is_diff)
		profile_note(p, "lines with two weights", c.taken,
			     "sjkc uses the second");
	return 0;
}

/* The format that a line of the head suggests. */
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
