/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: an interface to the memory of another process, and the reader of a
 * live process's memory.
 *
 * The contents are foreign and may change between two reads.  Addresses are the
 * target's.
 */
#ifndef CORE_PROCESS_MEMORY_H
#define CORE_PROCESS_MEMORY_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_range {
	uint64_t address;
	void *bytes;
	size_t len;
	bool is_read; /* set by read_all() */
};

struct memory {
	/* Reads each range completely or not at all, and sets its is_read. */
	void (*read_all)(struct memory *self, struct memory_range *ranges,
			 size_t count);
	/*
	 * The same for ranges that are read in most batches: the bytes may be
	 * those of the start of the batch.  NULL = read_all().
	 */
	void (*read_again)(struct memory *self, struct memory_range *ranges,
			   size_t count);
};

static inline void memory_read_again(struct memory *m,
				     struct memory_range *ranges, size_t count)
{
	(m->read_again ? m->read_again : m->read_all)(m, ranges, count);
}

static inline struct memory_range memory_range_of(uint64_t address, void *bytes,
						  size_t len)
{
	return (struct memory_range){ address, bytes, len, false };
}

static inline bool memory_read(struct memory *m, uint64_t address, void *bytes,
			       size_t len)
{
	struct memory_range range = { address, bytes, len, false };

	m->read_all(m, &range, 1);
	return range.is_read;
}

/*
 * Return an integer in the target's byte order, which is the same as this
 * program's; 0 when it is unreadable.
 */
uint64_t memory_u64(struct memory *m, uint64_t address);
uint32_t memory_u32(struct memory *m, uint64_t address);

/*
 * Reads a NUL-terminated string into text and truncates it to size - 1 bytes.
 * Returns false, with an empty text, when nothing is readable.
 */
bool memory_string(struct memory *m, uint64_t address, char *text, size_t size);

/*
 * ---- the memory of a live process ----
 *
 * process_vm_readv(2) blocks on a page that the target can withhold
 * (userfaultfd, FUSE), so a child process reads and replies through shared
 * memory.  A child that takes longer than a second is killed and replaced.  A
 * range that stalled is not read again for 30 seconds; after five seconds of
 * stalls within 30, nothing of the target is read.
 */
struct remote_memory;

/*
 * A child that reads the memory of several processes, and a small process that
 * replaces it. Open it before sjkc has grown, since a child keeps the pages of
 * its parent.
 */
struct memory_readers;

struct memory_readers *memory_readers_open(struct error *err);
void memory_readers_close(struct memory_readers *r); /* NULL is fine */

/*
 * Starts the child, unless readers, which is borrowed, is not NULL and has one.
 * jvm is borrowed.  After its process has ended, nothing is
 * read, even if another process has its PID.  ERROR_PERMISSION names the
 * missing right.
 */
struct remote_memory *remote_memory_open(const struct jvm *jvm,
					 struct memory_readers *readers,
					 struct error *err);
void remote_memory_close(struct remote_memory *m); /* NULL is fine */

struct memory *remote_memory_of(struct remote_memory *m);

/*
 * Begins a batch: reads all ranges of recent calls of read_again() with one
 * request, since the number of requests determines the cost.
 */
void remote_memory_begin(struct remote_memory *m);

/* Returns how often a child was killed because a read stalled. */
uint64_t remote_memory_stalls(const struct remote_memory *m);
/* Returns how many ranges were not read because they stalled. */
uint64_t remote_memory_missed(const struct remote_memory *m);

/*
 * The budget of stalled reads; tests call it with their own times.  Zeroed
 * storage is a full budget.
 */
struct stall_budget {
	int64_t since, waited_ns; /* ns in stalled reads since then */
	unsigned starved;         /* stalls in a row without CPU time */
};

/* Returns true while there is time left to wait for reads. */
bool stall_budget_is_left(const struct stall_budget *p, int64_t now_ns);

/*
 * Call after a read that began at asked_ns stalled until now_ns.  Returns true
 * when the target is the cause: the reader had CPU time, or lacked it too
 * often.
 */
bool stall_budget_lose(struct stall_budget *p, int64_t asked_ns, int64_t now_ns,
		       bool is_starved);

/* Call after a read that came in time. */
void stall_budget_regain(struct stall_budget *p);

#endif
