/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_stream: the agent's end of the stream file (agent_protocol.h).
 *
 * Records are collected in memory.  The thread that adds a record writes them
 * when it is time.  Records that cannot be stored are counted as lost: those
 * without room, and those whose thread did not get the lock in time. Threads
 * that report compiled code wait for the lock for a second, threads of the
 * application in a probed method for 200 us.
 */
#ifndef JVMTI_AGENT_AGENT_STREAM_H
#define JVMTI_AGENT_AGENT_STREAM_H

#include "jvmti/agent/agent_protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The count in the report that a record adds to. */
enum stream_count {
	STREAM_LOADS,
	STREAM_UNLOADS,
	STREAM_GENERATED,
	STREAM_PROBES, /* not in the report */
	STREAM_COUNTS
};

/* Opens the file and reads the orders; returns 0 or -errno. */
int stream_open(const char *path);

/* Returns the orders of the file that was opened last. */
const struct agent_orders *stream_orders(void);

/* Returns true when the client still holds its lock. */
bool stream_is_watched(void);

/*
 * Adds complete records.  The last one adds to `count`; `methods` of the others
 * are AGENT_METHOD.  With later, they need not be written at once. Returns
 * false when they are lost.
 */
bool stream_add(const void *bytes, size_t len, enum stream_count count,
		unsigned methods, bool later);

/* Counts a lost record that there was no memory to build. */
void stream_lose(void);
/* Counts a record that is lost because its thread did not get a lock in time.
 */
void stream_delay(void);
/* Counts a method whose inlining is omitted. */
void stream_cut(void);
/* Returns the number of losses. */
uint64_t stream_losses(void);

/*
 * Writes all buffered records, and the report with this state; jni may be NULL.
 */
void stream_report(enum agent_state state, enum agent_step step, int code,
		   uint64_t replay_ns, const void *jni);

/* Sets the descriptor of the probes' memory for the next report. */
void stream_report_probes(int fd);

/*
 * Reports to the client of another file that this agent serves a client
 * already.
 */
void stream_report_busy(const char *path);

/* Stops all writing.  Returns false if a thread keeps writing for too long. */
bool stream_close(void);

#endif
