/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_helper: a child process that reads the memory of other processes.
 *
 * process_vm_readv(2) blocks on a page that the target can withhold
 * (userfaultfd, FUSE), so a child reads. Requests and bytes are in memory that
 * it shares with its parent; a datagram of one byte each way announces a
 * request or a reply. The child ends with its parent and has no descriptors or
 * capabilities that it does not need.
 */
#ifndef CORE_PROCESS_MEMORY_HELPER_H
#define CORE_PROCESS_MEMORY_HELPER_H

#include "core/base/child.h"
#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { HELPER_RANGES = 1024, HELPER_BYTES = 1 << 20 };

/* Shared with the child; zeroed at first. */
struct helper_area {
	pid_t target;   /* whose memory to read */
	pid_t helper;   /* the child's own PID */
	uint32_t count; /* number of ranges */
	int32_t error;  /* errno of the last range that was unreadable */
	struct {
		uint64_t address;
		uint32_t len; /* the bytes are in a row */
		uint32_t is_read;
	} ranges[HELPER_RANGES];
	uint8_t bytes[HELPER_BYTES];
};

/* Without a helper, child.channel is -1 and all other fields are 0. */
struct memory_helper {
	struct child child; /* pid 0: the starter's child, held by pidfd */
	int pidfd;          /* if channel >= 0 and child.pid == 0 */
	struct helper_area *area; /* NULL: none */
	int wait_ms;              /* limit of recv(2); 0 = none is set */
};

/*
 * A process that was forked when sjkc was small and starts helpers: a helper
 * that is forked from a grown process keeps the pages of that process.
 */
struct helper_starter;

struct helper_starter *helper_starter_open(struct error *err);
void helper_starter_close(struct helper_starter *s); /* NULL is fine */

/*
 * Starts a helper, from the starter unless that is NULL. memory_helper_end() is
 * due after success.
 */
int memory_helper_start(struct memory_helper *h, struct helper_starter *s,
			struct error *err);

/*
 * Kills the helper; no helper is fine. Returns false if a child is stuck in the
 * kernel: *pid is then for child_reap().
 */
bool memory_helper_end(struct memory_helper *h, pid_t *pid);

/* True if there is a helper, which may have been killed by others. */
static inline bool memory_helper_runs(const struct memory_helper *h)
{
	return h->area != NULL;
}

enum helper_result {
	HELPER_READ,    /* the request is complete */
	HELPER_STALLED, /* no reply in time: kill the helper */
	HELPER_DEAD,    /* another process killed the helper */
};

/* Requests the ranges in the area and waits at most ms milliseconds. */
enum helper_result memory_helper_request(struct memory_helper *h, int ms);

#endif
