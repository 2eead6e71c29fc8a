/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the counters of sun.management.ConnectorAddressLink.  The JVM exports
 * the address of the local JMX connector since JDK 6, even if the remote agent
 * started it, and the index of the running remote agent since JDK 9.
 */
#include "jmx_http/rmi/rmi_local.h"

#include "core/attach/attach.h"
#include "core/base/base64.h"
#include "core/base/lines.h"
#include "core/hotspot/vm_counters.h"
#include "core/jvm/listeners.h"
#include "core/jvm/properties.h"
#include "jmx_http/java/java_stream.h"
#include "jmx_http/rmi/stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTER       "sun.management.JMXConnectorServer."
#define REMOTE        "com.sun.management.jmxremote."
#define LOCAL_ADDRESS REMOTE "localConnectorAddress"

enum {
	URL_MAX = 8 << 10,  /* bytes; the JDK's URLs have about 400 */
	REMOTES_MAX = 1024, /* starts of the remote agent */
	OPTION_MAX = 4 << 10,
};

static void local_set(struct text *t, const char *value)
{
	text_clear(t);
	text_puts(t, value);
}

/* The port of a serialized stub; 0 for anything else. */
static uint16_t local_stub_port(const struct text *bytes)
{
	struct java_stream stream = { 0 };
	const struct java_value *value;
	struct stub stub;
	size_t used;
	uint16_t port = 0;

	if (java_stream_read(&stream, bytes->bytes, bytes->len, &used,
			     &value) == JAVA_DONE &&
	    stub_of(value, &stub, error_unused()) == 0)
		port = stub.port;
	java_stream_release(&stream);
	return port;
}

/*
 * The port of a local JMX connector's URL: "service:jmx:rmi://", a host,
 * "/stub/" and a stub in base64; 0 for any other URL.
 */
static uint16_t local_url_port(const char *url)
{
	static const char begin[] = "service:jmx:rmi://", middle[] = "/stub/";
	const char *stub = strstr(url, middle);
	struct text bytes = { 0 };
	uint16_t port = 0;

	if (!stub || strncmp(url, begin, strlen(begin)) != 0 ||
	    strlen(url) > URL_MAX)
		return 0;
	stub += strlen(middle);
	if (base64_read(&bytes, stub, strlen(stub)))
		port = local_stub_port(&bytes);
	text_release(&bytes);
	return port;
}

/*
 * Accepts the JVM's URL of its local JMX connector if the JVM listens on the
 * port: another process could have bound a port that the JVM has closed.
 */
static bool local_accept_url(struct rmi_local *l, const struct jvm *jvm,
			     const char *url)
{
	struct listeners open;
	struct error unseen;
	uint16_t port = url ? local_url_port(url) : 0;
	size_t at = 0;
	bool is_its;

	if (!port)
		return false;
	is_its = listeners_read(&open, jvm->pid, &unseen) ||
		 listeners_next(&open, port, &at);
	listeners_release(&open);
	if (!is_its)
		return false;
	local_set(&l->url, url);
	l->port = port;
	return true;
}

/* "service:jmx:rmi:///jndi/rmi://host:port/jmxrmi" */
static uint16_t local_registry_port(const char *url)
{
	const char *at = strstr(url, "/jndi/rmi://");
	const char *colon = at ? strchr(at + 12, '/') : NULL;
	char *end;
	unsigned long port;

	while (colon && colon > at && *colon != ':')
		colon--;
	if (!colon || colon == at)
		return 0;
	port = strtoul(colon + 1, &end, 10);
	return *end == '/' && port <= 65535 ? (uint16_t)port : 0;
}

static const char *local_counter(const struct perfdata *p, unsigned index,
				 const char *what)
{
	char name[96];

	snprintf(name, sizeof(name), COUNTER "%u.%s", index, what);
	return perfdata_text(p, name);
}

static bool local_counter_is_true(const struct perfdata *p, unsigned index,
				  const char *what)
{
	const char *text = local_counter(p, index, what);

	return text && strcmp(text, "true") == 0;
}

/* The index of the agent started last, which is the running one; or -1. */
static int local_remote_index(const struct perfdata *p)
{
	int64_t index;
	int last = -1;

	if (perfdata_value(p, COUNTER "remote.enabled", &index))
		return index >= 0 && index < REMOTES_MAX ? (int)index : -1;
	while (last + 1 < REMOTES_MAX &&
	       local_counter(p, (unsigned)(last + 1), "remoteAddress"))
		last++;
	return last;
}

static void local_read_remote(struct rmi_local *l, const struct perfdata *p)
{
	int last = local_remote_index(p);
	unsigned index = (unsigned)last;
	const char *url = last < 0 ? NULL
				   : local_counter(p, index, "remoteAddress");

	if (!url || strlen(url) > URL_MAX)
		return;
	l->has_remote = true;
	local_set(&l->remote_url, url);
	l->remote_port = local_registry_port(url);
	l->authenticate = local_counter_is_true(p, index, "authenticate");
	l->ssl = local_counter_is_true(p, index, "ssl");
	l->registry_ssl = local_counter_is_true(p, index, "sslRegistry");
	l->need_client_auth = local_counter_is_true(p, index,
						    "sslNeedClientAuth");
}

/* The value of a property on the command line, or NULL. */
static const char *local_option(const struct jvm_info *about, const char *name)
{
	char beginning[96];
	const char *found;

	snprintf(beginning, sizeof(beginning), "-D" REMOTE "%s=", name);
	found = jvm_info_option(about, beginning);
	return found ? found + strlen(beginning) : NULL;
}

/* As sun.management.jmxremote.ConnectorBootstrap: "true", ignoring case. */
static bool local_option_is(const struct jvm_info *about, const char *name,
			    bool otherwise)
{
	const char *value = local_option(about, name);

	return value ? strcasecmp(value, "true") == 0 : otherwise;
}

/* Makes a URL with localhost, because the bound host is unknown. */
static void local_set_remote_port(struct rmi_local *l, unsigned long port)
{
	l->remote_port = port <= UINT16_MAX ? (uint16_t)port : 0;
	text_clear(&l->remote_url);
	text_printf(&l->remote_url,
		    "service:jmx:rmi:///jndi/rmi://localhost:%u/jmxrmi",
		    l->remote_port);
}

/* Reads the command line if the counters have nothing about JMX. */
static void local_read_options(struct rmi_local *l,
			       const struct jvm_info *about)
{
	const char *port = local_option(about, "port");

	if (!port || l->has_remote)
		return;
	l->has_remote = true;
	local_set_remote_port(l, strtoul(port, NULL, 10));
	l->authenticate = local_option_is(about, "authenticate", true);
	l->ssl = local_option_is(about, "ssl", true);
	l->registry_ssl = local_option_is(about, "registry.ssl", false);
	l->need_client_auth = local_option_is(about, "ssl.need.client.auth",
					      false);
}

static void local_list_options(struct rmi_local *l,
			       const struct jvm_info *about)
{
	static const char prefix[] = "-Dcom.sun.management.";

	for (char **arg = about->vm_args; arg && *arg; arg++) {
		if (strncmp(*arg, prefix, strlen(prefix)) != 0)
			continue;
		text_printf(&l->properties, "%.*s\n", OPTION_MAX, *arg + 2);
	}
}

/* How reliable the counters are. */
enum counters {
	COUNTERS_NONE,     /* the JVM has no counters */
	COUNTERS_DOUBTFUL, /* an invalid address, or the counters overflowed */
	COUNTERS_COMPLETE, /* no address means no connector */
};

static enum counters local_read_counters(struct rmi_local *l,
					 const struct jvm *jvm)
{
	struct perfdata *p = vm_counters_open(jvm, error_unused());
	enum counters counters = COUNTERS_COMPLETE;
	const char *url;

	if (!p)
		return COUNTERS_NONE;
	local_read_remote(l, p);
	url = perfdata_text(p, COUNTER "address");
	if (perfdata_overflow(p) || (url && !local_accept_url(l, jvm, url)))
		counters = COUNTERS_DOUBTFUL;
	perfdata_close(p);
	return counters;
}

static int local_look(struct rmi_local *l, const struct jvm *jvm,
		      enum counters *counters, struct error *err)
{
	struct jvm_info about;

	*l = (struct rmi_local){ 0 };
	if (jvm_info(jvm, &about, err))
		return -1;
	*counters = local_read_counters(l, jvm);
	if (*counters == COUNTERS_NONE)
		local_read_options(l, &about);
	local_list_options(l, &about);
	jvm_info_release(&about);
	return 0;
}

int rmi_local_look(struct rmi_local *l, const struct jvm *jvm,
		   struct error *err)
{
	enum counters counters;

	return local_look(l, jvm, &counters, err);
}

/* Reads the address from the agent's properties; leaves port 0 if absent. */
static int local_request_address(struct rmi_local *l, const struct jvm *jvm,
				 struct attach *a, struct error *err)
{
	static const struct attach_request request = {
		.operation = "agentProperties",
	};
	struct text reply = { 0 };
	struct properties p;
	int ret = attach_call(a, &request, &reply, err);

	properties_init(&p, reply.bytes, reply.len);
	while (ret == 0 && !l->port && properties_next(&p)) {
		if (strcmp(p.key.bytes, LOCAL_ADDRESS) == 0)
			local_accept_url(l, jvm, p.value.bytes);
	}
	properties_release(&p);
	text_release(&reply);
	return ret;
}

/* "  com.sun.management.jmxremote.ssl = true [default]" */
static void local_read_status_line(struct rmi_local *l, struct line line)
{
	static const char sign[] = " = ";
	const struct {
		const char *name;
		bool *is;
	} flags[] = {
		{ REMOTE "authenticate", &l->authenticate },
		{ REMOTE "ssl", &l->ssl },
		{ REMOTE "registry.ssl", &l->registry_ssl },
		{ REMOTE "ssl.need.client.auth", &l->need_client_auth },
	};
	const char *at = memmem(line.text, line.len, sign, strlen(sign));
	struct line name, value;

	if (!at)
		return;
	value.text = at + strlen(sign);
	value.len = line.len - (size_t)(value.text - line.text);
	name.text = line.text;
	name.len = (size_t)(at - line.text);
	name = line_trimmed(name);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		if (line_is(name, flags[i].name))
			*flags[i].is = line_starts(value, "true");
	}
	/* The text is NUL-terminated, and a number ends with its line. */
	if (line_is(name, REMOTE "port"))
		local_set_remote_port(l, strtoul(value.text, NULL, 10));
}

void rmi_local_read_status(struct rmi_local *l, const struct text *status)
{
	struct lines lines = lines_over(status->bytes, status->len);
	bool is_remote = false;
	struct line line;

	l->has_remote = false;
	while (lines_next(&lines, &line)) {
		if (line_starts(line, "Connection Type:"))
			is_remote = line_ends(line, " remote");
		l->has_remote |= is_remote;
		if (is_remote)
			local_read_status_line(l, line);
	}
}

/*
 * Without counters, requests the state of the remote agent.  Before JDK 9 this
 * fails, and the values of the command line stay.
 */
static void local_request_status(struct rmi_local *l, struct attach *a)
{
	static const struct attach_request request = {
		.operation = "jcmd",
		.args = { "ManagementAgent.status" },
	};
	struct text reply = { 0 };

	if (attach_call(a, &request, &reply, error_unused()) == 0)
		rmi_local_read_status(l, &reply);
	text_release(&reply);
}

/* Since JDK 7u4; OpenJ9 has its own operation. */
static int local_start_agent(const struct jvm *jvm, struct attach *a,
			     struct error *err)
{
	static const struct attach_request hotspot = {
		.operation = "jcmd",
		.args = { "ManagementAgent.start_local" },
	}, openj9 = {
		.operation = "startLocalAgent",
	};
	struct text reply = { 0 };
	int ret = attach_call(a, jvm->kind == JVM_OPENJ9 ? &openj9 : &hotspot,
			      &reply, err);

	text_release(&reply);
	return ret;
}

static int local_fail_not_running(const struct jvm *jvm, struct error *err)
{
	return fail(err, ERROR_UNAVAILABLE,
		    "%d: the local JMX connector is not running",
		    (int)jvm->pid);
}

static int local_check_module(const struct jvm *jvm, struct error *err)
{
	struct jvm_info about;
	bool lacks;

	if (jvm_info(jvm, &about, error_unused()))
		return 0;
	lacks = jvm_lacks_module(jvm, &about, "jdk.management.agent");
	jvm_info_release(&about);
	return lacks ? fail(err, ERROR_UNAVAILABLE,
			    "%d: the JVM's run-time image lacks the module "
			    "jdk.management.agent: add it with jlink's option "
			    "--add-modules, or use Jolokia",
			    (int)jvm->pid)
		     : 0;
}

static int local_request_url(struct rmi_local *l, const struct jvm *jvm,
			     void (*starting)(const struct jvm *jvm),
			     struct attach *a, struct error *err)
{
	if (local_request_address(l, jvm, a, err))
		return -1;
	if (l->port)
		return 0;
	if (!starting)
		return local_fail_not_running(jvm, err);
	if (local_check_module(jvm, err))
		return -1;
	starting(jvm);
	if (local_start_agent(jvm, a, err))
		return fail_in(err, "cannot start the local JMX connector");
	l->was_started = true;
	if (local_request_address(l, jvm, a, err))
		return -1;
	if (!l->port)
		return fail(
			err, ERROR_REFUSED,
			"%d: the JVM started its local JMX connector, but does "
			"not publish its address",
			(int)jvm->pid);
	return 0;
}

int rmi_local_find(struct rmi_local *l, const struct jvm *jvm,
		   void (*starting)(const struct jvm *jvm), int64_t timeout_ns,
		   struct error *err)
{
	struct attach *a;
	enum counters counters;
	int ret;

	if (local_look(l, jvm, &counters, err))
		return -1;
	if (l->port)
		return 0;
	if (counters == COUNTERS_COMPLETE && !starting)
		return local_fail_not_running(jvm, err);
	a = attach_open(jvm, timeout_ns, err);
	if (!a)
		return -1;
	if (counters == COUNTERS_NONE && jvm->kind == JVM_HOTSPOT)
		local_request_status(l, a);
	ret = local_request_url(l, jvm, starting, a, err);
	attach_close(a);
	return ret;
}

void rmi_local_release(struct rmi_local *l)
{
	text_release(&l->url);
	text_release(&l->remote_url);
	text_release(&l->properties);
	*l = (struct rmi_local){ 0 };
}
