/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ttop/ttop_jmx.h"

#include "cmd/shared/log.h"
#include "cmd/shared/signals.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "jmx_http/rmi/rmi_local.h"
#include "jmx_http/threads/jmx_source.h"

#include <stdio.h>
#include <unistd.h>

#define GUARD_END_NS (2 * CLOCK_NS_PER_S)

/*
 * The cleanup process: a child that disables contention monitoring if ttop ends
 * without doing so, because of SIGKILL, a closed terminal or a crash.
 */

/*
 * Disables contention monitoring; logs a failure unless jvm, the JVM if it runs
 * on this machine, has ended.
 */
static void guard_put_back(struct thread_source *source, const struct jvm *jvm)
{
	struct error err;

	if (jmx_source_put_back(source, &err) == 0 || (jvm && !jvm_runs(jvm)))
		return;
	if (err.kind == ERROR_NO_TARGET)
		log_info("cannot disable contention monitoring; it stays "
			 "enabled if the JVM still runs: %s",
			 err.text);
	else
		log_info("cannot disable contention monitoring: %s", err.text);
}

/* The argument of guard_job(). */
struct guarded {
	struct thread_source *source;
	const struct jvm *jvm;
};

static int guard_job(void *self, int channel, struct error *err)
{
	const struct guarded *g = self;
	enum child_news news;
	char word;

	(void)err;
	do
		news = child_hear(channel, INT64_MAX, &word);
	while (news == CHILD_SILENT);
	/* ttop ended without a message: it cleaned up nothing. */
	if (news == CHILD_GONE)
		guard_put_back(g->source, g->jvm);
	return CHILD_NOTHING;
}

/*
 * Starts the cleanup process if the source, a jmx_source, enabled contention
 * monitoring. If that fails, it warns and ttop goes on.
 */
static void guard_open(struct child *g, struct thread_source *source,
		       const struct jvm *jvm)
{
	struct guarded guarded = { source, jvm };
	const int kept[] = { STDERR_FILENO, jvm ? jvm->pidfd : -1 };
	/*
	 * Two processes must not share the source's connections. The child's
	 * copies of them read as closed, so that it opens its own.
	 */
	const struct child_options options = {
		.files = CHILD_NULLS_FILES,
		.kept = kept,
		.kept_count = sizeof(kept) / sizeof(*kept),
	};
	struct error err;

	*g = (struct child){ .channel = -1 };
	if (!jmx_source_has_switched(source))
		return;
	if (child_start(g, &options, guard_job, &guarded, &err))
		log_info("cannot start the cleanup process: %s; contention "
			 "monitoring may stay enabled if ttop is killed",
			 err.text);
}

/* Ends the child after ttop disabled contention monitoring or tried to. */
static void guard_close(struct child *g)
{
	if (!g->pid)
		return;
	/* Kills a child that does not react, for example after SIGSTOP. */
	child_end(g, child_tell(g->channel, 'k', -1) ? 0 : GUARD_END_NS);
	*g = (struct child){ .channel = -1 };
}

/* The timeout for finding a connector without starting it. */
#define LOCAL_TIMEOUT_NS (2 * CLOCK_NS_PER_S)

/* Returns the JVM if it runs on this machine, or NULL. */
static const struct jvm *ttop_jmx_local(const struct ttop_jmx *t)
{
	return t->target.by_pid ? &t->target.jvm : NULL;
}

static int ttop_jmx_open_source(struct ttop_jmx *t,
				const struct jmx_source_options *options,
				struct error *err)
{
	/* From now on, a signal ends ttop in order, which disables it again. */
	if (options->contention)
		signals_listen();
	t->source = jmx_source_open(t->target.jmx, options, err);
	if (!t->source)
		return -1;
	guard_open(&t->guard, t->source, ttop_jmx_local(t));
	return 0;
}

struct thread_source *ttop_jmx_open(struct ttop_jmx *t,
				    const struct jmx_target_options *o,
				    bool contention, struct error *err)
{
	const struct jmx_source_options options = { .contention = contention };

	t->is_open = true;
	if (jmx_client_open(&t->target, o, 0, NULL, err) ||
	    ttop_jmx_open_source(t, &options, err))
		return NULL;
	return t->source;
}

static bool ttop_jmx_agent_runs(const struct jvm *jvm)
{
	struct rmi_local local = { 0 };
	struct error err;
	bool found = !rmi_local_find(&local, jvm, NULL, LOCAL_TIMEOUT_NS, &err);

	if (!found)
		log_detail("no JMX: %s", err.text);
	rmi_local_release(&local);
	return found;
}

static int ttop_jmx_open_local(struct ttop_jmx *t, const struct jvm *jvm,
			       const struct ttop_jmx_options *wanted,
			       struct error *err)
{
	const struct jmx_source_options options = {
		.beside_proc = true,
		.contention = wanted->contention,
	};
	struct jmx_target_options o = { .timeout_ns = wanted->timeout_ns };
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)jvm->pid);
	o.pid = pid;
	t->is_open = true;
	if (jmx_client_open(&t->target, &o, 0, NULL, err))
		return -1;
	return ttop_jmx_open_source(t, &options, err);
}

struct thread_source *ttop_jmx_join(struct ttop_jmx *t, const struct jvm *jvm,
				    struct thread_source *proc,
				    const struct ttop_jmx_options *o,
				    struct error *err)
{
	struct error problem;

	if (o->wish == TTOP_JMX_IF_THERE && !ttop_jmx_agent_runs(jvm))
		return proc;
	if (ttop_jmx_open_local(t, jvm, o, &problem) == 0)
		return merged_source_new(proc, t->source, t->target.jmx);
	if (o->wish == TTOP_JMX_NEEDED) {
		*err = problem;
		proc->ops->close(proc);
		return NULL;
	}
	if (o->wish == TTOP_JMX_START)
		log_info("contention is unavailable: cannot use JMX: %s",
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
		guard_close(&t->guard);
		return TTOP_CONTENTION_OFF;
	}
	if (!jmx_source_has_switched(t->source))
		return TTOP_CONTENTION_OTHERS;
	guard_open(&t->guard, t->source, ttop_jmx_local(t));
	return TTOP_CONTENTION_ON;
}

void ttop_jmx_put_back(struct ttop_jmx *t)
{
	if (t->source)
		guard_put_back(t->source, ttop_jmx_local(t));
	guard_close(&t->guard);
	t->source = NULL;
}

void ttop_jmx_close(struct ttop_jmx *t)
{
	if (t->is_open)
		jmx_client_close(&t->target);
	t->is_open = false;
}
