/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/jmx/mxprx_print.h"

#include "cmd/log.h"
#include "core/base/clock.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "jmx_http/net/address.h"

#include <inttypes.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HOST_LEN 256

static bool address_is_any(const struct sockaddr_storage *a)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;
	const struct sockaddr_in *four = (const struct sockaddr_in *)a;

	if (a->ss_family == AF_INET6)
		return IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr);
	return four->sin_addr.s_addr == htonl(INADDR_ANY);
}

/* Appends the "host:port" to which clients connect. */
static void print_add_address(struct text *out,
			      const struct sockaddr_storage *bound,
			      uint16_t port, const char *host)
{
	struct sockaddr_storage at = *bound;
	char name[HOST_LEN] = "localhost";

	if (!host && address_is_any(bound)) {
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

int mxprx_print_usage(const char *title, const struct sockaddr_storage *bound,
		      uint16_t port, const char *host, struct error *err)
{
	struct output out;
	struct text safe = { 0 }, address = { 0 };
	int ret = output_open(&out, "-", err);

	safe_text(&safe, title, strlen(title));
	print_add_address(&address, bound, port, host);
	if (ret == 0) {
		output_printf(&out, "%s is at %s\n", safe.bytes, address.bytes);
		output_printf(&out, "  VisualVM  visualvm --openjmx %s\n",
			      address.bytes);
		output_printf(&out, "  JConsole  jconsole %s\n", address.bytes);
		output_printf(&out,
			      "  JMC       service:jmx:rmi:///jndi/rmi://%s"
			      "/jmxrmi\n",
			      address.bytes);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	text_release(&safe);
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
	safe_text(out, jvm->host, strlen(jvm->host));
	text_printf(out, ":%u\n  JConsole  jconsole ", jvm->port);
	print_add_socks_options(out, "-J", host, port);
	text_putc(out, ' ');
	safe_text(out, jvm->host, strlen(jvm->host));
	text_printf(out, ":%u\n", jvm->port);
}

int mxprx_print_socks_usage(const struct upstream_options *jvm,
			    const struct sockaddr_storage *bound,
			    const char *host, struct error *err)
{
	uint16_t port = ntohs(((const struct sockaddr_in *)bound)->sin_port);
	struct text out = { 0 }, address = { 0 };
	struct output file;
	int ret = output_open(&file, "-", err);

	print_add_address(&address, bound, port, host);
	safe_text(&out, jvm->title, strlen(jvm->title));
	text_printf(&out, " by SOCKS 5 is at %s\n", address.bytes);
	/* Without the port. */
	*strrchr(address.bytes, ':') = '\0';
	print_add_socks_usage(&out, jvm, address.bytes, port);
	if (ret == 0) {
		output_write(&file, out.bytes, out.len);
		ret = output_commit(&file, err);
	}
	output_close(&file);
	text_release(&out);
	text_release(&address);
	return ret;
}

static void log_add_time(struct text *line)
{
	int64_t now_ns = clock_wall_ns();
	time_t seconds = (time_t)(now_ns / CLOCK_NS_PER_S);
	char text[sizeof("2026-11-21T20:19:00")];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	text_printf(line, "%s.%03dZ", text,
		    (int)(now_ns % CLOCK_NS_PER_S / CLOCK_NS_PER_MS));
}

static void log_add_field(struct text *line, const char *foreign)
{
	text_putc(line, '\t');
	if (foreign[0])
		safe_text(line, foreign, strlen(foreign));
	else
		text_putc(line, '-');
}

/* Writes whole lines, and drops them if stdout is full: clients never wait. */
static void log_put_line(const struct text *line)
{
	static uint64_t lost;
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	/* A pipe that is ready accepts PIPE_BUF bytes at once. */
	if (line->len <= PIPE_BUF && poll(&out, 1, 0) == 1 &&
	    write(STDOUT_FILENO, line->bytes, line->len) ==
		    (ssize_t)line->len) {
		if (lost)
			log_always("%" PRIu64 " lines of the log were lost: "
				   "standard output was not read",
				   lost);
		lost = 0;
		return;
	}
	if (!lost++)
		log_always(
			"lines of the log are being lost: standard output is "
			"not read");
}

void mxprx_print_call(void *self, const struct proxy_call *call)
{
	struct text line = { 0 };

	(void)self;
	log_add_time(&line);
	log_add_field(&line, call->client);
	log_add_field(&line, call->target);
	log_add_field(&line, call->method);
	log_add_field(&line, call->object);
	log_add_field(&line, call->member);
	if (call->refused[0])
		text_puts(&line, "\trefused");
	else
		text_puts(&line, call->is_exception ? "\texception" : "\tok");
	text_printf(&line, "\t%" PRIu64 "\t%.1f\n", call->len,
		    (double)call->ns / (double)CLOCK_NS_PER_MS);
	log_put_line(&line);
	text_release(&line);
}
