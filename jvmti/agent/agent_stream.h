/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_stream: the agent's end of the stream file (agent_protocol.h).
 *
 * Records are gathered in memory and written by whoever has one when it is
 * time; nobody waits for another's writing: what cannot be put down is counted
 * as lost.
 */
#ifndef JVMTI_AGENT_AGENT_STREAM_H
#define JVMTI_AGENT_AGENT_STREAM_H

#include "jvmti/agent/agent_protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which of the report's counts a record adds to. */
enum stream_count {
	STREAM_LOADS,
	STREAM_UNLOADS,
	STREAM_GENERATED,
	STREAM_COUNTS
};

/* Opens the file and reads the orders; 0 or -errno. */
int stream_open(const char *path);

/* Of the file that was opened last. */
const struct agent_orders *stream_orders(void);

/* True when the client still holds its lock. */
bool stream_is_watched(void);

/*
 * Adds whole records, of which the last counts as `count`, and `methods` are
 * AGENT_METHOD; later = they need not be written at once.  False when they are
 * lost.
 */
bool stream_add(const void *bytes, size_t len, enum stream_count count,
		unsigned methods, bool later);

/* One more record is lost, that there was nowhere to make. */
void stream_lose(void);
/* One more method has lost its inlining. */
void stream_cut(void);
/* How many times something was lost. */
uint64_t stream_losses(void);

/* Writes what there is, and the report with this state; jni may be NULL. */
void stream_report(enum agent_state state, enum agent_step step, int code,
		   uint64_t replay_ns, const void *jni);

/* Tells the client of another file that this one is served already. */
void stream_say_busy(const char *path);

/* Nothing is written any more.  False: somebody writes for too long. */
bool stream_close(void);

#endif
