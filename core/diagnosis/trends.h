/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trends: numbers of a JVM that can grow until something breaks, and the JVM's
 * replies about the objects that grow.
 *
 * Samples are taken at the beginning and after each quarter of the time.  They
 * come from /proc, the JVM's counters and the files of its control group, and
 * do not disturb the JVM.
 */
#ifndef CORE_DIAGNOSIS_TRENDS_H
#define CORE_DIAGNOSIS_TRENDS_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/class_histogram.h"
#include "core/jvm/jvm.h"
#include "core/jvm/open_files.h"
#include "core/jvm/perfdata.h"
#include "core/jvm/procfs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trend {
	TREND_DESCRIPTORS,
	TREND_THREADS,      /* of the kernel */
	TREND_CLASSES,      /* loaded, and not unloaded */
	TREND_OLD,          /* bytes of the old generation */
	TREND_ANONYMOUS,    /* bytes of anonymous memory (RssAnon) */
	TREND_NATIVE,       /* of these, bytes outside the heap */
	TREND_SWAPPED,      /* bytes in swap space */
	TREND_MAJOR_FAULTS, /* pages that were read from a disk */
	/* Of the group with the memory limit: */
	TREND_MEMORY,      /* bytes without file pages that may be dropped */
	TREND_OOM_KILLS,   /* processes that the kernel killed */
	TREND_PRESSURE_US, /* time that some task waited for memory (PSI) */
	TRENDS
};

/* An unknown value. */
#define TREND_UNKNOWN INT64_C(-1)

struct trend_sample {
	double at_s; /* since the first sample */
	int64_t values[TRENDS];
};

enum { TREND_SAMPLES = 16 };

/* The range of addresses of the heap; empty if unknown. */
struct heap_range {
	uint64_t begin, end;
};

struct trends {
	struct trend_sample samples[TREND_SAMPLES];
	size_t count;
	double uptime_s; /* of the JVM at the first sample; < 0 = unknown */
	int64_t limits[TRENDS];
	bool old_is_concurrent; /* collected before it is full */
	struct open_files first, last;
	struct error no_files; /* why descriptors are unknown */
	/*
	 * Once the caller has set it, samples have TREND_NATIVE.  The kernel
	 * walks all pages of the process for it, so there is a reason.
	 */
	struct heap_range heap;

	/* Private. */
	const struct jvm *jvm;
	struct perfdata *perf;
	int memory_group; /* directory; -1 = none */
	int64_t begin_ns;
};

/* jvm is borrowed.  trends_close() must follow. */
void trends_open(struct trends *t, const struct jvm *jvm);
void trends_close(struct trends *t); /* zeroed is allowed */

/* Adds a sample, unless there are TREND_SAMPLES. */
void trends_sample(struct trends *t);

/* The last known value; TREND_UNKNOWN if there is none. */
int64_t trends_last(const struct trends *t, enum trend which);

/*
 * Increase per second from the first known value to the last one; 0 if there
 * are no two values.
 */
double trends_rate(const struct trends *t, enum trend which);

/*
 * True if the value never became smaller, and was larger in at least three of
 * four samples.
 */
bool trends_grow(const struct trends *t, enum trend which);

/*
 * ---- busy_processes.c ----
 *
 * The CPU time of all processes, to find the one that uses most.
 */
struct busy_time {
	pid_t pid;
	uint64_t start_ticks; /* of the process */
	uint64_t ticks;       /* of CPU time */
	char name[PROCFS_NAMES];
};

struct busy_processes {
	struct busy_time *all; /* sorted by PID */
	size_t count, cap;
	int64_t at_ns; /* when they were read */
};

/* A process that uses the CPUs beside the JVM. */
struct busy_process {
	int pid;       /* 0 = none */
	char name[16]; /* foreign */
	double cores;
};

/* Reads all processes of the PID namespace of sjkc. */
void busy_processes_read(struct busy_processes *b);

/*
 * Finds the process, except one and sjkc, that used most CPU time between two
 * readings; its cores are of the whole time between them.
 */
struct busy_process busy_processes_compare(const struct busy_processes *then,
					   const struct busy_processes *now,
					   pid_t except);

void busy_processes_release(struct busy_processes *b);

/*
 * ---- replies.c ----
 *
 * What the JVM replies to jcmd commands and histograms.  Texts are safe for a
 * terminal; empty, 0 or TREND_UNKNOWN: not asked, or not answered.
 */
struct jvm_replies {
	struct text growing; /* classes: "D06Leak$Session +1,500 (67,253)" */
	struct text native;  /* of these, classes with native memory */
	struct text loaders; /* "ScriptLoader (4,034)" */
	struct text finalizable;      /* "LegacyHandle (11,257)" */
	int64_t finalizable_count;    /* objects that wait for Finalizer */
	int64_t code_used, code_most; /* bytes of the code cache, now; ever */
	int64_t code_size;
	bool code_is_off;         /* compilation is disabled */
	int64_t carriers, queued; /* of virtual threads: parallelism; waiting */
};

void jvm_replies_init(struct jvm_replies *r);
void jvm_replies_release(struct jvm_replies *r);

/* Each parses the JVM's reply to the jcmd command. */
typedef void jvm_reply_parser(struct jvm_replies *r, const char *reply,
			      size_t len);
jvm_reply_parser jvm_replies_add_loaders;     /* VM.classloader_stats */
jvm_reply_parser jvm_replies_add_finalizable; /* GC.finalizer_info */
jvm_reply_parser jvm_replies_add_code_cache;  /* Compiler.codecache */
jvm_reply_parser jvm_replies_add_scheduler;   /* Thread.vthread_scheduler */

/* Compares two histograms, the second some time after the first. */
void jvm_replies_add_growth(struct jvm_replies *r,
			    const struct class_histogram *before,
			    const struct class_histogram *after);

#endif
