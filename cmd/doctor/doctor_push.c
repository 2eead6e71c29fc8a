/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/doctor/doctor_checks.h"

#include "cmd/shared/log.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/libcurl.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/profile/profile.h"
#include "core/push/push_attributes.h"
#include "render/profile/push_requests.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS_MAX = 5, DETAIL_MAX = 256, REMEDY_MAX = 256 };

struct push_check_step {
	const char *name;
	bool ok;
	int64_t us;
	char detail[DETAIL_MAX];
};

struct push_check {
	const struct push_options *options;
	struct push_settings settings;
	struct push_check_step steps[STEPS_MAX];
	size_t count;
	enum error_kind kind;
	char remedy[REMEDY_MAX];
};

/* ---- a request with one sample ---- */

struct check_request {
	struct text body, query;
};

static void check_take(void *self, struct text *body, struct text *parca,
		       const char *query, const char *ending, uint64_t samples)
{
	struct check_request *r = self;

	(void)ending;
	(void)samples;
	if (parca->len)
		body = parca;
	r->body = *body;
	*body = (struct text){ 0 };
	text_puts(&r->query, query);
}

/* Makes a request as prof does: a receiver checks the whole profile. */
static void check_encode(struct check_request *out, enum push_format format)
{
	static const char service[] = "sjkc-doctor", name[] = "sjkc doctor";
	struct profile_part part = { .profile = profile_new() };
	struct profile *p = part.profile;
	struct frame frame = { .kind = FRAME_NATIVE };
	struct thread thread = { .os_id = getpid() };
	struct push_requests r;

	push_attribute(&part.about, "service.name", service,
		       sizeof(service) - 1);
	frame.method = profile_string(p, name, sizeof(name) - 1);
	thread.name = frame.method;
	profile_add(p, &(struct sample){
			       .event = profile_event(p, "cpu", UNIT_NS),
			       .stack = profile_push(p, 0,
						     profile_frame(p, &frame)),
			       .thread = profile_thread(p, &thread),
			       .count = 1,
			       .weight = CLOCK_NS_PER_MS,
			       .time_ns = clock_wall_ns(),
		       });
	profile_set(p, "cpu", "period", "1000000 ns");
	push_requests_init(&r, format);
	r.threads = THREADS_FOLDED;
	r.send = check_take;
	r.self = out;
	push_requests_add(&r, &part, 1);
	push_requests_release(&r);
	profile_part_release(&part);
}

/*
 * Asks a gRPC server whether it is Parca, and sets the format. Returns the
 * reply if there is no response, otherwise NULL.
 */
static const struct push_reply *check_detect(struct push_settings *s,
					     struct push_sender *sender)
{
	const struct push_reply *got;

	if (!s->detects || push_probe_start(sender, error_unused()))
		return NULL;
	got = push_sender_reply(sender, INT64_MAX);
	if (push_probe_kind(got) == PUSH_PARCA)
		s->format = PUSH_PARCA;
	s->detects = false;
	return got->is_sent || got->curl_code == CURLE_HTTP2_STREAM ? NULL
								    : got;
}

/* Sends it; false and *err if there is no sender. *r is a copy. */
static bool check_send(struct push_settings *s, struct push_reply *r,
		       struct error *err)
{
	struct push_sender *sender = push_sender_open(s, err);
	const struct push_reply *got = NULL;
	struct check_request request = { 0 };

	if (!sender)
		return false;
	got = check_detect(s, sender);
	if (!got) {
		check_encode(&request, s->format);
		if (push_sender_start(sender, &request.body,
				      s->format == PUSH_PARCA
					      ? PUSH_PARCA_PATH
					      : request.query.bytes,
				      err) == 0)
			got = push_sender_reply(sender, INT64_MAX);
	}
	if (got)
		*r = *got;
	push_sender_close(sender);
	text_release(&request.body);
	text_release(&request.query);
	return got;
}

/* ---- steps ---- */

static void check_add_step(struct push_check *c, const char *name, bool ok,
			   int64_t us, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

static void check_add_step(struct push_check *c, const char *name, bool ok,
			   int64_t us, const char *fmt, ...)
{
	struct push_check_step *s = &c->steps[c->count++];
	va_list args;

	s->name = name;
	s->ok = ok;
	s->us = us > 0 ? us : 0;
	va_start(args, fmt);
	vsnprintf(s->detail, sizeof(s->detail), fmt, args);
	va_end(args);
}

static void check_advise(struct push_check *c, enum error_kind kind,
			 const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void check_advise(struct push_check *c, enum error_kind kind,
			 const char *fmt, ...)
{
	va_list args;

	c->kind = kind;
	va_start(args, fmt);
	vsnprintf(c->remedy, sizeof(c->remedy), fmt, args);
	va_end(args);
}

/* True if a proxy failed before it made a tunnel to the backend. */
static bool check_advise_proxy(struct push_check *c, enum error_kind kind,
			       const struct push_reply *r)
{
	if (!*r->proxy_from || r->is_tunnelled || r->is_sent)
		return false;
	check_advise(c, kind,
		     "check the proxy in %s, or add the host of the backend to "
		     "no_proxy",
		     r->proxy_from);
	return true;
}

static void check_resolve(struct push_check *c, const struct push_reply *r)
{
	bool ok = r->times.resolved || r->times.connected || *r->address;

	if (ok) {
		check_add_step(c, "resolve", true, r->times.resolved,
			       *r->proxy ? "%s%sthe proxy of %s" : "%s",
			       r->address, *r->address ? ", " : "",
			       r->proxy_from);
		return;
	}
	check_add_step(c, "resolve", false, r->times.ended, "%s", r->problem);
	if (!check_advise_proxy(c, ERROR_NO_TARGET, r))
		check_advise(c, ERROR_NO_TARGET,
			     "check the host name in the URL, and the name "
			     "server");
}

static void check_connect(struct push_check *c, const struct push_reply *r)
{
	int64_t us = r->times.connected - r->times.resolved;

	/* libcurl knows the peer, but not the time, if TLS fails. */
	if (r->times.connected || *r->address) {
		check_add_step(c, "connect", true, us, "%s",
			       c->settings.socket ? c->settings.socket : "");
		return;
	}
	check_add_step(c, "connect", false, r->times.ended - r->times.resolved,
		       "%s", r->problem);
	if (check_advise_proxy(c, ERROR_REFUSED, r))
		return;
	if (c->settings.socket)
		check_advise(c, ERROR_REFUSED,
			     "check the path of the socket and its owner");
	else if (r->curl_code == CURLE_OPERATION_TIMEDOUT)
		check_advise(c, ERROR_REFUSED,
			     "check the address, and the firewalls between");
	else
		check_advise(c, ERROR_REFUSED,
			     "check the port: OTLP 4318, gRPC 4317, Pyroscope "
			     "4040, Parca 7070");
}

/* ---- protocols ---- */

/*
 * Tries the same host by another scheme; true if it is understood. Headers may
 * be secrets, which that scheme would send in clear: they are left out, and a
 * refusal shows the protocol, too.
 */
static bool check_try(const struct push_check *c, const char *scheme,
		      const char *format)
{
	struct push_options o = *c->options;
	const char *rest = strstr(o.url, "://");
	struct push_settings s = { 0 };
	struct push_reply *r = calloc(1, sizeof(*r));
	struct text url = { 0 };
	bool ok = false;

	if (r && rest) {
		text_printf(&url, "%s%s", scheme, rest);
		o.url = url.bytes;
		o.format = format;
		o.header_file = NULL;
		if (push_options_set(&s, &o, error_unused()) == 0) {
			text_clear(&s.headers);
			if (check_send(&s, r, error_unused()))
				ok = r->is_sent ||
				     r->curl_code ==
					     CURLE_PEER_FAILED_VERIFICATION;
		}
		if (s.format == PUSH_GRPC)
			ok = r->is_sent && r->grpc_status >= 0;
	}
	push_settings_release(&s);
	text_release(&url);
	free(r);
	return ok;
}

/* Finds out which protocol a port speaks that did not understand this one. */
static bool check_find_protocol(struct push_check *c,
				const struct push_reply *r)
{
	static const struct {
		const char *scheme, *format;
		bool is_tls, is_grpc;
	} all[] = {
		{ "https", "otlp", true, false },
		{ "http", "otlp", false, false },
		{ "grpc", "grpc", false, true },
		{ "grpcs", "grpc", true, true },
	};
	const struct push_settings *s = &c->settings;
	bool is_tls = strncmp(s->url, "https", 5) == 0;
	bool is_grpc = r->is_grpc;

	/* A proxy responds for any backend. */
	if (s->socket || *r->proxy || !strstr(c->options->url, "://"))
		return false;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if ((is_tls == all[i].is_tls && is_grpc == all[i].is_grpc) ||
		    !check_try(c, all[i].scheme, all[i].format))
			continue;
		check_advise(c, ERROR_REFUSED, "the port %s: use %s://",
			     is_tls != all[i].is_tls ? all[i].is_tls
							       ? "speaks TLS"
							       : "speaks no TLS"
			     : all[i].is_grpc        ? "speaks gRPC"
						     : "expects HTTP",
			     all[i].scheme);
		return true;
	}
	return false;
}

/* Advises by libcurl's text about the server's certificate. */
static void check_advise_certificate(struct push_check *c, const char *problem)
{
	if (strstr(problem, "expired") || strstr(problem, "not yet valid"))
		check_advise(c, ERROR_REFUSED,
			     "renew the server's certificate, or set the clock "
			     "of this machine");
	else if (strstr(problem, "name"))
		check_advise(c, ERROR_REFUSED,
			     "use --server-name with a name in the "
			     "certificate");
	else if (c->settings.cacert)
		check_advise(c, ERROR_REFUSED,
			     "the certificates in %s did not sign the server's "
			     "certificate: use those of its authority",
			     c->settings.cacert);
	else
		check_advise(c, ERROR_REFUSED,
			     "use --cacert with the certificates of the "
			     "server's authority");
}

static void check_tls(struct push_check *c, const struct push_reply *r)
{
	bool ok = r->times.encrypted > 0;
	int64_t from = r->times.connected ? r->times.connected
					  : r->times.resolved;
	int64_t until = ok ? r->times.encrypted : r->times.ended;

	check_add_step(c, "TLS", ok, until - from, "%s", ok ? "" : r->problem);
	if (ok || check_advise_proxy(c, ERROR_REFUSED, r))
		return;
	if (r->curl_code == CURLE_PEER_FAILED_VERIFICATION)
		check_advise_certificate(c, r->problem);
	else if (r->curl_code == CURLE_SSL_CERTPROBLEM ||
		 r->curl_code == CURLE_SSL_CACERT_BADFILE)
		check_advise(c, ERROR_REFUSED,
			     "check the files of --cacert, --cert and --key");
	else if (!check_find_protocol(c, r))
		check_advise(c, ERROR_REFUSED,
			     "check that the port speaks TLS, and whether it "
			     "requires --cert");
}

/*
 * A request that got no response. With TLS 1.3, a server refuses a client
 * without a certificate after the handshake, and the reason may be lost.
 */
static void check_no_response(struct push_check *c, const struct push_reply *r)
{
	bool lacks_cert = r->times.encrypted > 0 && !c->settings.cert;

	if (check_advise_proxy(c, ERROR_REFUSED, r))
		return;
	if (r->curl_code != CURLE_OPERATION_TIMEDOUT &&
	    !strstr(r->problem, "certificate required") &&
	    check_find_protocol(c, r))
		return;
	check_advise(c, ERROR_REFUSED, "%s",
		     lacks_cert ? "the server may require a client "
				  "certificate: use --cert and --key"
				: "check that the port belongs to the backend");
}

static const char *check_again_advice(const struct push_reply *r)
{
	switch (r->status) {
	case 407:
		return "write the URL of the proxy as "
		       "http://USER:PASSWORD@HOST";
	case 429:
		return "the backend limits the rate; prof sends again later";
	case 502:
	case 504:
		return "a gateway cannot reach the backend; prof sends again "
		       "until it can";
	default:
		return "the backend is busy; prof sends again until it is not";
	}
}

static void check_request(struct push_check *c, const struct push_reply *r)
{
	const struct push_times *t = &r->times;
	int64_t us = t->ended -
		     (t->encrypted > 0 ? t->encrypted : t->connected);
	struct text why = { 0 };
	const char *advice = push_advice(&c->settings, r);
	enum push_verdict verdict;
	uint64_t rejected;

	text_puts(&why, "");
	verdict = push_judge(r, &why, &rejected);
	if (verdict == PUSH_DELIVERED)
		check_add_step(c, "request", true, us, "HTTP status %d%s%s",
			       r->status, *why.bytes ? ": " : "", why.bytes);
	else
		check_add_step(c, "request", false, us, "%s", why.bytes);
	if (verdict != PUSH_DELIVERED && !r->is_sent)
		check_no_response(c, r);
	else if (verdict == PUSH_AGAIN)
		check_advise(c, ERROR_REFUSED, "%s", check_again_advice(r));
	else if (verdict == PUSH_REFUSED)
		check_advise(c,
			     advice && strstr(advice, "--header-file")
				     ? ERROR_PERMISSION
				     : ERROR_REFUSED,
			     "%s",
			     advice ? advice : "see the log of the backend");
	text_release(&why);
}

/*
 * libcurl 7.88 often loses the status of a gRPC server that refuses a request
 * before it has read it. prof sends again later; here it would hide the reason.
 */
static bool check_send_until_status(struct push_settings *s,
				    struct push_reply *r, struct error *err)
{
	enum { ATTEMPTS = 5 };

	for (unsigned i = 0; i < ATTEMPTS; i++) {
		if (!check_send(s, r, err))
			return false;
		if (r->is_sent || r->curl_code != CURLE_HTTP2_STREAM)
			break;
	}
	return true;
}

/* Parca accepts OTLP, which the user demands, but confuses its names. */
static void check_names(struct push_check *c)
{
	int64_t began_ns = clock_monotonic_ns();
	struct push_sender *sender = push_sender_open(&c->settings,
						      error_unused());

	if (sender && push_probe_start(sender, error_unused()) == 0 &&
	    push_probe_kind(push_sender_reply(sender, INT64_MAX)) ==
		    PUSH_PARCA) {
		check_add_step(c, "names", false,
			       (clock_monotonic_ns() - began_ns) / 1000,
			       "Parca 0.26 to 0.28 confuses the names of OTLP "
			       "frames");
		check_advise(c, ERROR_REFUSED,
			     "use grpc:// without --push-format: prof sends "
			     "pprof to Parca");
	}
	push_sender_close(sender);
}

static int check_run(struct push_check *c, struct error *err)
{
	bool asks = c->settings.format == PUSH_GRPC && !c->settings.detects;
	struct push_reply *r = calloc(1, sizeof(*r));
	int ret = -1;

	if (!r) {
		fail(err, ERROR_FAILED, "out of memory");
	} else if (check_send_until_status(&c->settings, r, err)) {
		ret = 0;
		if (!c->settings.socket)
			check_resolve(c, r);
		if (!c->kind)
			check_connect(c, r);
		if (!c->kind && strncmp(c->settings.url, "https", 5) == 0)
			check_tls(c, r);
		if (!c->kind)
			check_request(c, r);
		if (asks && r->is_sent)
			check_names(c);
	}
	free(r);
	return ret;
}

/* ---- output ---- */

static const char *check_protocol(const struct push_check *c)
{
	static const char *const names[] = {
		[PUSH_OTLP] = "OTLP over HTTP",
		[PUSH_GRPC] = "OTLP over gRPC",
		[PUSH_PYROSCOPE] = "Pyroscope",
		[PUSH_PARCA] = "Parca, pprof over gRPC",
	};

	return names[c->settings.format];
}

static void check_put_text(const struct push_check *c, struct text *out)
{
	safe_text_puts(out, c->settings.shown_url);
	text_printf(out, " (%s)\n", check_protocol(c));
	for (size_t i = 0; i < c->count; i++) {
		const struct push_check_step *s = &c->steps[i];

		text_printf(out, "%-6s  %-7s  %7.1f ms%s",
			    s->ok ? "ok" : "failed", s->name,
			    (double)s->us / 1000, *s->detail ? "  " : "");
		safe_text_puts(out, s->detail);
		text_putc(out, '\n');
	}
	if (c->kind)
		text_printf(out, "%17s-> %s\n", "", c->remedy);
	else
		text_puts(out, "works: prof --push\n");
}

static void check_put_json(const struct push_check *c, struct text *out)
{
	struct json j = json_document(out, "sjkc.push-check/1");

	json_add_text(&j, "target", c->settings.shown_url);
	json_add_text(&j, "protocol", check_protocol(c));
	json_add_bool(&j, "ok", !c->kind);
	json_add_text(&j, "remedy", c->kind ? c->remedy : NULL);
	json_add_array(&j, "steps");
	for (size_t i = 0; i < c->count; i++) {
		const struct push_check_step *s = &c->steps[i];

		json_open_object(&j);
		json_add_text(&j, "name", s->name);
		json_add_bool(&j, "ok", s->ok);
		json_add_double(&j, "ms", (double)s->us / 1000);
		json_add_text(&j, "detail", s->detail);
		json_close_object(&j);
	}
	json_close_array(&j);
	json_end_document(&j);
}

static int check_report(const struct push_check *c, bool json,
			struct error *err)
{
	const struct push_check_step *last = &c->steps[c->count - 1];
	struct text text = { 0 };
	int ret;

	(json ? check_put_json : check_put_text)(c, &text);
	ret = output_file("-", text.bytes, text.len, err);
	text_release(&text);
	if (ret || !c->kind)
		return ret;
	/* The report has the finding: do not print it twice. */
	if (log_shares_stdout())
		return fail(err, c->kind, "%s", "");
	return fail(err, c->kind, "%s: %s: %s", c->settings.shown_url,
		    last->name, last->detail);
}

int doctor_push(const struct push_options *o, bool json, struct error *err)
{
	struct push_check c = { .options = o };
	int ret = push_options_set(&c.settings, o, err);

	if (ret == 0)
		push_options_warn(&c.settings);
	if (ret == 0)
		ret = check_run(&c, err);
	if (ret == 0)
		ret = check_report(&c, json, err);
	push_settings_release(&c.settings);
	return ret;
}
