/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account: the resident memory of a JVM, each page in one part.
 *
 * The ranges of the JVM's own structures, of stacks and of malloc are claimed
 * in a fixed order and crossed with the page map, because the kernel merges
 * neighboring mappings.  The process is neither stopped nor attached to, so
 * values change while they are read.
 */
#ifndef CORE_MEM_ACCOUNT_H
#define CORE_MEM_ACCOUNT_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jvm/jvm.h"
#include "core/mem/glibc_heap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum mem_part {
	MEM_HEAP,       /* the Java heap */
	MEM_GC,         /* card tables, bitmaps, mark stacks */
	MEM_METASPACE,  /* with the class space */
	MEM_CODE,       /* the code cache and its segment maps */
	MEM_ARCHIVE,    /* class data sharing (CDS) */
	MEM_STACKS,     /* of threads */
	MEM_OLD_STACKS, /* of ended threads, which glibc keeps */
	MEM_MALLOC,     /* arenas of the allocator */
	MEM_BLOCKS,     /* blocks of malloc with a mapping of their own */
	MEM_LIBRARIES,  /* code and data of programs and libraries */
	MEM_FILES,      /* other mapped files, JARs */
	MEM_SHARED,     /* shared memory, without files */
	MEM_OTHER,      /* the JVM's counters, the kernel's pages */
	MEM_UNKNOWN,
	MEM_PARTS
};

/* All sizes are in bytes. */
struct mem_size {
	uint64_t resident;
	uint64_t committed; /* mapped, and accessible */
	uint64_t swapped;
	uint64_t huge; /* of resident, in huge pages; a share of the mapping's
			  if the part has only some of the mapping */
};

struct mem_stack {
	pid_t tid;     /* of sjkc's namespace; 0 = it has just ended */
	char name[16]; /* comm, foreign */
	bool is_java;
	uint64_t start, end;
	struct mem_size size;
};

/* A run of pages of one part. */
struct mem_range {
	uint64_t start, end;
	enum mem_part part;
	/* A constant: "card table", "class space"; or NULL. */
	const char *detail;
	const char *path; /* of the file, foreign; "" = none */
	struct mem_size size;
};

struct mem_heap {
	char collector[24]; /* "G1", "Parallel", "Serial", "Z", "Shenandoah"; ""
			       is unknown */
	uint64_t start, end; /* reserved; 0 = unknown */
	uint64_t max;        /* bytes; 0 = unknown */
	bool has_objects;
	uint64_t objects;       /* resident bytes of objects and garbage */
	uint64_t free_resident; /* resident, but not of objects; an estimate
				   with ZGC */
	/*
	 * 3 if each page of the heap is mapped three times (ZGC before
	 * generations), else 1.  RSS counts each of these, the parts and their
	 * total count each page once.
	 */
	unsigned mapped_times;
};

/* Direct buffers, from the static fields of java.nio.Bits. */
struct mem_direct {
	bool is_known;
	uint64_t count, capacity, reserved, max;
	bool has_netty; /* PlatformDependent.DIRECT_MEMORY_COUNTER */
	uint64_t netty;
};

struct mem_account {
	pid_t pid;
	uint64_t rss, pss, swapped;       /* sums of all mappings */
	struct mem_size parts[MEM_PARTS]; /* their resident sums up to total */
	uint64_t total; /* sum of the parts; see mapped_times */
	struct mem_heap heap;
	struct mem_direct direct;
	struct glibc_heap glibc;
	char allocator[16]; /* "glibc", "jemalloc", "tcmalloc", "mimalloc",
			       "musl"; "" = unknown */
	uint64_t classes, loaders; /* 0 = unknown */
	uint64_t code_size;        /* reserved code cache; 0 = unknown */
	uint64_t class_space;      /* resident bytes of it in the metaspace */
	struct mem_stack *stacks;  /* largest first */
	size_t stack_count;
	unsigned java_threads, native_threads, unplaced_threads;
	struct mem_range *ranges; /* by address */
	size_t range_count;
	uint64_t seconds_ns; /* how long it took */
	int64_t wall_ns;     /* when it began; clock_wall_ns() */
	uint64_t uptime_ns;  /* of the process at wall_ns; 0 = unknown */
	/* What is missing, a line each with '\n'; foreign text is made safe. */
	struct text limits;

	struct arena *texts; /* private */
};

/*
 * Accounts for the memory of a JVM.  With wants_blocks, the arenas of malloc
 * are walked, which takes about 0.3 s of CPU time per GB of arenas.
 * ERROR_PERMISSION and ERROR_NO_TARGET if not even the mappings are readable;
 * otherwise limits tells what is missing.  mem_account_release() must follow
 * success.
 */
int mem_account_read(struct mem_account *a, const struct jvm *jvm,
		     bool wants_blocks, struct error *err);
void mem_account_release(struct mem_account *a); /* zeroed is allowed */

/* "Java heap", "metaspace": the names of the report, by part. */
extern const char *const mem_part_titles[MEM_PARTS];
/* "heap", "metaspace": the names of the document, by part. */
extern const char *const mem_part_names[MEM_PARTS];

#endif
