/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_source: the interface of everything that produces thread samples.
 *
 * A sample has the counters of the process and of each thread at one time.
 * thread_rates does not depend on whether they come from /proc, from a
 * recording or, over JMX, from another machine. Unavailable counters are
 * absent, never 0.
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
	THREAD_WAITS, /* number of waits, for monitors and parking, as in JMX */
	THREAD_WAIT_TIME,
	THREAD_BLOCKS,
	THREAD_BLOCK_TIME,
	THREAD_COUNTERS
};

enum thread_kind {
	THREAD_UNKNOWN, /* its name has not been requested yet */
	THREAD_JAVA,
	THREAD_VM, /* VM threads: "VM Thread", "VM Periodic Task Thread" */
	THREAD_GC,
	THREAD_JIT,
	THREAD_NATIVE, /* without a Java name: threads of JNI, agents, the
			  launcher */
};

/* Like java.lang.Thread.State; VM threads have the kernel's state. */
enum thread_run_state {
	RUN_UNKNOWN,
	RUN_NEW,
	RUN_RUNNABLE,
	RUN_IN_NATIVE, /* runnable for Java, but asleep in native code; over
			  JMX: in native code */
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
	int64_t virtual_id; /* of the mounted virtual thread; 0 = none */
	pid_t tid;          /* in our PID namespace; 0 = unknown */
	pid_t ns_tid;       /* in the JVM's PID namespace */
	uint64_t start;   /* identifies a thread together with tid or java_id */
	const char *name; /* foreign, NUL-terminated; never NULL */
	enum thread_kind kind;
	enum thread_run_state state;
	bool state_is_old;    /* from the last thread dump, not current */
	bool alloc_is_coarse; /* in steps of 1k or 1m: printed with "~" */
	/*
	 * If only some samples have THREAD_ALLOC: the mean in bytes per second
	 * over a longer time, which a note states.
	 */
	bool has_alloc_mean;
	int64_t alloc_mean;
	int64_t counters[THREAD_COUNTERS];
};

enum { GC_COLLECTORS_MAX = 10 };

struct gc_sample {
	char name[64];   /* "G1 young collection pauses"; foreign */
	int64_t count;   /* total number of pauses */
	int64_t time_ns; /* total time that the program was stopped */
	int64_t last_ns; /* length of the last pause; COUNTER_ABSENT = unknown
			  */
	/*
	 * The collector does not count its pauses; the values are those of all
	 * safepoints, which include the pauses.
	 */
	bool at_most;
	bool is_cycles; /* count is the number of cycles, each with several
			   pauses */
};

/* Stops of the application; times include the time to safepoint. */
struct measured_stops {
	int64_t count;
	int64_t time_ns;
	int64_t longest_ns; /* 0: none yet */
};

/*
 * Totals of the stops that were measured one by one, since the measuring
 * began. COUNTER_ABSENT: nothing is measured.
 */
struct measured {
	struct measured_stops all, gc;
	int64_t sync_ns;     /* time to safepoint in all */
	int64_t collections; /* in gc */
	int64_t collect_ns;  /* the collectors' own time in gc */
	char cause[48];      /* of the longest of gc; foreign; "" = unknown */
};

/* There may be a limit, which sjkc cannot see. */
#define CPU_LIMIT_UNKNOWN INT64_C(-1)

/* Each value is COUNTER_ABSENT if the source does not have it. */
struct process_sample {
	int64_t cpu_ns, user_ns, sys_ns; /* including ended threads */
	int64_t safepoints;
	int64_t safepoint_ns; /* at safepoints, without the time to safepoint */
	int64_t sync_ns;      /* time to safepoint */
	int64_t alloc_bytes;  /* total of all threads, exact */
	int64_t heap_used, heap_committed, heap_max;
	int64_t rss_bytes;
	int64_t threads;         /* counted by the kernel or the JVM */
	int64_t threads_started; /* Java threads since the JVM started */
	int64_t virtual_threads;
	int64_t cpus; /* of the machine; over JMX, available to the JVM */
	int64_t machine_busy_ns, machine_idle_ns; /* sum of all CPUs */
	int64_t cpu_limit;    /* of its cgroup, in thousandths of a CPU; or
				 CPU_LIMIT_UNKNOWN */
	int64_t throttled_ns; /* time that the limit stopped its cgroup, added
				 up over the CPUs */
	int64_t cfs_periods, throttled_periods; /* of the limit: all, and those
						   in which it stopped it */
	struct measured measured;
	char gc_cause[48]; /* cause of the last collection; foreign; "" =
			      unknown */
	/* In Kubernetes; foreign; "" = unknown. */
	char pod_namespace[64], pod[254], container[64];
	size_t gc_count;
	struct gc_sample gc[GC_COLLECTORS_MAX];
};

/* The source of a value, or why the value is absent. */
struct source_note {
	const char *figure; /* "cpu", "runq", "names", "allocation", "gc",
			       "safepoints", "pending", "heap", "contention" */
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
	uint64_t missed; /* total number of threads that ended while they were
			    read */
	struct source_note notes[SOURCE_NOTES_MAX];
	size_t note_count;
};

struct blocked;
struct thread_source;

struct thread_source_ops {
	const char *name; /* "proc", "replay", "jmx" */
	/*
	 * Takes a sample. Memory that *out refers to belongs to the source, and
	 * is valid until the next successful call: so the last sample of a
	 * target that has ended can still be printed. ERROR_NO_TARGET then.
	 */
	int (*sample)(struct thread_source *s, struct top_sample *out,
		      struct error *err);
	/*
	 * Appends the stack trace of one thread for people, with its locks and
	 * the owner of the lock that it waits for. NULL = not supported.
	 */
	int (*stack)(struct thread_source *s, const struct thread_sample *of,
		     struct text *out, struct error *err);
	/* Appends the deadlocks found, or nothing. NULL = not supported. */
	int (*deadlocks)(struct thread_source *s, struct text *out,
			 struct error *err);
	/*
	 * Updates *out, which is the same object in each call, with the threads
	 * that are blocked now. NULL = not supported.
	 */
	int (*blocked)(struct thread_source *s, struct blocked *out,
		       struct error *err);
	/* Name of the target: "4711 com.acme.Main, 17.0.21". */
	const char *(*title)(struct thread_source *s);
	void (*close)(struct thread_source *s);
};

/* The first member of each source's own struct. */
struct thread_source {
	const struct thread_source_ops *ops;
	pid_t pid; /* 0 if there is none */
};

/* Sets all values to absent. */
void process_sample_clear(struct process_sample *p);

/*
 * The names of the enum constants above: "cpu", "wait_time"; "java", "gc";
 * "RUNNABLE".
 */
const char *thread_counter_name(enum thread_counter counter);
const char *thread_kind_name(enum thread_kind kind);
const char *thread_run_state_name(enum thread_run_state state);

/*
 * Adds a note to a sample: the source of a value, or why the value is absent.
 * figure is one of those of struct source_note, a literal. The formatted text
 * may be foreign and is made safe. Beyond SOURCE_NOTES_MAX nothing is added.
 */
void source_note_add(struct top_sample *out, const char *figure, bool is_absent,
		     const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
