/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_helper: the child process that reads another one's memory.
 *
 * Requests and bytes are in memory that it shares with its parent; a datagram
 * of one byte each way says that a request, or the answer, is there.  It ends
 * with its parent, and has given up what it does not need by then: open files
 * and capabilities.
 */
#ifndef CORE_PROCESS_MEMORY_HELPER_H
#define CORE_PROCESS_MEMORY_HELPER_H

#include "core/base/child.h"
#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { HELPER_RANGES = 1024, HELPER_BYTES = 1 << 20 };

/* Shared, zeroed at first. */
struct helper_area {
	uint32_t count;       /* of ranges, of the request */
	int32_t error;        /* errno of the last that could not be read */
	uint32_t target_runs; /* it did so after all had been read */
	struct {
		uint64_t address;
		uint32_t len; /* their bytes stand one after the other */
		uint32_t is_read;
	} ranges[HELPER_RANGES];
	uint8_t bytes[HELPER_BYTES];
};

struct memory_helper {
	struct child child;
	struct helper_area *area;
};

enum helper_answer {
	HELPER_READ,    /* what there was to be had */
	HELPER_STALLED, /* no answer in time: it is to be killed */
	HELPER_DEAD,    /* somebody else did */
};

/* target_pidfd may be -1: target_runs is 1 then.  memory_helper_end() is due.
 */
int memory_helper_start(struct memory_helper *h, pid_t target, int target_pidfd,
			struct error *err);

/* Has what is in the area read, and waits so many ms at most. */
enum helper_answer memory_helper_ask(struct memory_helper *h, int ms);

/*
 * Kills it, without waiting for more than a moment; zeroed storage is fine.
 * False when it has not ended yet: stuck in the kernel, it will when it can.
 */
bool memory_helper_end(struct memory_helper *h);

#endif
