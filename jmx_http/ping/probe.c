/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/ping/probe.h"

#include "core/base/clock.h"

#include <errno.h>
#include <time.h>

/* A certificate that expires within SOON_S is marked. */
#define DAY_S  (24L * 3600)
#define SOON_S (30 * DAY_S)

struct text *probe_begin(struct probe *p, const char *name)
{
	struct probe_step *step = &p->steps[p->step_count];

	step->name = name;
	p->begun_ns = clock_monotonic_ns();
	return &step->detail;
}

void probe_end(struct probe *p)
{
	struct probe_step *step = &p->steps[p->step_count++];

	step->ok = true;
	step->ns = clock_monotonic_ns() - p->begun_ns;
}

void probe_fail(struct probe *p, const char *means, const struct error *err)
{
	struct probe_step *step = &p->steps[p->step_count];

	probe_end(p);
	step->ok = false;
	p->kind = err->kind;
	if (step->detail.len)
		text_puts(&step->detail, "; ");
	text_puts(&step->detail, err->text);
	if (!p->verdict.len)
		probe_judge(p, means, "");
}

void probe_judge(struct probe *p, const char *verdict, const char *remedy)
{
	text_clear(&p->verdict);
	text_puts(&p->verdict, verdict);
	text_clear(&p->remedy);
	text_puts(&p->remedy, remedy);
}

void probe_judge_unreached(struct probe *p, int sys)
{
	if (sys == ETIMEDOUT)
		probe_judge(
			p, "the connection timed out: packets are lost",
			"a firewall or a network policy may drop packets, or "
			"the network of this address is unreachable from here");
	else if (sys == ENETUNREACH || sys == EHOSTUNREACH)
		probe_judge(p, "there is no route to the host",
			    "the address belongs to another network: use a VPN "
			    "or a port forward");
}

/* TLS */

static void probe_put_text(struct text *out, const char *before,
			   const struct text *what)
{
	if (!what->len)
		return;
	text_puts(out, before);
	text_add(out, what->bytes, what->len);
}

static void probe_put_day(struct text *out, int64_t seconds)
{
	time_t time = (time_t)seconds;
	struct tm tm;
	char day[40] = "?";

	if (gmtime_r(&time, &tm))
		strftime(day, sizeof(day), "%Y-%m-%d", &tm);
	text_puts(out, day);
}

/* "certificate of CN=a by CN=b, until 2030-01-01, for DNS:a" */
static void probe_put_certificate(struct text *out,
				  const struct tls_report *tls)
{
	int64_t left = tls->not_after - clock_wall_ns() / CLOCK_NS_PER_S;

	if (!tls->not_after)
		return;
	text_puts(out, "certificate");
	probe_put_text(out, " of ", &tls->subject);
	if (tls->is_self_signed)
		text_puts(out, ", self-signed");
	else
		probe_put_text(out, " by ", &tls->issuer);
	text_puts(out, ", until ");
	probe_put_day(out, tls->not_after);
	if (left >= 0 && left < SOON_S)
		text_printf(out, " (%d day%s left)", (int)(left / DAY_S),
			    left / DAY_S == 1 ? "" : "s");
	text_puts(out, ", for ");
	text_puts(out, tls->names.len ? tls->names.bytes : "no host");
}

void probe_add_tls(struct probe *p, const struct tls_report *tls,
		   const char *host, const struct tls_options *options)
{
	struct probe_step *step = &p->steps[p->step_count];
	struct text *detail = &step->detail;

	if (options->server_name)
		host = options->server_name;
	probe_put_certificate(&step->certificate, tls);
	probe_put_text(detail, "", &tls->protocol);
	if (!tls->protocol.len)
		return;
	if (tls->wants_certificate)
		text_puts(detail, ", which requests a client certificate");
	if (tls->is_trusted && tls->is_of_host)
		text_printf(detail,
			    "; the certificate is trusted and valid for %s",
			    host);
	if (!options->insecure || (tls->is_trusted && tls->is_of_host))
		return;
	text_puts(detail, "; --insecure accepts a certificate that is ");
	text_puts(detail, tls->is_trusted ? "" : "not trusted");
	text_puts(detail, tls->is_trusted || tls->is_of_host ? "" : ", and ");
	if (!tls->is_of_host)
		text_printf(detail, "not valid for %s", host);
}

void probe_release(struct probe *p)
{
	for (size_t i = 0; i < PROBE_STEPS_MAX; i++) {
		text_release(&p->steps[i].detail);
		text_release(&p->steps[i].certificate);
	}
	text_release(&p->verdict);
	text_release(&p->remedy);
	*p = (struct probe){ 0 };
}
