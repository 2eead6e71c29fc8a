/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/jmx_target.h"

#include "cmd/jmx/password.h"
#include "cmd/shared/log.h"
#include "cmd/shared/target.h"
#include "core/base/ascii.h"
#include "core/base/nearest.h"
#include "core/base/safe_text.h"
#include "core/jvm/procfs.h"
#include "jmx_http/http/http_client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char service[] = "service:jmx:";

const struct refusal jmx_refusals[] = {
	JMX_REFUSE_PASSWORD,
	{ NULL, NULL },
};

/* The options of one kind of connection. */
#define FORCE_OPTIONS "force-address|force-hostname|force-port"
#define HTTP_OPTIONS  "bearer-file|header|http-proxy"

/* True for a URL, and for a word that ends with ":" and a number. */
static bool jmx_is_address(const char *name)
{
	const char *colon = strrchr(name, ':');

	if (strncmp(name, service, strlen(service)) == 0 || strstr(name, "://"))
		return true;
	return colon && is_digit(colon[1]) &&
	       !colon[1 + strspn(colon + 1, "0123456789")];
}

int jmx_take_address(struct jmx_target_options *o, int *argc, char ***argv,
		     struct error *err)
{
	if (o->url && !jmx_is_http(o->url))
		return misuse(err,
			      "-u: invalid URL '%s'; use "
			      "http[s]://<host>[:<port>]/<path>, or -s for RMI",
			      o->url);
	if (o->url) {
		o->socket = o->url;
		o->url = NULL;
	}
	if (o->socket || o->pid || *argc == 0 || !jmx_is_address(**argv))
		return 0;
	o->socket = *(*argv)++;
	(*argc)--;
	return 0;
}

int jmx_check_address(const struct jmx_target_options *o, const char *address,
		      struct error *err)
{
	bool is_http = jmx_is_http(address);
	const char *given;

	given = is_http ? command_given(FORCE_OPTIONS) : NULL;
	if (given)
		return misuse(err, "--%s requires -s <host>:<port>", given);
	if (o->tls.server_name && !http_host_is_valid(o->tls.server_name))
		return misuse(err,
			      "--tls-server-name: '%s' is not the name of "
			      "a server",
			      o->tls.server_name);
	given = is_http ? NULL : command_given(HTTP_OPTIONS);
	if (given)
		return misuse(err, "--%s requires -u <url>", given);
	for (size_t i = 0; i < o->headers.count; i++)
		if (strncasecmp(o->headers.values[i], "authorization:", 14) ==
		    0)
			return misuse(err, "--header: other users could read "
					   "an Authorization header; use "
					   "--bearer-file, or --user and "
					   "--password-file");
	return 0;
}

int jmx_check_by_pid(struct error *err)
{
	static const struct {
		const char *options, *target;
	} remote[] = {
		{ FORCE_OPTIONS, "-s <host>:<port>" },
		{ HTTP_OPTIONS, "-u <url>" },
		{ "user|password-file|tls|cacert|cert|key|insecure|"
		  "tls-server-name",
		  "-s <host>:<port> or -u <url>" },
	};

	for (size_t i = 0; i < sizeof(remote) / sizeof(*remote); i++) {
		const char *given = command_given(remote[i].options);

		if (given)
			return misuse(err, "--%s requires %s", given,
				      remote[i].target);
	}
	return 0;
}

static int jmx_ask_password(const char *user, struct text *password,
			    struct error *err)
{
	struct text prompt = { 0 };
	int ret;

	text_puts(&prompt, "password of ");
	safe_text_puts(&prompt, user);
	text_puts(&prompt, ": ");
	ret = password_ask(prompt.bytes, password, err);
	text_release(&prompt);
	return ret;
}

int jmx_password(const struct jmx_target_options *o, struct text *password,
		 struct error *err)
{
	const char *given = getenv("SJKC_PASSWORD");

	if (!o->user) {
		text_puts(password, "");
		return 0;
	}
	if (o->password_file)
		return password_read(o->password_file, password, err);
	if (given) {
		text_puts(password, given);
		return 0;
	}
	return jmx_ask_password(o->user, password, err);
}

int jmx_secrets_read(struct jmx_secrets *s, const struct jmx_target_options *o,
		     struct error *err)
{
	*s = (struct jmx_secrets){ 0 };
	if (jmx_password(o, &s->password, err))
		return -1;
	if (!o->bearer_file)
		return 0;
	if (password_read(o->bearer_file, &s->bearer, err))
		return fail_in(err, "--bearer-file");
	return 0;
}

void jmx_secrets_release(struct jmx_secrets *s)
{
	password_release(&s->password);
	password_release(&s->bearer);
}

static void jmx_warn_clear(const char *host, uint16_t port)
{
	log_always("warning: sending the password to %s, port %d without TLS; "
		   "anyone on the network can read it (--tls prevents it)",
		   host, port);
}

static void jmx_warn_clear_http(const char *host, uint16_t port)
{
	log_always("warning: sending the password or token to %s, port %d "
		   "without TLS; anyone on the network can read it (https:// "
		   "prevents it)",
		   host, port);
}

/* Set when a reply was truncated. */
static bool jmx_was_limited;

static void jmx_warn_limit(const char *option, int64_t limit)
{
	log_always("warning: the option %s=%" PRId64 " of the Jolokia agent "
		   "truncates replies; MBeans, attributes, operations, threads "
		   "or values may be missing",
		   option, limit);
	jmx_was_limited = true;
}

int jmx_client_check_limits(struct error *err)
{
	if (jmx_was_limited)
		*err = (struct error){ .kind = ERROR_PARTIAL };
	return jmx_was_limited ? -1 : 0;
}

void jmx_log_starting(const struct jvm *jvm)
{
	log_info("starting the local JMX connector in JVM %d; it listens on "
		 "loopback until the JVM exits",
		 (int)jvm->pid);
}

struct jmx_target jmx_target_of(const struct jmx_target_options *o,
				const struct jmx_secrets *secrets,
				const char *address)
{
	return (struct jmx_target){
		.address = address,
		.credentials = { .user = o->user,
				 .password = o->user ? secrets->password.bytes
						     : NULL },
		.tls = o->tls,
		.http = {
			.bearer = secrets->bearer.bytes,
			.renew_bearer = o->bearer_file ? password_renew : NULL,
			.bearer_file = o->bearer_file,
			.headers = o->headers.values,
			.header_count = o->headers.count,
			.proxy = o->http_proxy,
		},
		.require_tls = o->require_tls,
		.force_host = o->force_address || o->force_hostname,
		.force_port = o->force_address || o->force_port,
		.timeout_ns = o->timeout_ns > 0 ? o->timeout_ns : 0,
		.warn_clear = address && jmx_is_http(address)
				      ? jmx_warn_clear_http
				      : jmx_warn_clear,
		.warn_limit = jmx_warn_limit,
		.warn_any_limit = o->warn_any_limit,
		.starting_agent = jmx_log_starting,
	};
}

static int client_open_address(struct jmx_client *t,
			       const struct jmx_target_options *o,
			       const char *address, struct error *err)
{
	struct jmx_target target;

	if (jmx_check_address(o, address, err) ||
	    jmx_secrets_read(&t->secrets, o, err))
		return -1;
	target = jmx_target_of(o, &t->secrets, address);
	t->jmx = jmx_open(&target, err);
	return t->jmx ? 0 : -1;
}

/* Adds to a timeout that the JVM does not reply because it is stopped. */
static int client_explain_stopped(const struct jvm *jvm, struct error *err)
{
	const struct error was = *err;
	struct proc_status status;

	if (was.kind == ERROR_REFUSED && !strstr(was.text, "kill -CONT") &&
	    !procfs_status(jvm->pid, &status, error_unused()) &&
	    status.state == 'T')
		fail(err, was.kind,
		     "%d is stopped by a signal (state T); kill -CONT %d; %s",
		     (int)jvm->pid, (int)jvm->pid, was.text);
	return -1;
}

static int client_open_pid(struct jmx_client *t,
			   const struct jmx_target_options *o, int argc,
			   char **argv, struct error *err)
{
	struct jmx_target target = jmx_target_of(o, &t->secrets, NULL);

	if (jmx_check_by_pid(err))
		return -1;
	if (target_open(&t->jvm, o->pid, argc, argv, err))
		return -1;
	t->by_pid = true;
	target.jvm = &t->jvm;
	t->jmx = jmx_open(&target, err);
	return t->jmx ? 0 : client_explain_stopped(&t->jvm, err);
}

int jmx_client_open(struct jmx_client *t, const struct jmx_target_options *o,
		    int argc, char **argv, struct error *err)
{
	struct jmx_target_options given = *o;

	*t = (struct jmx_client){ .jvm.pidfd = -1 };
	if (jmx_take_address(&given, &argc, &argv, err))
		return -1;
	if (!given.socket && !given.pid && argc == 0)
		return misuse(err, "no JVM given: use -s <host>:<port>, -u "
				   "<url> or -p <pid>");
	if (given.socket && argc)
		return misuse(err, "unexpected argument '%s': name one JVM",
			      *argv);
	if (given.socket)
		return client_open_address(t, o, given.socket, err);
	return client_open_pid(t, o, argc, argv, err);
}

void jmx_client_close(struct jmx_client *t)
{
	jmx_close(t->jmx);
	if (t->by_pid)
		jvm_close(&t->jvm);
	jmx_secrets_release(&t->secrets);
	*t = (struct jmx_client){ .jvm.pidfd = -1 };
}

/* A comparison takes microseconds; this bounds the time for a suggestion. */
#define COMPARED_MAX 20000

static int bean_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool bean_hint(struct jmx *jmx, const char *bean, struct text *out)
{
	struct nearest nearest = nearest_to(bean, strlen(bean));
	struct arena a = { 0 };
	const char *const *names;
	const char **sorted;
	size_t count;
	bool found;

	if (strpbrk(bean, "*?") ||
	    jmx_query(jmx, "*:*", &a, &names, &count, error_unused())) {
		arena_release(&a);
		return false;
	}
	/* The JVM returns names in no particular order. */
	sorted = arena_alloc(&a, (count + 1) * sizeof(*sorted));
	if (count)
		memcpy(sorted, names, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), bean_compare);
	for (size_t i = 0; i < count && i < COMPARED_MAX; i++)
		nearest_offer(&nearest, sorted[i]);
	found = nearest_suggest(&nearest, out);
	arena_release(&a);
	return found;
}
