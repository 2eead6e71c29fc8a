/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_log_line: the meaning of one line of a GC log.
 *
 * JDK 9 and later write unified logs: decorators in brackets, in any choice,
 * and a message. JDK 8 writes its own format, in which a collection may take
 * several lines and other threads may write in between.
 */
#ifndef CORE_GC_GC_LOG_LINE_H
#define CORE_GC_GC_LOG_LINE_H

#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/gc/gc_pause.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gc_log_kind {
	GC_LOG_OTHER,       /* of the log, but without a record */
	GC_LOG_START,       /* announces a pause */
	GC_LOG_BRACKETED,   /* in the form of a log, without a word of GC */
	GC_LOG_FOREIGN,     /* not in the format of a log */
	GC_LOG_BROKEN,      /* begins like a record but is not whole */
	GC_LOG_PAUSE,       /* a collection that stopped the application */
	GC_LOG_STOP_BEGIN,  /* JDK 9 to 12: names the operation of a stop */
	GC_LOG_STOP,        /* the end of a stop */
	GC_LOG_PHASE,       /* a part of a pause, or of a concurrent cycle */
	GC_LOG_CYCLE_BEGIN, /* a concurrent cycle */
	GC_LOG_CYCLE,       /* its end */
	GC_LOG_STALL,       /* one thread waited for the collector */
	GC_LOG_FAILURE,     /* of the next pause, which ran out of space */
	GC_LOG_HEAP,        /* JDK 8: the heap of the pause before */
	GC_LOG_CPU,         /* the CPU time of the collection before */
	GC_LOG_COLLECTOR,   /* a JVM starts and names its collector */
};

/*
 * Texts are borrowed from the log. Numbers are GC_ABSENT if the line lacks
 * them: times in ns, sizes in bytes.
 */
struct gc_log_line {
	enum gc_log_kind kind;
	int64_t epoch_ns, uptime_ns; /* when the line was written */
	int64_t number;              /* of the collection: GC(12) */
	enum gc_kind pause;
	/* Of the pause, phase, cycle or operation. */
	struct line name;
	struct line cause;
	struct line failure;   /* "To-space exhausted"; empty = none */
	const char *collector; /* NULL = not named; a constant */
	int64_t ns;            /* of the pause, phase or cycle */
	int64_t stopped_ns, sync_ns, cpu_ns;
	int64_t before, after, committed;
	unsigned level;     /* of a phase; 1 is inside of a pause */
	bool is_concurrent; /* the phase stops nothing */
	/* JDK 8: the first and the last phase of a concurrent cycle. */
	bool opens_cycle, closes_cycle;
	bool broken_before; /* a collection that was open has no end */
};

/* A collection of JDK 8 whose lines have not all been read. Zeroed: none. */
struct gc_log8 {
	struct text open;
	unsigned depth;        /* of brackets in open */
	unsigned lines;        /* of open */
	bool is_nested;        /* open contains another collection */
	const char *collector; /* that the first pause shows; a constant */
	int64_t epoch_ns, uptime_ns, number;
	bool in_details;   /* lines with details of a pause follow */
	bool in_histogram; /* of classes, between collections */
	bool has_starts;   /* lines announce pauses; later lines have the end */
	bool is_known;     /* a line of JDK 8 has been read */
};

/* Makes all numbers absent. */
void gc_log_line_init(struct gc_log_line *l);

/* Understands a line of a unified log. */
void gc_log_unified_read(struct line line, struct gc_log_line *l);

/*
 * Reads the pause "Final Mark (unload classes) 8M->4M(9M)", whose duration has
 * been read.
 */
void gc_log_read_pause(struct line rest, struct gc_log_line *l);

/*
 * Returns where the text of a unified log begins in a line that has other text
 * before it, such as the prefix of a log collector; or line.len.
 */
size_t gc_log_unified_find(struct line line);

/*
 * True if the last line of a file, which has no newline and is no record, may
 * be the start of one.
 */
bool gc_log_unified_is_cut(struct line line);
bool gc_log8_is_cut(struct line line);

/* True for a line that JDK 8 may have written. */
bool gc_log8_is_line(const struct gc_log8 *s, struct line line);

/*
 * Returns where a collection of JDK 8, with its times, begins in the line, or
 * line.len. Other text may be before it.
 */
size_t gc_log8_find(struct line line);

/*
 * Understands a line of JDK 8, up to a collection that begins in it. The
 * collection becomes a GC_LOG_PAUSE with its last line; its texts are valid
 * until the next call. *line becomes the text behind what has been read. True
 * if a collection follows other text, which has been read.
 */
bool gc_log8_read(struct gc_log8 *s, struct line *line, struct gc_log_line *l);

/* Forgets the open collection. Returns true if there was one. */
bool gc_log8_reset(struct gc_log8 *s);

void gc_log8_release(struct gc_log8 *s);

/*
 * The following take something from the start of *rest and return false, with
 * *rest unchanged, if it is not there. Only gc_log_line.c and gc_log8.c use
 * them.
 */

/* Digits with an optional fraction, times unit. */
bool gc_log_take_decimal(struct line *rest, int64_t unit, int64_t *value);

/* "17869K", "0.0B", "96M". */
bool gc_log_take_size(struct line *rest, int64_t *bytes);

/* True if the line begins with start, or is the first part of start. */
bool gc_log_may_start(struct line line, const char *start);

/* The text that must come next. */
bool gc_log_take(struct line *rest, const char *text);

/* A text in parentheses, which may contain others, and a space behind it. */
bool gc_log_take_group(struct line *rest, struct line *inside);

/* "17869K->2253K(95040K)", and "10240.0K(98304.0K)->1301.0K(98304.0K)". */
bool gc_log_take_heap(struct line *rest, struct gc_log_line *l);

/* "2026-11-25T18:42:43.789+0000" as ns since the epoch. */
bool gc_log_take_date(struct line *rest, int64_t *ns);

/* Reads "Total time for which application threads were stopped: …". */
bool gc_log_read_stopped(struct line message, struct gc_log_line *l);

#endif
