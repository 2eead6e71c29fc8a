/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_stream: our end of the stream file (agent_protocol.h).
 *
 * The file is the JVM's, whose user may write to it, cut it, or take its room
 * away: what cannot be read is an error, once, and nothing after it is.
 */
#ifndef JVMTI_CLIENT_CLIENT_STREAM_H
#define JVMTI_CLIENT_CLIENT_STREAM_H

#include "core/base/error.h"
#include "core/base/text.h"
#include "jvmti/agent/agent_protocol.h"
#include "jvmti/client/client_symbols.h"

#include <stdbool.h>
#include <stdint.h>

struct client_stream {
	int fd; /* holds the lock; -1 = none */
	struct agent_orders orders;
	struct agent_report report; /* as it was last read */
	uint64_t punched;           /* up to there its memory was given back */
	struct text left;           /* the beginning of a record */
	bool is_broken;             /* what it writes cannot be read */
};

/*
 * wants: bits of enum agent_want; interval for SampledObjectAlloc, UINT64_MAX =
 * as it is.  There is no file yet; client_stream_close() is due.
 */
void client_stream_init(struct client_stream *s, unsigned wants,
			uint64_t interval);

/* Takes the file, which has the orders in it, over, and locks it. */
int client_stream_hold(struct client_stream *s, int fd, struct error *err);
void client_stream_close(struct client_stream *s);

/* Looks what the agent reports; ERROR_PARTIAL when that makes no sense. */
int client_stream_look(struct client_stream *s, struct error *err);

/*
 * The same, and takes in all that it had written by then.  ERROR_PARTIAL, the
 * first time, when that cannot be read; then nothing more happens.
 */
int client_stream_read(struct client_stream *s, struct client_symbols *symbols,
		       struct error *err);

#endif
