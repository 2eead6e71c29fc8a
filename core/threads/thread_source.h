/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_source: the interface of everything that produces thread samples.
 *
 * A sample has the counters of the process and of each thread at one time.
 * thread_rates does not know whether they come from /proc, from a recording or,
 * over JMX, from another machine. Unavailable counters are absent, never 0.
 */
#ifndef CORE_THREADS_THREAD_SOURCE_H
#define CORE_THREADS_THREAD_SOURCE_H

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define COUNTER_ABSENT INT64_MIN

/* Counters only grow while the thread lives; times in ns, sizes in bytes. */
enum thread_counter {
	THREAD_CPU,
	THREAD_USER,
	THREAD_SYS,
	THREAD_ALLOC,
	THREAD_RUNQ,
	THREAD_VOLUNTARY, /* context switches */
	THREAD_INVOLUNTARY,
	THREAD_WAITS, /* times waited; monitors and parks, as JMX counts */
	THREAD_WAIT_TIME,
	THREAD_BLOCKS,
	THREAD_BLOCK_TIME,
	THREAD_COUNTERS
};

enum thread_kind {
	THREAD_UNKNOWN, /* its name has not been asked for yet */
	THREAD_JAVA,
	THREAD_VM, /* the VM's own: "VM Thread", "VM Periodic Task Thread" */
	THREAD_GC,
	THREAD_JIT,
	THREAD_NATIVE, /* of no Java name: JNI, agents, the launcher's */
};

/* As java.lang.Thread.State; the VM's own threads have the kernel's. */
enum thread_run_state {
	RUN_UNKNOWN,
	RUN_NEW,
	RUN_RUNNABLE,
	RUN_BLOCKED,
	RUN_WAITING,
	RUN_TIMED_WAITING,
	RUN_TERMINATED,
	RUN_ON_CPU,   /* R of /proc */
	RUN_SLEEPING, /* S */
	RUN_DISK,     /* D */
	RUN_STOPPED,  /* T, t */
};

struct thread_sample {
	int64_t java_id;    /* 0 = none or unknown */
	int64_t virtual_id; /* of the virtual thread it carries; 0 = none */
	pid_t tid;          /* as this process sees it; 0 = unknown */
	pid_t ns_tid;       /* as the JVM sees it */
	uint64_t start;     /* with tid or java_id, names a thread */
	const char *name;   /* foreign, NUL-terminated; never NULL */
	enum thread_kind kind;
	enum thread_run_state state;
	bool state_is_old;    /* from the last thread dump, not of now */
	bool alloc_is_coarse; /* in steps of 1k or 1m: shown with "~" */
	/*
	 * Where THREAD_ALLOC is known at times only: bytes a second, the mean
	 * of a longer time, which a note tells.
	 */
	bool has_alloc_mean;
	int64_t alloc_mean;
	int64_t counters[THREAD_COUNTERS];
};

enum { GC_COLLECTORS_MAX = 10 };

struct gc_sample {
	char name[64];   /* "G1 young collection pauses"; foreign */
	int64_t count;   /* pauses so far */
	int64_t time_ns; /* the program stood still for them */
	int64_t last_ns; /* length of the last pause; COUNTER_ABSENT: unknown */
	/*
	 * The collector does not count its pauses; these are all safepoints,
	 * of which the pauses are a part.
	 */
	bool at_most;
	bool is_cycles; /* count is of cycles, each with several pauses */
};

/* Each is COUNTER_ABSENT when the source does not have it. */
struct process_sample {
	int64_t cpu_ns, user_ns, sys_ns; /* ended threads included */
	int64_t safepoints;
	int64_t safepoint_ns; /* at safepoints, without reaching them */
	int64_t sync_ns;      /* reaching them */
	int64_t alloc_bytes;  /* of all threads so far, exact */
	int64_t heap_used, heap_committed, heap_max;
	int64_t rss_bytes;
	int64_t threads; /* of the kernel's or the JVM's count */
	int64_t virtual_threads;
	int64_t cpus; /* of the machine; over JMX, those the JVM may use */
	int64_t machine_busy_ns, machine_idle_ns; /* of all CPUs together */
	int64_t cpu_limit;    /* of its cgroup: thousandths of a CPU */
	int64_t throttled_ns; /* its cgroup was held back for the limit */
	char gc_cause[48]; /* of the last collection; foreign; "" = unknown */
	size_t gc_count;
	struct gc_sample gc[GC_COLLECTORS_MAX];
};

/* Whence what is shown came, and what is not to be had and why. */
struct source_note {
	const char *figure; /* "cpu", "runq", "names", "allocation", "gc",
			       "safepoints", "heap", "contention" */
	char text[256];     /* "Thread.print, 4 s ago, coarse"; "- (…)" */
	bool is_absent;
};

enum { SOURCE_NOTES_MAX = 12 };

struct top_sample {
	int64_t monotonic_ns; /* when the counters were read */
	int64_t wall_ns;
	struct process_sample process;
	const struct thread_sample *threads;
	size_t thread_count;
	uint64_t missed; /* threads that ended while they were read, so far */
	struct source_note notes[SOURCE_NOTES_MAX];
	size_t note_count;
};

struct blocked;
struct thread_source;

struct thread_source_ops {
	const char *name; /* "proc", "replay", "jmx" */
	/*
	 * Takes a sample; what *out points to is the source's, and is valid
	 * until it has given another: not when it fails, so that the last one
	 * of a target that has ended can be shown.  ERROR_NO_TARGET then.
	 */
	int (*sample)(struct thread_source *s, struct top_sample *out,
		      struct error *err);
	/*
	 * Appends the stack trace of one thread as a person reads it, with its
	 * locks and who owns what it waits for; NULL: the source has none.
	 */
	int (*stack)(struct thread_source *s, const struct thread_sample *of,
		     struct text *out, struct error *err);
	/* Appends the deadlocks found, or nothing; NULL: the source can not. */
	int (*deadlocks)(struct thread_source *s, struct text *out,
			 struct error *err);
	/*
	 * Replaces *out by another look at who is blocked by whom, linked; out
	 * is the same from one look to the next.  NULL: the source can not.
	 */
	int (*blocked)(struct thread_source *s, struct blocked *out,
		       struct error *err);
	/* What to call the target: "4711 com.acme.Main, 17.0.21". */
	const char *(*title)(struct thread_source *s);
	void (*close)(struct thread_source *s);
};

/* The first member of every source's own struct. */
struct thread_source {
	const struct thread_source_ops *ops;
	pid_t pid; /* 0 when there is none */
};

/* Sets all that is absent. */
void process_sample_clear(struct process_sample *p);

/* The fixed names of the tables above: "cpu", "wait_time"; "java", "gc";
 * "RUNNABLE". */
const char *thread_counter_name(enum thread_counter counter);
const char *thread_kind_name(enum thread_kind kind);
const char *thread_run_state_name(enum thread_run_state state);

/*
 * Adds a note to a sample: where a figure comes from, or why it is absent.
 * figure is one of those of struct source_note, a literal.  The formatted text
 * may be foreign; it is made safe.  Beyond SOURCE_NOTES_MAX nothing is added.
 */
void source_note_add(struct top_sample *out, const char *figure, bool is_absent,
		     const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
