/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttop_jmx: samples over JMX: all values (-s) or those that /proc lacks (-p).
 */
#ifndef CMD_TTOP_TTOP_JMX_H
#define CMD_TTOP_TTOP_JMX_H

#include "cmd/jmx/jmx_target.h"
#include "core/base/child.h"
#include "core/threads/thread_source.h"

struct ttop_jmx {
	bool is_open; /* target must be closed */
	struct jmx_client target;
	struct thread_source *source; /* the jmx_source; NULL: none */
	struct child guard; /* disables contention monitoring after a crash */
};

/*
 * Connects to the target of o; t->source produces the samples. NULL and *err as
 * jmx_client_open() and jmx_source_open(). Call ttop_jmx_close() in any case.
 */
struct thread_source *ttop_jmx_open(struct ttop_jmx *t,
				    const struct jmx_target_options *o,
				    bool contention, struct error *err);

enum ttop_jmx_wish {
	TTOP_JMX_IF_THERE, /* only if the local JMX connector runs */
	TTOP_JMX_START,    /* start the agent; report a failure */
	TTOP_JMX_NEEDED,   /* start the agent; a failure is an error */
};

struct ttop_jmx_options {
	enum ttop_jmx_wish wish;
	bool contention;
	int64_t timeout_ns; /* of a reply; < 0: the default */
};

/*
 * Returns a source that adds samples over JMX to those of proc, a proc_source
 * of the JVM; or proc, when there is no JMX. Closes proc when it returns NULL.
 */
struct thread_source *ttop_jmx_join(struct ttop_jmx *t, const struct jvm *jvm,
				    struct thread_source *proc,
				    const struct ttop_jmx_options *o,
				    struct error *err);

enum ttop_contention {
	TTOP_CONTENTION_ON,     /* enabled until ttop ends */
	TTOP_CONTENTION_OFF,    /* disabled again */
	TTOP_CONTENTION_OTHERS, /* another client enabled it: unchanged */
	TTOP_CONTENTION_FAILED,
};

/*
 * Toggles contention monitoring, unless another client enabled it. A child
 * disables it should ttop be killed. *err when it failed.
 */
enum ttop_contention ttop_jmx_switch_contention(struct ttop_jmx *t,
						struct error *err);

/* Disables what ttop enabled in the JVM, before its source is closed. */
void ttop_jmx_put_back(struct ttop_jmx *t);

/* Closes the connection, after the source. Accepts a zeroed struct. */
void ttop_jmx_close(struct ttop_jmx *t);

#endif
