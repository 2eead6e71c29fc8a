/* SPDX-License-Identifier: Apache-2.0 */
/* Prints how clients connect to the proxy, and the log of calls. */
#include "cmd/jmx/mxprx.h"

#include "cmd/shared/log.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "jmx_http/net/address.h"

#include <inttypes.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define HOST_LEN 256

/* Appends the "host:port" to which clients connect. */
static void print_add_address(struct text *out, const struct proxy_place *place)
{
	struct sockaddr_storage at = *place->bound;
	const char *host = place->host;
	uint16_t port = place->port;
	char name[HOST_LEN] = "localhost";

	if (!host && net_address_is_any(&at)) {
		gethostname(name, sizeof(name) - 1);
		host = name;
	}
	((struct sockaddr_in *)&at)->sin_port = htons(port);
	if (!host)
		net_address_add(out, &at);
	else if (strchr(host, ':'))
		text_printf(out, "[%s]:%u", host, port);
	else
		text_printf(out, "%s:%u", host, port);
}

int proxy_print_usage(const char *title, const struct proxy_place *place,
		      struct error *err)
{
	struct text out = { 0 }, address = { 0 };
	int ret;

	print_add_address(&address, place);
	safe_text_puts(&out, title);
	text_printf(&out, " is at %s\n", address.bytes);
	text_printf(&out, "  VisualVM  visualvm --openjmx %s\n", address.bytes);
	text_printf(&out, "  JConsole  jconsole %s\n", address.bytes);
	text_printf(&out,
		    "  JMC       service:jmx:rmi:///jndi/rmi://%s/jmxrmi\n",
		    address.bytes);
	ret = output_file("-", out.bytes, out.len, err);
	text_release(&out);
	text_release(&address);
	return ret;
}

/* Each option has a prefix: jconsole and visualvm pass "-J" options on. */
static void print_add_socks_options(struct text *out, const char *before,
				    const char *host, uint16_t port)
{
	text_printf(out, "%s-DsocksProxyHost=%s ", before, host);
	text_printf(out, "%s-DsocksProxyPort=%u ", before, port);
	/* Java connects to localhost directly unless this is empty. */
	text_printf(out, "%s-DsocksNonProxyHosts=", before);
}

static void print_add_socks_usage(struct text *out,
				  const struct upstream_options *jvm,
				  const char *host, uint16_t port)
{
	text_puts(out, "  Java      java ");
	print_add_socks_options(out, "", host, port);
	text_puts(out, " ...\n  VisualVM  visualvm ");
	print_add_socks_options(out, "-J", host, port);
	text_puts(out, " --openjmx ");
	safe_text_puts(out, jvm->host);
	text_printf(out, ":%u\n  JConsole  jconsole ", jvm->port);
	print_add_socks_options(out, "-J", host, port);
	text_putc(out, ' ');
	safe_text_puts(out, jvm->host);
	text_printf(out, ":%u\n", jvm->port);
}

int proxy_print_socks_usage(const struct upstream_options *jvm,
			    const struct proxy_place *place, struct error *err)
{
	struct text out = { 0 }, address = { 0 };
	int ret;

	print_add_address(&address, place);
	safe_text_puts(&out, jvm->title);
	text_printf(&out, " by SOCKS 5 is at %s\n", address.bytes);
	/* Without the port. */
	*strrchr(address.bytes, ':') = '\0';
	print_add_socks_usage(&out, jvm, address.bytes, place->port);
	ret = output_file("-", out.bytes, out.len, err);
	text_release(&out);
	text_release(&address);
	return ret;
}

static void print_add_field(struct text *line, const char *foreign)
{
	text_putc(line, '\t');
	if (foreign[0])
		safe_text_puts(line, foreign);
	else
		text_putc(line, '-');
}

/* Writes whole lines, and drops them if stdout is full: clients never wait. */
static void print_log_line(const struct text *line)
{
	static uint64_t lost;
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	/* A pipe that is ready accepts PIPE_BUF bytes at once. */
	if (line->len <= PIPE_BUF && poll(&out, 1, 0) == 1 &&
	    write(STDOUT_FILENO, line->bytes, line->len) ==
		    (ssize_t)line->len) {
		if (lost)
			log_always("%" PRIu64 " line%s of the log lost: "
				   "standard output was not read",
				   lost, units_plural(lost));
		lost = 0;
		return;
	}
	if (!lost++)
		log_always(
			"lines of the log are being lost: standard output is "
			"not read");
}

void proxy_print_call(void *self, const struct proxy_call *call)
{
	struct text line = { 0 };

	(void)self;
	units_add_utc(&line, clock_wall_ns());
	print_add_field(&line, call->client);
	print_add_field(&line, call->target);
	print_add_field(&line, call->method);
	print_add_field(&line, call->object);
	print_add_field(&line, call->member);
	if (call->refused[0])
		text_puts(&line, "\trefused");
	else
		text_puts(&line, call->is_exception ? "\texception" : "\tok");
	text_printf(&line, "\t%" PRIu64 "\t%.1f\n", call->len,
		    (double)call->ns / (double)CLOCK_NS_PER_MS);
	print_log_line(&line);
	text_release(&line);
}

int proxy_print_agents(const struct http_target_options *agents, size_t count,
		       const struct proxy_place *place, bool is_https,
		       struct error *err)
{
	const char *scheme = is_https ? "https" : "http";
	struct text address = { 0 }, out = { 0 };
	int ret;

	print_add_address(&address, place);
	for (size_t i = 0; i < count; i++) {
		const char *name = agents[i].name;

		safe_text_puts(&out, agents[i].title);
		text_printf(&out, " is at %s://%s/%s\n", scheme, address.bytes,
			    name ? name : HTTP_FRONT_PATH);
	}
	ret = output_file("-", out.bytes, out.len, err);
	text_release(&address);
	text_release(&out);
	return ret;
}
