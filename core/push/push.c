/* SPDX-License-Identifier: Apache-2.0 */
#include "core/push/push.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/libcurl.h"
#include "core/base/protobuf.h"
#include "core/base/units.h"
#include "core/base/zip.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

/* The wait before another attempt doubles, and is random up to this limit. */
#define BACKOFF_FIRST_NS (1 * CLOCK_NS_PER_S)
#define BACKOFF_LAST_NS  (60 * CLOCK_NS_PER_S)
/*
 * A node sends its backlog this much faster than it was made. If all nodes sent
 * theirs as fast as possible, the backend would have to take an hour of a fleet
 * in a minute (tests/bench/fleet.sh).
 */
enum { BACKLOG_SPEED = 4 };
/*
 * The mean wait of a backlog: few old requests, or one, make the quotient
 * large. That of an hour with intervals of 30 s is 7.5 s.
 */
#define PACE_MAX_NS (10 * CLOCK_NS_PER_S)
/* A longer Retry-After is a mistake. */
enum { RETRY_AFTER_MAX_S = 3600 };
/* The same trouble is reported again after this time. */
#define REPORT_NS (300 * CLOCK_NS_PER_S)
/* Profiles share requests again after so long without a refusal. */
#define ALONE_NS (600 * CLOCK_NS_PER_S)

struct push_item {
	struct push_item *next;
	struct text body, parca; /* one or both */
	char *name;
	uint64_t samples;
	int64_t added_ns;
	unsigned attempts;
	unsigned may_be_stored; /* a part, by this many failed attempts */
};

/* A message that repeats, or begins to differ. */
struct push_said {
	struct text text; /* empty: not said */
	int64_t at_ns;
};

struct push {
	const struct push_settings *settings;
	struct push_sender *sender;
	push_notice *notice;
	void *self;
	struct push_item *first, **last; /* the first may be being sent */
	bool is_sending;
	enum push_format kind; /* of the server; PUSH_AUTO = unknown */
	bool wants_probe;      /* ask the server for its kind */
	bool is_probing;
	unsigned lost_probes; /* in succession, without a status */
	struct push_alone alone;
	struct push_pace pace;
	struct push_counts counts;
	struct push_said trouble, refusal, rejection, advice, full, old;
	uint64_t refused; /* requests in succession */
};

enum { GRPC_PREFIX = 5 };

enum {
	GRPC_CANCELLED = 1,
	GRPC_UNKNOWN = 2,
	GRPC_INVALID_ARGUMENT = 3,
	GRPC_DEADLINE_EXCEEDED = 4,
	GRPC_PERMISSION_DENIED = 7,
	GRPC_RESOURCE_EXHAUSTED = 8,
	GRPC_ABORTED = 10,
	GRPC_OUT_OF_RANGE = 11,
	GRPC_UNIMPLEMENTED = 12,
	GRPC_INTERNAL = 13,
	GRPC_UNAVAILABLE = 14,
	GRPC_DATA_LOSS = 15,
	GRPC_UNAUTHENTICATED = 16,
};

/* Statuses of HTTP that have a usual cause. */
enum {
	HTTP_BAD_REQUEST = 400,
	HTTP_UNAUTHORIZED = 401,
	HTTP_FORBIDDEN = 403,
	HTTP_NOT_FOUND = 404,
	HTTP_PROXY_LOGIN = 407,
	HTTP_TOO_LARGE = 413,
	HTTP_WRONG_TYPE = 415,
	HTTP_UNPROCESSABLE = 422,
	HTTP_INTERNAL = 500,
};

/* Attempts for an error of a backend that does not tell whether it passes. */
enum { INTERNAL_ATTEMPTS = 4 };

/* ---- replies ---- */

/* google.rpc.Status: 2 = message. Appends printable text, at most a line. */
static void judge_add_message(struct text *why, const struct push_reply *r)
{
	struct cursor c = cursor_over(r->body, r->len);
	struct protobuf_field f;
	const char *text = (const char *)r->body;
	size_t len = r->len;

	/* A page for people, whose first line tells nothing. */
	if (strncasecmp(r->type, "text/html", 9) == 0)
		return;
	while (len && protobuf_next(&c, &f))
		if (f.number == 2 && f.type == PROTOBUF_BYTES) {
			text = (const char *)f.bytes.at;
			len = cursor_left(&f.bytes);
		}
	for (; len && (unsigned char)*text <= ' '; len--)
		text++;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ') {
			len = i;
			break;
		}
	if (len > 200)
		len = 200;
	if (len) {
		text_puts(why, ": ");
		text_add(why, text, len);
	}
}

/* ExportProfilesServiceResponse: partial_success {1 rejected, 2 message}. */
static void judge_partial(const struct push_reply *r, struct text *why,
			  uint64_t *rejected)
{
	size_t skipped = r->is_grpc && r->len >= GRPC_PREFIX ? GRPC_PREFIX : 0;
	struct cursor c = cursor_over(r->body + skipped, r->len - skipped);
	struct protobuf_field f, part;

	while (protobuf_next(&c, &f)) {
		if (f.number != 1 || f.type != PROTOBUF_BYTES)
			continue;
		while (protobuf_next(&f.bytes, &part)) {
			if (part.number == 1 && part.type == PROTOBUF_VARINT)
				*rejected = part.value;
			else if (part.number == 2 &&
				 part.type == PROTOBUF_BYTES &&
				 cursor_left(&part.bytes)) {
				text_clear(why);
				text_add(why, part.bytes.at,
					 cursor_left(&part.bytes));
			}
		}
	}
	if ((int64_t)*rejected < 0)
		*rejected = 0;
	if (*rejected && !why->len)
		text_puts(why, "the backend gives no reason");
}

/* Appends the status of a response that is no success, and its reason. */
static void judge_add_status(struct text *why, const struct push_reply *r)
{
	text_printf(why, "HTTP status %d", r->status);
	/* A tunnel has no statuses but the backend's. */
	if (*r->proxy && !r->is_tunnelled)
		text_printf(why, " through the proxy %s (%s)", r->proxy,
			    r->proxy_from);
	if (r->status == HTTP_PROXY_LOGIN)
		text_puts(why, ": the proxy requires a user and a password");
	else if (*r->location)
		text_printf(why, ", a redirect to %s", r->location);
	else
		judge_add_message(why, r);
}

/* words ends with NULL. */
static bool judge_has_word(const char *message, const char *const *words)
{
	for (; *words; words++)
		if (strcasestr(message, *words))
			return true;
	return false;
}

/* Servers use one status for their rate limits and for large messages. */
static bool judge_is_too_large(const char *message)
{
	static const char *const words[] = { "larger than", "exceeds maximum",
					     "too large", NULL };

	return judge_has_word(message, words);
}

/*
 * Pyroscope up to 2.1 responds with 500, 422, or gRPC's 2 or 13 when a part of
 * it starts or stops, and at a tenant's rate limit; its text tells.
 */
static bool judge_is_temporary(const char *message)
{
	static const char *const words[] = { "unavailable", "deadlineexceeded",
					     "resource_exhausted", "rate limit",
					     NULL };

	return judge_has_word(message, words) && !judge_is_too_large(message);
}

/* The first bytes of the body, as text. */
static bool judge_body_is_temporary(const struct push_reply *r)
{
	char text[1024];

	snprintf(text, sizeof(text), "%.*s",
		 (int)(r->len < sizeof(text) ? r->len : sizeof(text)),
		 (const char *)r->body);
	return judge_is_temporary(text);
}

/*
 * True for a failed attempt whose profiles the backend may have stored, or a
 * part of them: it checks each series by itself, or its response got lost.
 */
static bool judge_may_be_stored(const struct push_reply *r)
{
	if (!r->is_sent)
		return r->times.sent > 0;
	if (r->is_grpc && r->status == 200)
		return r->grpc_status == GRPC_UNKNOWN ||
		       r->grpc_status == GRPC_INTERNAL;
	return r->status == HTTP_INTERNAL || r->status == HTTP_UNPROCESSABLE;
}

/* True if the backend refused the profiles of a request, not each request. */
static bool judge_is_of_profiles(const struct push_reply *r)
{
	return r->is_sent &&
	       (judge_may_be_stored(r) || r->status == HTTP_BAD_REQUEST ||
		r->status == HTTP_TOO_LARGE ||
		r->grpc_status == GRPC_INVALID_ARGUMENT);
}

/* Statuses of gRPC for which the OTLP specification asks to try again. */
static enum push_verdict judge_grpc(const struct push_reply *r,
				    struct text *why)
{
	if (r->grpc_status < 0) {
		text_puts(why, "the response has no grpc-status");
		return PUSH_AGAIN;
	}
	text_printf(why, "gRPC status %d%s%.200s", r->grpc_status,
		    *r->problem ? ": " : "", r->problem);
	switch (r->grpc_status) {
	case GRPC_CANCELLED:
	case GRPC_DEADLINE_EXCEEDED:
	case GRPC_ABORTED:
	case GRPC_OUT_OF_RANGE:
	case GRPC_UNAVAILABLE:
	case GRPC_DATA_LOSS:
		return PUSH_AGAIN;
	case GRPC_RESOURCE_EXHAUSTED:
		return judge_is_too_large(r->problem) ? PUSH_REFUSED
						      : PUSH_AGAIN;
	case GRPC_UNKNOWN:
	case GRPC_INTERNAL:
		return judge_is_temporary(r->problem) ? PUSH_AGAIN
						      : PUSH_REFUSED;
	default:
		return PUSH_REFUSED;
	}
}

/*
 * A login page, or another server, responds with 200, too. Some receivers
 * answer with JSON, or without a type.
 */
static bool judge_is_foreign(const struct push_reply *r)
{
	struct cursor c = cursor_over(r->body, r->len);
	struct protobuf_field f;

	if (strncasecmp(r->type, "text/html", 9) == 0)
		return true;
	if (r->is_plain || r->is_grpc || r->is_cut || r->received > r->len ||
	    strncasecmp(r->type, "application/json", 16) == 0)
		return false;
	while (protobuf_next(&c, &f))
		;
	return !cursor_ok(&c);
}

enum push_verdict push_judge(const struct push_reply *r, struct text *why,
			     uint64_t *rejected)
{
	*rejected = 0;
	if (!r->is_sent) {
		text_puts(why, *r->problem ? r->problem : "no response");
		return r->is_wrong ? PUSH_REFUSED : PUSH_AGAIN;
	}
	if (r->is_grpc && r->status == 200 && r->grpc_status)
		return judge_grpc(r, why);
	if (r->status >= 200 && r->status < 300) {
		if (judge_is_foreign(r)) {
			text_printf(why,
				    "HTTP status %d, but the response is not "
				    "a profiling backend's (%s)",
				    r->status, *r->type ? r->type : "no type");
			return PUSH_REFUSED;
		}
		if (!r->is_plain)
			judge_partial(r, why, rejected);
		/* Sending it again would count its samples twice. */
		if (r->is_cut && !why->len)
			text_puts(why, "the response is incomplete");
		return PUSH_DELIVERED;
	}
	judge_add_status(why, r);
	switch (r->status) {
	case HTTP_PROXY_LOGIN: /* the backend has not seen the request */
	case 429:
	case 502:
	case 503:
	case 504:
		return PUSH_AGAIN;
	case HTTP_UNPROCESSABLE:
	case HTTP_INTERNAL:
		return judge_body_is_temporary(r) ? PUSH_AGAIN : PUSH_REFUSED;
	default:
		return PUSH_REFUSED;
	}
}

static const char *advice_of_token(const struct push_settings *s,
				   const struct push_reply *r)
{
	static const char tenant[] = "no org id"; /* Pyroscope, Mimir */

	if (memmem(r->body, r->len, tenant, sizeof(tenant) - 1) ||
	    strstr(r->problem, tenant))
		return "add a line 'X-Scope-OrgID: TENANT' to a file for "
		       "--header-file";
	return s->header_file ? "the token in --header-file is wrong or "
				"has expired"
			      : "use --header-file with a valid token";
}

static const char *advice_of_path(enum push_format format)
{
	if (format == PUSH_PARCA)
		return "the server is not Parca; others need --push-format "
		       "grpc";
	if (format == PUSH_GRPC)
		return "the Collector requires "
		       "--feature-gates=service.profilesSupport and a pipeline "
		       "of profiles";
	if (format == PUSH_PYROSCOPE)
		return "Pyroscope serves /ingest; others need --push-format "
		       "otlp";
	return "OTLP is at " PUSH_OTLP_PATH ", and the Collector requires "
	       "--feature-gates=service.profilesSupport; Pyroscope before "
	       "1.20 needs --push-format pyroscope";
}

const char *push_advice(const struct push_settings *s,
			const struct push_reply *r)
{
	int status = r->status;

	if (!r->is_sent)
		return NULL;
	if (r->is_grpc && status == 200)
		status = r->grpc_status == GRPC_UNIMPLEMENTED ? HTTP_NOT_FOUND
			 : r->grpc_status == GRPC_UNAUTHENTICATED ||
					 r->grpc_status ==
						 GRPC_PERMISSION_DENIED
				 ? HTTP_UNAUTHORIZED
			 : strcasestr(r->problem, "unmarshal")
				 ? HTTP_BAD_REQUEST
				 : 0;
	if (!r->is_grpc && status >= 200 && status < 300)
		return "another server may respond, such as a login page; "
		       "Parca requires grpc://";
	if (*r->location)
		return "use this URL for --push, unless it is a login page";
	switch (status) {
	case HTTP_NOT_FOUND:
		return advice_of_path(s->format);
	case HTTP_UNAUTHORIZED:
	case HTTP_FORBIDDEN:
		return *r->proxy && !r->is_tunnelled
			       ? "the proxy forbids it, or the backend "
				 "requires "
				 "a token in --header-file"
			       : advice_of_token(s, r);
	case HTTP_WRONG_TYPE:
		return "the URL is not that of OTLP profiles";
	case HTTP_TOO_LARGE:
		return "a shorter --interval helps";
	case HTTP_BAD_REQUEST:
		return s->format == PUSH_PYROSCOPE || s->format == PUSH_PARCA
			       ? NULL
			       : "the receiver may have profiles of another "
				 "OTLP version than 1.10 or 1.11";
	default:
		return NULL;
	}
}

int push_probe_start(struct push_sender *s, struct error *err)
{
	struct text empty = { 0 };
	int ret;

	gzip_bytes(&empty, "", 0);
	ret = push_sender_start(s, &empty, PUSH_PARCA_PATH, err);
	text_release(&empty);
	return ret;
}

enum push_format push_probe_kind(const struct push_reply *r)
{
	if (!r->is_sent || !r->is_grpc)
		return PUSH_AUTO;
	if (r->status == 200 && r->grpc_status == 0)
		return PUSH_PARCA;
	return r->status == HTTP_NOT_FOUND ||
			       r->grpc_status == GRPC_UNIMPLEMENTED
		       ? PUSH_GRPC
		       : PUSH_AUTO;
}

/* ---- the queue ---- */

static size_t push_item_bytes(const struct push_item *item)
{
	return item->body.len + item->parca.len;
}

static void push_free_item(struct push_item *item)
{
	text_release(&item->body);
	text_release(&item->parca);
	free(item->name);
	free(item);
}

/* Takes an item out of the queue; at points to it. */
static struct push_item *push_unlink(struct push *p, struct push_item **at)
{
	struct push_item *item = *at;

	*at = item->next;
	if (!*at)
		p->last = at;
	p->counts.queued--;
	p->counts.queued_samples -= item->samples;
	p->counts.queued_bytes -= push_item_bytes(item);
	return item;
}

/* The oldest item that is not being sent; it may not exist. */
static struct push_item **push_oldest(struct push *p)
{
	return p->is_sending && p->first ? &p->first->next : &p->first;
}

static void push_report(struct push *p, bool is_loss, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void push_report(struct push *p, bool is_loss, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	p->notice(p->self, is_loss, text);
}

/* True when a message differs from the last one, or that is long ago. */
static bool push_is_news(struct push_said *said, const char *text)
{
	int64_t now_ns = clock_monotonic_ns();

	if (said->text.len && strcmp(said->text.bytes, text) == 0 &&
	    now_ns - said->at_ns < REPORT_NS)
		return false;
	text_clear(&said->text);
	text_puts(&said->text, text);
	said->at_ns = now_ns;
	return true;
}

static void push_drop(struct push *p, struct push_item **at, bool is_old)
{
	struct push_item *item = push_unlink(p, at);
	uint64_t *count = is_old ? &p->counts.too_old : &p->counts.too_many;
	uint64_t *samples = is_old ? &p->counts.too_old_samples
				   : &p->counts.too_many_samples;

	const char
		*text = is_old ? "dropping requests that could not be sent "
				 "for too long"
			       : "dropping the oldest requests: the queue is "
				 "full; a larger --buffer keeps more";

	(*count)++;
	if (push_is_news(is_old ? &p->old : &p->full, text))
		push_report(p, true, "%s", text);
	*samples += item->samples;
	if (item->may_be_stored)
		p->counts.partly_samples += item->samples;
	push_free_item(item);
}

/* Drops requests until the queue has room and none is too old. */
static void push_trim(struct push *p, int64_t now_ns)
{
	struct push_item **at;

	while (*(at = push_oldest(p)) &&
	       now_ns - (*at)->added_ns > p->settings->queue_ns)
		push_drop(p, at, true);
	while (p->counts.queued_bytes > p->settings->queue_bytes &&
	       *(at = push_oldest(p)))
		push_drop(p, at, false);
}

void push_add(struct push *p, struct text *body, struct text *parca,
	      const char *name, uint64_t samples)
{
	struct push_item *item = xcalloc(1, sizeof(*item));

	item->body = *body;
	item->name = xstrdup(name);
	*body = (struct text){ 0 };
	if (parca) {
		item->parca = *parca;
		*parca = (struct text){ 0 };
	}
	item->samples = samples;
	item->added_ns = clock_monotonic_ns();
	*p->last = item;
	p->last = &item->next;
	p->counts.queued++;
	p->counts.queued_samples += samples;
	p->counts.queued_bytes += push_item_bytes(item);
	push_trim(p, item->added_ns);
}

enum push_format push_kind(const struct push *p)
{
	/* A gateway may have told, instead of a server that starts. */
	return p->kind == PUSH_GRPC && p->wants_probe && !p->counts.delivered
		       ? PUSH_AUTO
		       : p->kind;
}

/* The body for the server, and its size. */
static struct text *push_body(const struct push *p, struct push_item *item)
{
	return p->kind == PUSH_PARCA ? &item->parca : &item->body;
}

/* ---- when to send ---- */

/* A random time below limit_ns, so that nodes do not return all at once. */
static int64_t pace_jitter(int64_t limit_ns)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = (uint64_t)clock_monotonic_ns();
	return limit_ns > 0 ? (int64_t)(random % (uint64_t)limit_ns) : 0;
}

void push_pace_retry(struct push_pace *p, int64_t now_ns, int64_t retry_after_s)
{
	int64_t limit_ns;

	p->backoff_ns = p->backoff_ns ? p->backoff_ns * 2 : BACKOFF_FIRST_NS;
	if (p->backoff_ns > BACKOFF_LAST_NS)
		p->backoff_ns = BACKOFF_LAST_NS;
	limit_ns = p->backoff_ns;
	p->next_ns = now_ns;
	if (retry_after_s > 0) {
		if (retry_after_s > RETRY_AFTER_MAX_S)
			retry_after_s = RETRY_AFTER_MAX_S;
		limit_ns = retry_after_s * CLOCK_NS_PER_S;
		p->next_ns += limit_ns;
		/* A backend may ask all nodes to return at the same time. */
		if (limit_ns > BACKOFF_LAST_NS)
			limit_ns = BACKOFF_LAST_NS;
	}
	p->next_ns += pace_jitter(limit_ns);
}

void push_pace_go_on(struct push_pace *p, int64_t now_ns, uint64_t queued,
		     int64_t oldest_ns)
{
	int64_t wait_ns = 0;

	if (queued)
		wait_ns = (now_ns - oldest_ns) / (int64_t)queued /
			  BACKLOG_SPEED;
	if (wait_ns > PACE_MAX_NS)
		wait_ns = PACE_MAX_NS;
	p->backoff_ns = 0;
	p->next_ns = now_ns + wait_ns / 2 + pace_jitter(wait_ns);
}

int64_t push_first_interval_ns(int64_t interval_ns)
{
	return interval_ns / 2 + pace_jitter(interval_ns);
}

void push_alone_failed(struct push_alone *a, int64_t now_ns)
{
	*a = (struct push_alone){ true, now_ns };
}

void push_alone_delivered(struct push_alone *a, int64_t now_ns)
{
	if (now_ns - a->failed_ns >= ALONE_NS)
		a->is_wanted = false;
}

/* ---- attempts ---- */

static void push_report_trouble(struct push *p, const char *why)
{
	if (!push_is_news(&p->trouble, why))
		return;
	push_report(p, true,
		    "cannot %s to %s: %s; trying again (queued requests: "
		    "%" PRIu64 ")",
		    p->settings->directory ? "write" : "send",
		    p->settings->shown_url, why, p->counts.queued);
}

static void push_end_trouble(struct push *p)
{
	if (p->trouble.text.len)
		push_report(p, false,
			    "%s to %s again (queued requests: %" PRIu64 ")",
			    p->settings->directory ? "writing" : "sending",
			    p->settings->shown_url, p->counts.queued);
	text_clear(&p->trouble.text);
}

/* One bad request between good ones is no outage. */
static void push_end_refusal(struct push *p)
{
	if (p->refused > 1) {
		push_report(p, false,
			    "%s accepts requests again (refused requests: "
			    "%" PRIu64 ")",
			    p->settings->shown_url, p->refused);
		text_clear(&p->refusal.text);
	}
	p->refused = 0;
}

/* What the backend says although it took the request. */
static void push_report_partial(struct push *p, const struct push_reply *r,
				const char *why, uint64_t rejected)
{
	if (rejected && push_is_news(&p->rejection, why))
		push_report(p, true, "%s rejected %" PRIu64 " profile%s: %s",
			    p->settings->shown_url, rejected,
			    units_plural(rejected), why);
	else if (!rejected && *why &&
		 (!p->advice.text.len || strcmp(p->advice.text.bytes, why)) &&
		 push_is_news(&p->advice, why))
		push_report(p, false, "%s accepted the profiles%s: %s",
			    p->settings->shown_url,
			    r->is_cut ? "" : " with a message", why);
}

/* Adds up the files that a directory no longer has. */
static void push_count_removed(struct push *p, const struct push_reply *r)
{
	if (r->removed_files && !p->counts.removed_files)
		push_report(p, false,
			    "%s has reached a limit: removing the oldest files",
			    p->settings->shown_url);
	p->counts.removed_files += r->removed_files;
	p->counts.removed_bytes += r->removed_bytes;
}

/* Notes what a failed attempt tells of the backend; returns the verdict. */
static enum push_verdict push_note_failure(struct push *p,
					   const struct push_reply *r,
					   enum push_verdict verdict)
{
	struct push_item *item = p->first;

	item->may_be_stored += judge_may_be_stored(r);
	/* A backend that has accepted no request may be of another kind. */
	if (judge_is_of_profiles(r) &&
	    (verdict == PUSH_AGAIN || p->counts.delivered))
		push_alone_failed(&p->alone, clock_monotonic_ns());
	if (r->is_sent && r->status == HTTP_INTERNAL &&
	    ++item->attempts < INTERNAL_ATTEMPTS)
		return PUSH_AGAIN;
	/* The address may have servers of both kinds: the next may take it. */
	if (p->settings->detects && p->kind == PUSH_PARCA &&
	    push_probe_kind(r) == PUSH_GRPC) {
		p->wants_probe = true;
		return PUSH_AGAIN;
	}
	return verdict;
}

static void push_take_reply(struct push *p, const struct push_reply *r)
{
	struct text why = { 0 };
	enum push_verdict verdict;
	struct push_item *item;
	uint64_t rejected;

	text_puts(&why, "");
	verdict = push_judge(r, &why, &rejected);
	p->is_sending = false;
	if (verdict != PUSH_DELIVERED)
		verdict = push_note_failure(p, r, verdict);
	/* Another server may respond from now on. */
	if (!r->is_sent || verdict == PUSH_REFUSED)
		p->wants_probe = p->settings->detects;
	if (verdict == PUSH_AGAIN) {
		p->counts.failed++;
		push_report_trouble(p, why.bytes);
		push_pace_retry(&p->pace, clock_monotonic_ns(),
				r->retry_after_s);
		push_trim(p, clock_monotonic_ns());
		text_release(&why);
		return;
	}
	item = push_unlink(p, &p->first);
	if (verdict == PUSH_DELIVERED) {
		push_alone_delivered(&p->alone, clock_monotonic_ns());
		push_end_trouble(p);
		push_end_refusal(p);
		p->counts.delivered++;
		p->counts.delivered_samples += item->samples;
		p->counts.delivered_bytes += push_body(p, item)->len;
		p->counts.repeated_samples += item->samples *
					      item->may_be_stored;
		if (p->settings->directory)
			text_puts(&why, r->problem);
		push_report_partial(p, r, why.bytes, rejected);
		p->counts.rejected_profiles += rejected;
		push_count_removed(p, r);
	} else {
		const char *advice = push_advice(p->settings, r);

		if (push_is_news(&p->refusal, why.bytes))
			push_report(p, true,
				    "%s refused a request, which is dropped: "
				    "%s%s%s",
				    p->settings->shown_url, why.bytes,
				    advice ? "; " : "", advice ? advice : "");
		p->refused++;
		p->counts.refused++;
		p->counts.refused_samples += item->samples;
		if (item->may_be_stored)
			p->counts.partly_samples += item->samples;
	}
	push_pace_go_on(&p->pace, clock_monotonic_ns(), p->counts.queued,
			p->first ? p->first->added_ns : 0);
	push_free_item(item);
	text_release(&why);
}

/*
 * libcurl 7.88 may lose the status of a server that refuses a request before it
 * has read it.
 */
enum { LOST_PROBES = 5 };

/* Takes the reply to a probe. A server that is away is asked again. */
static void push_take_probe(struct push *p, const struct push_reply *r)
{
	enum push_format kind = push_probe_kind(r);
	struct text why = { 0 };
	uint64_t rejected;

	p->is_sending = p->is_probing = false;
	if (r->curl_code == CURLE_HTTP2_STREAM &&
	    ++p->lost_probes < LOST_PROBES)
		return;
	if (kind == PUSH_AUTO && p->lost_probes < LOST_PROBES &&
	    push_judge(r, &why, &rejected) == PUSH_AGAIN) {
		p->counts.failed++;
		if (p->first)
			push_report_trouble(p, why.bytes);
		push_pace_retry(&p->pace, clock_monotonic_ns(),
				r->retry_after_s);
	} else {
		/* Whatever else refuses the probe may take OTLP. */
		p->kind = kind == PUSH_PARCA ? PUSH_PARCA : PUSH_GRPC;
		/* The first request may be made much later. */
		p->wants_probe = p->kind == PUSH_GRPC && !p->first;
		p->pace = (struct push_pace){ 0 };
	}
	p->lost_probes = 0;
	text_release(&why);
}

/* Drops a request that was made for a server of the other kind. */
static void push_drop_other(struct push *p)
{
	struct push_item *item = push_unlink(p, &p->first);
	static const char text[] = "the server has changed to another protocol";

	if (push_is_news(&p->refusal, text))
		push_report(p, true, "%s: dropping requests: %s",
			    p->settings->shown_url, text);
	p->counts.refused++;
	p->counts.refused_samples += item->samples;
	push_free_item(item);
}

static void push_start_next(struct push *p)
{
	struct push_item *item = p->first;
	struct error why;
	int ret;

	p->counts.attempts++;
	if (p->wants_probe) {
		ret = push_probe_start(p->sender, &why);
		p->is_probing = ret == 0;
	} else {
		ret = push_sender_start(p->sender, push_body(p, item),
					p->settings->detects &&
							p->kind == PUSH_PARCA
						? PUSH_PARCA_PATH
						: item->name,
					&why);
	}
	p->is_sending = ret == 0;
	if (p->is_sending)
		return;
	p->counts.failed++;
	push_report_trouble(p, why.text);
	push_pace_retry(&p->pace, clock_monotonic_ns(), 0);
}

static void push_take(struct push *p, const struct push_reply *r)
{
	(p->is_probing ? push_take_probe : push_take_reply)(p, r);
}

void push_step(struct push *p)
{
	int64_t now_ns = clock_monotonic_ns();
	const struct push_reply *r;

	if (p->is_sending) {
		r = push_sender_reply(p->sender, 0);
		if (!r)
			return;
		push_take(p, r);
	}
	push_trim(p, now_ns);
	while (p->first && !p->wants_probe && !push_body(p, p->first)->len)
		push_drop_other(p);
	/* The kind of a server is asked before there is a request. */
	if ((p->first || p->kind == PUSH_AUTO) &&
	    clock_monotonic_ns() >= p->pace.next_ns)
		push_start_next(p);
}

bool push_finish(struct push *p, int64_t until_ns)
{
	bool is_first = true;

	while (p->first && clock_monotonic_ns() < until_ns) {
		/*
		 * One attempt is due at once, and the backlog, whatever the
		 * wait: the time is short.
		 */
		if (!p->pace.backoff_ns || is_first)
			p->pace.next_ns = 0;
		is_first = false;
		push_step(p);
		if (p->is_sending) {
			const struct push_reply *r = push_sender_reply(
				p->sender, until_ns);

			if (r)
				push_take(p, r);
		} else if (p->first) {
			clock_sleep_until(p->pace.next_ns < until_ns
						  ? p->pace.next_ns
						  : until_ns);
		}
	}
	return !p->first;
}

int push_fd(const struct push *p) { return push_sender_fd(p->sender); }

struct push_counts push_counts(const struct push *p)
{
	struct push_counts counts = p->counts;

	counts.wants_alone = p->alone.is_wanted;
	return counts;
}

struct push *push_open(const struct push_settings *s, push_notice *notice,
		       void *self, struct error *err)
{
	struct push *p = xcalloc(1, sizeof(*p));

	p->settings = s;
	p->notice = notice;
	p->self = self;
	p->last = &p->first;
	p->wants_probe = s->detects;
	p->kind = s->detects ? PUSH_AUTO : s->format;
	p->sender = push_sender_open(s, err);
	if (p->sender)
		return p;
	push_close(p);
	return NULL;
}

void push_close(struct push *p)
{
	if (!p)
		return;
	push_sender_close(p->sender);
	while (p->first) {
		struct push_item *item = p->first;

		p->first = item->next;
		push_free_item(item);
	}
	text_release(&p->trouble.text);
	text_release(&p->refusal.text);
	text_release(&p->rejection.text);
	text_release(&p->advice.text);
	text_release(&p->full.text);
	text_release(&p->old.text);
	free(p);
}
