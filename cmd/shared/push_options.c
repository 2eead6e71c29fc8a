/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/push_options.h"

#include "cmd/shared/log.h"
#include "core/base/alloc.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum push_format push_options_format(const struct push_options *o)
{
	static const char *const words[] = {
		[PUSH_OTLP] = "otlp",
		[PUSH_GRPC] = "grpc",
		[PUSH_PYROSCOPE] = "pyroscope",
		[PUSH_PARCA] = "parca",
	};

	for (size_t i = PUSH_OTLP; o->format && i <= PUSH_PARCA; i++)
		if (strcmp(o->format, words[i]) == 0)
			return (enum push_format)i;
	return PUSH_AUTO;
}

static void push_options_log_ignored(const struct push_settings *s)
{
	const char *line = s->ignored.bytes;

	while (line && *line) {
		size_t len = strcspn(line, "\n");

		log_always("%.*s", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

/* Sets a file of TLS, which libcurl reads for each connection. */
static int push_options_set_file(char **setting, const char *path,
				 struct error *err)
{
	if (path) {
		free(*setting);
		*setting = xstrdup(path);
	}
	if (*setting && access(*setting, R_OK) < 0)
		return fail_sys(err, ERROR_INPUT, "%s", *setting);
	return 0;
}

int push_options_set(struct push_settings *s, const struct push_options *o,
		     struct error *err)
{
	struct text unused = { 0 };
	int ret;

	if (push_settings_init(s, o->url, push_options_format(o), err))
		return -1;
	push_options_log_ignored(s);
	if (push_options_set_file(&s->cacert, o->cacert, err) ||
	    push_options_set_file(&s->cert, o->cert, err) ||
	    push_options_set_file(&s->key, o->key, err))
		return -1;
	if (o->server_name && push_settings_set_server(s, o->server_name, err))
		return -1;
	if (!o->header_file)
		return 0;
	s->header_file = xstrdup(o->header_file);
	/* It is read again before each request. */
	ret = push_headers_read(&unused, o->header_file, err);
	if (unused.bytes)
		explicit_bzero(unused.bytes, unused.cap);
	text_release(&unused);
	return ret;
}

/* True for a host, "name:port/…", that is this machine. */
static bool options_is_loopback(const char *host)
{
	char name[sizeof("255.255.255.255")];
	size_t len = strcspn(host, ":/?#");
	struct in_addr address;

	if (strncmp(host, "[::1]", 5) == 0)
		return true;
	if (len >= sizeof(name))
		return false;
	memcpy(name, host, len);
	name[len] = '\0';
	return strcmp(name, "localhost") == 0 ||
	       (inet_pton(AF_INET, name, &address) == 1 &&
		ntohl(address.s_addr) >> 24 == 127);
}

void push_options_warn(const struct push_settings *s)
{
	const char *host = s->connect_to ? s->connect_to + strlen("::")
					 : strstr(s->url, "://") + 3;

	if ((!s->headers.len && !s->header_file) || s->socket ||
	    strncmp(s->url, "https:", 6) == 0 || options_is_loopback(host))
		return;
	log_always(
		"the headers are sent to %s without encryption; use https:// "
		"or grpcs://",
		s->shown_url);
}
