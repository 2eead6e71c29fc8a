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
 * with details. All of them balance their brackets, so the collection ends with
 * the bracket that closes its first one.
 */
#include "core/gc/gc_log_line.h"

#include <string.h>

#define SECOND       INT64_C(1000000000)
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
	s->in_details = false;
	return was_open;
}

void gc_log8_release(struct gc_log8 *s)
{
	text_release(&s->open);
	*s = (struct gc_log8){ 0 };
}

static bool log8_is_collection(struct line l)
{
	return line_starts(l, "[GC") || line_starts(l, "[Full GC");
}

/* The lines at the start of a file. */
static bool log8_is_banner(struct line l)
{
	return line_starts(l, "OpenJDK ") || line_starts(l, "Java HotSpot") ||
	       line_starts(l, "Memory: ");
}

bool gc_log8_is_line(const struct gc_log8 *s, struct line line)
{
	if (!line.len)
		return false;
	/* An open collection may contain any line. */
	if (*line.text == '[' && !s->open.len)
		return log8_is_collection(line);
	if ((*line.text >= '0' && *line.text <= '9') || s->open.len ||
	    line_starts(line, "CommandLine flags:") || log8_is_banner(line))
		return true;
	return s->is_known && !line_starts(line, "GC(") &&
	       !line_starts(line, "Safepoint");
}

/* Takes the date and the time since the JVM started, if they are there. */
static void log8_take_times(struct line *rest, int64_t *epoch_ns,
			    int64_t *uptime_ns)
{
	struct line l = *rest;

	*epoch_ns = GC_ABSENT;
	*uptime_ns = GC_ABSENT;
	if (gc_log_take_date(&l, epoch_ns) && gc_log_take(&l, ": "))
		*rest = l;
	else
		*epoch_ns = GC_ABSENT;
	l = *rest;
	if (gc_log_take_decimal(&l, SECOND, uptime_ns) && gc_log_take(&l, ": "))
		*rest = l;
	else
		*uptime_ns = GC_ABSENT;
}

/* "[Times: user=0.01 sys=0.00, real=0.15 secs]" */
static void log8_read_cpu(struct line l, struct gc_log_line *out)
{
	const char *at = l.len ? memmem(l.text, l.len, "[Times: user=", 13)
			       : NULL;
	struct line rest;
	int64_t user, sys;

	if (!at)
		return;
	rest = (struct line){ at, (size_t)(l.text + l.len - at) };
	gc_log_take(&rest, "[Times: user=");
	if (gc_log_take_decimal(&rest, SECOND, &user) &&
	    gc_log_take(&rest, " sys=") &&
	    gc_log_take_decimal(&rest, SECOND, &sys) &&
	    gc_log_take(&rest, ", real="))
		out->cpu_ns = user + sys;
}

/* Reads "…, 0.1431678 secs" at the end of a text. */
static bool log8_read_seconds(struct line l, int64_t *ns)
{
	struct line number;
	size_t from;

	if (!line_ends(l, " secs"))
		return false;
	l.len -= strlen(" secs");
	for (from = l.len;
	     from && l.text[from - 1] != ' ' && l.text[from - 1] != '/'; from--)
		;
	number = (struct line){ l.text + from, l.len - from };
	return gc_log_take_decimal(&number, SECOND, ns) && !number.len;
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

	l->pause = GC_YOUNG;
	if (gc_log_take(&rest, "[Full GC"))
		l->pause = GC_FULL;
	else
		gc_log_take(&rest, "[GC");
	gc_log_take(&rest, "--"); /* a failed promotion */
	if (gc_log_take(&rest, " remark") || text_has(all, "CMS-remark"))
		l->name = (struct line){ "Pause Remark", 12 };
	else if (gc_log_take(&rest, " cleanup"))
		l->name = (struct line){ "Pause Cleanup", 13 };
	else if (text_has(all, "CMS-initial-mark"))
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

/* Moves a time, of the start of a collection, to its end. */
static int64_t log8_end(int64_t start_ns, int64_t ns)
{
	int64_t end;

	if (start_ns == GC_ABSENT || __builtin_add_overflow(start_ns, ns, &end))
		return start_ns;
	return end;
}

/* Reads the collection in s->open, whose first bracket closes at `end`. */
static void log8_read_collection(struct gc_log8 *s, size_t end,
				 struct gc_log_line *l)
{
	struct line all = { s->open.bytes, end };
	struct line tail = { s->open.bytes + end, s->open.len - end };

	l->kind = GC_LOG_BROKEN;
	if (!log8_read_seconds((struct line){ all.text, all.len - 1 }, &l->ns))
		return;
	l->kind = GC_LOG_PAUSE;
	l->epoch_ns = log8_end(s->epoch_ns, l->ns);
	l->uptime_ns = log8_end(s->uptime_ns, l->ns);
	log8_read_head(all, l);
	log8_read_heap(all, l);
	l->collector = log8_collector(all);
	log8_read_cpu(tail, l);
	s->in_details = l->cpu_ns == GC_ABSENT;
}

/* Returns the position behind the bracket that closes the first one, or 0. */
static size_t log8_count_brackets(struct gc_log8 *s, size_t from)
{
	for (size_t i = from; i < s->open.len; i++) {
		s->depth += s->open.bytes[i] == '[';
		if (s->open.bytes[i] == ']' && !--s->depth)
			return i + 1;
	}
	return 0;
}

/* Adds a line to the open collection, which may end with it. */
static void log8_add_line(struct gc_log8 *s, struct line line,
			  struct gc_log_line *l)
{
	size_t from = s->open.len;
	size_t end;

	l->kind = GC_LOG_OTHER;
	text_add(&s->open, line.text, line.len);
	end = log8_count_brackets(s, from);
	if (end) {
		log8_read_collection(s, end, l);
		/* The texts of *l stay in the memory of s->open. */
		s->open.len = 0;
		s->depth = 0;
		s->lines = 0;
		return;
	}
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
	if (!log8_read_seconds(line_cut(&rest, ']'), &l->ns)) {
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
	struct line trimmed = line_trimmed(line);
	const char *heap = memmem(line.text, line.len, " Heap: ", 7);

	l->kind = GC_LOG_OTHER;
	if (line_starts(trimmed, "[Times: ")) {
		log8_read_cpu(trimmed, l);
		l->kind = l->cpu_ns == GC_ABSENT ? GC_LOG_BROKEN : GC_LOG_CPU;
		s->in_details = false;
	} else if (line_starts(trimmed, "[Eden: ") && heap) {
		struct line rest = {
			heap + 7, (size_t)(line.text + line.len - heap) - 7
		};

		l->kind = gc_log_take_heap(&rest, l) ? GC_LOG_HEAP
						     : GC_LOG_BROKEN;
	}
}

static void log8_read_flags(struct line line, struct gc_log_line *l)
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
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		if (text_has(line, flags[i].flag)) {
			l->kind = GC_LOG_COLLECTOR;
			l->collector = flags[i].collector;
		}
	}
}

/* Begins a collection with the text behind its times. */
static void log8_open(struct gc_log8 *s, struct line rest, int64_t epoch_ns,
		      int64_t uptime_ns, struct gc_log_line *l)
{
	bool broken = gc_log8_reset(s);

	s->is_known = true;
	s->epoch_ns = epoch_ns;
	s->uptime_ns = uptime_ns;
	log8_add_line(s, rest, l);
	l->broken_before = broken;
}

void gc_log8_read(struct gc_log8 *s, struct line line, struct gc_log_line *l)
{
	struct line rest = line;
	int64_t epoch_ns, uptime_ns;

	gc_log_line_init(l);
	log8_take_times(&rest, &epoch_ns, &uptime_ns);
	if (log8_is_collection(rest) && !line_starts(rest, "[GC concurrent")) {
		log8_open(s, rest, epoch_ns, uptime_ns, l);
		return;
	}
	if (s->open.len) {
		log8_add_line(s, line, l);
		return;
	}
	if (line_starts(rest, "[GC concurrent") ||
	    line_starts(rest, "[CMS-concurrent")) {
		log8_read_concurrent(rest, l);
	} else if (gc_log_read_stopped(rest, l) ||
		   line_starts(rest, "Application time: ")) {
		if (l->kind != GC_LOG_STOP && l->kind != GC_LOG_BROKEN)
			l->kind = GC_LOG_OTHER;
	} else if (line_starts(line, "CommandLine flags:")) {
		log8_read_flags(line, l);
	} else if (s->in_details) {
		log8_read_details(s, line, l);
		return;
	} else {
		s->is_known = s->is_known || log8_is_banner(line);
		l->kind = s->is_known ? GC_LOG_OTHER : GC_LOG_FOREIGN;
		return;
	}
	l->epoch_ns = epoch_ns;
	l->uptime_ns = uptime_ns;
	s->is_known = true;
	s->in_details = false;
}
