/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child of push, which sends requests by libcurl, or writes files.
 *
 * The parent writes the request's name, a NUL and the body to a memory file and
 * tells the child; the child writes the reply to shared memory and tells the
 * parent. libcurl is loaded in the child alone: its libraries cost the parent
 * nothing.
 */
#include "core/push/push.h"

#include "core/base/alloc.h"
#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/libcurl.h"
#include "core/base/version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Loading libcurl may read many files from a slow disk. */
#define LOAD_NS (20 * CLOCK_NS_PER_S)
/* More than the timeout of a request: the child itself is stuck. */
#define STUCK_NS   (5 * CLOCK_NS_PER_S)
#define CONNECT_NS (3 * CLOCK_NS_PER_S)
/* The OTLP specification's limit of a response. */
#define RESPONSE_MAX ((size_t)4 << 20)

struct push_sender {
	const struct push_settings *settings;
	struct child child;
	int memory;               /* memory file with the body */
	struct push_reply *reply; /* shared memory */
	bool is_sending;
	bool is_ready;    /* the child has loaded libcurl */
	int64_t until_ns; /* when the child must have replied */
	/* Of the child alone; one of both is NULL. */
	CURL *easy;
	int64_t date_s, retry_s; /* headers Date and Retry-After; 0 = none */
	struct push_files *files;
	struct curl_slist *connect_to;
};

static bool sender_is_grpc(const struct push_sender *s)
{
	enum push_format format = s->settings->format;

	return (format == PUSH_GRPC || format == PUSH_PARCA) &&
	       !s->settings->directory;
}

/* ---- in the child ---- */

static size_t sender_take_body(char *bytes, size_t size, size_t count,
			       void *self)
{
	struct push_reply *r = self;
	size_t len = size * count, room = sizeof(r->body) - r->len;

	/*
	 * The rest of a long response is read, so that the connection stays; an
	 * endless one is cut off.
	 */
	r->received += len;
	if (r->received > RESPONSE_MAX)
		return 0;
	if (len < room)
		room = len;
	memcpy(r->body + r->len, bytes, room);
	r->len += room;
	return len;
}

/* Reads "Thu, 26 Nov 2026 12:00:10 GMT"; 0 = it is not a date. */
static int64_t sender_parse_date(const char *text)
{
	struct tm tm = { 0 };

	return strptime(text, " %a, %d %b %Y %H:%M:%S GMT", &tm)
		       ? (int64_t)timegm(&tm)
		       : 0;
}

/* gRPC's result is in trailers, or in headers if there is no body. */
static size_t sender_take_header(char *bytes, size_t size, size_t count,
				 void *self)
{
	static const char status[] = "grpc-status:", text[] = "grpc-message:";
	static const char date[] = "date:", retry[] = "retry-after:";
	struct push_sender *s = self;
	struct push_reply *r = s->reply;
	char line[PUSH_PROBLEM_MAX];
	size_t len = size * count, all = len;

	while (len && (bytes[len - 1] == '\n' || bytes[len - 1] == '\r'))
		len--;
	snprintf(line, sizeof(line), "%.*s", (int)(len < 500 ? len : 500),
		 bytes);
	if (strncasecmp(line, date, sizeof(date) - 1) == 0) {
		s->date_s = sender_parse_date(line + sizeof(date) - 1);
	} else if (strncasecmp(line, retry, sizeof(retry) - 1) == 0) {
		s->retry_s = sender_parse_date(line + sizeof(retry) - 1);
	} else if (strncasecmp(line, status, sizeof(status) - 1) == 0) {
		const char *number = line + sizeof(status) - 1;
		char *end;
		long value = strtol(number, &end, 10);

		if (end > number && value >= 0 && value <= 100)
			r->grpc_status = (int)value;
	} else if (strncasecmp(line, text, sizeof(text) - 1) == 0) {
		const char *message = line + sizeof(text) - 1;

		struct text decoded = { 0 };

		message += strspn(message, " ");
		text_percent_decoded(&decoded, message, strlen(message));
		for (size_t i = 0; i < decoded.len; i++)
			if ((unsigned char)decoded.bytes[i] < ' ')
				decoded.bytes[i] = ' ';
		snprintf(r->problem, sizeof(r->problem), "%s",
			 decoded.bytes ? decoded.bytes : "");
		text_release(&decoded);
	}
	return all;
}

static void sender_add_header(struct curl_slist **list, const char *header)
{
	struct curl_slist *longer = curl.slist_append(*list, header);

	if (!longer)
		alloc_give_up(strlen(header));
	*list = longer;
}

static void sender_add_lines(struct curl_slist **list, struct text *lines)
{
	char *rest = lines->bytes, *line;

	while (rest && (line = strsep(&rest, "\n")))
		if (*line)
			sender_add_header(list, line);
}

/* Returns the headers of a request; NULL if their file cannot be read. */
static struct curl_slist *sender_headers(const struct push_sender *sender,
					 struct error *err)
{
	const struct push_settings *s = sender->settings;
	struct curl_slist *list = NULL;
	struct text own = { 0 };

	text_add(&own, s->headers.bytes, s->headers.len);
	if (s->header_file && push_headers_read(&own, s->header_file, err)) {
		text_release(&own);
		return NULL;
	}
	if (sender_is_grpc(sender)) {
		sender_add_header(&list,
				  "Content-Type: application/grpc+proto");
		sender_add_header(&list, "TE: trailers");
		sender_add_header(&list, "grpc-encoding: gzip");
	} else if (s->format == PUSH_PYROSCOPE) {
		sender_add_header(&list,
				  "Content-Type: application/octet-stream");
	} else {
		sender_add_header(&list,
				  "Content-Type: application/x-protobuf");
		sender_add_header(&list, "Content-Encoding: gzip");
	}
	/* Servers that do not know it delay a request by a second. */
	sender_add_header(&list, "Expect:");
	sender_add_lines(&list, &own);
	if (own.bytes)
		explicit_bzero(own.bytes, own.cap);
	text_release(&own);
	return list;
}

/* Without TLS, nothing negotiates HTTP/2. */
static long sender_version(const struct push_sender *s)
{
	if (!sender_is_grpc(s))
		return CURL_HTTP_VERSION_1_1;
	return strncmp(s->settings->url, "https:", 6) == 0
		       ? CURL_HTTP_VERSION_2TLS
		       : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
}

/* Where to connect, unless the URL tells. */
static void sender_set_peer(struct push_sender *s, CURL *easy)
{
	const struct push_settings *o = s->settings;

	if (o->socket) {
		curl.easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, o->socket);
		curl.easy_setopt(easy, CURLOPT_PROXY, "");
	}
	if (o->connect_to) {
		sender_add_header(&s->connect_to, o->connect_to);
		curl.easy_setopt(easy, CURLOPT_CONNECT_TO, s->connect_to);
	}
	/* A proxy forwards gRPC's HTTP/2 only through a tunnel. */
	if (sender_is_grpc(s))
		curl.easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
}

/* Without the user and the password; "" if it is not a URL. */
static void sender_copy_host(char *out, size_t size, const char *url)
{
	const char *host = strstr(url, "://"), *at;
	size_t len;

	host = host ? host + 3 : url;
	len = strcspn(host, "/?#'");
	while ((at = memchr(host, '@', len))) {
		len -= (size_t)(at + 1 - host);
		host = at + 1;
	}
	snprintf(out, size, "%.*s", (int)len, host);
}

/*
 * libcurl 7.88 tells only its log that it uses a proxy: "Uses proxy env
 * variable https_proxy == 'http://user:password@host:3128'".
 */
static int sender_take_log(CURL *easy, curl_infotype type, char *bytes,
			   size_t size, void *self)
{
	static const char prefix[] = "Uses proxy env variable ";
	struct push_reply *r = self;
	char line[1024];
	const char *name = line + sizeof(prefix) - 1, *quote;

	(void)easy;
	if (type != CURLINFO_TEXT)
		return 0;
	snprintf(line, sizeof(line), "%.*s", (int)(size < 1000 ? size : 1000),
		 bytes);
	quote = strchr(line, '\'');
	/* The same words tell the value of no_proxy. */
	if (strncmp(line, prefix, sizeof(prefix) - 1) == 0 && quote &&
	    strncasecmp(name, "no_proxy", 8) != 0) {
		snprintf(r->proxy_from, sizeof(r->proxy_from), "%.*s",
			 (int)strcspn(name, " "), name);
		sender_copy_host(r->proxy, sizeof(r->proxy), quote + 1);
	}
	explicit_bzero(line, sizeof(line));
	return 0;
}

static CURL *sender_new_handle(struct push_sender *s)
{
	const struct push_settings *o = s->settings;
	CURL *easy = curl.easy_init();

	if (!easy)
		alloc_give_up(0);
	sender_set_peer(s, easy);
	curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl.easy_setopt(easy, CURLOPT_POST, 1L);
	curl.easy_setopt(easy, CURLOPT_USERAGENT, "sjkc/" SJKC_VERSION);
	curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, sender_version(s));
	/* libcurl 7.88 fails on a connection whose last stream was reset. */
	curl.easy_setopt(easy, CURLOPT_FORBID_REUSE,
			 sender_is_grpc(s) ? 1L : 0L);
	curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, sender_take_header);
	curl.easy_setopt(easy, CURLOPT_HEADERDATA, s);
	curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, sender_take_body);
	curl.easy_setopt(easy, CURLOPT_WRITEDATA, s->reply);
	curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, s->reply->problem);
	curl.easy_setopt(easy, CURLOPT_VERBOSE, 1L);
	curl.easy_setopt(easy, CURLOPT_DEBUGFUNCTION, sender_take_log);
	curl.easy_setopt(easy, CURLOPT_DEBUGDATA, s->reply);
	curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
			 (long)(CONNECT_NS / CLOCK_NS_PER_MS));
	curl.easy_setopt(easy, CURLOPT_TIMEOUT_MS,
			 (long)(o->timeout_ns / CLOCK_NS_PER_MS));
	if (o->cacert) {
		curl.easy_setopt(easy, CURLOPT_CAINFO, o->cacert);
		/* Or the system's authorities are trusted, too. */
		curl.easy_setopt(easy, CURLOPT_CAPATH, NULL);
	} else {
		libcurl_trust_system(easy);
	}
	if (o->cert)
		curl.easy_setopt(easy, CURLOPT_SSLCERT, o->cert);
	if (o->key)
		curl.easy_setopt(easy, CURLOPT_SSLKEY, o->key);
	return easy;
}

/* True for errors of the URL: another attempt would fail, too. */
static bool sender_is_wrong(CURLcode code)
{
	return code == CURLE_URL_MALFORMAT ||
	       code == CURLE_UNSUPPORTED_PROTOCOL;
}

/* Appends " the proxy host:3128 (https_proxy)" if there is one. */
static void sender_add_proxy(struct text *out, const struct push_reply *r)
{
	if (*r->proxy)
		text_printf(out, " the proxy %s (%s)", r->proxy, r->proxy_from);
}

static int64_t sender_time(const struct push_sender *s, CURLINFO info)
{
	curl_off_t us = 0;

	curl.easy_getinfo(s->easy, info, &us);
	return (int64_t)us;
}

/* A request or one of its steps took too long. */
static void sender_describe_timeout(struct text *out,
				    const struct push_sender *s)
{
	const struct push_reply *r = s->reply;
	const struct push_times *t = &r->times;

	if (t->sent) {
		text_printf(out, "no response within %g s",
			    (double)s->settings->timeout_ns / CLOCK_NS_PER_S);
	} else if (*r->address && *r->proxy) {
		sender_add_proxy(out, r);
		text_puts(out, " did not respond in time");
	} else if (*r->address) {
		text_puts(out, "no TLS handshake in time");
	} else if (t->resolved) {
		text_puts(out, "no connection in time");
		if (*r->proxy)
			text_puts(out, " to");
		sender_add_proxy(out, r);
	} else {
		text_puts(out, "the name server did not respond in time");
	}
}

/*
 * libcurl's text has times and ports, which differ at each attempt, or the
 * password of a proxy.
 */
static void sender_describe(struct push_sender *s, CURLcode code)
{
	static const char bad_proxy[] = "Unsupported proxy";
	struct push_reply *r = s->reply;
	long sys = 0, tunnel = 0;
	struct text out = { 0 };

	curl.easy_getinfo(s->easy, CURLINFO_OS_ERRNO, &sys);
	curl.easy_getinfo(s->easy, CURLINFO_HTTP_CONNECTCODE, &tunnel);
	if (strncmp(r->problem, bad_proxy, sizeof(bad_proxy) - 1) == 0) {
		text_printf(&out, "the value of %s is not the URL of a proxy",
			    r->proxy_from);
	} else if (code == CURLE_OPERATION_TIMEDOUT) {
		sender_describe_timeout(&out, s);
	} else if (tunnel && tunnel / 100 != 2) {
		sender_add_proxy(&out, r);
		text_printf(&out, " refused a tunnel: HTTP status %ld", tunnel);
	} else if (code == CURLE_COULDNT_RESOLVE_PROXY) {
		text_puts(&out, "cannot resolve");
		sender_add_proxy(&out, r);
	} else if (code == CURLE_COULDNT_CONNECT && sys) {
		text_puts(&out, "cannot connect");
		if (*r->proxy)
			text_puts(&out, " to");
		sender_add_proxy(&out, r);
		text_printf(&out, ": %s", strerror((int)sys));
	} else {
		text_puts(&out,
			  *r->problem ? r->problem : curl.easy_strerror(code));
	}
	snprintf(r->problem, sizeof(r->problem), "%s",
		 out.bytes + strspn(out.bytes, " "));
	text_release(&out);
}

/* Adds the query of a request to the URL, or replaces the path. */
static void sender_set_url(struct push_sender *s, const char *query)
{
	const char *url = s->settings->url;
	struct text whole = { 0 };

	if (*query == '/') {
		size_t host = (size_t)(strstr(url, "://") + 3 - url);

		text_add(&whole, url, host + strcspn(url + host, "/?#"));
		text_puts(&whole, query);
	} else {
		text_puts(&whole, url);
		if (*query)
			text_printf(&whole, "%c%s",
				    strchr(url, '?') ? '&' : '?', query);
	}
	curl.easy_setopt(s->easy, CURLOPT_URL, whole.bytes);
	text_release(&whole);
}

static void sender_take_times(struct push_sender *s)
{
	struct push_reply *r = s->reply;
	const char *address = NULL;

	r->times = (struct push_times){
		.resolved = sender_time(s, CURLINFO_NAMELOOKUP_TIME_T),
		.connected = sender_time(s, CURLINFO_CONNECT_TIME_T),
		.encrypted = sender_time(s, CURLINFO_APPCONNECT_TIME_T),
		.sent = sender_time(s, CURLINFO_PRETRANSFER_TIME_T),
		.ended = sender_time(s, CURLINFO_TOTAL_TIME_T),
	};
	curl.easy_getinfo(s->easy, CURLINFO_PRIMARY_IP, &address);
	snprintf(r->address, sizeof(r->address), "%s", address ? address : "");
}

/*
 * The status tells what became of the request, even if the rest of the response
 * is cut off or too long. gRPC's own status follows the body.
 */
static bool sender_has_status(const struct push_reply *r, long status)
{
	return status >= 200 &&
	       (!r->is_grpc || status != 200 || r->grpc_status >= 0);
}

static void sender_send(struct push_sender *s, const char *query,
			const void *body, size_t len)
{
	struct push_reply *r = s->reply;
	struct curl_slist *headers;
	CURL *easy = s->easy;
	long status = 0, tunnel = 0;
	const char *type = NULL, *location = NULL;
	curl_off_t after = 0;
	struct error why;
	CURLcode code;

	headers = sender_headers(s, &why);
	if (!headers) {
		snprintf(r->problem, sizeof(r->problem), "%s", why.text);
		return;
	}
	sender_set_url(s, query);
	curl.easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
	curl.easy_setopt(easy, CURLOPT_POSTFIELDS, body);
	curl.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	code = curl.easy_perform(easy);
	curl.easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
	curl.slist_free_all(headers);
	sender_take_times(s);
	curl.easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &tunnel);
	r->is_tunnelled = tunnel / 100 == 2;
	r->curl_code = (int)code;
	curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	r->is_cut = code != CURLE_OK;
	if (r->is_cut && !sender_has_status(r, status)) {
		r->is_wrong = sender_is_wrong(code);
		sender_describe(s, code);
		return;
	}
	curl.easy_getinfo(easy, CURLINFO_RETRY_AFTER, &after);
	curl.easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
	curl.easy_getinfo(easy, CURLINFO_REDIRECT_URL, &location);
	snprintf(r->type, sizeof(r->type), "%s", type ? type : "");
	/* The query may be secret. */
	if (location)
		snprintf(r->location, sizeof(r->location), "%.*s",
			 (int)strcspn(location, "?#"), location);
	r->is_sent = true;
	r->status = (int)status;
	/* The clocks of both machines may differ by more than the wait. */
	r->retry_after_s = s->date_s && s->retry_s ? s->retry_s - s->date_s
						   : (int64_t)after;
}

static void sender_clear_reply(struct push_sender *s)
{
	memset(s->reply, 0, offsetof(struct push_reply, body));
	s->date_s = s->retry_s = 0;
	s->reply->is_grpc = sender_is_grpc(s);
	s->reply->is_plain = s->settings->directory ||
			     s->settings->format == PUSH_PYROSCOPE;
	s->reply->grpc_status = -1;
}

/* Maps the name and the body, sends it, and fills the reply. */
static void sender_send_memory(struct push_sender *s)
{
	const char *all, *end;
	struct stat file;
	size_t len;

	sender_clear_reply(s);
	if (fstat(s->memory, &file) < 0 || file.st_size <= 0)
		return;
	len = (size_t)file.st_size;
	all = mmap(NULL, len, PROT_READ, MAP_SHARED, s->memory, 0);
	if (all == MAP_FAILED) {
		snprintf(s->reply->problem, sizeof(s->reply->problem),
			 "cannot map the request");
		return;
	}
	end = memchr(all, '\0', len);
	if (end && s->files)
		push_files_write(s->files, all, end + 1,
				 len - (size_t)(end + 1 - all), s->reply);
	else if (end)
		sender_send(s, all, end + 1, len - (size_t)(end + 1 - all));
	munmap((void *)(uintptr_t)all, len);
}

static int sender_job(void *self, int channel, struct error *err)
{
	struct push_sender *s = self;
	const struct push_settings *o = s->settings;
	char word;

	if (o->directory)
		s->files = push_files_open(o->directory, &o->limits);
	else if (libcurl_load("--push", err))
		return -1;
	else
		s->easy = sender_new_handle(s);
	if (child_tell(channel, 'r', -1))
		return CHILD_NOTHING;
	while (child_hear(channel, INT64_MAX, &word) == CHILD_TOLD) {
		sender_send_memory(s);
		if (child_tell(channel, 'd', -1))
			break;
	}
	return CHILD_NOTHING;
}

/* ---- in the parent ---- */

static int sender_start_child(struct push_sender *s, struct error *err)
{
	const struct child_options options = {
		.kept = &s->memory,
		.kept_count = 1,
		.dies_with_parent = true,
	};

	s->is_ready = false;
	return child_start(&s->child, &options, sender_job, s, err);
}

/* Waits until the child has loaded libcurl. */
static int sender_await_child(struct push_sender *s, struct error *err)
{
	int fd;

	if (child_wait(&s->child, clock_monotonic_ns() + LOAD_NS, &fd, err) ==
	    CHILD_TOLD) {
		s->is_ready = true;
		return 0;
	}
	child_end(&s->child, 0);
	return -1;
}

struct push_sender *push_sender_open(const struct push_settings *settings,
				     struct error *err)
{
	struct push_sender *s = xcalloc(1, sizeof(*s));

	s->settings = settings;
	s->child.channel = -1;
	s->reply = child_memory(sizeof(*s->reply));
	s->memory = memfd_create("sjkc-push", MFD_CLOEXEC);
	if (s->memory < 0)
		fail_sys(err, ERROR_FAILED, "cannot create a memory file");
	else if (sender_start_child(s, err) == 0 &&
		 sender_await_child(s, err) == 0)
		return s;
	push_sender_close(s);
	return NULL;
}

void push_sender_close(struct push_sender *s)
{
	if (!s)
		return;
	child_end(&s->child, 0);
	if (s->memory >= 0)
		close(s->memory);
	child_memory_free(s->reply, sizeof(*s->reply));
	free(s);
}

static int sender_write(const struct push_sender *s, const void *bytes,
			size_t len, size_t at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t wrote = pwrite(s->memory, (const char *)bytes + done,
				       len - done, (off_t)(at + done));

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return -1;
		done += (size_t)wrote;
	}
	return 0;
}

static int sender_write_request(const struct push_sender *s,
				const struct text *body, const char *name,
				struct error *err)
{
	/* gRPC's prefix: the message is compressed; its length, big-endian. */
	const uint8_t prefix[5] = { 1, (uint8_t)(body->len >> 24),
				    (uint8_t)(body->len >> 16),
				    (uint8_t)(body->len >> 8),
				    (uint8_t)body->len };
	size_t prefix_len = sender_is_grpc(s) ? sizeof(prefix) : 0;
	size_t name_len = strlen(name) + 1;

	if (ftruncate(s->memory, 0) < 0 || sender_write(s, name, name_len, 0) ||
	    sender_write(s, prefix, prefix_len, name_len) ||
	    sender_write(s, body->bytes, body->len, name_len + prefix_len))
		return fail_sys(err, ERROR_FAILED, "cannot write the request");
	return 0;
}

static int sender_tell_child(struct push_sender *s)
{
	s->until_ns = clock_monotonic_ns() + s->settings->timeout_ns + STUCK_NS;
	return child_tell(s->child.channel, 's', -1);
}

int push_sender_start(struct push_sender *s, const struct text *body,
		      const char *name, struct error *err)
{
	/* A child that the kernel holds must not get a second one beside it. */
	if (s->child.channel < 0 && s->child.pid &&
	    !child_reap(s->child.pid, NULL, 0))
		return fail(err, ERROR_FAILED,
			    "the sending process has not ended");
	if (s->child.channel < 0 && sender_start_child(s, err))
		return -1;
	if (sender_write_request(s, body, name, err))
		return -1;
	s->until_ns = clock_monotonic_ns() + LOAD_NS;
	if (s->is_ready && sender_tell_child(s)) {
		child_end(&s->child, 0);
		return fail(err, ERROR_FAILED, "the sending process ended");
	}
	s->is_sending = true;
	return 0;
}

/* Ends the child; another is started for the next request. */
static void sender_give_up(struct push_sender *s, const char *why)
{
	child_end(&s->child, 0);
	memset(s->reply, 0, offsetof(struct push_reply, body));
	snprintf(s->reply->problem, sizeof(s->reply->problem), "%s", why);
}

const struct push_reply *push_sender_reply(struct push_sender *s,
					   int64_t until_ns)
{
	enum child_news news = CHILD_SILENT;
	struct error why;
	int fd;

	while (s->is_sending) {
		news = child_wait(&s->child,
				  until_ns < s->until_ns ? until_ns
							 : s->until_ns,
				  &fd, &why);
		if (news != CHILD_TOLD || s->is_ready)
			break;
		/* A new child is ready for the request. */
		s->is_ready = true;
		if (sender_tell_child(s)) {
			news = CHILD_GONE;
			break;
		}
	}
	if (!s->is_sending ||
	    (news == CHILD_SILENT && clock_monotonic_ns() < s->until_ns))
		return NULL;
	if (news == CHILD_SILENT)
		sender_give_up(s, "the sending process does not reply");
	else if (news == CHILD_FAILED)
		sender_give_up(s, why.text);
	else if (news != CHILD_TOLD)
		sender_give_up(s, "the sending process ended");
	s->is_sending = false;
	s->reply->problem[PUSH_PROBLEM_MAX - 1] = '\0';
	return s->reply;
}

int push_sender_fd(const struct push_sender *s)
{
	return s->is_sending ? s->child.channel : -1;
}
