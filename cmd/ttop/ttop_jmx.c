/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ttop/ttop_jmx.h"

#include "cmd/log.h"
#include "cmd/signals.h"
#include "core/base/clock.h"
#include "jmx_http/rmi/rmi_local.h"
#include "jmx_http/threads/jmx_source.h"

#include <stdio.h>

/* For a connector that is only looked for. */
#define LOCAL_TIMEOUT_NS (2 * CLOCK_NS_PER_S)

/* The JVM, where it is one of this machine. */
static const struct jvm *local_jvm(const struct ttop_jmx *t)
{
	return t->target.by_pid ? &t->target.jvm : NULL;
}

static int open_source(struct ttop_jmx *t,
		       const struct jmx_source_options *options,
		       struct error *err)
{
	/* From here on a signal ends it well: what is switched on goes off. */
	if (options->contention)
		signals_listen();
	t->source = jmx_source_open(t->target.jmx, options, err);
	if (!t->source)
		return -1;
	ttop_guard_open(&t->guard, t->source, local_jvm(t));
	return 0;
}

struct thread_source *ttop_jmx_open(struct ttop_jmx *t,
				    const struct jmx_target_options *o,
				    bool contention, struct error *err)
{
	const struct jmx_source_options options = { .contention = contention };
	int none = 0;
	char **nothing = NULL;

	t->is_open = true;
	if (jmx_client_open(&t->target, o, &none, &nothing, err) ||
	    open_source(t, &options, err))
		return NULL;
	return t->source;
}

static bool is_there(const struct jvm *jvm)
{
	struct rmi_local local = { 0 };
	struct error err;
	bool found = !rmi_local_find(&local, jvm, NULL, LOCAL_TIMEOUT_NS, &err);

	if (!found)
		log_detail("no JMX: %s", err.text);
	rmi_local_release(&local);
	return found;
}

static int open_local(struct ttop_jmx *t, const struct jvm *jvm,
		      bool contention, struct error *err)
{
	const struct jmx_source_options options = {
		.beside_proc = true,
		.contention = contention,
	};
	struct jmx_target_options o = { .timeout_ns = -1 };
	int none = 0;
	char **nothing = NULL;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)jvm->pid);
	o.pid = pid;
	t->is_open = true;
	if (jmx_client_open(&t->target, &o, &none, &nothing, err))
		return -1;
	return open_source(t, &options, err);
}

struct thread_source *ttop_jmx_join(struct ttop_jmx *t, const struct jvm *jvm,
				    struct thread_source *proc,
				    enum ttop_jmx_wish wish, bool contention,
				    struct error *err)
{
	struct error problem;

	if (wish == TTOP_JMX_IF_THERE && !is_there(jvm))
		return proc;
	if (open_local(t, jvm, contention, &problem) == 0)
		return merged_source_new(proc, t->source, t->target.jmx);
	if (wish == TTOP_JMX_NEEDED) {
		*err = problem;
		proc->ops->close(proc);
		return NULL;
	}
	if (wish == TTOP_JMX_START)
		log_info("without JMX, how threads wait is shown as -: %s",
			 problem.text);
	else
		log_detail("no JMX: %s", problem.text);
	return proc;
}

enum ttop_contention ttop_jmx_switch_contention(struct ttop_jmx *t,
						struct error *err)
{
	bool was_on = jmx_source_has_switched(t->source);

	if (jmx_source_measure(t->source, !was_on, err))
		return TTOP_CONTENTION_FAILED;
	if (was_on) {
		ttop_guard_close(&t->guard);
		return TTOP_CONTENTION_OFF;
	}
	if (!jmx_source_has_switched(t->source))
		return TTOP_CONTENTION_OTHERS;
	ttop_guard_open(&t->guard, t->source, local_jvm(t));
	return TTOP_CONTENTION_ON;
}

void ttop_jmx_put_back(struct ttop_jmx *t)
{
	if (t->source)
		ttop_guard_put_back(t->source, local_jvm(t));
	ttop_guard_close(&t->guard);
	t->source = NULL;
}

void ttop_jmx_close(struct ttop_jmx *t)
{
	if (t->is_open)
		jmx_client_close(&t->target);
	t->is_open = false;
}
