/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ttop/ttop_jmx.h"

#include "cmd/log.h"
#include "cmd/signals.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "jmx_http/rmi/rmi_local.h"
#include "jmx_http/threads/jmx_source.h"

#include <stdio.h>
#include <unistd.h>

#define GUARD_END_NS (2 * CLOCK_NS_PER_S)

/*
 * The cleanup process: a child that puts back what ttop switched on in a JVM,
 * should ttop end without doing so: by a signal that cannot be handled, a
 * closed terminal, a crash.
 */

/*
 * Puts it back; prints why that failed unless jvm, the JVM if it is on this
 * machine, has ended.
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

/* What the child is to put back. */
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
	/* Without a word, ttop has ended and put back nothing. */
	if (news == CHILD_GONE)
		guard_put_back(g->source, g->jvm);
	return CHILD_NOTHING;
}

/*
 * Does nothing unless the source, a jmx_source, has switched something on.
 * Without a child, which is printed, ttop is its own guard.
 */
static void guard_open(struct child *g, struct thread_source *source,
		       const struct jvm *jvm)
{
	struct guarded guarded = { source, jvm };
	const int kept[] = { STDERR_FILENO, jvm ? jvm->pidfd : -1 };
	/*
	 * The source's connections must not be used by two: the child reads
	 * their end and makes its own.
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

/* ttop has put it back, or tried to: the child ends. */
static void guard_close(struct child *g)
{
	if (!g->pid)
		return;
	/* Somebody may have stopped it: it is killed then. */
	child_end(g, child_tell(g->channel, 'k', -1) ? 0 : GUARD_END_NS);
	*g = (struct child){ .channel = -1 };
}

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
	guard_open(&t->guard, t->source, local_jvm(t));
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
		log_info("contention is shown as -: cannot use JMX: %s",
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
	guard_open(&t->guard, t->source, local_jvm(t));
	return TTOP_CONTENTION_ON;
}

void ttop_jmx_put_back(struct ttop_jmx *t)
{
	if (t->source)
		guard_put_back(t->source, local_jvm(t));
	guard_close(&t->guard);
	t->source = NULL;
}

void ttop_jmx_close(struct ttop_jmx *t)
{
	if (t->is_open)
		jmx_client_close(&t->target);
	t->is_open = false;
}
