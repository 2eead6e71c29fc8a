/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ttop/ttop_guard.h"

#include "cmd/log.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "jmx_http/threads/jmx_source.h"

#include <unistd.h>

#define END_NS (2 * CLOCK_NS_PER_S)

void ttop_guard_put_back(struct thread_source *source, const struct jvm *jvm)
{
	struct error err;

	if (jmx_source_put_back(source, &err) == 0 || (jvm && !jvm_runs(jvm)))
		return;
	if (err.kind == ERROR_NO_TARGET)
		log_info("if the JVM still runs, it goes on measuring "
			 "contention: "
			 "%s",
			 err.text);
	else
		log_info("the JVM goes on measuring contention: %s", err.text);
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
		ttop_guard_put_back(g->source, g->jvm);
	return CHILD_NOTHING;
}

void ttop_guard_open(struct ttop_guard *g, struct thread_source *source,
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

	*g = (struct ttop_guard){ .child = { .channel = -1 } };
	if (!jmx_source_has_switched(source))
		return;
	if (child_start(&g->child, &options, guard_job, &guarded, &err))
		log_info("cannot start the cleanup process: %s; contention "
			 "monitoring may stay enabled if ttop is killed",
			 err.text);
}

void ttop_guard_close(struct ttop_guard *g)
{
	if (!g->child.pid)
		return;
	/* Somebody may have stopped it: it is killed then. */
	child_end(&g->child,
		  child_tell(g->child.channel, 'k', -1) ? 0 : END_NS);
	*g = (struct ttop_guard){ .child = { .channel = -1 } };
}
