/* SPDX-License-Identifier: Apache-2.0 */
/* client_session: a session with the agent in a JVM, of any purpose. */
#ifndef JVMTI_CLIENT_CLIENT_SESSION_H
#define JVMTI_CLIENT_CLIENT_SESSION_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"
#include "jvmti/client/client_load.h"
#include "jvmti/client/client_symbols.h"

#include <stdbool.h>
#include <stdint.h>

/* The stream is initialized by client_stream_init() beforehand. */
struct client_session {
	const struct jvm *jvm;
	struct client_stream stream;
	char path[AGENT_PATHS];    /* path of the stream in the JVM's root */
	char library[AGENT_PATHS]; /* path of the library in the JVM's root */
	int64_t load_ns;
};

struct client_loading {
	int64_t timeout_ns; /* at most a minute */
	/* See struct agent_options. */
	void (*before_load)(void *self, const char *warning);
	void *self;
	/*
	 * Load a library that is not loaded yet once without work: the JVM
	 * links its natives then.
	 */
	bool prepare;
};

/*
 * Has the JVM load the agent, which begins with the orders of the stream.
 * Errors are those of agent_client_open().  client_session_close() is due even
 * after a failure.
 */
int client_session_open(struct client_session *s, const struct jvm *jvm,
			const struct client_loading *l, struct error *err);

/* See agent_client_warning(). */
const char *client_session_warning(const struct jvm *jvm);

/* Sends the agent to sleep, if it runs, and closes the stream. */
void client_session_close(struct client_session *s);

/*
 * Returns the maximum size of code that the JVM compiles; 0 = unlimited.  If
 * the JVM does not tell, it has the default.
 */
uint32_t client_code_limit(const struct jvm *jvm, int64_t timeout_ns);

#endif
