/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/clock.h"
#include "jmx_http/net/rmi_tls.h"
#include "jmx_http/ping/rmi_probe_parts.h"

#include "jmx_http/java/java_writer.h"

#include <string.h>
#include <time.h>

#define CLOSE_NS (CLOCK_NS_PER_S / 2)

/* When it is said how long a certificate still is valid. */
#define DAY_S  (24 * 3600)
#define SOON_S (30 * DAY_S)

/* clang-format off */
static const struct {
	const char *name;
	step_fn *run;
	const char *means; /* that it failed, unless it says more itself */
} steps[] = {
	{ "dns", rmi_step_dns, "the name is not known here" },
	{ "tcp", rmi_step_tcp, "the port cannot be reached" },
	{ "protocol", rmi_step_protocol, "this is no port of JMX" },
	{ "tls", rmi_step_tls, "TLS is not agreed upon" },
	{ "registry", rmi_step_registry, "the RMI registry there has no JMX" },
	{ "stub", rmi_step_stub, "what the registry holds is no JMX server" },
	{ "server", rmi_step_server, "the JMX server cannot be reached" },
	{ "server-tls", rmi_step_server_tls, "TLS is not agreed upon" },
	{ "version", rmi_step_version, "the JMX server does not answer" },
	{ "login", rmi_step_login, "the JMX server takes no client" },
	{ "session", rmi_step_session, "the session cannot be reached" },
	{ "mbean", rmi_step_mbean, "the JMX server answers no call" },
	{ "round-trip", rmi_step_round_trip, "calls are not answered" },
};
/* clang-format on */

void rmi_judge(struct rmi_probe *p, const char *verdict, const char *remedy)
{
	text_clear(&p->verdict);
	text_puts(&p->verdict, verdict);
	text_clear(&p->remedy);
	text_puts(&p->remedy, remedy);
}

void rmi_probe_wind(struct rmi_probe *p)
{
	p->deadline_ns = clock_after(clock_monotonic_ns(),
				     p->options->timeout_ns);
}

struct rmi_transport *rmi_probe_dial(struct rmi_probe *p,
				     struct rmi_address *to, struct error *err)
{
	struct dialer *dialer = p->options->dialer;

	if (!dialer)
		dialer = &tcp_dialer;
	return rmi_transport_dial(dialer, to, p->deadline_ns, err);
}

static void add_text(struct text *out, const char *before,
		     const struct text *what)
{
	if (!what->len)
		return;
	text_puts(out, before);
	text_add(out, what->bytes, what->len);
}

static void add_day(struct text *out, int64_t seconds)
{
	time_t time = (time_t)seconds;
	struct tm tm;
	char day[40] = "?";

	if (gmtime_r(&time, &tm))
		strftime(day, sizeof(day), "%Y-%m-%d", &tm);
	text_puts(out, day);
}

/* "certificate of CN=a by CN=b, until 2030-01-01, for DNS:a" */
static void add_certificate(struct text *out, const struct tls_report *tls)
{
	int64_t left = tls->not_after - clock_wall_ns() / CLOCK_NS_PER_S;

	if (!tls->not_after)
		return;
	text_puts(out, "certificate");
	add_text(out, " of ", &tls->subject);
	if (tls->is_self_signed)
		text_puts(out, ", self-signed");
	else
		add_text(out, " by ", &tls->issuer);
	text_puts(out, ", until ");
	add_day(out, tls->not_after);
	if (left >= 0 && left < SOON_S)
		text_printf(out, " (%d day%s left)", (int)(left / DAY_S),
			    left / DAY_S == 1 ? "" : "s");
	text_puts(out, ", for ");
	text_puts(out, tls->names.len ? tls->names.bytes : "no host");
}

/* What of the handshake is of interest, whatever came of it. */
static void add_tls(struct rmi_probe *p, struct text *detail, const char *host)
{
	const struct tls_report *tls = &p->tls;

	add_certificate(&p->steps[p->step_count].certificate, tls);
	add_text(detail, "", &tls->protocol);
	if (!tls->protocol.len)
		return;
	if (tls->wants_certificate)
		text_printf(detail, ", which asks for a certificate of ours");
	if (tls->is_trusted && tls->is_of_host)
		text_printf(detail, "; its certificate is trusted, and of %s",
			    host);
	if (!p->options->tls.insecure || (tls->is_trusted && tls->is_of_host))
		return;
	text_puts(detail, "; --insecure takes its certificate, which is ");
	text_puts(detail, tls->is_trusted ? "" : "not trusted");
	text_puts(detail, tls->is_trusted || tls->is_of_host ? "" : ", and ");
	if (!tls->is_of_host)
		text_printf(detail, "not of %s", host);
}

SSL_CTX *rmi_probe_context(struct rmi_probe *p, struct error *err)
{
	if (!p->context)
		p->context = tls_client_context(&p->options->tls, err);
	return p->context;
}

int rmi_probe_secure(struct rmi_probe *p, struct rmi_address *to,
		     const char *host, struct rmi_connection *c,
		     struct text *detail, struct error *err)
{
	SSL_CTX *context = rmi_probe_context(p, err);
	struct rmi_transport *t = context ? rmi_probe_dial(p, to, err) : NULL;

	tls_report_release(&p->tls);
	if (!t)
		return -1;
	t = rmi_tls_connect(t, context, host, p->deadline_ns, &p->tls, err);
	add_tls(p, detail, host);
	/* What to do about it is the verdict's to say. */
	if (!t && p->tls.not_after && p->tls.trouble.len &&
	    !p->options->tls.insecure)
		return fail(err, err->kind, "%s", p->tls.trouble.bytes);
	if (!t)
		return -1;
	rmi_connection_init(c, t);
	return 0;
}

struct rmi_address rmi_probe_place(const struct rmi_probe *p,
				   const struct stub *stub)
{
	const struct rmi_address *target = &p->target.address;
	struct rmi_address a = { .port = stub->port };

	memcpy(a.host, stub->host, sizeof(a.host));
	if (p->options->force_host && target->port)
		memcpy(a.host, target->host, sizeof(a.host));
	if (p->options->force_port && target->port)
		a.port = target->port;
	return a;
}

bool rmi_probe_is_tls(const struct stub *stub)
{
	return java_bytes_are(stub->factory,
			      "javax.rmi.ssl.SslRMIClientSocketFactory");
}

int rmi_probe_call(struct rmi_probe *p, struct rmi_connection *c,
		   const struct text *message, struct jrmp_return *r,
		   struct error *err)
{
	struct text told = { 0 };
	enum error_kind kind = ERROR_REFUSED;

	err->sys = 0;
	if (rmi_connection_call(c, message, r, p->deadline_ns, err)) {
		rmi_judge_silence(p, err->sys);
		return -1;
	}
	if (!r->is_exception)
		return 0;
	if (java_is_caused_by(r->value, "java.lang.SecurityException"))
		kind = ERROR_PERMISSION;
	java_add_throwable(&told, r->value);
	fail(err, kind, "%s", told.bytes ? told.bytes : "an exception");
	text_release(&told);
	return -1;
}

int rmi_probe_invoke(struct rmi_probe *p, struct rmi_connection *c,
		     const struct stub *on, enum jmx_method method,
		     unsigned nulls, struct jrmp_return *r, struct error *err)
{
	struct text message = { 0 };
	int status;

	r->is_void = method_is_void(method);
	jmx_add_call(&message, &on->id, method);
	for (unsigned i = 0; i < nulls; i++)
		java_write_null(&message);
	status = rmi_probe_call(p, c, &message, r, err);
	text_release(&message);
	return status;
}

void rmi_probe_add_ends(struct text *detail, const struct rmi_connection *c)
{
	text_puts(detail, "connected to ");
	rmi_address_add(detail, &c->transport->peer);
	text_puts(detail, " from ");
	rmi_address_add(detail, &c->transport->local);
}

/*
 * The JVM would keep it for two minutes, its object for five.  Who did not
 * answer before is not waited for as long again.
 */
static void close_session(struct rmi_probe *p)
{
	struct jrmp_return r = { 0 };
	struct error unused;

	rmi_probe_wind(p);
	if (p->kind != ERROR_NONE)
		p->deadline_ns = clock_monotonic_ns() + CLOSE_NS;
	if (!rmi_probe_invoke(p, &p->server, &p->session, JMX_CLOSE, 0, &r,
			      &unused))
		rmi_connection_acknowledge(&p->server, &p->opened,
					   p->deadline_ns, &unused);
	jrmp_return_release(&r);
}

/* What was found stays, in front of what went wrong. */
static void note_failure(struct rmi_probe *p, struct rmi_probe_step *step,
			 const char *means, const struct error *err)
{
	p->kind = err->kind;
	if (step->detail.len)
		text_puts(&step->detail, "; ");
	text_puts(&step->detail, err->text);
	if (!p->verdict.len)
		rmi_judge(p, means, "");
}

static int take_step(struct rmi_probe *p, size_t i)
{
	struct rmi_probe_step *step = &p->steps[p->step_count];
	int64_t began = clock_monotonic_ns();
	struct error err = { 0 };
	int got;

	rmi_probe_wind(p);
	got = steps[i].run(p, &step->detail, &err);
	if (got == STEP_SKIPPED)
		return STEP_DONE;
	p->step_count++;
	step->name = steps[i].name;
	step->ok = got == STEP_DONE;
	step->ns = clock_monotonic_ns() - began;
	if (!step->ok)
		note_failure(p, step, steps[i].means, &err);
	return got;
}

int rmi_probe_run(struct rmi_probe *p, const struct rmi_probe_options *options,
		  struct error *err)
{
	struct text verdict, remedy;

	*p = (struct rmi_probe){ .options = options };
	if (rmi_target_parse(&p->target, options->target, err))
		return -1;
	/* What is wrong with its files is said before anything is done. */
	if ((options->tls.cacert || options->tls.cert || options->tls.key) &&
	    !rmi_probe_context(p, err))
		return -1;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (take_step(p, i))
			break;
	if (p->kind == ERROR_NONE)
		rmi_judge_success(p);
	/* What it may say of the farewell is of no account. */
	verdict = p->verdict;
	remedy = p->remedy;
	p->verdict = p->remedy = (struct text){ 0 };
	if (p->has_session)
		close_session(p);
	text_release(&p->verdict);
	text_release(&p->remedy);
	p->verdict = verdict;
	p->remedy = remedy;
	return 0;
}

void rmi_probe_release(struct rmi_probe *p)
{
	for (size_t i = 0; i < RMI_PROBE_STEPS_MAX; i++) {
		text_release(&p->steps[i].detail);
		text_release(&p->steps[i].certificate);
	}
	rmi_connection_close(&p->registry);
	rmi_connection_close(&p->server);
	java_stream_release(&p->given);
	jrmp_return_release(&p->looked_up);
	jrmp_return_release(&p->opened);
	rmi_target_release(&p->target);
	tls_report_release(&p->tls);
	SSL_CTX_free(p->context);
	text_release(&p->verdict);
	text_release(&p->remedy);
	*p = (struct rmi_probe){ 0 };
}
