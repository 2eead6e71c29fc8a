/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the lines of GC logs into records.
 *
 *     pause lines ──► pending ──┐
 *     safepoint line ───────────┴─► queue ──► caller
 *     concurrent phases ──► cycles ──┘
 *
 * A pause waits for the safepoint line that ends its stop, if the log has such
 * lines. Two collections of one stop, a young and a full one, are one record.
 */
#include "core/gc/gc_log.h"

#include "core/base/alloc.h"
#include "core/base/log_lines.h"
#include "core/gc/gc_entry.h"
#include "core/gc/gc_log_line.h"
#include "core/gc/gc_operation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES  ((size_t)4 << 20) /* searched for safepoint lines */
#define HEAD_LINES  2000              /* searched for a file's first time */
#define OPEN_CYCLES 8
#define MOST_JOINED 64 /* collections of one stop */
/*
 * A pause line is written inside of the stop whose length the safepoint line
 * has. Logs of JDK 8 round to 0.1 ms and stamps to 1 ms.
 */
#define JOIN_SLACK_NS INT64_C(5000000)

#define STOPPED_WORDS "Total time for which application threads were stopped: "

struct log_cycle {
	struct gc_entry *record; /* NULL = free */
	int64_t begin_ns;        /* uptime, or epoch; GC_ABSENT */
	bool has_end_line;       /* its end has a line of its own */
};

struct log_place {
	uint64_t count;
	const char *file;
	uint64_t number;
};

/* The lines of a file, which may be read in pieces. */
struct log_text {
	struct log_lines lines;
	struct line line; /* the last line, or a piece of it */
	struct line rest; /* behind that piece */
	struct gc_log8 jdk8;
};

struct gc_log {
	struct gc_source source;
	struct gc_log_file *files;
	size_t file_count, file;
	struct log_text text;
	char *failure;  /* of the pause with this number, which follows */
	int64_t failed; /* its number */
	bool has_stops; /* the log has safepoint lines */
	struct gc_entry *pending;
	struct gc_entry *phases; /* of the next pause */
	char *operation;         /* of a stop that has begun; JDK 9 to 12 */
	const char *collector;   /* a constant */
	struct log_cycle cycles[OPEN_CYCLES];
	struct gc_entry_queue queue;
	bool has_records; /* one has been returned */
	bool has_pauses;  /* the log has lines of pauses */
	struct log_place foreign, broken;
	bool is_cut;
	bool is_followed; /* lines come by gc_log_feed() */
};

static struct gc_log *log_of(const struct gc_source *s)
{
	return (struct gc_log *)s;
}

static struct line line_of(const char *string)
{
	return (struct line){ string, string ? strlen(string) : 0 };
}

static void log_count_line(struct gc_log *g, struct log_place *place)
{
	if (!place->count++) {
		place->file = g->files[g->file].name;
		place->number = g->text.lines.lines.number;
	}
}

/* ---- cycles ---- */

/* Time of a line for differences; both clocks advance alike. */
static int64_t log_line_ns(const struct gc_log_line *l)
{
	return l->uptime_ns != GC_ABSENT ? l->uptime_ns : l->epoch_ns;
}

static void log_set_end(struct gc_pause *p, const struct gc_log_line *l)
{
	p->end_ns = l->epoch_ns;
	p->uptime_ns = l->uptime_ns;
}

/* The name that the JVM printed is better than a guess by the line. */
static const char *log_collector(const struct gc_log *g,
				 const struct gc_log_line *l)
{
	return g->collector ? g->collector : l->collector;
}

static void cycle_emit(struct gc_log *g, struct log_cycle *c)
{
	if (!c->record->pause.collector)
		c->record->pause.collector = g->collector;
	gc_entry_put(&g->queue, c->record);
	*c = (struct log_cycle){ 0 };
}

static struct log_cycle *cycle_find(struct gc_log *g, int64_t number)
{
	for (size_t i = 0; i < OPEN_CYCLES; i++) {
		struct log_cycle *c = &g->cycles[i];

		if (c->record && c->record->pause.number == number)
			return c;
	}
	return NULL;
}

/* Returns the only cycle that is open, or NULL. */
static struct log_cycle *cycle_only(struct gc_log *g)
{
	struct log_cycle *found = NULL;

	for (size_t i = 0; i < OPEN_CYCLES; i++) {
		if (!g->cycles[i].record)
			continue;
		if (found)
			return NULL;
		found = &g->cycles[i];
	}
	return found;
}

/* Returns a free place; the oldest cycle has no end in the log. */
static struct log_cycle *cycle_place(struct gc_log *g)
{
	for (size_t i = 0; i < OPEN_CYCLES; i++) {
		if (!g->cycles[i].record)
			return &g->cycles[i];
	}
	gc_entry_free(g->cycles[0].record);
	memmove(g->cycles, g->cycles + 1,
		(OPEN_CYCLES - 1) * sizeof(*g->cycles));
	return &g->cycles[OPEN_CYCLES - 1];
}

static struct log_cycle *cycle_open(struct gc_log *g,
				    const struct gc_log_line *l)
{
	struct log_cycle *c = cycle_place(g);
	struct gc_pause *p;

	*c = (struct log_cycle){ .record = gc_entry_new() };
	c->begin_ns = log_line_ns(l);
	if (c->begin_ns != GC_ABSENT && l->ns != GC_ABSENT)
		c->begin_ns -= l->ns;
	p = &c->record->pause;
	p->kind = GC_CYCLE;
	p->number = l->number;
	p->count = 0;
	p->collector = log_collector(g, l);
	return c;
}

/* Emits cycles that consist of phases only, once they cannot have more. */
static void cycles_close(struct gc_log *g)
{
	for (size_t i = 0; i < OPEN_CYCLES; i++) {
		if (g->cycles[i].record && !g->cycles[i].has_end_line)
			cycle_emit(g, &g->cycles[i]);
	}
}

static void cycles_clear(struct gc_log *g)
{
	for (size_t i = 0; i < OPEN_CYCLES; i++) {
		gc_entry_free(g->cycles[i].record);
		g->cycles[i] = (struct log_cycle){ 0 };
	}
}

static void cycle_begin(struct gc_log *g, const struct gc_log_line *l)
{
	struct log_cycle *c;

	if (cycle_find(g, l->number))
		return;
	c = cycle_open(g, l);
	c->has_end_line = true;
	c->record->pause.cause = gc_entry_string(c->record, l->cause);
}

/* The first phase of Shenandoah, of CMS, and of cycles of JDK 8. */
static bool cycle_is_first_phase(const struct gc_log_line *l)
{
	return l->opens_cycle || line_starts(l->name, "Concurrent reset") ||
	       line_is(l->name, "Concurrent Mark");
}

static void cycle_add_phase(struct gc_log *g, const struct gc_log_line *l)
{
	struct log_cycle *c = cycle_find(g, l->number);
	int64_t now_ns = log_line_ns(l);
	struct gc_phase phase = {
		.level = l->level,
		.is_concurrent = true,
		.start_ns = GC_ABSENT,
		.ns = l->ns,
	};
	struct gc_pause *p;

	if (!c || (l->opens_cycle && !c->has_end_line)) {
		cycles_close(g);
		c = cycle_open(g, l);
		/* The log may begin inside of a cycle. */
		if (!cycle_is_first_phase(l))
			c->begin_ns = GC_ABSENT;
	}
	p = &c->record->pause;
	if (l->uptime_ns != GC_ABSENT)
		phase.start_ns = l->uptime_ns - l->ns;
	gc_entry_add_phase(c->record, l->name, &phase);
	if (l->after != GC_ABSENT) {
		p->after = l->after;
		p->committed = l->committed;
		if (p->before == GC_ABSENT)
			p->before = l->before;
	}
	if (c->has_end_line)
		return;
	log_set_end(p, l);
	if (now_ns != GC_ABSENT && c->begin_ns != GC_ABSENT)
		p->gc_ns = now_ns - c->begin_ns;
	if (l->closes_cycle)
		cycle_emit(g, c);
}

static void cycle_end(struct gc_log *g, const struct gc_log_line *l)
{
	struct log_cycle *c = cycle_find(g, l->number);
	int64_t now_ns = log_line_ns(l);
	struct gc_pause *p;

	if (!c)
		c = cycle_open(g, l);
	p = &c->record->pause;
	p->collector = log_collector(g, l);
	p->cause = gc_entry_string(c->record, l->cause);
	p->operation = gc_entry_string(c->record, l->name);
	p->before = l->before;
	p->after = l->after;
	log_set_end(p, l);
	if (l->ns != GC_ABSENT)
		p->gc_ns = l->ns;
	else if (c->has_end_line && c->begin_ns != GC_ABSENT &&
		 now_ns != GC_ABSENT)
		p->gc_ns = now_ns - c->begin_ns;
	cycle_emit(g, c);
}

/* ---- pauses ---- */

static void pending_emit(struct gc_log *g)
{
	if (!g->pending)
		return;
	gc_entry_put(&g->queue, g->pending);
	g->pending = NULL;
}

/* Without safepoint lines, a pause is complete when another line follows. */
static void pending_settle(struct gc_log *g)
{
	if (!g->has_stops)
		pending_emit(g);
}

/* A full collection outranks the young collection before it. */
static bool pause_outranks(enum gc_kind kind, enum gc_kind before)
{
	static const unsigned char ranks[GC_KINDS] = {
		[GC_CYCLE_PAUSE] = 1, [GC_PAUSE] = 2, [GC_YOUNG] = 3,
		[GC_MIXED] = 4,       [GC_FULL] = 5,
	};

	return ranks[kind] > ranks[before];
}

static void pending_add_phases(struct gc_log *g, const struct gc_log_line *l)
{
	struct gc_entry *r = g->pending, *from = g->phases;
	struct gc_phase phase = { .start_ns = GC_ABSENT, .ns = l->ns };

	if (l->uptime_ns != GC_ABSENT)
		phase.start_ns = l->uptime_ns - l->ns;
	gc_entry_add_phase(r, l->name, &phase);
	for (size_t i = 0; from && i < from->phase_count; i++)
		gc_entry_add_phase(r, line_of(from->phases[i].name),
				   &from->phases[i]);
	gc_entry_free(from);
	g->phases = NULL;
}

static void pending_add_time(int64_t *sum, int64_t ns)
{
	if (ns != GC_ABSENT &&
	    __builtin_add_overflow(*sum == GC_ABSENT ? 0 : *sum, ns, sum))
		*sum = INT64_MAX;
}

/* Cycles name the cause of their pauses. */
static struct line log_cause(struct gc_log *g, const struct gc_log_line *l)
{
	struct log_cycle *c = l->number == GC_ABSENT ? NULL
						     : cycle_find(g, l->number);

	if (l->cause.len || !c || !c->record->pause.cause)
		return l->cause;
	return line_of(c->record->pause.cause);
}

/* The failure of a pause is in a line before, or in the line of the pause. */
static void failure_keep(struct gc_log *g, const struct gc_log_line *l)
{
	free(g->failure);
	g->failure = xstrndup(l->failure.text, l->failure.len);
	g->failed = l->number;
}

/* "G1 Evacuation Pause (To-space exhausted)" */
static void pending_add_failure(struct gc_log *g, const struct gc_log_line *l)
{
	struct gc_pause *p = &g->pending->pause;
	struct text cause = { 0 };

	if (l->failure.len)
		failure_keep(g, l);
	if (g->failure && g->failed == l->number) {
		if (p->cause)
			text_printf(&cause, "%s (", p->cause);
		text_puts(&cause, g->failure);
		text_puts(&cause, p->cause ? ")" : "");
		p->cause = gc_entry_string(
			g->pending, (struct line){ cause.bytes, cause.len });
		text_release(&cause);
	}
	free(g->failure);
	g->failure = NULL;
}

static void pending_add(struct gc_log *g, const struct gc_log_line *l)
{
	struct gc_pause *p;

	if (g->pending &&
	    (!g->has_stops || g->pending->pause.collections == MOST_JOINED))
		pending_emit(g);
	if (!g->pending)
		g->pending = gc_entry_new();
	p = &g->pending->pause;
	if (!p->collections || pause_outranks(l->pause, p->kind)) {
		p->kind = l->pause;
		p->cause = gc_entry_string(g->pending, log_cause(g, l));
	}
	pending_add_failure(g, l);
	/* In parts of a rotated log, no line names the collector. */
	g->collector = log_collector(g, l);
	p->collector = g->collector;
	p->number = l->number;
	p->collections++;
	g->has_pauses = true;
	log_set_end(p, l);
	pending_add_time(&p->gc_ns, l->ns);
	pending_add_time(&p->cpu_ns, l->cpu_ns);
	if (p->before == GC_ABSENT)
		p->before = l->before;
	p->after = l->after;
	p->committed = l->committed;
	if (l->name.len)
		pending_add_phases(g, l);
	if (l->pause == GC_CYCLE_PAUSE)
		p->operation = gc_entry_string(g->pending, l->name);
}

/* Phases are written before the pause that they are part of. */
static void log_add_phase(struct gc_log *g, const struct gc_log_line *l)
{
	struct gc_phase phase = {
		.level = l->level ? l->level : 1,
		.start_ns = GC_ABSENT,
		.ns = l->ns,
	};

	if (l->is_concurrent) {
		pending_settle(g);
		cycle_add_phase(g, l);
		return;
	}
	if (g->phases && g->phases->pause.number != l->number) {
		gc_entry_free(g->phases);
		g->phases = NULL;
	}
	if (!g->phases)
		g->phases = gc_entry_new();
	g->phases->pause.number = l->number;
	gc_entry_add_phase(g->phases, l->name, &phase);
}

/* False if the pauses that wait were not made by this stop. */
static bool stop_joins(const struct gc_pause *p, const struct gc_log_line *l)
{
	int64_t ended = p->uptime_ns != GC_ABSENT ? p->uptime_ns : p->end_ns;
	int64_t now_ns = log_line_ns(l), begin_ns, limit;

	if (__builtin_add_overflow(l->stopped_ns, JOIN_SLACK_NS, &limit) ||
	    p->gc_ns > limit)
		return false;
	if (ended == GC_ABSENT || now_ns == GC_ABSENT)
		return true;
	return __builtin_sub_overflow(now_ns, limit, &begin_ns) ||
	       (ended >= begin_ns && ended <= now_ns + JOIN_SLACK_NS);
}

static void stop_begin(struct gc_log *g, const struct gc_log_line *l)
{
	free(g->operation);
	g->operation = xstrndup(l->name.text, l->name.len);
}

/* A safepoint without a pause line. */
static struct gc_entry *stop_alone(struct gc_log *g, struct line operation)
{
	struct gc_entry *r = gc_entry_new();
	struct gc_pause *p = &r->pause;
	struct log_cycle *cycle;

	p->operation = gc_entry_string(r, operation);
	p->kind = gc_operation_kind_alone(p->operation, g->has_pauses,
					  &p->collector);
	if (p->kind == GC_OTHER)
		return r;
	if (g->collector)
		p->collector = g->collector;
	cycle = p->kind == GC_CYCLE_PAUSE ? cycle_only(g) : NULL;
	if (cycle && cycle->record->pause.cause)
		p->cause = gc_entry_string(r,
					   line_of(cycle->record->pause.cause));
	return r;
}

static void stop_end(struct gc_log *g, const struct gc_log_line *l)
{
	struct line operation = l->name;
	struct gc_entry *r;

	g->has_stops = true;
	if (!operation.len && g->operation)
		operation = line_of(g->operation);
	if (g->pending && !stop_joins(&g->pending->pause, l))
		pending_emit(g);
	r = g->pending ? g->pending : stop_alone(g, operation);
	g->pending = NULL;
	if (operation.len && r->pause.kind != GC_OTHER)
		r->pause.operation = gc_entry_string(r, operation);
	r->pause.stopped_ns = l->stopped_ns;
	r->pause.sync_ns = l->sync_ns;
	if (log_line_ns(l) != GC_ABSENT)
		log_set_end(&r->pause, l);
	gc_entry_put(&g->queue, r);
	free(g->operation);
	g->operation = NULL;
}

/* A line about the pause before it. */
static void log_complete_pause(struct gc_log *g, const struct gc_log_line *l)
{
	struct gc_pause *p = g->pending ? &g->pending->pause : NULL;

	if (!p || p->number != l->number)
		return;
	pending_add_time(&p->cpu_ns, l->cpu_ns);
	if (l->kind != GC_LOG_HEAP)
		return;
	if (p->collections == 1)
		p->before = l->before;
	p->after = l->after;
	p->committed = l->committed;
}

static void log_use_collector(struct gc_log *g, const struct gc_log_line *l)
{
	/* JDK 8 repeats its flags in each file of a rotated log. */
	if (!g->text.jdk8.is_known) {
		pending_emit(g);
		cycles_close(g);
		cycles_clear(g);
	}
	g->collector = l->collector;
	text_clear(&g->source.collector);
	text_puts(&g->source.collector, l->collector);
}

/* A thread that waited for memory while the application went on. */
static void stall_add(struct gc_log *g, const struct gc_log_line *l)
{
	struct gc_entry *r = gc_entry_new();
	struct gc_pause *p = &r->pause;

	pending_settle(g);
	p->kind = GC_STALL;
	p->count = 0;
	p->cause = gc_entry_string(r, l->cause);
	p->operation = gc_entry_string(r, l->name);
	p->collector = l->collector;
	p->gc_ns = l->ns;
	log_set_end(p, l);
	gc_entry_put(&g->queue, r);
}

/* ---- lines ---- */

static void log_handle(struct gc_log *g, const struct gc_log_line *l)
{
	switch (l->kind) {
	case GC_LOG_PAUSE:
		pending_add(g, l);
		break;
	case GC_LOG_STOP_BEGIN:
		stop_begin(g, l);
		break;
	case GC_LOG_STOP:
		stop_end(g, l);
		break;
	case GC_LOG_PHASE:
		log_add_phase(g, l);
		break;
	case GC_LOG_CYCLE_BEGIN:
		pending_settle(g);
		cycle_begin(g, l);
		break;
	case GC_LOG_CYCLE:
		pending_settle(g);
		cycle_end(g, l);
		break;
	case GC_LOG_STALL:
		stall_add(g, l);
		break;
	case GC_LOG_FAILURE:
		failure_keep(g, l);
		break;
	case GC_LOG_HEAP:
	case GC_LOG_CPU:
		log_complete_pause(g, l);
		break;
	case GC_LOG_COLLECTOR:
		log_use_collector(g, l);
		break;
	case GC_LOG_OTHER:
	case GC_LOG_START:
	case GC_LOG_BRACKETED:
	case GC_LOG_FOREIGN:
	case GC_LOG_BROKEN:
		break;
	}
}

/*
 * Leaves what follows the first `at` bytes of a line for the next piece. What
 * is before a record may be the prefix that a log collector puts before all
 * lines.
 */
static void log_text_split(struct log_text *t, struct line line, size_t at,
			   bool is_start)
{
	struct line prefix = { line.text, at };

	t->rest = (struct line){ line.text + at, line.len - at };
	if (is_start && !t->lines.cut && line_trimmed(prefix).len)
		log_lines_prefix(&t->lines, line, at);
}

static void log_text_read_line(struct log_text *t, struct line line,
			       bool is_start, struct gc_log_line *l)
{
	bool is_jdk8 = gc_log8_is_line(&t->jdk8, line);
	bool has_prefix = false;
	size_t at = line.len;

	if (is_jdk8) {
		t->rest = line;
		has_prefix = gc_log8_read(&t->jdk8, &t->rest, l);
		at -= t->rest.len;
	} else {
		gc_log_unified_read(line, l);
	}
	if (at == line.len &&
	    (l->kind == GC_LOG_FOREIGN || l->kind == GC_LOG_BRACKETED)) {
		at = gc_log_unified_find(line);
		if (at == line.len && !is_jdk8)
			at = gc_log8_find(line);
		if (at < line.len)
			l->kind = GC_LOG_OTHER;
		has_prefix = true;
	}
	if (at && at < line.len)
		log_text_split(t, line, at, is_start && has_prefix);
}

static void log_text_open(struct log_text *t, const struct gc_log_file *f)
{
	log_lines_back(&t->lines, lines_over(f->bytes, f->len));
}

static void log_text_release(struct log_text *t)
{
	log_lines_release(&t->lines);
	gc_log8_release(&t->jdk8);
}

/* Reads the next line, or a piece of it. False at the end. */
static bool log_text_read(struct log_text *t, struct gc_log_line *l)
{
	bool is_start = !t->rest.len;

	while (!t->rest.len) {
		if (!log_lines_next(&t->lines, &t->rest))
			return false;
		/* It may have a part of a log collector's prefix only. */
		if (t->lines.raw.len && lines_end_open(&t->lines.lines))
			break;
	}
	t->line = t->rest;
	t->rest.len = 0;
	log_text_read_line(t, t->line, is_start, l);
	return true;
}

/*
 * True if a file ends inside of a line: the last line has no newline, is not a
 * whole record, and may be the start of one.
 */
static bool log_text_is_cut(const struct log_text *t,
			    const struct gc_log_line *l)
{
	/* log_end() counts an open collection. */
	if (!lines_end_open(&t->lines.lines) || t->rest.len ||
	    t->jdk8.open.len || l->kind >= GC_LOG_BROKEN)
		return false;
	if (log_lines_lacks_format(&t->lines) || line_starts(t->lines.raw, "{"))
		return true;
	return gc_log8_is_line(&t->jdk8, t->line)
		       ? gc_log8_is_cut(t->line)
		       : gc_log_unified_is_cut(t->line);
}

/* Moves to the next file; false at the end. */
static bool log_next_file(struct gc_log *g)
{
	if (g->file + 1 >= g->file_count)
		return false;
	log_text_open(&g->text, &g->files[++g->file]);
	return true;
}

/* The log ends: what waits has no further lines. */
static void log_end(struct gc_log *g)
{
	if (gc_log8_reset(&g->text.jdk8))
		log_count_line(g, &g->broken);
	pending_emit(g);
	cycles_close(g);
	cycles_clear(g);
}

/* A log whose collections are all in an unknown form has no useful record. */
static enum gc_next log_finish(struct gc_log *g, struct gc_pause *p,
			       struct error *err)
{
	log_end(g);
	if (gc_entry_take(&g->queue, p)) {
		g->has_records = true;
		return GC_NEXT_RECORD;
	}
	if (g->has_records || !g->broken.count)
		return GC_NEXT_END;
	fail(err, ERROR_INPUT,
	     "no collection could be read: incomplete or unrecognized lines: "
	     "%" PRIu64 " (first: line %" PRIu64 ")",
	     g->broken.count, g->broken.number);
	return GC_NEXT_FAILED;
}

static enum gc_next log_next(struct gc_source *s, struct gc_pause *p,
			     struct error *err)
{
	struct gc_log *g = log_of(s);
	struct gc_log_line l;

	while (!gc_entry_take(&g->queue, p)) {
		if (!log_text_read(&g->text, &l)) {
			if (log_next_file(g))
				continue;
			if (g->is_followed && !s->is_ending)
				return GC_NEXT_LATER;
			return log_finish(g, p, err);
		}
		if (l.broken_before || l.kind == GC_LOG_BROKEN ||
		    log_text_is_cut(&g->text, &l))
			log_count_line(g, &g->broken);
		else if (l.kind == GC_LOG_FOREIGN)
			log_count_line(g, &g->foreign);
		log_handle(g, &l);
	}
	g->has_records = true;
	return GC_NEXT_RECORD;
}

static void log_lost(const struct gc_source *s, struct gc_lost *lost)
{
	const struct gc_log *g = log_of(s);

	lost->lines = g->broken.count + g->is_cut;
}

static void log_close(struct gc_source *s)
{
	struct gc_log *g = log_of(s);

	gc_entry_free(g->pending);
	gc_entry_free(g->phases);
	cycles_clear(g);
	gc_entry_queue_release(&g->queue);
	log_text_release(&g->text);
	free(g->failure);
	free(g->operation);
	free(g->files);
	free(g);
}

static const struct gc_source_methods log_methods = {
	.next = log_next,
	.lost = log_lost,
	.close = log_close,
};

uint64_t gc_log_foreign_lines(const struct gc_source *s, const char **where,
			      uint64_t *number)
{
	const struct gc_log *g = log_of(s);

	*where = g->foreign.file;
	*number = g->foreign.number;
	return g->foreign.count;
}

uint64_t gc_log_broken_lines(const struct gc_source *s, const char **where,
			     uint64_t *number)
{
	const struct gc_log *g = log_of(s);

	*where = g->broken.file;
	*number = g->broken.number;
	return g->broken.count;
}

/* ---- the head of a file ---- */

/* The times of the first line that has one. */
struct log_head {
	int64_t epoch_ns, uptime_ns;
};

static struct log_head log_read_head(const struct gc_log_file *f)
{
	struct log_head head = { GC_ABSENT, GC_ABSENT };
	struct log_text text = { 0 };
	struct gc_log_line l;

	log_text_open(&text, f);
	while (log_text_read(&text, &l) &&
	       text.lines.lines.number < HEAD_LINES) {
		if (head.epoch_ns == GC_ABSENT)
			head.epoch_ns = l.epoch_ns;
		if (head.uptime_ns == GC_ABSENT)
			head.uptime_ns = l.uptime_ns;
	}
	log_text_release(&text);
	return head;
}

bool gc_log_sniff(const uint8_t *bytes, size_t len)
{
	struct log_text text = { 0 };
	struct gc_log_line l;
	bool found = false;

	log_text_open(&text, &(struct gc_log_file){ bytes, len, NULL, false });
	while (!found && log_text_read(&text, &l))
		found = l.kind != GC_LOG_FOREIGN && l.kind != GC_LOG_BRACKETED;
	log_text_release(&text);
	return found;
}

struct log_order {
	struct gc_log_file file;
	int64_t ns;
	size_t at;
};

static int compare_order(const void *a, const void *b)
{
	const struct log_order *one = a, *two = b;

	if (one->ns != two->ns)
		return one->ns < two->ns ? -1 : 1;
	return one->at < two->at ? -1 : one->at > two->at;
}

/* Sorts the files by the time of their first lines, if all of them have one. */
static void log_sort_files(struct gc_log_file *files, size_t count)
{
	struct log_order *order = xcalloc(count, sizeof(*order));
	bool has_epoch = true, has_uptime = true;

	for (int by_uptime = 0; by_uptime < 2; by_uptime++) {
		for (size_t i = 0; i < count; i++) {
			struct log_head head = log_read_head(&files[i]);

			has_epoch = has_epoch && head.epoch_ns != GC_ABSENT;
			has_uptime = has_uptime && head.uptime_ns != GC_ABSENT;
			order[i] = (struct log_order){
				files[i],
				by_uptime ? head.uptime_ns : head.epoch_ns, i
			};
		}
		if (by_uptime ? !has_uptime : !has_epoch)
			continue;
		qsort(order, count, sizeof(*order), compare_order);
		for (size_t i = 0; i < count; i++)
			files[i] = order[i].file;
		break;
	}
	free(order);
}

static bool log_head_has(const struct gc_log_file *f, const char *words)
{
	size_t len = f->len < HEAD_BYTES ? f->len : HEAD_BYTES;

	return len && memmem(f->bytes, len, words, strlen(words));
}

/* What all records can hold, by the kinds of lines that the log has. */
static void log_find_columns(struct gc_log *g)
{
	struct gc_source *s = &g->source;

	s->columns = GC_HAS_GC | GC_HAS_CAUSE | GC_HAS_BEFORE | GC_HAS_AFTER |
		     GC_HAS_CYCLES | GC_HAS_PHASES;
	for (size_t i = 0; i < g->file_count && !g->has_stops; i++) {
		bool has_names = log_head_has(&g->files[i], "Safepoint \"") ||
				 log_head_has(&g->files[i],
					      "Entering safepoint region: ");

		g->has_stops = has_names ||
			       log_head_has(&g->files[i], STOPPED_WORDS);
		if (g->has_stops)
			s->columns |= GC_HAS_STOPPED | GC_HAS_SYNC |
				      GC_HAS_OTHER;
		if (has_names)
			s->columns |= GC_HAS_OPERATION;
		g->has_pauses = log_head_has(&g->files[i], ") Pause ");
	}
	text_puts(&s->description,
		  g->has_stops ? "log with safepoint lines"
			       : "log without safepoint lines: the collector's "
				 "time, not the stopped time");
}

struct gc_source *gc_log_open(const struct gc_log_file *files, size_t count,
			      struct error *err)
{
	struct gc_log *g;
	bool is_log = false;

	for (size_t i = 0; i < count; i++)
		is_log = is_log || gc_log_sniff(files[i].bytes, files[i].len);
	if (!is_log) {
		fail(err, ERROR_INPUT,
		     "not a GC log or JFR recording: no line has the format of "
		     "-Xlog:gc or -Xloggc");
		return NULL;
	}
	g = xcalloc(1, sizeof(*g));
	g->source.methods = &log_methods;
	g->source.fd = -1;
	g->source.cpu_ns = GC_ABSENT;
	g->files = xcalloc(count, sizeof(*g->files));
	memcpy(g->files, files, count * sizeof(*files));
	g->file_count = count;
	if (count > 1)
		log_sort_files(g->files, count);
	for (size_t i = 0; i < count; i++)
		g->is_cut = g->is_cut || files[i].is_cut;
	log_text_open(&g->text, &g->files[0]);
	log_find_columns(g);
	return &g->source;
}

struct gc_source *gc_log_follow(const char *collector)
{
	struct gc_log *g = xcalloc(1, sizeof(*g));

	g->source.methods = &log_methods;
	g->source.fd = -1;
	g->source.cpu_ns = GC_ABSENT;
	g->source.columns = GC_HAS_GC | GC_HAS_CAUSE | GC_HAS_BEFORE |
			    GC_HAS_AFTER | GC_HAS_CYCLES | GC_HAS_STOPPED |
			    GC_HAS_SYNC | GC_HAS_OTHER | GC_HAS_OPERATION |
			    GC_HAS_CPU;
	g->files = xcalloc(1, sizeof(*g->files));
	g->file_count = 1;
	g->has_stops = true;
	g->is_followed = true;
	g->collector = collector;
	gc_log_feed(&g->source, NULL, 0);
	return &g->source;
}

void gc_log_feed(struct gc_source *s, const uint8_t *bytes, size_t len)
{
	struct gc_log *g = log_of(s);

	log_lines_back(&g->text.lines,
		       lines_over(bytes ? bytes : (const uint8_t *)"", len));
}
