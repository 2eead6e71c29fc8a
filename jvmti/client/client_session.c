/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_session.h"

#include "core/attach/attach.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/jvm/jdk_version.h"

#include <string.h>

#define LONGEST_NS (60 * CLOCK_NS_PER_S) /* maximum time of loading */
#define GOODBYE_NS (CLOCK_NS_PER_S / 2)
/* HotSpot's HugeMethodLimit, a constant of product builds. */
#define HUGE_METHOD   8000

#define FIRST_MODERN  21 /* first JDK that warns (JEP 451) */
#define BUSY_NS       (2 * CLOCK_NS_PER_S)
#define BUSY_PAUSE_NS (5 * CLOCK_NS_PER_MS) /* the first one; they double */

/* Reads the version from the second line of the reply, "JDK 17.0.21". */
static unsigned session_ask_version(struct attach *attach)
{
	const struct attach_request request = {
		.operation = "jcmd",
		.args = { "VM.version" },
	};
	static const char label[] = "\nJDK ";
	struct text reply = { 0 };
	const char *at = NULL;
	unsigned version;

	if (attach_call(attach, &request, &reply, error_unused()) == 0 &&
	    reply.len)
		at = strstr(reply.bytes, label);
	version = jdk_version_of(at ? at + strlen(label) : NULL).feature;
	text_release(&reply);
	return version;
}

/*
 * Returns true when the JVM may print a warning.  Asks the JVM for its version
 * only if its files do not tell it; an unknown version counts as 0.
 */
static bool session_may_warn(const struct jvm *jvm, struct attach *attach)
{
	struct jvm_info about;
	unsigned version;
	bool is_hidden;

	if (jvm_info(jvm, &about, error_unused()))
		return true;
	version = jdk_version_of(about.version).feature;
	is_hidden = jvm_info_option(&about, "-XX:+EnableDynamicAgentLoading");
	jvm_info_release(&about);
	if (is_hidden)
		return false;
	if (!version && attach)
		version = session_ask_version(attach);
	return !version || version >= FIRST_MODERN;
}

/* A library that is loaded already (is_known) causes no warning. */
static const char *session_warning(const struct jvm *jvm, struct attach *attach,
				   bool is_known)
{
	if (is_known || !session_may_warn(jvm, attach))
		return NULL;
	return "the JVM will print a warning about a loaded agent (JDK 21 and "
	       "later); the library, about 70 KiB, stays mapped and idle "
	       "afterwards";
}

uint32_t client_code_limit(const struct jvm *jvm, int64_t timeout_ns)
{
	const struct attach_request request = { "printflag",
						{ "DontCompileHugeMethods" },
						false };
	struct attach *attach = attach_open(jvm, timeout_ns, error_unused());
	struct text reply = { 0 };
	bool is_off;

	text_puts(&reply, "");
	if (attach)
		attach_call(attach, &request, &reply, error_unused());
	is_off = strstr(reply.bytes, "-XX:-DontCompileHugeMethods");
	attach_close(attach);
	text_release(&reply);
	return is_off ? 0 : HUGE_METHOD;
}

const char *client_session_warning(const struct jvm *jvm)
{
	char path[AGENT_PATHS];

	return session_warning(jvm, NULL,
			       agent_load_known(jvm, path, sizeof(path)));
}

/* Explains the jvmtiErrors that may occur. */
static const char *session_explain(const struct agent_report *r)
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
static bool session_is_alloc_taken(const struct client_session *s)
{
	const struct agent_report *r = &s->stream.report;

	return s->stream.orders.wants & AGENT_ALLOC &&
	       r->step == AGENT_AT_CAPABILITIES && r->code == 98;
}

/* Checks the result of a load by the agent's report. */
static int session_check_start(struct client_session *s, struct error *err)
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
		"DefineClass",
		"linking of native methods",
		"RunAgentThread",
	};
	const struct agent_report *r = &s->stream.report;

	if (client_stream_read_report(&s->stream, err))
		return fail_in(err, "%d", (int)s->jvm->pid);
	switch (r->state) {
	case AGENT_RUNS:
		return 0;
	case AGENT_BUSY:
		return fail(
			err, ERROR_REFUSED,
			"%d: the sjkc agent in this JVM serves another sjkc",
			(int)s->jvm->pid);
	case AGENT_REFUSED:
		if (session_is_alloc_taken(s))
			return fail(err, ERROR_UNAVAILABLE,
				    "%d: cannot sample allocations: another "
				    "agent in this JVM has claimed them, and "
				    "the JVM allows one agent at a time; stop "
				    "the other agent's allocation profiling, "
				    "or use --jfr",
				    (int)s->jvm->pid);
		return fail(err, ERROR_REFUSED,
			    "%d: the JVM refused the sjkc agent: %s: %d, %s",
			    (int)s->jvm->pid,
			    steps[r->step < AGENT_STEPS ? r->step : 0],
			    (int)r->code, session_explain(r));
	default:
		return fail(
			err, ERROR_REFUSED,
			"%d: the sjkc agent was loaded but does not respond",
			(int)s->jvm->pid);
	}
}

/* path is that of the stream file, or what the command requires. */
static int session_load_with(struct client_session *s, struct attach *attach,
			     const char *command, const char *path,
			     struct error *err)
{
	struct text options = { 0 };
	int64_t begin = clock_monotonic_ns();
	int ret;

	text_puts(&options, command);
	text_puts(&options, path);
	ret = agent_load(attach, s->jvm, s->library, options.bytes, err);
	s->load_ns = clock_monotonic_ns() - begin;
	text_release(&options);
	return ret;
}

static int session_load(struct client_session *s, struct attach *attach,
			const char *command, struct error *err)
{
	return session_load_with(s, attach, command, s->path, err);
}

/* Returns true if the JVM does not link the natives of a loaded library. */
static bool session_lacks_natives(const struct client_session *s)
{
	return s->stream.report.state == AGENT_REFUSED &&
	       s->stream.report.step == AGENT_AT_NATIVES;
}

/*
 * Has the JVM load the agent.  A library that is loaded already (is_known) is
 * not prepared again, because the JVM keeps a record of each load until it
 * exits; only a library whose first load failed needs it.  The probes of a
 * killed sjkc are taken back within a moment, so a busy agent is asked again.
 */
static int session_start(struct client_session *s, struct attach *attach,
			 const struct client_loading *l, bool is_known,
			 struct error *err)
{
	int64_t until_ns = clock_monotonic_ns() + BUSY_NS;
	bool is_prepared = l->prepare && !is_known;

	if (!is_known && agent_load_needs_file(s->jvm) &&
	    session_load_with(s, attach, AGENT_KEEP, s->library, err))
		return -1;
	if (is_prepared && session_load(s, attach, AGENT_PREPARE, err))
		return -1;
	for (int64_t pause_ns = BUSY_PAUSE_NS;; pause_ns *= 2) {
		if (session_load(s, attach, AGENT_START, err))
			return -1;
		if (!l->prepare ||
		    client_stream_read_report(&s->stream, error_unused()))
			return 0;
		if (session_lacks_natives(s) && !is_prepared) {
			is_prepared = true;
			if (session_load(s, attach, AGENT_PREPARE, err))
				return -1;
		} else if (s->stream.report.state == AGENT_BUSY &&
			   clock_monotonic_ns() <= until_ns) {
			clock_sleep_until(clock_monotonic_ns() + pause_ns);
		} else {
			return 0;
		}
	}
}

/* Creates the files, has the JVM load the agent, and removes the files. */
static int session_begin(struct client_session *s, struct attach *attach,
			 const struct client_loading *l, int64_t deadline_ns,
			 struct error *err)
{
	bool is_known = agent_load_known(s->jvm, s->library,
					 sizeof(s->library));
	struct agent_directory folder;
	int ret;

	if (is_known && agent_load_reachable(s->jvm, s->library, err))
		return -1;
	if (agent_directory_make(&folder, s->jvm, &s->stream.orders, !is_known,
				 deadline_ns, err))
		return -1;
	memcpy(s->path, folder.stream_path, sizeof(s->path));
	if (!is_known)
		memcpy(s->library, folder.library, sizeof(s->library));
	ret = client_stream_hold(&s->stream, folder.stream, err);
	if (ret == 0 && l->before_load)
		l->before_load(l->self,
			       session_warning(s->jvm, attach, is_known));
	if (ret == 0)
		ret = session_start(s, attach, l, is_known, err);
	agent_directory_remove(&folder);
	return ret ? ret : session_check_start(s, err);
}

int client_session_open(struct client_session *s, const struct jvm *jvm,
			const struct client_loading *l, struct error *err)
{
	int64_t timeout_ns = l->timeout_ns < LONGEST_NS ? l->timeout_ns
							: LONGEST_NS;
	int64_t deadline_ns = clock_after(clock_monotonic_ns(), timeout_ns);
	struct attach *attach = NULL;
	int ret = -1;

	s->jvm = jvm;
	if (agent_load_allowed(jvm, err) == 0)
		attach = attach_open(jvm, timeout_ns, err);
	if (attach)
		ret = session_begin(s, attach, l, deadline_ns, err);
	attach_close(attach);
	return ret;
}

/*
 * Sends the agent to sleep at once; otherwise it would sleep at its next event.
 */
static void session_stop_agent(struct client_session *s)
{
	struct attach *attach;

	if (s->stream.report.state != AGENT_RUNS || !jvm_runs(s->jvm))
		return;
	attach = attach_open(s->jvm, GOODBYE_NS, error_unused());
	if (attach)
		session_load(s, attach, AGENT_STOP, error_unused());
	attach_close(attach);
}

void client_session_close(struct client_session *s)
{
	if (s->stream.fd >= 0)
		session_stop_agent(s);
	client_stream_close(&s->stream);
}
