/* SPDX-License-Identifier: Apache-2.0 */
/* Steps behind the registry: the server, a session, calls. */
#include "core/base/clock.h"
#include "jmx_http/java/java_objects.h"
#include "jmx_http/ping/rmi_probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 10 /* whose median is the round trip */

/* Connects to where a stub says; that nobody is there has its verdict. */
static int dial(struct rmi_probe *p, const struct stub *stub,
		struct rmi_connection *c, struct error *err)
{
	struct rmi_address at = rmi_probe_place(p, stub);
	struct rmi_transport *t = rmi_probe_dial(p, &at, err);
	struct rmi_failure f = { .sys = err->sys };

	if (!t) {
		f.is_unknown = !at.count;
		return rmi_judge_elsewhere(p, stub, &f, err);
	}
	rmi_connection_init(c, t);
	return 0;
}

/*
 * Connects, and greets unless TLS is to come.  Whether a factory of another
 * make speaks TLS, who answers has to say.
 */
static int reach(struct rmi_probe *p, const struct stub *stub,
		 struct rmi_connection *c, bool *is_tls, struct error *err)
{
	struct rmi_failure f = { .is_answered = true };

	*is_tls = rmi_probe_is_tls(stub);
	if (dial(p, stub, c, err))
		return -1;
	if (*is_tls || !rmi_connection_greet(c, p->deadline_ns, &f.answer, err))
		return 0;
	*is_tls = stub->factory.len && f.answer == RMI_TLS;
	return *is_tls ? 0 : rmi_judge_elsewhere(p, stub, &f, err);
}

int rmi_step_server(struct rmi_probe *p, struct text *detail, struct error *err)
{
	if (reach(p, &p->stub, &p->server, &p->server_is_tls, err))
		return STEP_FAILED;
	rmi_probe_add_ends(detail, &p->server);
	return STEP_DONE;
}

/* TLS to a stub's place, on a connection of its own, and the greeting. */
static int secure(struct rmi_probe *p, const struct stub *stub,
		  struct text *detail, struct error *err)
{
	struct rmi_address at = rmi_probe_place(p, stub);
	struct rmi_failure f = { .is_answered = true };
	int status;

	rmi_connection_close(&p->server);
	status = rmi_probe_secure(p, &at, at.host, &p->server, detail, err);
	if (status == 0 &&
	    !rmi_connection_greet(&p->server, p->deadline_ns, &f.answer, err))
		return 0;
	if (status && !p->tls.not_after && !p->tls.trouble.len) {
		/* Not a word of TLS: somebody else. */
		f.answer = RMI_OTHER;
		return rmi_judge_elsewhere(p, stub, &f, err);
	}
	if (status || err->kind == ERROR_PERMISSION)
		rmi_judge_tls(p, &at, at.host, err);
	else
		rmi_judge_stranger(p, f.answer);
	return -1;
}

int rmi_step_server_tls(struct rmi_probe *p, struct text *detail,
			struct error *err)
{
	if (!p->server_is_tls)
		return STEP_SKIPPED;
	return secure(p, &p->stub, detail, err);
}

/* An object that is not there: where the stub leads, another JVM answers. */
static void judge_missing(struct rmi_probe *p, const struct stub *stub,
			  const struct jrmp_return *r, struct error *err)
{
	struct rmi_failure f = { .is_answered = true, .answer = RMI_JRMP };

	if (r->is_exception &&
	    java_is_caused_by(r->value, "java.rmi.NoSuchObjectException"))
		rmi_judge_elsewhere(p, stub, &f, err);
}

int rmi_step_version(struct rmi_probe *p, struct text *detail,
		     struct error *err)
{
	struct jrmp_return r = { 0 };
	struct java_bytes version;
	int status = rmi_probe_invoke(p, &p->server, &p->stub, JMX_GET_VERSION,
				      0, &r, err);

	version = java_string_of(r.value);
	if (status)
		judge_missing(p, &p->stub, &r, err);
	else if (!version.len)
		status = fail(err, ERROR_REFUSED, "it has no version");
	else
		text_add(detail, version.at, version.len);
	jrmp_return_release(&r);
	return status;
}

/* The message holds a password. */
static void wipe(struct text *message)
{
	if (message->bytes)
		explicit_bzero(message->bytes, message->cap);
	text_release(message);
}

static int new_client(struct rmi_probe *p, struct error *err)
{
	const struct rmi_credentials *own = &p->options->credentials;
	const char *const login[] = { own->user, own->password };
	struct text message = { 0 };
	int status;

	jmx_add_call(&message, &p->stub.id, JMX_NEW_CLIENT);
	if (own->user)
		java_write_strings(&message, login, 2, JAVA_OF_RMI);
	else
		java_write_null(&message);
	status = rmi_probe_call(p, &p->server, &message, &p->opened, err);
	wipe(&message);
	return status;
}

int rmi_step_login(struct rmi_probe *p, struct text *detail, struct error *err)
{
	const char *user = p->options->credentials.user;

	if (new_client(p, err)) {
		if (p->opened.is_exception)
			rmi_judge_login(p, err);
		return STEP_FAILED;
	}
	if (stub_of(p->opened.value, &p->session, err))
		return STEP_FAILED;
	p->has_session = true;
	text_puts(detail, user ? "as " : "without a password");
	text_puts(detail, user ? user : "");
	return STEP_DONE;
}

static bool is_same_place(const struct stub *a, const struct stub *b)
{
	return strcmp(a->host, b->host) == 0 && a->port == b->port &&
	       rmi_probe_is_tls(a) == rmi_probe_is_tls(b);
}

/* A session has a place of its own, which is the server's but seldom. */
int rmi_step_session(struct rmi_probe *p, struct text *detail,
		     struct error *err)
{
	struct rmi_connection c = { 0 };
	bool is_tls;
	int status;

	text_printf(detail, "it is at %s, port %d", p->session.host,
		    p->session.port);
	if (is_same_place(&p->stub, &p->session)) {
		text_puts(detail, ", as the server");
		return STEP_DONE;
	}
	status = reach(p, &p->session, &c, &is_tls, err);
	if (status || is_tls) {
		rmi_connection_close(&c);
	} else {
		rmi_connection_close(&p->server);
		p->server = c;
	}
	if (status == 0 && is_tls) {
		text_puts(detail, ", by TLS: ");
		status = secure(p, &p->session, detail, err);
	} else if (status == 0) {
		text_puts(detail, ", ");
		rmi_probe_add_ends(detail, &p->server);
	}
	return status;
}

int rmi_step_mbean(struct rmi_probe *p, struct text *detail, struct error *err)
{
	struct jrmp_return r = { 0 };
	const struct java_value *count;
	int status = rmi_probe_invoke(p, &p->server, &p->session,
				      JMX_GET_MBEAN_COUNT, 1, &r, err);

	count = java_field_of(r.value, "value");
	if (status)
		judge_missing(p, &p->session, &r, err);
	else if (!count || count->kind != JAVA_INTEGER)
		status = fail(err, ERROR_REFUSED, "a count that is no number");
	else
		text_printf(detail, "%" PRId64 " MBeans", count->integer);
	jrmp_return_release(&r);
	return status;
}

static int by_length(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return (one > other) - (one < other);
}

static double ms_of(int64_t ns) { return (double)ns / CLOCK_NS_PER_MS; }

int rmi_step_round_trip(struct rmi_probe *p, struct text *detail,
			struct error *err)
{
	int64_t took[CALLS];

	for (size_t i = 0; i < CALLS; i++) {
		struct jrmp_return r = { 0 };
		int64_t began = clock_monotonic_ns();
		int status;

		rmi_probe_wind(p);
		status = rmi_probe_invoke(p, &p->server, &p->session,
					  JMX_GET_DEFAULT_DOMAIN, 1, &r, err);
		took[i] = clock_monotonic_ns() - began;
		jrmp_return_release(&r);
		if (status)
			return STEP_FAILED;
	}
	qsort(took, CALLS, sizeof(*took), by_length);
	text_printf(detail, "median %.2f ms of %d calls, %.2f to %.2f ms",
		    ms_of((took[CALLS / 2 - 1] + took[CALLS / 2]) / 2), CALLS,
		    ms_of(took[0]), ms_of(took[CALLS - 1]));
	return STEP_DONE;
}
