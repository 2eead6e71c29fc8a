/* SPDX-License-Identifier: Apache-2.0 */
/* gc_command: the parts of sjkc gc; gc.c runs them. */
#ifndef CMD_GC_GC_COMMAND_H
#define CMD_GC_GC_COMMAND_H

#include "cmd/jmx/jmx_target.h"
#include "cmd/shared/command.h"
#include "cmd/shared/gates.h"
#include "cmd/shared/jvm_selector.h"
#include "core/gc/gc_pause.h"
#include "core/jvm/jvm.h"
#include "core/threads/tasks.h"
#include "render/gc/gc_report.h"

#include <poll.h>

struct gc_options {
	struct option_list pids;
	struct option_list inputs; /* GC logs or recordings */
	const char *output;        /* the page, or NULL */
	struct jmx_target_options jmx;
	bool all;
	struct jvm_selector_options select;
	const char *source; /* "auto", "uprobes", "counters", "log" or "jmx" */
	bool log;           /* the same as the source "log" */
	bool no_heap, phases, safepoints, json, csv, histogram;
	int64_t min_ns, duration_ns; /* 0 = not given */
	struct option_list fail;     /* gates: "p99>200ms" */
	const char *junit;           /* or NULL */
};

/* A source whose records are printed. */
struct gc_stream {
	struct gc_source *source;
	bool has_ended;
	int64_t end_ns; /* when the JVM was found gone; 0 = not yet */
	/* The JVM of a live source; .pidfd is -1 for others. */
	struct jvm jvm;
	bool was_stopped;    /* reported once */
	int64_t pending_ns;  /* the begin of a stop that was reported */
	uint64_t stack;      /* where the program's stack begins; 0 = unknown */
	struct tasks *tasks; /* NULL: the CPU time of GC threads is unknown */
	int64_t cpu_ns;      /* of the GC threads at the start */
};

struct gc_streams {
	struct gc_stream **all; /* they do not move */
	size_t count, cap;
	size_t skipped; /* JVMs of --all that cannot be observed */
};

/*
 * Opens the best source of each JVM that the options name, and prints which it
 * is. With --all, JVMs that cannot be observed are skipped with a message.
 */
int gc_live_open(const struct gc_options *o, struct gc_streams *streams,
		 struct error *err);

/*
 * Makes a JVM write a log, and opens it; jvm is borrowed. ERROR_UNAVAILABLE
 * before JDK 11; others as attach_open(). gc_source_close() puts the JVM's log
 * back as it was.
 */
struct gc_source *gc_vm_log_open(const struct gc_options *o,
				 const struct jvm *jvm, struct error *err);

/*
 * Prints the head of a source: "Shop (4711) in prod/shop-7, container web: G1;
 * 2 probes in libjvm: times are estimates".
 */
void gc_log_source(const struct gc_source *s);

/*
 * Opens the files that the options name, as one stream. Several files are parts
 * of one log, or recordings of one JVM. Unreadable files are reported; fails if
 * all are unreadable.
 */
int gc_files_open(const struct gc_options *o, struct gc_streams *streams,
		  struct error *err);

/*
 * Prints what the files contained besides records. Returns the number of files
 * that were unreadable, or are damaged recordings. Before gc_streams_close().
 */
uint64_t gc_files_report(void);

/* After gc_streams_close(). */
void gc_files_close(void);

/* True if the options name a JVM over JMX. */
bool gc_jmx_is_wanted(const struct gc_options *o);

/* Connects, and opens a stream. gc_jmx_close() must follow in any case. */
int gc_jmx_open(struct gc_options *o, struct gc_streams *streams,
		struct error *err);

/* After gc_streams_close(). */
void gc_jmx_close(void);

/*
 * Checks, once a second, that a live JVM runs the same program. Prints when it
 * is stopped, and sets has_ended when it is gone or has executed another
 * program.
 */
void gc_live_check(struct gc_stream *s);

/*
 * CPU time of the GC threads since gc_live_open(), from the kernel; GC_ABSENT =
 * unknown, as for a JVM that has ended, and for Serial, which has none.
 */
int64_t gc_live_cpu_ns(const struct gc_stream *s);

/*
 * The time that the streams have observed their JVMs until end_ns
 * (CLOCK_MONOTONIC), or until the JVMs ended, in sum. Each began when it was
 * opened.
 */
int64_t gc_streams_observed_ns(const struct gc_streams *streams,
			       int64_t end_ns);

void gc_streams_close(struct gc_streams *streams);

/* Adds the gates of --fail. Fails with ERROR_MISUSE, and quotes the gate. */
int gc_gates_add(const struct option_list *list, struct gates *gates,
		 struct error *err);

/* The totals, and stops that had not ended, which are in no total. */
struct gc_measurement {
	struct gc_summary summary;
	size_t pending;
	int64_t pending_ns; /* how long the longest has lasted */
};

/* Sets the results and reasons of the gates. */
void gc_gates_judge(struct gates *gates, const struct gc_measurement *m);

#endif
