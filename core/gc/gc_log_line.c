/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_log_line.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/gc/gc_names.h"

#include <string.h>
#include <time.h>

/* Sums and differences of two values fit into 64 bits. As a time: year 2096. */
#define MOST_VALUE INT64_C(4000000000000000000)
/* Bytes before the text of the JVM, and brackets in them that are tried. */
#define LONGEST_PREFIX 512
#define MOST_TRIES     16

void gc_log_line_init(struct gc_log_line *l)
{
	*l = (struct gc_log_line){
		.epoch_ns = GC_ABSENT,
		.uptime_ns = GC_ABSENT,
		.number = GC_ABSENT,
		.ns = GC_ABSENT,
		.stopped_ns = GC_ABSENT,
		.sync_ns = GC_ABSENT,
		.cpu_ns = GC_ABSENT,
		.before = GC_ABSENT,
		.after = GC_ABSENT,
		.committed = GC_ABSENT,
	};
}

/* ---- numbers ---- */

static void line_skip(struct line *l, size_t len)
{
	l->text += len;
	l->len -= len;
}

bool gc_log_take(struct line *rest, const char *text)
{
	if (!line_starts(*rest, text))
		return false;
	line_skip(rest, strlen(text));
	return true;
}

bool gc_log_take_decimal(struct line *rest, int64_t unit, int64_t *value)
{
	struct line l = *rest;
	int64_t whole = 0, part = 0;

	if (!l.len || !is_digit(*l.text))
		return false;
	for (; l.len && is_digit(*l.text); line_skip(&l, 1)) {
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, *l.text - '0', &whole))
			return false;
	}
	/* JVMs print the decimal point of their locale. */
	if (l.len > 1 && (*l.text == '.' || *l.text == ',') &&
	    is_digit(l.text[1])) {
		int64_t scale = unit;

		for (line_skip(&l, 1); l.len && is_digit(*l.text);
		     line_skip(&l, 1)) {
			/* Digits below the unit's resolution add nothing. */
			part += scale / 10 * (*l.text - '0') +
				scale % 10 * (*l.text - '0') / 10;
			scale /= 10;
		}
	}
	if (__builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, part, value) || *value > MOST_VALUE)
		return false;
	*rest = l;
	return true;
}

bool gc_log_take_size(struct line *rest, int64_t *bytes)
{
	static const char units[] = "BKMGT";
	struct line l = *rest;
	const char *unit;

	while (l.len && (is_digit(*l.text) || *l.text == '.' || *l.text == ','))
		line_skip(&l, 1);
	unit = l.len ? memchr(units, *l.text, sizeof(units) - 1) : NULL;
	if (!unit)
		return false;
	l = *rest;
	if (!gc_log_take_decimal(&l, INT64_C(1) << 10 * (unit - units),
				 bytes) ||
	    !l.len || *l.text != *unit)
		return false;
	line_skip(&l, 1);
	*rest = l;
	return true;
}

/* "(98304K)", "(10%)": a capacity, or a share that is skipped. */
static bool log_take_capacity(struct line *rest, int64_t *bytes)
{
	struct line l = *rest;
	int64_t share;

	if (!gc_log_take(&l, "("))
		return false;
	if (!gc_log_take_size(&l, bytes)) {
		if (!gc_log_take_decimal(&l, 1, &share) ||
		    !gc_log_take(&l, "%"))
			return false;
	}
	if (!gc_log_take(&l, ")"))
		return false;
	*rest = l;
	return true;
}

bool gc_log_take_heap(struct line *rest, struct gc_log_line *l)
{
	int64_t before, after, unused, committed = GC_ABSENT;
	struct line at = *rest;

	if (!gc_log_take_size(&at, &before))
		return false;
	log_take_capacity(&at, &unused);
	if (!gc_log_take(&at, "->") || !gc_log_take_size(&at, &after))
		return false;
	log_take_capacity(&at, &committed);
	l->before = before;
	l->after = after;
	l->committed = committed;
	*rest = at;
	return true;
}

/* Takes exactly `digits` digits. */
static bool log_take_digits(struct line *rest, size_t digits, int *value)
{
	int number = 0;

	if (rest->len < digits)
		return false;
	for (size_t i = 0; i < digits; i++) {
		if (!is_digit(rest->text[i]))
			return false;
		number = number * 10 + rest->text[i] - '0';
	}
	line_skip(rest, digits);
	*value = number;
	return true;
}

/* "+0200", "-0330", "+02:00", "Z"; returns seconds. */
static bool log_take_zone(struct line *rest, int *seconds)
{
	int hours, minutes, sign;

	if (gc_log_take(rest, "Z")) {
		*seconds = 0;
		return true;
	}
	if (!rest->len || (*rest->text != '+' && *rest->text != '-'))
		return false;
	sign = *rest->text == '-' ? -1 : 1;
	line_skip(rest, 1);
	if (!log_take_digits(rest, 2, &hours))
		return false;
	gc_log_take(rest, ":");
	if (!log_take_digits(rest, 2, &minutes))
		return false;
	*seconds = sign * (hours * 3600 + minutes * 60);
	return true;
}

bool gc_log_take_date(struct line *rest, int64_t *ns)
{
	struct line l = *rest;
	struct tm tm = { 0 };
	int64_t part = 0;
	int zone;

	if (!log_take_digits(&l, 4, &tm.tm_year) || !gc_log_take(&l, "-") ||
	    !log_take_digits(&l, 2, &tm.tm_mon) || !gc_log_take(&l, "-") ||
	    !log_take_digits(&l, 2, &tm.tm_mday) || !gc_log_take(&l, "T") ||
	    !log_take_digits(&l, 2, &tm.tm_hour) || !gc_log_take(&l, ":") ||
	    !log_take_digits(&l, 2, &tm.tm_min) || !gc_log_take(&l, ":") ||
	    !gc_log_take_decimal(&l, CLOCK_NS_PER_S, &part) ||
	    !log_take_zone(&l, &zone))
		return false;
	if (part >= 61 * CLOCK_NS_PER_S || tm.tm_year < 1970 ||
	    tm.tm_year > 2200)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	*ns = ((int64_t)timegm(&tm) - zone) * CLOCK_NS_PER_S + part;
	*rest = l;
	return true;
}

/* ---- decorators ---- */

/*
 * Reads one decorator. Of the four that are numbers with "ns" or "ms", the one
 * since the JVM's start comes last, and the one since the epoch is large.
 */
static void unified_read_decorator(struct line d, struct gc_log_line *l)
{
	struct line rest = d;
	int64_t number;

	if (!d.len || !is_digit(*d.text))
		return;
	if (gc_log_take_date(&rest, &number)) {
		l->epoch_ns = number;
		return;
	}
	rest = d;
	if (line_ends(d, "ms") &&
	    gc_log_take_decimal(&rest, 1000000, &number) &&
	    line_is(rest, "ms")) {
		/* A JVM that is 31 years old is unlikely. */
		if (number > 1000000000 * CLOCK_NS_PER_S)
			l->epoch_ns = number;
		else
			l->uptime_ns = number;
		return;
	}
	rest = d;
	if (line_ends(d, "ns") && gc_log_take_decimal(&rest, 1, &number) &&
	    line_is(rest, "ns")) {
		l->uptime_ns = number;
		return;
	}
	rest = d;
	if (gc_log_take_decimal(&rest, CLOCK_NS_PER_S, &number) &&
	    line_is(rest, "s"))
		l->uptime_ns = number;
}

/* Reads the times in front of a message. */
static void unified_read_decorators(struct line decorators,
				    struct gc_log_line *l)
{
	while (decorators.len) {
		struct line d;

		gc_log_take(&decorators, " ");
		line_skip(&decorators, 1); /* the bracket */
		d = line_cut(&decorators, ']');
		unified_read_decorator(line_trimmed(d), l);
	}
}

/* Returns the tags, "gc,phases", or an empty text if they are not shown. */
static struct line unified_tags(struct line decorators)
{
	while (decorators.len) {
		struct line d;

		gc_log_take(&decorators, " ");
		line_skip(&decorators, 1); /* the bracket */
		d = line_trimmed(line_cut(&decorators, ']'));
		if (line_is(d, "gc") || line_starts(d, "gc,") ||
		    line_starts(d, "safepoint"))
			return d;
	}
	return decorators;
}

/*
 * Returns the message and leaves its decorators in *decorators. A log collector
 * may put one of its own, "[pod/web-0/app] ", before those of the JVM.
 */
static struct line unified_message(struct line line, struct line *decorators)
{
	struct line message = line, at = line;
	const char *end;

	while (at.len && *at.text == '[' &&
	       (end = memchr(at.text, ']', at.len))) {
		line_skip(&at, (size_t)(end - at.text) + 1);
		message = at;
		if (at.len && *at.text == ' ')
			line_skip(&at, 1);
	}
	*decorators = (struct line){ line.text,
				     (size_t)(message.text - line.text) };
	/* With "none" there is no space. */
	if (decorators->len && message.len && *message.text == ' ')
		line_skip(&message, 1);
	return message;
}

/* ---- messages ---- */

/* Takes a duration such as "99.974ms" or "0.099s" off the end of *l. */
static bool unified_cut_time(struct line *l, int64_t *ns)
{
	int64_t unit = 0;
	size_t end = l->len, from;
	struct line number;

	if (line_ends(*l, "ms")) {
		unit = 1000000;
		end -= 2;
	} else if (line_ends(*l, "s")) {
		unit = CLOCK_NS_PER_S;
		end -= 1;
	}
	/* A program that rewrites the log may put a space before the unit. */
	end -= unit && end && l->text[end - 1] == ' ';
	for (from = end; from && (is_digit(l->text[from - 1]) ||
				  memchr(".,", l->text[from - 1], 2));
	     from--)
		;
	number = (struct line){ l->text + from, end - from };
	if (!unit || !from || l->text[from - 1] != ' ' ||
	    !gc_log_take_decimal(&number, unit, ns) || number.len)
		return false;
	l->len = from - 1;
	return true;
}

/* Takes "6M->2M(96M)" off the end of *l. */
static bool unified_cut_heap(struct line *l, struct gc_log_line *out)
{
	size_t from = l->len;
	struct line heap;

	while (from && l->text[from - 1] != ' ')
		from--;
	heap = (struct line){ l->text + from, l->len - from };
	if (!from || !gc_log_take_heap(&heap, out) || heap.len)
		return false;
	l->len = from - 1;
	return true;
}

bool gc_log_take_group(struct line *rest, struct line *inside)
{
	size_t depth = 0;

	if (!line_starts(*rest, "("))
		return false;
	for (size_t i = 0; i < rest->len; i++) {
		depth += rest->text[i] == '(';
		if (rest->text[i] != ')' || --depth)
			continue;
		*inside = (struct line){ rest->text + 1, i - 1 };
		line_skip(rest, i + 1);
		gc_log_take(rest, " ");
		return true;
	}
	return false;
}

/* The cause of "Young (Normal) (G1 Evacuation Pause)", "Full (System.gc())". */
static struct line unified_cause(struct line name)
{
	static const char *const g1[] = { "Normal", "Mixed", "Prepare Mixed",
					  "Concurrent Start", "Initial Mark" };
	struct line rest = name, group = { name.text, 0 };

	if (!gc_log_take(&rest, "Young ") && !gc_log_take(&rest, "Full ") &&
	    !gc_log_take(&rest, "Mixed ") &&
	    !gc_log_take(&rest, "Initial Mark "))
		return group;
	if (!gc_log_take_group(&rest, &group))
		return group;
	for (size_t i = 0; i < sizeof(g1) / sizeof(*g1); i++) {
		struct line second;

		if (line_is(group, g1[i]))
			return gc_log_take_group(&rest, &second) ? second
								 : group;
	}
	return group;
}

/* "(ZWorker#1)", "(VM Thread)": the share of one thread, at debug level. */
static bool unified_is_share(struct line name)
{
	return line_ends(name, "(VM Thread)") ||
	       (line_ends(name, ")") &&
		memmem(name.text, name.len, "(ZWorker", strlen("(ZWorker")));
}

/*
 * True for a name without numbers, whose parentheses are balanced: the line
 * that announces a pause ends before the heap and the time.
 */
static bool unified_announces(struct line name)
{
	size_t depth = 0;

	for (size_t i = 0; i < name.len; i++) {
		depth += name.text[i] == '(';
		if (!depth && (is_digit(name.text[i]) || name.text[i] == '>'))
			return false;
		depth -= name.text[i] == ')' && depth;
	}
	return !depth;
}

void gc_log_read_pause(struct line rest, struct gc_log_line *l)
{
	static const char failure[] = "(Evacuation Failure";
	bool has_heap = unified_cut_heap(&rest, l);
	const char *failed = memmem(rest.text, rest.len, failure,
				    sizeof(failure) - 1);

	l->kind = GC_LOG_BROKEN;
	if (!has_heap && memmem(rest.text, rest.len, "->", 2))
		return;
	l->kind = GC_LOG_PAUSE;
	l->pause = gc_pause_name_kind(rest);
	l->cause = unified_cause(rest);
	l->name = rest;
	if (rest.len)
		l->collector = gc_pause_name_collector(rest);
	if (failed) {
		line_skip(&rest, (size_t)(failed - rest.text));
		gc_log_take_group(&rest, &l->failure);
	}
}

static void unified_read_pause(struct line name, struct gc_log_line *l)
{
	struct line rest = name;

	gc_log_take(&rest, "Pause ");
	if (!unified_cut_time(&rest, &l->ns)) {
		l->kind = unified_announces(rest) ? GC_LOG_START
						  : GC_LOG_BROKEN;
	} else if (!unified_is_share(rest)) {
		gc_log_read_pause(rest, l);
		/* "Pause Remark" */
		l->name = (struct line){ name.text,
					 l->name.len + strlen("Pause ") };
	}
}

/* The names of cycles of ZGC and G1. */
static bool unified_is_cycle(struct line message, struct gc_log_line *l)
{
	static const struct {
		const char *start, *collector;
	} cycles[] = {
		{ "Garbage Collection (", "ZGC" },
		{ "Minor Collection (", "ZGC" },
		{ "Major Collection (", "ZGC" },
		{ "Concurrent Mark Cycle", "G1" },
		{ "Concurrent Undo Cycle", "G1" },
		{ "Concurrent Cycle", "G1" },
	};

	for (size_t i = 0; i < sizeof(cycles) / sizeof(*cycles); i++) {
		if (line_starts(message, cycles[i].start)) {
			l->collector = cycles[i].collector;
			return true;
		}
	}
	return false;
}

static void unified_read_cycle(struct line message, struct gc_log_line *l)
{
	bool has_time = unified_cut_time(&message, &l->ns);
	bool has_heap = unified_cut_heap(&message, l);
	struct line group = message;

	l->kind = has_time || has_heap ? GC_LOG_CYCLE : GC_LOG_CYCLE_BEGIN;
	if (line_ends(message, " Aborted"))
		l->kind = GC_LOG_CYCLE;
	l->name = message;
	line_cut(&group, '(');
	if (group.len) {
		group = (struct line){ group.text - 1, group.len + 1 };
		if (gc_log_take_group(&group, &l->cause))
			l->name.len = (size_t)(l->cause.text - message.text -
					       2);
	}
}

/* "User=0.06s Sys=0.00s Real=0.10s" */
static void unified_read_cpu(struct line message, struct gc_log_line *l)
{
	int64_t user, sys;

	if (!gc_log_take(&message, "User=") ||
	    !gc_log_take_decimal(&message, CLOCK_NS_PER_S, &user) ||
	    !gc_log_take(&message, "s Sys=") ||
	    !gc_log_take_decimal(&message, CLOCK_NS_PER_S, &sys) ||
	    !gc_log_take(&message, "s"))
		return;
	l->kind = GC_LOG_CPU;
	l->cpu_ns = user + sys;
}

/* "  Evacuate Collection Set: 80.3ms", "Phase 1: Mark live objects 3.2ms" */
static void unified_read_phase(struct line message, struct gc_log_line *l)
{
	unsigned spaces = 0;
	int64_t ns;

	for (; message.len && *message.text == ' '; line_skip(&message, 1))
		spaces++;
	if (!unified_cut_time(&message, &ns) || !message.len)
		return;
	unified_cut_heap(&message, l);
	l->is_concurrent = line_starts(message, "Concurrent ");
	if (line_ends(message, ":"))
		message.len--;
	l->kind = GC_LOG_PHASE;
	l->ns = ns;
	l->name = message;
	l->level = spaces > 2 ? spaces / 2 : !l->is_concurrent;
}

/* Takes ZGC's young or old generation: "Y: ". */
static void unified_take_generation(struct line *rest)
{
	if (rest->len >= 3 && rest->text[1] == ':' && rest->text[2] == ' ' &&
	    memchr("yYoO", *rest->text, 4))
		line_skip(rest, 3);
}

/* "To-space exhausted", which G1 prints before the pause. */
static void unified_read_failure(struct line message, struct gc_log_line *l)
{
	l->kind = GC_LOG_FAILURE;
	l->failure = message;
}

/* A message of a collection, behind "GC(12) ". */
static void unified_read_collection(struct line message, struct gc_log_line *l)
{
	struct line inner = message;

	unified_take_generation(&inner);
	if (line_starts(inner, "Pause "))
		unified_read_pause(inner, l);
	else if (line_is(inner, "To-space exhausted"))
		unified_read_failure(inner, l);
	else if (unified_is_cycle(inner, l))
		unified_read_cycle(inner, l);
	else if (line_starts(inner, "User="))
		unified_read_cpu(inner, l);
	else if (!unified_is_share(inner))
		unified_read_phase(inner, l);
}

/* Takes `, NAME: 123 ns`, or `NAME: 123 ns`, anywhere in the line. */
static bool unified_find_ns(struct line line, const char *name, int64_t *ns)
{
	const char *at = memmem(line.text, line.len, name, strlen(name));
	struct line rest;

	if (!at)
		return false;
	rest = (struct line){ at, (size_t)(line.text + line.len - at) };
	line_skip(&rest, strlen(name));
	return gc_log_take_decimal(&rest, 1, ns) && gc_log_take(&rest, " ns");
}

/* 'Safepoint "Cleanup", …, Reaching safepoint: 1 ns, …, Total: 3 ns' */
static void unified_read_safepoint(struct line message, struct gc_log_line *l)
{
	struct line rest = message;

	line_cut(&rest, '"');
	l->name = line_cut(&rest, '"');
	l->kind = GC_LOG_BROKEN;
	if (unified_find_ns(rest, "Reaching safepoint: ", &l->sync_ns) &&
	    unified_find_ns(rest, "Total: ", &l->stopped_ns))
		l->kind = GC_LOG_STOP;
}

bool gc_log_read_stopped(struct line message, struct gc_log_line *l)
{
	int64_t stopped, sync;

	if (!gc_log_take(&message, "Total time for which application threads "
				   "were stopped: "))
		return false;
	l->kind = GC_LOG_BROKEN;
	if (!gc_log_take_decimal(&message, CLOCK_NS_PER_S, &stopped) ||
	    !gc_log_take(&message, " seconds"))
		return true;
	/* JDK 7 has no time to safepoint. */
	if (gc_log_take(&message, ", Stopping threads took: ")) {
		if (!gc_log_take_decimal(&message, CLOCK_NS_PER_S, &sync) ||
		    !gc_log_take(&message, " seconds"))
			return true;
		l->sync_ns = sync;
	} else if (message.len) {
		return true;
	}
	l->kind = GC_LOG_STOP;
	l->stopped_ns = stopped;
	return true;
}

static void unified_read_using(struct line message, struct gc_log_line *l)
{
	gc_log_take(&message, "Using ");
	l->collector = gc_collector_name(line_trimmed(message));
	if (l->collector)
		l->kind = GC_LOG_COLLECTOR;
}

/* "Allocation Stall (main) 12.345ms": ZGC made one thread wait. */
static void unified_read_stall(struct line message, struct gc_log_line *l)
{
	l->kind = GC_LOG_BROKEN;
	if (!unified_cut_time(&message, &l->ns) || !line_ends(message, ")"))
		return;
	l->kind = GC_LOG_STALL;
	l->cause = line_trimmed(line_cut(&message, '('));
	l->name = (struct line){ message.text, message.len - 1 };
	l->collector = "ZGC";
}

static void unified_read_message(struct line message, struct gc_log_line *l)
{
	struct line rest = message;

	if (gc_log_take(&rest, "GC(")) {
		l->kind = GC_LOG_OTHER;
		if (gc_log_take_decimal(&rest, 1, &l->number) &&
		    gc_log_take(&rest, ") "))
			unified_read_collection(rest, l);
	} else if (line_starts(message, "Safepoint \"")) {
		unified_read_safepoint(message, l);
	} else if (gc_log_take(&rest, "Entering safepoint region: ")) {
		l->kind = GC_LOG_STOP_BEGIN;
		l->name = rest;
	} else if (line_starts(message, "Using ")) {
		unified_read_using(message, l);
	} else if (line_starts(message, "Allocation Stall (") ||
		   line_starts(message, "Relocation Stall (")) {
		unified_read_stall(message, l);
	} else if (line_starts(message, "Leaving safepoint region") ||
		   line_starts(message, "Application time: ")) {
		l->kind = GC_LOG_OTHER;
	} else {
		gc_log_read_stopped(message, l);
	}
}

/* True for the tags of lines that have the duration of a pause. */
static bool unified_is_end(struct line tags)
{
	return line_is(tags, "gc") || line_is(tags, "gc,phases");
}

void gc_log_unified_read(struct line line, struct gc_log_line *l)
{
	struct line decorators;
	struct line message = unified_message(line, &decorators);

	gc_log_line_init(l);
	l->kind = decorators.len ? GC_LOG_BRACKETED : GC_LOG_FOREIGN;
	/* Most lines of a verbose log are none of these. */
	if (message.len && memchr("GSETULAR", *message.text, 8))
		unified_read_message(message, l);
	if (l->kind == GC_LOG_BRACKETED && unified_tags(decorators).len)
		l->kind = GC_LOG_OTHER;
	if (l->kind == GC_LOG_START && unified_is_end(unified_tags(decorators)))
		l->kind = GC_LOG_BROKEN;
	if (l->kind > GC_LOG_BROKEN)
		unified_read_decorators(decorators, l);
}

size_t gc_log_unified_find(struct line line)
{
	size_t limit = line.len < LONGEST_PREFIX ? line.len : LONGEST_PREFIX;
	unsigned tries = 0;

	for (size_t i = 1; i < limit && tries < MOST_TRIES; i++) {
		struct line rest = { line.text + i, line.len - i };
		struct gc_log_line l;

		if (*rest.text != '[' && !line_starts(rest, "GC("))
			continue;
		tries++;
		gc_log_unified_read(rest, &l);
		if (l.kind != GC_LOG_FOREIGN && l.kind != GC_LOG_BRACKETED)
			return i;
	}
	return line.len;
}

bool gc_log_may_start(struct line line, const char *start)
{
	size_t len = strlen(start);

	return memcmp(line.text, start, line.len < len ? line.len : len) == 0;
}

/* True for a part of "GC(12) Pause …" that may be the start of a record. */
static bool unified_is_cut_collection(struct line message)
{
	static const char *const starts[] = { "Pause ",   "Concurrent ",
					      "Garbage ", "Minor ",
					      "Major ",   "User=" };
	struct line rest = message;
	int64_t unused;

	if (!gc_log_take(&rest, "GC(") ||
	    !gc_log_take_decimal(&rest, 1, &unused) ||
	    !gc_log_take(&rest, ") ") || rest.len < 3)
		return true;
	unified_take_generation(&rest);
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		if (gc_log_may_start(rest, starts[i]))
			return true;
	}
	return false;
}

bool gc_log_unified_is_cut(struct line line)
{
	static const char *const starts[] = { "Safepoint \"",
					      "Entering safepoint region: ",
					      "Total time for which",
					      "Allocation Stall (" };
	struct line decorators;
	struct line message = unified_message(line, &decorators);
	struct line tags = unified_tags(decorators);

	/* "[gc,heap]", "[gc,start]": no record has these tags. */
	if (message.text > line.text && tags.len && !unified_is_end(tags) &&
	    !line_starts(tags, "safepoint") && !line_is(tags, "gc,cpu"))
		return false;
	if (!message.len || *message.text == '[' ||
	    (gc_log_may_start(message, "GC(") &&
	     unified_is_cut_collection(message)))
		return true;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		if (gc_log_may_start(message, starts[i]))
			return true;
	}
	return false;
}
