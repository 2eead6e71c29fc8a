/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of push, from its URL and the environment variables of
 * OpenTelemetry's exporters (specification/protocol/exporter.md).
 */
#include "core/push/push.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define TIMEOUT_NS (10 * CLOCK_NS_PER_S)
/* A disk may be busy for long. */
#define FILE_NS     (60 * CLOCK_NS_PER_S)
#define QUEUE_BYTES ((size_t)32 << 20)
#define QUEUE_NS    (3600 * CLOCK_NS_PER_S)

/* Limits of a directory. */
#define KEEP_BYTES ((uint64_t)1 << 30)
#define KEEP_NS    (7 * 86400 * CLOCK_NS_PER_S)
enum { KEEP_FILES = 100000 };

enum { HEADERS_MAX = 64 * 1024 };

/* Returns a variable, first for profiles alone; NULL if unset or empty. */
static const char *settings_variable(const char *name)
{
	static const char prefix[] = "OTEL_EXPORTER_OTLP_";
	const char *found;
	char own[64], any[64];

	snprintf(own, sizeof(own), "%sPROFILES_%s", prefix, name);
	snprintf(any, sizeof(any), "%s%s", prefix, name);
	found = getenv(own);
	if (!found || !*found)
		found = getenv(any);
	return found && *found ? found : NULL;
}

static char *settings_copy_variable(const char *name)
{
	const char *value = settings_variable(name);

	return value ? xstrdup(value) : NULL;
}

static bool settings_is_tls(const char *url)
{
	return strncmp(url, "https:", 6) == 0 || strncmp(url, "grpcs:", 6) == 0;
}

/* Returns false for an unknown scheme; the scheme ends at `end`. */
static bool settings_take_scheme(struct push_settings *s, const char *url,
				 const char *end)
{
	static const char *const schemes[] = { "http", "https", "grpc",
					       "grpcs" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		size_t len = strlen(schemes[i]);

		if ((size_t)(end - url) != len ||
		    memcmp(url, schemes[i], len) != 0)
			continue;
		s->detects = i >= 2 && s->format == PUSH_AUTO;
		if (s->detects)
			s->format = PUSH_GRPC;
		return true;
	}
	return false;
}

static int settings_refuse_url(const char *url, struct error *err)
{
	/* Command lines and logs are no place for secrets. */
	if (strchr(url, '@'))
		return fail(err, ERROR_MISUSE,
			    "the URL of --push must not have a password; use "
			    "--header-file");
	return fail(err, ERROR_MISUSE,
		    "'%.*s' is not the URL of a profiling backend (examples: "
		    "http://localhost:4318, http://[::1]:4318, "
		    "https://otel.acme.com/v1development/profiles)",
		    (int)strcspn(url, "?#"), url);
}

/* True for "name", "name:4318", "10.0.0.1:4318" and "[::1]:4318". */
static bool settings_is_host(const char *host, size_t len)
{
	bool is_ipv6 = *host == '[';
	size_t name_len = strcspn(host, is_ipv6 ? "]/?#" : ":/?#") + is_ipv6;
	uint64_t port = 0;

	if (memchr(host, '@', len) || !name_len || name_len > len)
		return false;
	if (name_len == len)
		return true;
	if (host[name_len] != ':' || name_len + 1 == len)
		return false;
	for (size_t i = name_len + 1; i < len; i++) {
		if (!is_digit(host[i]) || port > UINT16_MAX)
			return false;
		port = port * 10 + (uint64_t)(host[i] - '0');
	}
	return port && port <= UINT16_MAX;
}

/* Returns the path of a format, which follows a URL without one. */
static const char *settings_path(enum push_format format)
{
	static const char *const paths[] = {
		[PUSH_OTLP] = PUSH_OTLP_PATH,
		[PUSH_GRPC] = PUSH_GRPC_PATH,
		[PUSH_PYROSCOPE] = PUSH_PYROSCOPE_PATH,
		[PUSH_PARCA] = PUSH_PARCA_PATH,
	};

	return paths[format];
}

static bool settings_is_grpc(const struct push_settings *s)
{
	return s->format == PUSH_GRPC || s->format == PUSH_PARCA;
}

/* Chooses the format by a path, unless it is known. */
static void settings_choose_format(struct push_settings *s, const char *path,
				   size_t len)
{
	static const char own[] = PUSH_PYROSCOPE_PATH;
	size_t own_len = sizeof(own) - 1;

	if (s->format != PUSH_AUTO)
		return;
	s->format = len >= own_len && memcmp(path + len - own_len, own,
					     own_len) == 0
			    ? PUSH_PYROSCOPE
			    : PUSH_OTLP;
}

/* "unix:/run/x.sock" and "unix:///run/x.sock", as gRPC writes them. */
static int settings_set_socket(struct push_settings *s, const char *url,
			       struct error *err)
{
	const char *path = url + strlen("unix:");
	const struct sockaddr_un unused = { 0 };
	struct text whole = { 0 };

	if (strncmp(path, "//", 2) == 0)
		path += 2;
	if (*path != '/' || strlen(path) >= sizeof(unused.sun_path))
		return fail(err, ERROR_MISUSE,
			    "'%s' is not a unix socket (example: "
			    "unix:/run/otel.sock)",
			    url);
	settings_choose_format(s, "", 0);
	text_printf(&whole, "http://localhost%s", settings_path(s->format));
	free(s->socket);
	s->socket = xstrdup(path);
	free(s->url);
	s->url = whole.bytes;
	free(s->shown_url);
	s->shown_url = xstrdup(url);
	return 0;
}

/* Returns the URL for messages: gRPC's as the user writes it. */
static char *settings_show_url(const struct text *url, size_t host_len,
			       bool is_grpc)
{
	struct text shown = { 0 };

	if (!is_grpc)
		return xstrdup(url->bytes);
	text_printf(&shown, "grpc%s://%.*s",
		    settings_is_tls(url->bytes) ? "s" : "", (int)host_len,
		    strstr(url->bytes, "://") + 3);
	return shown.bytes;
}

/* Sets the URL; its path is added if there is none, or always. */
static int settings_set_url(struct push_settings *s, const char *url,
			    bool adds_path, struct error *err)
{
	const char *host = strstr(url, "://"), *path, *query;
	struct text whole = { 0 };
	size_t host_len, path_len;
	bool is_grpc;

	if (strncmp(url, "unix:", 5) == 0)
		return settings_set_socket(s, url, err);
	if (strncmp(url, "grpc", 4) == 0 && s->format != PUSH_AUTO &&
	    !settings_is_grpc(s))
		return fail(err, ERROR_MISUSE,
			    "grpc:// requires --push-format grpc or parca");
	if (!host || !settings_take_scheme(s, url, host))
		return settings_refuse_url(url, err);
	host += 3;
	host_len = strcspn(host, "/?#");
	if (!host_len || !settings_is_host(host, host_len))
		return settings_refuse_url(url, err);
	path = host + host_len;
	path_len = strcspn(path, "?#");
	query = path + path_len;
	while (path_len && path[path_len - 1] == '/' &&
	       (adds_path || path_len == 1))
		path_len--;
	settings_choose_format(s, path, path_len);
	is_grpc = settings_is_grpc(s);
	text_printf(&whole, "http%s://", settings_is_tls(url) ? "s" : "");
	text_add(&whole, host, host_len);
	if (!is_grpc)
		text_add(&whole, path, path_len);
	if (is_grpc || adds_path || !path_len)
		text_puts(&whole, settings_path(s->format));
	free(s->shown_url);
	s->shown_url = settings_show_url(&whole, host_len, is_grpc);
	if (!is_grpc)
		text_add(&whole, query, strcspn(query, "#"));
	free(s->url);
	s->url = whole.bytes;
	return 0;
}

/* The path of gRPC is fixed; another one would be dropped in silence. */
static int settings_check_grpc(const struct push_settings *s, const char *url,
			       struct error *err)
{
	const char *path = strstr(url, "://");

	if (!settings_is_grpc(s) || s->socket || !path)
		return 0;
	path += 3 + strcspn(path + 3, "/?#");
	if (!*path || strcmp(path, "/") == 0 ||
	    strcmp(path, settings_path(s->format)) == 0)
		return 0;
	return fail(err, ERROR_MISUSE, "a gRPC URL has no path or query");
}

static int settings_find_url(struct push_settings *s, const char *url,
			     struct error *err)
{
	const char *own = getenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT");
	const char *any = getenv("OTEL_EXPORTER_OTLP_ENDPOINT");
	const char *protocol = settings_variable("PROTOCOL");
	bool is_grpc = s->format == PUSH_AUTO && protocol &&
		       strcmp(protocol, "grpc") == 0;
	bool is_own = own && *own;

	if (strcmp(url, "env") != 0)
		return settings_set_url(s, url, false, err) ||
				       settings_check_grpc(s, url, err)
			       ? -1
			       : 0;
	if (!is_own && !(any && *any))
		return fail(err, ERROR_MISUSE,
			    "--push env requires OTEL_EXPORTER_OTLP_ENDPOINT "
			    "or OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT");
	if (is_grpc)
		s->format = PUSH_GRPC;
	if (settings_set_url(s, is_own ? own : any, !is_own, err))
		return -1;
	/* The variable demands gRPC, not OTLP of Parca. */
	s->detects |= is_grpc;
	return 0;
}

/* Removes the blanks at both ends. */
static void settings_trim(const char **text, size_t *len)
{
	while (*len && is_blank(**text)) {
		++*text;
		--*len;
	}
	while (*len && is_blank((*text)[*len - 1]))
		--*len;
}

/* Appends "name=value" as "name: value"; the value is percent-encoded. */
static void settings_add_header(struct text *out, const char *pair, size_t len)
{
	const char *equals = memchr(pair, '=', len);
	size_t name_len = equals ? (size_t)(equals - pair) : 0, value_len;
	const char *name = pair, *value = equals ? equals + 1 : NULL;
	struct text decoded = { 0 };

	settings_trim(&name, &name_len);
	if (!name_len)
		return;
	value_len = len - (size_t)(value - pair);
	settings_trim(&value, &value_len);
	text_percent_decoded(&decoded, value, value_len);
	text_add(out, name, name_len);
	text_puts(out, ": ");
	for (size_t i = 0; i < decoded.len; i++)
		if ((unsigned char)decoded.bytes[i] >= ' ')
			text_putc(out, decoded.bytes[i]);
	text_putc(out, '\n');
	if (decoded.bytes)
		explicit_bzero(decoded.bytes, decoded.cap);
	text_release(&decoded);
}

static void settings_take_headers(struct push_settings *s)
{
	const char *list = settings_variable("HEADERS");

	while (list && *list) {
		size_t len = strcspn(list, ",");

		settings_add_header(&s->headers, list, len);
		list += len + (list[len] == ',');
	}
}

/* OTEL_EXPORTER_OTLP_TIMEOUT is in milliseconds. */
static int settings_take_timeout(struct push_settings *s, struct error *err)
{
	const char *value = settings_variable("TIMEOUT");
	uint64_t ms;

	if (!value)
		return 0;
	if (units_count(value, &ms, err))
		return fail_in(err, "OTEL_EXPORTER_OTLP_TIMEOUT");
	if (ms && ms < 600000)
		s->timeout_ns = (int64_t)ms * CLOCK_NS_PER_MS;
	else
		text_puts(&s->ignored,
			  "OTEL_EXPORTER_OTLP_TIMEOUT is ignored: it must be "
			  "1 to 599999 ms\n");
	return 0;
}

/* Notes what the variables ask for in vain. */
static void settings_note_ignored(struct push_settings *s, bool is_env)
{
	const char *protocol = is_env ? settings_variable("PROTOCOL") : NULL;
	const char *compression = settings_variable("COMPRESSION");

	if (protocol && strcmp(protocol, "grpc") != 0 &&
	    strcmp(protocol, "http/protobuf") != 0)
		text_puts(&s->ignored,
			  "OTEL_EXPORTER_OTLP_PROTOCOL is ignored: profiles "
			  "are sent by grpc or http/protobuf\n");
	if (compression && strcmp(compression, "gzip") != 0)
		text_puts(&s->ignored,
			  "OTEL_EXPORTER_OTLP_COMPRESSION is ignored: profiles "
			  "are sent with gzip\n");
}

/* libcurl ignores it: a server may have it from a client's header "Proxy". */
static void settings_note_proxy(struct push_settings *s)
{
	const char *proxy = getenv("HTTP_PROXY");

	if (proxy && *proxy && !s->socket && !settings_is_tls(s->url) &&
	    !getenv("http_proxy"))
		text_puts(&s->ignored,
			  "HTTP_PROXY is ignored: the variable for http and "
			  "grpc is http_proxy\n");
}

int push_settings_init(struct push_settings *s, const char *url,
		       enum push_format format, struct error *err)
{
	*s = (struct push_settings){
		.format = format,
		.timeout_ns = TIMEOUT_NS,
		.queue_bytes = QUEUE_BYTES,
		.queue_ns = QUEUE_NS,
		.cacert = settings_copy_variable("CERTIFICATE"),
		.cert = settings_copy_variable("CLIENT_CERTIFICATE"),
		.key = settings_copy_variable("CLIENT_KEY"),
	};
	settings_take_headers(s);
	settings_note_ignored(s, strcmp(url, "env") == 0);
	if (settings_find_url(s, url, err) || settings_take_timeout(s, err))
		return -1;
	settings_note_proxy(s);
	return 0;
}

void push_settings_init_directory(struct push_settings *s, const char *path,
				  enum push_format format)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	*s = (struct push_settings){
		.format = format == PUSH_PYROSCOPE ? format : PUSH_OTLP,
		.directory = xstrndup(path, len),
		.shown_url = xstrndup(path, len),
		.timeout_ns = FILE_NS,
		.queue_bytes = QUEUE_BYTES,
		.queue_ns = QUEUE_NS,
		.limits = { KEEP_BYTES, KEEP_FILES, KEEP_NS },
	};
}

int push_settings_set_server(struct push_settings *s, const char *name,
			     struct error *err)
{
	const char *host = s->url ? strstr(s->url, "://") : NULL;
	struct text url = { 0 }, to = { 0 };
	size_t len, colon;

	if (!host || s->socket)
		return fail(err, ERROR_MISUSE,
			    "--server-name requires a URL with a host");
	if (!*name || name[strcspn(name, "/?#@: ")])
		return fail(err, ERROR_MISUSE,
			    "'%s' is not the name of a server", name);
	host += 3;
	len = strcspn(host, "/?#");
	/* The host may be "[::1]:4318". */
	colon = *host == '[' ? strcspn(host, "]") : 0;
	colon += strcspn(host + colon, ":/?#");
	text_puts(&to, "::");
	text_add(&to, host, len);
	if (colon >= len)
		text_putc(&to, ':');
	text_add(&url, s->url, (size_t)(host - s->url));
	text_puts(&url, name);
	if (colon < len)
		text_add(&url, host + colon, len - colon);
	text_puts(&url, host + len);
	free(s->url);
	s->url = url.bytes;
	free(s->connect_to);
	s->connect_to = to.bytes;
	free(s->server_name);
	s->server_name = xstrdup(name);
	return 0;
}

void push_settings_release(struct push_settings *s)
{
	if (s->headers.bytes)
		explicit_bzero(s->headers.bytes, s->headers.cap);
	text_release(&s->headers);
	text_release(&s->ignored);
	free(s->url);
	free(s->shown_url);
	free(s->socket);
	free(s->server_name);
	free(s->connect_to);
	free(s->directory);
	free(s->header_file);
	free(s->cacert);
	free(s->cert);
	free(s->key);
	*s = (struct push_settings){ 0 };
}

/* Appends one line of the file; -1 if it is not a header. */
static int settings_take_line(struct text *out, const char *line, size_t len)
{
	const char *colon;

	while (len && (line[len - 1] == '\r' || is_blank(line[len - 1])))
		len--;
	if (!len || *line == '#')
		return 0;
	colon = memchr(line, ':', len);
	if (!colon || colon == line)
		return -1;
	for (const char *at = line; at < colon; at++)
		if ((unsigned char)*at <= ' ')
			return -1;
	text_add(out, line, len);
	text_putc(out, '\n');
	return 0;
}

static int settings_read_file(struct text *out, const char *path,
			      struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char bytes[4096];
	ssize_t got = -1;

	if (fd < 0)
		return fail_sys(err, ERROR_INPUT, "%s", path);
	while (out->len < HEADERS_MAX &&
	       (got = read(fd, bytes, sizeof(bytes))) > 0)
		text_add(out, bytes, (size_t)got);
	if (got < 0)
		fail_sys(err, ERROR_INPUT, "%s", path);
	else if (got > 0)
		fail(err, ERROR_INPUT, "%s: larger than 64 KB", path);
	explicit_bzero(bytes, sizeof(bytes));
	close(fd);
	return got ? -1 : 0;
}

int push_headers_read(struct text *out, const char *path, struct error *err)
{
	struct text file = { 0 };
	int ret = settings_read_file(&file, path, err), number = 1;

	for (size_t at = 0; ret == 0 && at < file.len; number++) {
		const char *line = file.bytes + at;
		const char *end = memchr(line, '\n', file.len - at);
		size_t len = end ? (size_t)(end - line) : file.len - at;

		if (settings_take_line(out, line, len))
			ret = fail(err, ERROR_MISUSE,
				   "%s:%d: not a header (example: 'X-Tenant: "
				   "blue')",
				   path, number);
		at += len + 1;
	}
	if (file.bytes)
		explicit_bzero(file.bytes, file.cap);
	text_release(&file);
	return ret;
}
