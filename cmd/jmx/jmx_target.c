/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/jmx_target.h"

#include "cmd/jmx/password.h"
#include "cmd/log.h"
#include "cmd/nearest.h"
#include "cmd/target.h"
#include "core/base/ascii.h"
#include "core/base/safe_text.h"
#include "core/jvm/procfs.h"

#include <stdlib.h>
#include <string.h>

static const char service[] = "service:jmx:";

bool jmx_is_address(const char *name)
{
	const char *colon = strrchr(name, ':');

	if (strncmp(name, service, strlen(service)) == 0 || strstr(name, "://"))
		return true;
	return colon && is_digit(colon[1]) &&
	       !colon[1 + strspn(colon + 1, "0123456789")];
}

void jmx_take_address(struct jmx_target_options *o, int *argc, char ***argv)
{
	if (o->socket || o->pid || *argc == 0 || !jmx_is_address(**argv))
		return;
	o->socket = *(*argv)++;
	(*argc)--;
}

int jmx_check_by_pid(const struct jmx_target_options *o, struct error *err)
{
	if (o->user || o->password_file || o->require_tls || o->tls.cacert ||
	    o->tls.cert || o->tls.key || o->tls.insecure || o->force_address ||
	    o->force_hostname || o->force_port)
		return misuse(err, "--user, TLS options and --force-… require "
				   "-s <host>:<port>");
	return 0;
}

static int jmx_ask_password(const char *user, struct text *password,
			    struct error *err)
{
	struct text prompt = { 0 };
	int ret;

	text_puts(&prompt, "password of ");
	safe_text(&prompt, user, strlen(user));
	text_puts(&prompt, ": ");
	ret = password_ask(prompt.bytes, password, err);
	text_release(&prompt);
	return ret;
}

int jmx_password(const struct jmx_target_options *o, struct text *password,
		 struct error *err)
{
	const char *given = getenv("SJKC_PASSWORD");

	if (!o->user && o->password_file)
		return misuse(err, "--password-file %s requires --user <name>",
			      o->password_file);
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

static void jmx_warn_clear(const char *host, uint16_t port)
{
	log_always("warning: sending the password to %s, port %d without TLS; "
		   "anyone on the network can read it (--tls prevents it)",
		   host, port);
}

void jmx_log_starting(const struct jvm *jvm)
{
	log_info("starting the local JMX agent in JVM %d; it listens on "
		 "loopback until the JVM exits",
		 (int)jvm->pid);
}

struct jmx_target jmx_target_of(const struct jmx_target_options *o,
				const struct text *password)
{
	return (struct jmx_target){
		.address = o->socket,
		.credentials = { .user = o->user,
				 .password = o->user ? password->bytes : NULL },
		.tls = o->tls,
		.require_tls = o->require_tls,
		.force_host = o->force_address || o->force_hostname,
		.force_port = o->force_address || o->force_port,
		.timeout_ns = o->timeout_ns > 0 ? o->timeout_ns : 0,
		.warn_clear = jmx_warn_clear,
		.starting_agent = jmx_log_starting,
	};
}

static int client_open_address(struct jmx_client *t,
			       const struct jmx_target_options *o,
			       const char *address, struct error *err)
{
	struct jmx_target target;

	if (jmx_password(o, &t->password, err))
		return -1;
	target = jmx_target_of(o, &t->password);
	target.address = address;
	t->jmx = jmx_open(&target, err);
	return t->jmx ? 0 : -1;
}

/* Adds to a timeout that the JVM does not reply because it is stopped. */
static int client_explain_stopped(const struct jvm *jvm, struct error *err)
{
	const struct error was = *err;
	struct proc_status status;
	struct error unused;

	if (was.kind == ERROR_REFUSED && !strstr(was.text, "kill -CONT") &&
	    !procfs_status(jvm->pid, &status, &unused) && status.state == 'T')
		fail(err, was.kind,
		     "%d is stopped by a signal (state T); kill -CONT %d; %s",
		     (int)jvm->pid, (int)jvm->pid, was.text);
	return -1;
}

static int client_open_pid(struct jmx_client *t,
			   const struct jmx_target_options *o, int *argc,
			   char ***argv, struct error *err)
{
	struct jmx_target target = jmx_target_of(o, &t->password);

	if (jmx_check_by_pid(o, err))
		return -1;
	if (target_open(&t->jvm, o->pid, argc, argv, err))
		return -1;
	t->by_pid = true;
	target.address = NULL;
	target.jvm = &t->jvm;
	t->jmx = jmx_open(&target, err);
	return t->jmx ? 0 : client_explain_stopped(&t->jvm, err);
}

int jmx_client_open(struct jmx_client *t, const struct jmx_target_options *o,
		    int *argc, char ***argv, struct error *err)
{
	const char *address = o->socket;

	*t = (struct jmx_client){ .jvm.pidfd = -1 };
	if (o->socket && o->pid)
		return misuse(err, "options -s and -p exclude each other");
	if (o->timeout_ns == 0)
		return misuse(err, "option --timeout must be longer than 0");
	if (!o->socket && !o->pid && *argc == 0)
		return misuse(err,
			      "no JVM given: use -s <host>:<port> or -p <pid>");
	if (!o->socket && !o->pid && jmx_is_address(**argv)) {
		address = *(*argv)++;
		(*argc)--;
	}
	if (address)
		return client_open_address(t, o, address, err);
	return client_open_pid(t, o, argc, argv, err);
}

void jmx_client_close(struct jmx_client *t)
{
	jmx_close(t->jmx);
	if (t->by_pid)
		jvm_close(&t->jvm);
	password_release(&t->password);
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
	struct error unused;
	size_t count;
	bool found;

	if (strpbrk(bean, "*?") ||
	    jmx_query(jmx, "*:*", &a, &names, &count, &unused)) {
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
