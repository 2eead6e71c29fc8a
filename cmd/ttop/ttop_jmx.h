/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttop_jmx: what ttop has over JMX: all of it (-s), or what /proc lacks (-p).
 */
#ifndef CMD_TTOP_TTOP_JMX_H
#define CMD_TTOP_TTOP_JMX_H

#include "cmd/jmx/jmx_target.h"
#include "core/base/child.h"
#include "core/threads/thread_source.h"

struct ttop_jmx {
	bool is_open; /* target is to be closed */
	struct jmx_client target;
	struct thread_source *source; /* the jmx_source; NULL: none */
	struct child guard;           /* puts back what ttop switched on */
};

/*
 * Connects to what o names; t->source gives samples.  NULL and *err as
 * jmx_client_open() and jmx_source_open(); ttop_jmx_close() is due in any case.
 */
struct thread_source *ttop_jmx_open(struct ttop_jmx *t,
				    const struct jmx_target_options *o,
				    bool contention, struct error *err);

enum ttop_jmx_wish {
	TTOP_JMX_IF_THERE, /* where the JVM's local connector runs already */
	TTOP_JMX_START,    /* it is started; when it cannot be, that is said */
	TTOP_JMX_NEEDED,   /* when it cannot be, that is a failure */
};

/*
 * The samples of proc, a proc_source of the JVM, with those over JMX joined to
 * them; or proc, where there is no JMX.  proc is closed when NULL is given.
 */
struct thread_source *ttop_jmx_join(struct ttop_jmx *t, const struct jvm *jvm,
				    struct thread_source *proc,
				    enum ttop_jmx_wish wish, bool contention,
				    struct error *err);

enum ttop_contention {
	TTOP_CONTENTION_ON,     /* by us, until ttop ends */
	TTOP_CONTENTION_OFF,    /* again */
	TTOP_CONTENTION_OTHERS, /* was on, and stays so */
	TTOP_CONTENTION_FAILED,
};

/*
 * Has the JVM measure how long threads wait; or no longer, when it does so for
 * us.  A child puts it back should ttop be killed.  *err when it failed.
 */
enum ttop_contention ttop_jmx_switch_contention(struct ttop_jmx *t,
						struct error *err);

/* Puts back what was switched on in the JVM, before its source is closed. */
void ttop_jmx_put_back(struct ttop_jmx *t);

/* Closes the connection, after the source.  Zeroed storage is fine. */
void ttop_jmx_close(struct ttop_jmx *t);

#endif
