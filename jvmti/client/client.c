/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/saturate.h"
#include "core/base/text.h"
#include "core/jvm/jdk_version.h"
#include "jvmti/agent/agent_protocol.h"
#include "jvmti/client/client_library.h"
#include "jvmti/client/client_load.h"
#include "jvmti/client/client_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NS   (60 * CLOCK_NS_PER_S) /* maximum time of loading */
#define GOODBYE_NS   (2 * CLOCK_NS_PER_S)
#define FIRST_MODERN 21 /* first JDK that warns (JEP 451) */

struct agent_client {
	const struct jvm *jvm;
	struct client_stream stream;
	char path[AGENT_PATHS];    /* path of the stream in the JVM's root */
	char library[AGENT_PATHS]; /* path of the library in the JVM's root */
	struct client_symbols *symbols;
	int64_t load_ns;
};

void agent_client_abandon_all(void) { agent_directory_abandon(); }

/* Reads the version from the second line of the reply, "JDK 17.0.21". */
static unsigned client_ask_version(struct attach *attach)
{
	const struct attach_request request = {
		.operation = "jcmd",
		.args = { "VM.version" },
	};
	static const char label[] = "\nJDK ";
	struct text reply = { 0 };
	struct error unused;
	const char *at = NULL;
	unsigned version;

	if (attach_call(attach, &request, &reply, &unused) == 0 && reply.len)
		at = strstr(reply.bytes, label);
	version = jdk_version_of(at ? at + strlen(label) : NULL).feature;
	text_release(&reply);
	return version;
}

/*
 * Returns true when the JVM may print a warning.  Asks the JVM for its version
 * only if its files do not tell it; an unknown version counts as 0.
 */
static bool client_may_warn(const struct jvm *jvm, struct attach *attach)
{
	struct jvm_info about;
	struct error unused;
	unsigned version;
	bool is_hidden;

	if (jvm_info(jvm, &about, &unused))
		return true;
	version = jdk_version_of(about.version).feature;
	is_hidden = jvm_info_option(&about, "-XX:+EnableDynamicAgentLoading");
	jvm_info_release(&about);
	if (is_hidden)
		return false;
	if (!version && attach)
		version = client_ask_version(attach);
	return !version || version >= FIRST_MODERN;
}

/* A library that is loaded already (is_known) causes no warning. */
static const char *client_warning(const struct jvm *jvm, struct attach *attach,
				  bool is_known)
{
	if (is_known || !client_may_warn(jvm, attach))
		return NULL;
	return "the JVM will print a warning about a loaded agent (JDK 21 and "
	       "later); the library, about 20 KiB, stays mapped and idle "
	       "afterwards";
}

const char *agent_client_warning(const struct jvm *jvm)
{
	char path[AGENT_PATHS];

	return client_warning(jvm, NULL,
			      agent_load_known(jvm, path, sizeof(path)));
}

static unsigned client_wants(const struct agent_options *o)
{
	return (o->no_names ? 0u : AGENT_SYMBOLS) |
	       (o->lines && !o->no_names ? AGENT_LINES : 0u) |
	       (o->alloc ? AGENT_ALLOC : 0u) | (o->lock ? AGENT_LOCK : 0u);
}

/* Explains the jvmtiErrors that may occur. */
static const char *client_explain(const struct agent_report *r)
{
	switch (r->code) {
	case 98:
		return "not available in this JVM";
	case 99:
		return "a capability is missing";
	case 110:
		return "the JVM is out of memory";
	case 112:
		return "the JVM is starting or ending";
	default:
		return "see jvmtiError";
	}
}

/*
 * Returns true when another agent has the capability to sample allocations, the
 * only one of the agent's that the JVM grants to one agent at a time.
 */
static bool client_is_alloc_taken(const struct agent_client *a)
{
	const struct agent_report *r = &a->stream.report;

	return a->stream.orders.wants & AGENT_ALLOC &&
	       r->step == AGENT_AT_CAPABILITIES && r->code == 98;
}

/* Checks the result of a load by the agent's report. */
static int client_check_start(struct agent_client *a, struct error *err)
{
	static const char *const steps[AGENT_STEPS] = {
		"?",
		"GetEnv",
		"AddCapabilities",
		"SetEventCallbacks",
		"SetEventNotificationMode",
		"SetHeapSamplingInterval",
		"GenerateEvents",
		"its orders",
		"mmap",
	};
	const struct agent_report *r = &a->stream.report;

	if (client_stream_read_report(&a->stream, err))
		return fail_in(err, "%d", (int)a->jvm->pid);
	switch (r->state) {
	case AGENT_RUNS:
		return 0;
	case AGENT_BUSY:
		return fail(err, ERROR_REFUSED,
			    "%d: the agent in this JVM serves another sjkc",
			    (int)a->jvm->pid);
	case AGENT_REFUSED:
		if (client_is_alloc_taken(a))
			return fail(err, ERROR_UNAVAILABLE,
				    "%d: cannot sample allocations: another "
				    "agent in this JVM has claimed them, and "
				    "the JVM allows one agent at a time; stop "
				    "the other agent's allocation profiling",
				    (int)a->jvm->pid);
		return fail(err, ERROR_REFUSED,
			    "%d: the JVM refused the agent: %s: %d, %s",
			    (int)a->jvm->pid,
			    steps[r->step < AGENT_STEPS ? r->step : 0],
			    (int)r->code, client_explain(r));
	default:
		return fail(err, ERROR_REFUSED,
			    "%d: the agent was loaded but does not respond",
			    (int)a->jvm->pid);
	}
}

static int client_load(struct agent_client *a, struct attach *attach,
		       const char *command, struct error *err)
{
	struct text options = { 0 };
	int64_t begin = clock_monotonic_ns();
	int ret;

	text_puts(&options, command);
	text_puts(&options, a->path);
	ret = agent_load(attach, a->jvm, a->library, options.bytes, err);
	a->load_ns = clock_monotonic_ns() - begin;
	text_release(&options);
	return ret;
}

/* Creates the files, has the JVM load the agent, and removes the files. */
static int client_begin(struct agent_client *a, struct attach *attach,
			const struct agent_options *o, int64_t deadline_ns,
			struct error *err)
{
	bool is_known = agent_load_known(a->jvm, a->library,
					 sizeof(a->library));
	struct agent_directory folder;
	int ret;

	if (agent_directory_make(&folder, a->jvm, &a->stream.orders, !is_known,
				 deadline_ns, err))
		return -1;
	memcpy(a->path, folder.stream_path, sizeof(a->path));
	if (!is_known)
		memcpy(a->library, folder.library, sizeof(a->library));
	ret = client_stream_hold(&a->stream, folder.stream, err);
	if (ret == 0 && o->before_load)
		o->before_load(o->self,
			       client_warning(a->jvm, attach, is_known));
	if (ret == 0)
		ret = client_load(a, attach, AGENT_START, err);
	agent_directory_remove(&folder);
	return ret ? ret : client_check_start(a, err);
}

struct agent_client *agent_client_open(const struct jvm *jvm,
				       const struct agent_options *o,
				       struct error *err)
{
	int64_t timeout_ns = o->timeout_ns < LONGEST_NS ? o->timeout_ns
							: LONGEST_NS;
	int64_t deadline_ns = clock_after(clock_monotonic_ns(), timeout_ns);
	struct agent_client *a = xcalloc(1, sizeof(*a));
	struct attach *attach = NULL;
	int ret = -1;

	a->jvm = jvm;
	a->symbols = client_symbols_new();
	client_stream_init(&a->stream, client_wants(o),
			   o->alloc_interval ? o->alloc_interval : UINT64_MAX);
	if (agent_load_allowed(jvm, err) == 0)
		attach = attach_open(jvm, timeout_ns, err);
	if (attach)
		ret = client_begin(a, attach, o, deadline_ns, err);
	attach_close(attach);
	if (ret == 0)
		ret = agent_client_read(a, err);
	if (ret == 0)
		return a;
	agent_client_close(a);
	return NULL;
}

/*
 * Sends the agent to sleep at once; otherwise it would sleep at its next event.
 */
static void client_stop_agent(struct agent_client *a)
{
	struct attach *attach;
	struct error unused;

	if (a->stream.report.state != AGENT_RUNS || !jvm_runs(a->jvm))
		return;
	attach = attach_open(a->jvm, GOODBYE_NS, &unused);
	if (attach)
		client_load(a, attach, AGENT_STOP, &unused);
	attach_close(attach);
}

void agent_client_close(struct agent_client *a)
{
	if (!a)
		return;
	if (a->stream.fd >= 0)
		client_stop_agent(a);
	client_stream_close(&a->stream);
	client_symbols_free(a->symbols);
	free(a);
}

int agent_client_read(struct agent_client *a, struct error *err)
{
	if (client_stream_read(&a->stream, a->symbols, err))
		return fail_in(err, "%d", (int)a->jvm->pid);
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

	if (!agent_load_mapping(a->jvm, range, sizeof(range)))
		return fail(err, ERROR_NO_TARGET, "%d: the agent is not mapped",
			    (int)a->jvm->pid);
	if (!agent_library_function(function, &out->offset))
		return fail(err, ERROR_FAILED, "the agent has no %s", function);
	snprintf(out->path, sizeof(out->path), "/proc/%d/map_files/%s",
		 (int)a->jvm->pid, range);
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
	return a->stream.report.jni;
}

void agent_client_costs(const struct agent_client *a, struct agent_costs *costs)
{
	const struct agent_report *r = &a->stream.report;
	struct client_symbols_counts counts;

	client_symbols_counts(a->symbols, &counts);
	*costs = (struct agent_costs){
		.load_ns = a->load_ns,
		.replay_ns = (int64_t)r->replay_ns,
		.bytes = r->produced,
		.lost = saturate_add(counts.dropped,
				     saturate_add(r->lost, r->cut)),
	};
}
