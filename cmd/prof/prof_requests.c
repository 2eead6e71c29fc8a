/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_requests.h"

#include "cmd/log.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/protobuf.h"
#include "core/base/zip.h"
#include "core/formats/otlp_fields.h"
#include "core/profile/bias.h"
#include "render/profile/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Frames of an OTLP profile that is reduced, first and last attempt. */
#define MOST_FRAMES  ((uint64_t)1 << 20)
#define LEAST_FRAMES ((uint64_t)1 << 10)

/* Frames of a stack trace of a pprof profile, last attempt. */
enum { LEAST_DEPTH = 16 };

uint64_t prof_requests_samples(const struct profile *p)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < p->event_count; i++)
		samples += p->events[i].samples;
	return samples;
}

static void requests_report_reduced(struct prof_requests *r)
{
	if (!r->said_reduced)
		log_always("a profile is too large for a request: its stack "
			   "traces are truncated; a shorter --interval helps");
	r->said_reduced = true;
}

static void requests_drop(struct prof_requests *r, uint64_t samples)
{
	if (!r->said_too_large)
		log_always("dropping a profile that is too large for a "
			   "request; a shorter --interval helps");
	r->said_too_large = true;
	r->too_large += samples;
}

static void requests_send(struct prof_requests *r, const struct text *bytes,
			  const char *query, const char *ending,
			  uint64_t samples)
{
	struct text packed = { 0 };

	gzip_bytes(&packed, bytes->bytes, bytes->len);
	r->send(r->self, &packed, query, ending, samples);
	text_release(&packed);
}

/* ---- OTLP ---- */

static void requests_end_request(struct prof_requests *r)
{
	struct text bytes = { 0 };

	if (!otlp_request_bytes(r->request))
		return;
	otlp_request_end(r->request, &bytes);
	requests_send(r, &bytes, "", ".otlp.gz", r->samples);
	text_release(&bytes);
	r->truncated += r->request_truncated;
	r->samples = 0;
	r->request_truncated = 0;
}

/* Empties the request without sending it. */
static void requests_discard_request(struct prof_requests *r)
{
	otlp_request_free(r->request);
	r->request = otlp_request_new();
	r->samples = 0;
	r->request_truncated = 0;
}

static uint64_t requests_view_samples(const struct event_view *views,
				      size_t count)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < count; i++)
		samples += views[i].samples;
	return samples;
}

/* Encodes views of a profile; most_frames as in struct otlp_options. */
static void requests_encode(struct prof_requests *r,
			    const struct sampling_part *part,
			    const struct event_view *views, size_t count,
			    uint64_t most_frames)
{
	const struct otlp_options options = {
		.resource = &part->about,
		.style.weights = true,
		.threads = r->threads,
		.most_frames = most_frames,
	};
	uint64_t samples = requests_view_samples(views, count);

	if (samples) {
		struct otlp_result result = otlp_request_add(
			r->request, part->profile, views, count, &options);

		r->request_truncated += result.cut;
		r->samples += samples;
	}
}

/* Returns the number of samples that are encoded. */
static uint64_t requests_part_samples(const struct sampling_part *part)
{
	struct event_view *views = NULL;
	size_t count = event_views(part->profile, &views);
	uint64_t samples = requests_view_samples(views, count);

	free(views);
	return samples;
}

/* Encodes all events of a profile. */
static void requests_encode_all(struct prof_requests *r,
				const struct sampling_part *part)
{
	struct event_view *views = NULL;
	size_t count = event_views(part->profile, &views);

	requests_encode(r, part, views, count, 0);
	free(views);
}

/* Sends views in a request of their own; most of it, if it is too large. */
static void requests_send_views(struct prof_requests *r,
				const struct sampling_part *part,
				const struct event_view *views, size_t count)
{
	uint64_t most = 0;

	for (;;) {
		requests_encode(r, part, views, count, most);
		if (otlp_request_bytes(r->request) <= r->largest)
			break;
		requests_discard_request(r);
		most = most ? most / 4 : MOST_FRAMES;
		if (most < LEAST_FRAMES)
			break;
	}
	if (most && most >= LEAST_FRAMES)
		requests_report_reduced(r);
	else if (most)
		requests_drop(r, requests_view_samples(views, count));
	requests_end_request(r);
}

static void requests_send_alone(struct prof_requests *r,
				const struct sampling_part *part)
{
	struct event_view *views = NULL;
	size_t count = event_views(part->profile, &views);
	size_t step = r->alone ? 1 : count;

	for (size_t i = 0; i < count; i += step)
		requests_send_views(r, part, views + i, step);
	free(views);
}

/*
 * Sends the profiles in as few requests as possible. A request that is too
 * large with its last profile is encoded again without it.
 */
static void requests_add_otlp(struct prof_requests *r,
			      const struct sampling_part *parts, size_t count)
{
	size_t first = 0;

	for (size_t i = 0; i < count; i++) {
		if (r->alone) {
			requests_send_alone(r, &parts[i]);
			continue;
		}
		requests_encode_all(r, &parts[i]);
		if (otlp_request_bytes(r->request) <= r->most)
			continue;
		requests_discard_request(r);
		for (; first < i; first++)
			requests_encode_all(r, &parts[first]);
		requests_end_request(r);
		requests_encode_all(r, &parts[i]);
		if (otlp_request_bytes(r->request) <= r->most)
			continue;
		requests_discard_request(r);
		requests_send_alone(r, &parts[i]);
		first = i + 1;
	}
	requests_end_request(r);
}

/* ---- Pyroscope ---- */

static bool requests_is_plain(char c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static void requests_add_encoded(struct text *out, const char *bytes,
				 size_t len)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (requests_is_plain((char)c) || (c && strchr("-._~", c))) {
			text_putc(out, (char)c);
		} else {
			text_putc(out, '%');
			text_putc(out, digits[c >> 4]);
			text_putc(out, digits[c & 15]);
		}
	}
}

/* Appends bytes, those that are not allowed as '_'. */
static void requests_add_allowed(struct text *out, const struct cursor *bytes,
				 const char *marks)
{
	const char *at = (const char *)bytes->at;

	for (size_t i = 0; i < cursor_left(bytes); i++)
		text_putc(out, requests_is_plain(at[i]) ||
					       (at[i] && strchr(marks, at[i]))
				       ? at[i]
				       : '_');
}

/* In Pyroscope's list of labels, only these end a value. */
static void requests_add_value(struct text *out, const struct cursor *bytes)
{
	const char *at = (const char *)bytes->at;

	for (size_t i = 0; i < cursor_left(bytes); i++)
		text_putc(out, strchr(",{}", at[i]) ? '_' : at[i]); /* or NUL */
}

/* Reads the next attribute of a resource that otlp_attribute() made. */
static bool requests_next_attribute(struct cursor *resource, struct cursor *key,
				    struct cursor *value)
{
	struct protobuf_field attribute, pair, text;

	*key = *value = cursor_over("", 0);
	if (!protobuf_next(resource, &attribute))
		return false;
	while (protobuf_next(&attribute.bytes, &pair))
		if (pair.number == KEY_VALUE_KEY)
			*key = pair.bytes;
		else if (pair.number == KEY_VALUE_VALUE &&
			 protobuf_next(&pair.bytes, &text))
			*value = text.bytes;
	return true;
}

static bool requests_is_service(const struct cursor *key)
{
	static const char name[] = "service.name";

	return cursor_left(key) == sizeof(name) - 1 &&
	       memcmp(key->at, name, sizeof(name) - 1) == 0;
}

/*
 * Appends the service, with characters that Pyroscope allows in the name of an
 * application, and the labels: NAME{key=value,key=value}.
 */
static void requests_add_labels(const struct text *about, struct text *service,
				struct text *labels)
{
	struct cursor all = cursor_over(about->bytes, about->len), key, value;

	while (requests_next_attribute(&all, &key, &value)) {
		if (requests_is_service(&key)) {
			requests_add_allowed(service, &value, "-._/");
			continue;
		}
		if (labels->len)
			text_putc(labels, ',');
		requests_add_allowed(labels, &key, "_");
		text_putc(labels, '=');
		requests_add_value(labels, &value);
	}
	if (!service->len)
		text_puts(service, "unknown");
	if (!labels->len)
		text_puts(labels, "");
}

static void requests_add_query(struct text *out, const struct profile *p,
			       const struct text *service,
			       const struct text *labels)
{
	struct text name = { 0 };

	text_printf(&name, "%s{%s}", service->bytes, labels->bytes);
	text_puts(out, "name=");
	requests_add_encoded(out, name.bytes, name.len);
	if (p->bucket_ns && p->earliest_ns > 0 &&
	    p->latest_ns >= p->earliest_ns)
		text_printf(out, "&from=%" PRId64 "&until=%" PRId64,
			    p->earliest_ns / CLOCK_NS_PER_S,
			    p->latest_ns / CLOCK_NS_PER_S + 1);
	text_puts(out, "&format=pprof&spyName=sjkc");
	text_release(&name);
}

/* Encodes a view as pprof; returns false if it is too large at any depth. */
static bool requests_encode_view(struct prof_requests *r,
				 const struct profile *p,
				 const struct event_view *view,
				 struct text *out)
{
	struct pprof_options options = {
		.title = "",
		.style.weights = true,
		.period = rate_period(p, view),
		.for_engine = true,
		.threads = r->threads,
		.leaf_frames = OTLP_DEPTH,
	};
	struct pprof_result result;

	for (; options.leaf_frames >= LEAST_DEPTH; options.leaf_frames /= 4) {
		text_clear(out);
		result = pprof_encode(out, p, view, 1, 0, &options);
		if (out->len > r->largest)
			continue;
		if (options.leaf_frames < OTLP_DEPTH)
			requests_report_reduced(r);
		r->truncated += result.cut;
		return true;
	}
	return false;
}

static void requests_add_pprof(struct prof_requests *r,
			       const struct sampling_part *part)
{
	struct text service = { 0 }, labels = { 0 }, query = { 0 };
	struct text ending = { 0 }, bytes = { 0 };
	struct event_view *views = NULL;
	size_t count = event_views(part->profile, &views);

	requests_add_labels(&part->about, &service, &labels);
	requests_add_query(&query, part->profile, &service, &labels);
	for (char *c = service.bytes; *c; c++)
		if (*c == '/')
			*c = '_';
	for (size_t i = 0; i < count; i++) {
		const char *name = views[i].name;
		struct cursor event = cursor_over(name, strlen(name));

		if (!views[i].samples)
			continue;
		if (!requests_encode_view(r, part->profile, &views[i],
					  &bytes)) {
			requests_drop(r, views[i].samples);
			continue;
		}
		text_clear(&ending);
		text_printf(&ending, "-%.100s.", service.bytes);
		requests_add_allowed(&ending, &event, "-_");
		text_puts(&ending, ".pb.gz");
		requests_send(r, &bytes, query.bytes, ending.bytes,
			      views[i].samples);
	}
	free(views);
	text_release(&service);
	text_release(&labels);
	text_release(&query);
	text_release(&ending);
	text_release(&bytes);
}

/* ---- interface ---- */

void prof_requests_add(struct prof_requests *r,
		       const struct sampling_part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		r->omitted += prof_requests_samples(parts[i].profile) -
			      requests_part_samples(&parts[i]);
	if (r->format != PUSH_PYROSCOPE) {
		requests_add_otlp(r, parts, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		requests_add_pprof(r, &parts[i]);
}

void prof_requests_init(struct prof_requests *r, enum push_format format)
{
	*r = (struct prof_requests){
		.format = format,
		.most = PROF_REQUEST_BYTES,
		.largest = format == PUSH_GRPC ? PROF_REQUEST_BYTES
					       : PROF_LARGEST_BYTES,
		.request = otlp_request_new(),
	};
}

void prof_requests_release(struct prof_requests *r)
{
	otlp_request_free(r->request);
	*r = (struct prof_requests){ 0 };
}
