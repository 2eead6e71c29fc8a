/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GC logs of JDK 8: -Xloggc with or without -XX:+PrintGCDetails, date stamps,
 * time stamps and causes.
 *
 * A collection is text in brackets that ends with its duration:
 *
 *     1.812: [Full GC (System.gc()) 1.812: [Tenured: 0K->2253K(65536K),
 *     0.1429586 secs] 17869K->2253K(95040K), [Metaspace: …], 0.1431678 secs]
 *
 * CMS writes lines of concurrent phases into it, and other options write lines
 * with details. Except for class histograms and addresses, all of them balance
 * their brackets, so the collection ends with the bracket that closes its first
 * one. Another collection may follow in the same line.
 *
 * Shenandoah writes its concurrent phases in the same form:
 *
 *     14467.171: [Pause Final Mark 1980M->174M(2048M), 0.558 ms]
 *     14467.158: [Concurrent marking 1966M->1980M(2048M), 12.657 ms]
 */
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/gc/gc_log_line.h"

#include <string.h>

#define LONGEST_OPEN 65536 /* bytes of one collection */
#define MOST_LINES   1000  /* of one collection */

static bool text_has(struct line l, const char *word)
{
	return l.len && memmem(l.text, l.len, word, strlen(word));
}

bool gc_log8_reset(struct gc_log8 *s)
{
	bool was_open = s->open.len > 0;

	text_clear(&s->open);
	s->depth = 0;
	s->lines = 0;
	s->is_nested = false;
	s->in_details = false;
	return was_open;
}

void gc_log8_release(struct gc_log8 *s)
{
	text_release(&s->open);
	*s = (struct gc_log8){ 0 };
}

/* "[GC concurrent-mark-end" and "[GC Worker End" are no collections. */
static bool log8_is_collection(struct line l)
{
	if (l.len < 3 || *l.text != '[' || !memchr("GFPC", l.text[1], 4))
		return false;
	if (line_starts(l, "[GC"))
		return l.len < 6 || (!gc_log_may_start(l, "[GC concurrent") &&
				     !gc_log_may_start(l, "[GC Worker"));
	return line_starts(l, "[Full GC") || line_starts(l, "[Pause ") ||
	       line_starts(l, "[Concurrent ");
}

/* Lines without a time, which -XX:-PrintGCTimeStamps omits. */
static bool log8_is_bracketed(struct line l)
{
	return log8_is_collection(l) || line_starts(l, "[GC concurrent") ||
	       line_starts(l, "[CMS-concurrent") || line_starts(l, "[Times: ");
}

/*
 * The first line of a file: "OpenJDK 64-Bit Server VM (25.452-b09) for
 * linux-amd64 JRE (1.8.0_452-b09), built on …".
 */
static bool log8_is_banner(struct line l)
{
	return (line_starts(l, "OpenJDK ") || line_starts(l, "Java HotSpot")) &&
	       text_has(l, ") for ") && text_has(l, " JRE (");
}

bool gc_log8_is_line(const struct gc_log8 *s, struct line line)
{
	if (!line.len)
		return false;
	/* An open collection may contain any line. */
	if (*line.text == '[' && !s->open.len)
		return s->in_details || log8_is_bracketed(line);
	if (is_digit(*line.text) || *line.text == '#' || s->open.len ||
	    line_starts(line, "CommandLine flags:") || log8_is_banner(line))
		return true;
	return s->is_known && !line_starts(line, "GC(") &&
	       !line_starts(line, "Safepoint");
}

/*
 * Takes the date, the time since the JVM started, and the number of the
 * collection (-XX:+PrintGCID: "#12: "), if they are there.
 */
static void log8_take_times(struct line *rest, struct gc_log_line *l)
{
	struct line at = *rest;

	if (gc_log_take_date(&at, &l->epoch_ns) && gc_log_take(&at, ": "))
		*rest = at;
	else
		l->epoch_ns = GC_ABSENT;
	at = *rest;
	if (gc_log_take_decimal(&at, CLOCK_NS_PER_S, &l->uptime_ns) &&
	    gc_log_take(&at, ": "))
		*rest = at;
	else
		l->uptime_ns = GC_ABSENT;
	at = *rest;
	if (gc_log_take(&at, "#") && gc_log_take_decimal(&at, 1, &l->number) &&
	    gc_log_take(&at, ": "))
		*rest = at;
	else
		l->number = GC_ABSENT;
}

/* Returns how many bytes of times are at the end of the text before `end`. */
static size_t log8_times_before(struct line line, size_t end)
{
	size_t from = end, at;

	while (from > 2 && memcmp(line.text + from - 2, ": ", 2) == 0) {
		struct line token;
		struct gc_log_line unused;

		for (at = from - 2;
		     at && memchr("0123456789.,:+-TZ#", line.text[at - 1], 18);
		     at--)
			;
		token = (struct line){ line.text + at, from - at };
		log8_take_times(&token, &unused);
		if (token.len)
			break;
		from = at;
	}
	return end - from;
}

size_t gc_log8_find(struct line line)
{
	struct line rest = line;

	while (rest.len) {
		const char *at = memchr(rest.text, '[', rest.len);
		size_t offset;

		if (!at)
			break;
		offset = (size_t)(at - line.text);
		rest = (struct line){ at, line.len - offset };
		if (log8_is_collection(rest))
			return offset - log8_times_before(line, offset);
		rest.text++;
		rest.len--;
	}
	return line.len;
}

/* "[Times: user=0.01 sys=0.00, real=0.15 secs]" */
static void log8_read_cpu(struct line l, struct gc_log_line *out)
{
	const char *at = l.len ? memmem(l.text, l.len, "[Times: user=", 13)
			       : NULL;
	struct line rest;
	int64_t user, sys, real;

	if (!at)
		return;
	rest = (struct line){ at, (size_t)(l.text + l.len - at) };
	gc_log_take(&rest, "[Times: user=");
	if (gc_log_take_decimal(&rest, CLOCK_NS_PER_S, &user) &&
	    gc_log_take(&rest, " sys=") &&
	    gc_log_take_decimal(&rest, CLOCK_NS_PER_S, &sys) &&
	    gc_log_take(&rest, ", real=") &&
	    gc_log_take_decimal(&rest, CLOCK_NS_PER_S, &real) &&
	    gc_log_take(&rest, " secs]"))
		out->cpu_ns = user + sys;
}

/* Takes ", 0.1431678 secs", or " 0.005/0.043 secs", off the end of a text. */
static bool log8_cut_time(struct line *l, int64_t *ns)
{
	int64_t unit = line_ends(*l, " ms") ? 1000000 : CLOCK_NS_PER_S;
	struct line all = *l, number;
	size_t from;

	if (unit == CLOCK_NS_PER_S && !line_ends(all, " secs"))
		return false;
	all.len -= unit == CLOCK_NS_PER_S ? strlen(" secs") : strlen(" ms");
	for (from = all.len;
	     from && all.text[from - 1] != ' ' && all.text[from - 1] != '/';
	     from--)
		;
	number = (struct line){ all.text + from, all.len - from };
	if (!gc_log_take_decimal(&number, unit, ns) || number.len)
		return false;
	l->len = from;
	return true;
}

/*
 * Reads the heap of a collection, which is outside of the inner brackets. CMS
 * prints the sizes that are in use, "7373K(95040K)", for its own pauses.
 */
static void log8_read_heap(struct line all, struct gc_log_line *l)
{
	struct line rest = all;
	unsigned depth = 0;
	char before = ' ';

	while (rest.len) {
		struct line at = rest;
		int64_t used;

		depth += *rest.text == '[';
		depth -= *rest.text == ']' && depth;
		if (depth == 1 && before == ' ' && gc_log_take_heap(&at, l)) {
			rest = at;
			before = ')';
			continue;
		}
		if (depth == 1 && before == ' ' && l->before == GC_ABSENT &&
		    gc_log_take_size(&at, &used) && gc_log_take(&at, "(") &&
		    gc_log_take_size(&at, &l->committed)) {
			l->before = used;
			l->after = used;
		}
		before = *rest.text;
		rest.text++;
		rest.len--;
	}
}

static const char *log8_collector(struct line all)
{
	static const struct {
		const char *word, *collector;
	} words[] = {
		{ "PSYoungGen", "Parallel" },
		{ "ParOldGen", "Parallel" },
		{ "PSOldGen", "Parallel" },
		{ "ParNew", "CMS" },
		{ "CMS", "CMS" },
		{ "DefNew", "Serial" },
		{ "Tenured", "Serial" },
		{ "[GC pause", "G1" },
		{ "[GC remark", "G1" },
		{ "[GC cleanup", "G1" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (text_has(all, words[i].word))
			return words[i].collector;
	}
	return NULL;
}

/* Reads the kind, the cause and the name of a collection. */
static void log8_read_head(struct line all, struct gc_log_line *l)
{
	struct line rest = all, group = { 0 };
	bool is_cms = text_has(all, "CMS-");

	l->pause = GC_YOUNG;
	if (gc_log_take(&rest, "[Full GC"))
		l->pause = GC_FULL;
	else
		gc_log_take(&rest, "[GC");
	gc_log_take(&rest, "--"); /* a failed promotion */
	if (gc_log_take(&rest, " remark") ||
	    (is_cms && text_has(all, "CMS-remark")))
		l->name = (struct line){ "Pause Remark", 12 };
	else if (gc_log_take(&rest, " cleanup"))
		l->name = (struct line){ "Pause Cleanup", 13 };
	else if (is_cms && text_has(all, "CMS-initial-mark"))
		l->name = (struct line){ "Pause Initial Mark", 18 };
	if (l->name.len)
		l->pause = GC_CYCLE_PAUSE;
	gc_log_take(&rest, " pause");
	gc_log_take(&rest, " ");
	if (gc_log_take_group(&rest, &group) && !line_is(group, "young") &&
	    !line_is(group, "mixed")) {
		l->cause = group;
		gc_log_take_group(&rest, &group);
	}
	if (line_is(group, "mixed"))
		l->pause = GC_MIXED;
}

/* The words of HotSpot for collections that ran out of space; the first win. */
static void log8_find_failure(struct line all, struct gc_log_line *l)
{
	static const char *const words[] = {
		"(to-space exhausted)",
		"(to-space overflow)",
		"(concurrent mode failure",
		"(promotion failed",
	};
	const char *at = all.text, *end = all.text + all.len;
	size_t found = sizeof(words) / sizeof(*words);

	for (; (at = memchr(at, '(', (size_t)(end - at))); at++) {
		struct line rest = { at, (size_t)(end - at) };

		if (rest.len < 2 || !memchr("tcp", at[1], 3))
			continue;
		for (size_t i = 0; i < found; i++) {
			if (line_starts(rest, words[i]) &&
			    gc_log_take_group(&rest, &l->failure))
				found = i;
		}
	}
	if (!l->failure.len && line_starts(all, "[GC--"))
		l->failure = (struct line){ "promotion failed", 16 };
}

/* Moves a time, of the start of a collection, to its end. */
static int64_t log8_end(int64_t start_ns, int64_t ns)
{
	int64_t end;

	if (start_ns == GC_ABSENT || __builtin_add_overflow(start_ns, ns, &end))
		return start_ns;
	return end;
}

/* "Pause Final Mark 1980M->174M(2048M)", "Concurrent marking", … */
static void log8_read_shenandoah(struct line body, struct gc_log_line *l)
{
	struct line name = body;

	l->collector = "Shenandoah";
	if (gc_log_take(&body, "Pause ")) {
		gc_log_read_pause(body, l);
		l->collector = "Shenandoah";
		l->name = (struct line){ name.text,
					 l->name.len + strlen("Pause ") };
		return;
	}
	for (name.len = 0; name.len < body.len; name.len++) {
		struct line heap = { name.text + name.len,
				     body.len - name.len };

		if (gc_log_take(&heap, "  ") || gc_log_take(&heap, ",") ||
		    (gc_log_take(&heap, " ") && gc_log_take_heap(&heap, l)))
			break;
	}
	l->kind = GC_LOG_PHASE;
	l->is_concurrent = true;
	l->name = name;
	l->opens_cycle = line_is(name, "Concurrent reset");
	l->closes_cycle = line_is(name, "Concurrent reset bitmaps");
}

/* Reads the collection in s->open, which is complete. */
static void log8_read_collection(struct gc_log8 *s, struct gc_log_line *l)
{
	struct line all = { s->open.bytes, s->open.len };
	struct line body = { all.text + 1, all.len - 2 };
	int64_t ns;

	if (line_ends(body, ", start")) {
		l->kind = GC_LOG_START; /* "[Pause Full, start]" */
		s->has_starts = true;
		return;
	}
	l->kind = GC_LOG_BROKEN;
	if (!log8_cut_time(&body, &ns))
		return;
	l->ns = ns;
	l->number = s->number;
	l->epoch_ns = log8_end(s->epoch_ns, s->has_starts ? 0 : ns);
	l->uptime_ns = log8_end(s->uptime_ns, s->has_starts ? 0 : ns);
	if (!line_starts(all, "[GC") && !line_starts(all, "[Full GC")) {
		body = line_trimmed(body);
		body.len -= line_ends(body, ",");
		log8_read_shenandoah(body, l);
		return;
	}
	l->kind = GC_LOG_PAUSE;
	log8_read_head(all, l);
	log8_read_heap(all, l);
	log8_find_failure(all, l);
	if (!s->collector)
		s->collector = log8_collector(all);
	l->collector = s->collector;
}

/*
 * A row of a class histogram, "  12:  2050241  4701812112 [Ljava.lang.Object;",
 * whose brackets belong to names.
 */
static bool log8_is_histogram(struct line line)
{
	struct line rest = line_trimmed(line);
	int64_t unused;

	if (!gc_log_take_decimal(&rest, 1, &unused) || !gc_log_take(&rest, ":"))
		return false;
	for (int column = 0; column < 2; column++) {
		rest = line_trimmed(rest);
		if (!gc_log_take_decimal(&rest, 1, &unused) ||
		    !gc_log_take(&rest, " "))
			return false;
	}
	return true;
}

/* True for a range of addresses, "[0x80b90000, 0x90b90000, 0x90b90000)". */
static bool log8_is_range(const char *at, const char *end)
{
	if (end - at < 3 || memcmp(at, "[0x", 3) != 0)
		return false;
	for (at++; at < end && (hex_digit(*at) >= 0 || memchr("x, ", *at, 3));
	     at++)
		;
	return at < end && *at == ')';
}

/* Returns the length of the text that ends the open collection, or 0. */
static size_t log8_count_brackets(struct gc_log8 *s, struct line line)
{
	const char *end = line.text + line.len;

	for (const char *at = line.text; at < end; at++) {
		s->depth += *at == '[' && !log8_is_range(at, end);
		if (*at == ']' && !--s->depth)
			return (size_t)(at + 1 - line.text);
	}
	return 0;
}

/*
 * Adds a line to the open collection, which may end with it. *line becomes the
 * text behind it.
 */
static void log8_add_line(struct gc_log8 *s, struct line *line,
			  struct gc_log_line *l)
{
	size_t last;

	l->kind = GC_LOG_OTHER;
	if (log8_is_histogram(*line)) {
		line->len = 0;
		return;
	}
	last = log8_count_brackets(s, *line);
	text_add(&s->open, line->text, last ? last : line->len);
	if (last) {
		line->text += last;
		line->len -= last;
		log8_read_collection(s, l);
		s->in_details = l->kind == GC_LOG_PAUSE;
		/* The texts of *l stay in the memory of s->open. */
		s->open.len = 0;
		s->depth = 0;
		s->lines = 0;
		s->is_nested = false;
		return;
	}
	line->len = 0;
	text_putc(&s->open, ' ');
	if (s->open.len > LONGEST_OPEN || ++s->lines > MOST_LINES) {
		gc_log8_reset(s);
		l->kind = GC_LOG_BROKEN;
	}
}

/* "[CMS-concurrent-mark: 0.005/0.043 secs]", "[GC concurrent-mark-end, …]" */
static void log8_read_concurrent(struct line rest, struct gc_log_line *l)
{
	struct line all = rest, name;
	bool is_g1 = gc_log_take(&rest, "[GC ");

	l->kind = GC_LOG_OTHER;
	if (!is_g1)
		gc_log_take(&rest, "[");
	name = line_cut(&rest, is_g1 ? ',' : ':');
	if (line_ends(name, "-start]"))
		return;
	if (line_ends(name, "-end"))
		name.len -= strlen("-end");
	all.len = rest.len ? (size_t)(rest.text - all.text) : all.len;
	rest = line_cut(&rest, ']');
	if (!log8_cut_time(&rest, &l->ns)) {
		/* An abort has no duration. */
		l->kind = all.len == 0 ? GC_LOG_BROKEN : GC_LOG_OTHER;
		return;
	}
	l->kind = GC_LOG_PHASE;
	l->is_concurrent = true;
	l->name = name;
	l->collector = is_g1 ? "G1" : "CMS";
	l->opens_cycle = line_is(name, "CMS-concurrent-mark") ||
			 line_is(name, "concurrent-root-region-scan");
	l->closes_cycle = line_is(name, "CMS-concurrent-reset");
}

/* Lines with details follow a collection until its CPU time. */
static void log8_read_details(struct gc_log8 *s, struct line line,
			      struct gc_log_line *l)
{
	struct line trimmed = line_trimmed(line), rest;
	const char *heap;

	l->kind = GC_LOG_OTHER;
	l->number = s->number;
	if (line_starts(trimmed, "[Times: ")) {
		log8_read_cpu(trimmed, l);
		l->kind = l->cpu_ns == GC_ABSENT ? GC_LOG_BROKEN : GC_LOG_CPU;
		s->in_details = false;
		return;
	}
	if (!line_starts(trimmed, "[Eden: "))
		return;
	heap = memmem(line.text, line.len, " Heap: ", 7);
	if (!heap)
		return;
	rest = (struct line){ heap, (size_t)(line.text + line.len - heap) };
	gc_log_take(&rest, " Heap: ");
	l->kind = gc_log_take_heap(&rest, l) ? GC_LOG_HEAP : GC_LOG_BROKEN;
	log8_read_cpu(trimmed, l);
}

static void log8_read_flags(struct gc_log8 *s, struct line line,
			    struct gc_log_line *l)
{
	static const struct {
		const char *flag, *collector;
	} flags[] = {
		{ "-XX:+UseSerialGC", "Serial" },
		{ "-XX:+UseParallelGC", "Parallel" },
		{ "-XX:+UseConcMarkSweepGC", "CMS" },
		{ "-XX:+UseG1GC", "G1" },
	};

	l->kind = GC_LOG_OTHER;
	s->collector = NULL;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		if (text_has(line, flags[i].flag)) {
			l->kind = GC_LOG_COLLECTOR;
			l->collector = flags[i].collector;
		}
	}
}

/*
 * True for a collection inside of an open one: with
 * -XX:+CMSScavengeBeforeRemark a young collection is part of CMS's remark.
 */
static bool log8_nests(const struct gc_log8 *s)
{
	struct line open = { s->open.bytes, s->open.len };

	return open.len && !s->is_nested &&
	       (text_has(open, "[YG occupancy") ||
		text_has(open, "(CMS Final Remark)"));
}

/* The brackets inside of collections. */
static bool log8_is_inner(struct line l)
{
	static const char *const inner[] = { "[ParNew",     "[DefNew",
					     "[PSYoungGen", "[Tenured",
					     "[CMS:",       "[YG occupancy",
					     "[1 CMS-",     "[Rescan (" };

	for (size_t i = 0; i < sizeof(inner) / sizeof(*inner); i++) {
		/* Most details are rejected without a call. */
		if (l.len > 2 && l.text[1] == inner[i][1] &&
		    l.text[2] == inner[i][2] && line_starts(l, inner[i]))
			return true;
	}
	return false;
}

/*
 * True for a part of a collection whose start has been lost: an inner bracket,
 * or ", 0.0011450 secs]" without an opening bracket before it.
 */
static bool log8_is_torn(struct line line)
{
	const char *open = memchr(line.text, '[', line.len);
	const char *close = memchr(line.text, ']', line.len);
	struct line before = { line.text, (size_t)(close - line.text) };

	if (close && (!open || close < open) && line_ends(before, " secs"))
		return true;
	while (open) {
		struct line rest = { open, line.len };

		rest.len -= (size_t)(open - line.text);
		if (log8_is_inner(rest))
			return true;
		open = memchr(open + 1, '[', rest.len - 1);
	}
	return false;
}

/* Begins a collection with the text behind its times, which are in *l. */
static void log8_open(struct gc_log8 *s, struct line *rest,
		      struct gc_log_line *l)
{
	bool broken = gc_log8_reset(s);

	s->is_known = true;
	s->in_histogram = false;
	s->epoch_ns = l->epoch_ns;
	s->uptime_ns = l->uptime_ns;
	s->number = l->number;
	log8_add_line(s, rest, l);
	l->broken_before = broken;
}

/* A line outside of a collection; its times are in *l. */
static void log8_read_outside(struct gc_log8 *s, struct line line,
			      struct line rest, struct gc_log_line *l)
{
	l->kind = GC_LOG_OTHER;
	if (line_starts(rest, "[GC concurrent") ||
	    line_starts(rest, "[CMS-concurrent")) {
		log8_read_concurrent(rest, l);
	} else if (gc_log_read_stopped(rest, l) ||
		   line_starts(rest, "Application time: ")) {
		;
	} else if (line_starts(line, "CommandLine flags:")) {
		log8_read_flags(s, line, l);
	} else if (line_starts(rest, "[Class Histogram")) {
		s->in_histogram = true;
		return;
	} else if (s->in_details && line_starts(line, "   ")) {
		log8_read_details(s, line, l); /* of G1 */
		return;
	} else if (log8_is_torn(rest)) {
		l->kind = s->in_histogram ? GC_LOG_OTHER : GC_LOG_BROKEN;
		s->in_histogram = false;
		return;
	} else if (s->in_details) {
		log8_read_details(s, line, l);
		return;
	} else {
		s->is_known = s->is_known || log8_is_banner(line);
		l->kind = s->is_known ? GC_LOG_OTHER : GC_LOG_FOREIGN;
		return;
	}
	s->is_known = true;
	s->in_details = false;
}

bool gc_log8_read(struct gc_log8 *s, struct line *line, struct gc_log_line *l)
{
	struct line rest = *line, piece = *line;
	bool begins, has_text = false;
	size_t at;

	gc_log_line_init(l);
	log8_take_times(&rest, l);
	begins = log8_is_collection(rest);
	if (begins && !log8_nests(s)) {
		log8_open(s, &rest, l);
		*line = rest;
		return false;
	}
	if (s->open.len) {
		s->is_nested = s->is_nested || begins;
		log8_add_line(s, line, l);
		return false;
	}
	/* A collection may follow the CPU time of the last one. */
	if (line_starts(line_trimmed(piece), "[Times: ")) {
		line_cut(line, ']');
	} else {
		/* G1's details, most of a log, are lines of their own. */
		at = s->in_details && line_starts(piece, "   ")
			     ? piece.len
			     : gc_log8_find(piece);
		has_text = at < piece.len && piece.text + at > rest.text;
		at = has_text ? at : piece.len;
		*line = (struct line){ piece.text + at, piece.len - at };
	}
	piece.len -= line->len;
	rest.len -= line->len;
	log8_read_outside(s, piece, rest, l);
	return has_text;
}

bool gc_log8_is_cut(struct line line)
{
	static const char *const starts[] = { "[GC",
					      "[Full GC",
					      "[Pause ",
					      "[Times: ",
					      "[Eden: ",
					      "[CMS-concurrent-",
					      "Total time for which" };
	struct line rest = line_trimmed(line);
	struct gc_log_line l;
	size_t at;

	log8_take_times(&rest, &l);
	for (at = 0;
	     at < rest.len && memchr("0123456789.,:+-TZ# ", rest.text[at], 19);
	     at++)
		;
	if (at == rest.len)
		return at > 0;
	if (line_ends(rest, "]"))
		return false;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		if (gc_log_may_start(rest, starts[i]))
			return true;
	}
	return false;
}
