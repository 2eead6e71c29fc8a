/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client.h"

#include "core/base/alloc.h"
#include "core/base/saturate.h"
#include "jvmti/agent/agent_protocol.h"
#include "jvmti/client/client_library.h"
#include "jvmti/client/client_load.h"
#include "jvmti/client/client_session.h"
#include "jvmti/client/client_symbols.h"

#include <stdio.h>
#include <stdlib.h>

struct agent_client {
	struct client_session session;
	struct client_symbols *symbols;
};

void agent_client_abandon_all(void) { agent_directory_abandon(); }

const char *agent_client_warning(const struct jvm *jvm)
{
	return client_session_warning(jvm);
}

uint64_t agent_client_interval(uint64_t alloc_interval)
{
	/* SetHeapSamplingInterval takes an int; the agent uses the default. */
	return alloc_interval && alloc_interval <= INT32_MAX
		       ? alloc_interval
		       : AGENT_ALLOC_INTERVAL;
}

static unsigned client_wants(const struct agent_options *o)
{
	return (o->no_names ? 0u : AGENT_SYMBOLS) |
	       (o->lines && !o->no_names ? AGENT_LINES : 0u) |
	       (o->alloc ? AGENT_ALLOC : 0u) | (o->lock ? AGENT_LOCK : 0u);
}

struct agent_client *agent_client_open(const struct jvm *jvm,
				       const struct agent_options *o,
				       struct error *err)
{
	struct agent_client *a = xcalloc(1, sizeof(*a));
	const struct client_loading loading = {
		.timeout_ns = o->timeout_ns,
		.before_load = o->before_load,
		.self = o->self,
	};

	a->symbols = client_symbols_new();
	client_stream_init(&a->session.stream, client_wants(o),
			   o->alloc_interval ? o->alloc_interval : UINT64_MAX);
	if (client_session_open(&a->session, jvm, &loading, err) == 0 &&
	    agent_client_read(a, err) == 0)
		return a;
	agent_client_close(a);
	return NULL;
}

void agent_client_close(struct agent_client *a)
{
	if (!a)
		return;
	client_session_close(&a->session);
	client_symbols_free(a->symbols);
	free(a);
}

int agent_client_read(struct agent_client *a, struct error *err)
{
	if (client_stream_read(&a->session.stream, a->symbols, err))
		return fail_in(err, "%d", (int)a->session.jvm->pid);
	return 0;
}

struct java_symbols *agent_client_symbols(struct agent_client *a)
{
	return client_symbols_of(a->symbols);
}

static int client_find_probe(const struct agent_client *a, const char *function,
			     struct agent_probe *out, struct error *err)
{
	char range[40];

	if (!agent_load_mapping(a->session.jvm, a->session.library, range,
				sizeof(range)))
		return fail(err, ERROR_NO_TARGET,
			    "%d: the sjkc agent is not mapped",
			    (int)a->session.jvm->pid);
	if (!agent_library_function(function, &out->offset))
		return fail(err, ERROR_FAILED, "the sjkc agent has no %s",
			    function);
	snprintf(out->path, sizeof(out->path), "/proc/%d/map_files/%s",
		 (int)procfs_owner(a->session.jvm->pid), range);
	return 0;
}

int agent_client_probe_alloc(const struct agent_client *a,
			     struct agent_probe *out, struct error *err)
{
	return client_find_probe(a, "sjkc_probe_alloc", out, err);
}

int agent_client_probe_lock(const struct agent_client *a,
			    struct agent_probe *out, struct error *err)
{
	return client_find_probe(a, "sjkc_probe_lock", out, err);
}

uint64_t agent_client_jni(const struct agent_client *a)
{
	return a->session.stream.report.jni;
}

void agent_client_costs(const struct agent_client *a, struct agent_costs *costs)
{
	const struct agent_report *r = &a->session.stream.report;
	struct client_symbols_counts counts;

	client_symbols_counts(a->symbols, &counts);
	*costs = (struct agent_costs){
		.load_ns = a->session.load_ns,
		.replay_ns = (int64_t)r->replay_ns,
		.bytes = r->produced,
		.lost = saturate_add(counts.dropped,
				     saturate_add(r->lost, r->cut)),
		.delayed = r->delayed,
	};
}
