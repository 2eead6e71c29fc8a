/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/push_requests.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/intern.h"
#include "core/base/protobuf.h"
#include "core/base/safe_text.h"
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

uint64_t push_requests_samples(const struct profile *p)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < p->event_count; i++)
		samples += p->events[i].samples;
	return samples;
}

static void requests_report_reduced(struct push_requests *r)
{
	if (!r->said_reduced && r->notice)
		r->notice(r->self,
			  "a profile is too large for a request: its stack "
			  "traces are truncated; a shorter --interval helps");
	r->said_reduced = true;
}

static void requests_drop(struct push_requests *r, uint64_t samples)
{
	if (!r->said_too_large && r->notice)
		r->notice(r->self, "dropping a profile that is too large for a "
				   "request; a shorter --interval helps");
	r->said_too_large = true;
	r->too_large += samples;
}

static void requests_send(struct push_requests *r, const struct text *bytes,
			  const char *query, const char *ending,
			  uint64_t samples)
{
	struct text packed = { 0 }, parca = { 0 };

	if (bytes->len)
		gzip_bytes(&packed, bytes->bytes, bytes->len);
	if (r->series.len)
		gzip_bytes(&parca, r->series.bytes, r->series.len);
	r->send(r->self, &packed, &parca, query, ending, samples);
	text_release(&packed);
	text_release(&parca);
}

/* ---- attributes of resources ---- */

static bool requests_is_plain(char c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z');
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

/* Reads the next attribute of a resource that push_attribute() made. */
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

/* ---- Parca ---- */

/* parca.profilestore.v1alpha1: WriteRawRequest, RawProfileSeries, … */
enum {
	WRITE_RAW_SERIES = 2,
	SERIES_LABELS = 1,
	SERIES_SAMPLES = 2,
	LABEL_SET_LABELS = 1,
	LABEL_NAME = 1,
	LABEL_VALUE = 2,
	RAW_SAMPLE_PROFILE = 1,
};

/* Appends a label to a set; the key with characters that Parca allows. */
static void requests_add_label(struct text *set, const struct cursor *key,
			       const struct cursor *value)
{
	struct text name = { 0 }, label = { 0 };

	requests_add_allowed(&name, key, "_");
	if (name.len && is_digit(*name.bytes))
		*name.bytes = '_';
	protobuf_bytes(&label, LABEL_NAME, name.bytes, name.len);
	protobuf_bytes(&label, LABEL_VALUE, value->at, cursor_left(value));
	protobuf_message(set, LABEL_SET_LABELS, &label);
	text_release(&label);
	text_release(&name);
}

static void requests_add_text_label(struct text *set, const char *key,
				    const char *value, size_t len)
{
	const struct cursor name = cursor_over(key, strlen(key));
	const struct cursor text = cursor_over(value, len);

	requests_add_label(set, &name, &text);
}

/* Appends a series of a profile, which has the cells of one thread. */
static uint64_t
requests_add_one_series(struct push_requests *r, const struct text *about,
			const struct profile *p, const struct event_view *view,
			const struct text *thread, uint64_t most_frames)
{
	const struct pprof_options options = {
		.title = "",
		.style.weights = true,
		.period = rate_period(p, view),
		.backend = PPROF_PARCA,
		/* Parca drops the labels of samples. */
		.threads = THREADS_OMITTED,
		.leaf_frames = OTLP_DEPTH,
		.most_frames = most_frames,
	};
	struct cursor all = cursor_over(about->bytes, about->len), key, value;
	struct text bytes = { 0 }, series = { 0 }, inner = { 0 };
	struct pprof_result result;

	result = pprof_encode(&bytes, p, view, 1, 0, &options);
	requests_add_text_label(&inner, "__name__", result.family,
				strlen(result.family));
	while (requests_next_attribute(&all, &key, &value))
		requests_add_label(&inner, &key, &value);
	if (thread->len)
		requests_add_text_label(&inner, "thread_name", thread->bytes,
					thread->len);
	protobuf_message(&series, SERIES_LABELS, &inner);
	protobuf_bytes(&inner, RAW_SAMPLE_PROFILE, bytes.bytes, bytes.len);
	protobuf_message(&series, SERIES_SAMPLES, &inner);
	protobuf_message(&r->series, WRITE_RAW_SERIES, &series);
	text_release(&bytes);
	text_release(&series);
	text_release(&inner);
	return result.cut;
}

/* Appends the name that a thread has in a series; "" without a name. */
static void requests_thread_name(const struct push_requests *r,
				 const struct profile *p, uint32_t thread,
				 struct text *out)
{
	uint32_t name = p->threads[thread].name;

	text_puts(out, "");
	if (r->threads == THREADS_OMITTED)
		return;
	safe_text(out, profile_text(p, name), intern_len(&p->strings, name));
	otlp_fold_name(out);
}

/*
 * Appends a view as series, one for each name of threads: Parca stores the
 * labels of series alone. Returns the number of samples with truncated stack
 * traces.
 */
static uint64_t requests_add_view_series(struct push_requests *r,
					 const struct profile_part *part,
					 const struct event_view *view,
					 uint64_t most_frames)
{
	struct profile one = *part->profile;
	const struct profile *p = part->profile;
	bool *wanted = view_events(p, view);
	uint32_t *ids = xcalloc(p->thread_count + 1, sizeof(*ids));
	struct intern names = { 0 };
	struct text name = { 0 };
	uint64_t cut = 0;

	one.cells = xcalloc(p->cell_count + 1, sizeof(*one.cells));
	for (uint32_t i = 0; i < p->thread_count; i++) {
		text_clear(&name);
		requests_thread_name(r, p, i, &name);
		ids[i] = intern_id(&names, name.bytes, name.len);
	}
	for (uint32_t id = 0; id <= names.count; id++) {
		one.cell_count = 0;
		for (size_t i = 0; i < p->cell_count; i++)
			if (wanted[p->cells[i].event] &&
			    ids[p->cells[i].thread] == id)
				one.cells[one.cell_count++] = p->cells[i];
		text_clear(&name);
		text_add(&name, intern_text(&names, id),
			 intern_len(&names, id));
		if (one.cell_count)
			cut += requests_add_one_series(r, &part->about, &one,
						       view, &name,
						       most_frames);
	}
	intern_release(&names);
	text_release(&name);
	free(one.cells);
	free(wanted);
	free(ids);
	return cut;
}

static uint64_t requests_add_series(struct push_requests *r,
				    const struct profile_part *part,
				    const struct event_view *views,
				    size_t count, uint64_t most_frames)
{
	uint64_t cut = 0;

	for (size_t i = 0; i < count; i++)
		if (views[i].samples)
			cut += requests_add_view_series(r, part, &views[i],
							most_frames);
	return cut;
}

/* ---- OTLP, and the same for Parca ---- */

/* True if a request is larger than `most`, or than `times` that for Parca. */
static bool requests_exceeds(const struct push_requests *r, size_t most,
			     size_t times)
{
	return otlp_request_bytes(r->request) > most ||
	       r->series.len > most * times;
}

/* Makes the request empty. */
static void requests_clear(struct push_requests *r)
{
	text_clear(&r->series);
	r->samples = 0;
	r->request_truncated = 0;
}

static void requests_end_request(struct push_requests *r)
{
	struct text bytes = { 0 };

	if (!r->samples)
		return;
	if (r->otlp)
		otlp_request_end(r->request, &bytes);
	requests_send(r, &bytes, "", ".otlp.gz", r->samples);
	text_release(&bytes);
	r->truncated += r->request_truncated;
	requests_clear(r);
}

/* Empties the request without sending it. */
static void requests_discard_request(struct push_requests *r)
{
	otlp_request_free(r->request);
	r->request = otlp_request_new();
	requests_clear(r);
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
static void requests_encode(struct push_requests *r,
			    const struct profile_part *part,
			    const struct event_view *views, size_t count,
			    uint64_t most_frames)
{
	const struct otlp_options options = {
		.resource = &part->about,
		.style.weights = true,
		.threads = r->threads,
		.most_frames = most_frames,
	};
	uint64_t samples = requests_view_samples(views, count), cut = 0;

	if (!samples)
		return;
	if (r->parca)
		cut = requests_add_series(r, part, views, count, most_frames);
	if (r->otlp)
		cut = otlp_request_add(r->request, part->profile, views, count,
				       &options)
			      .cut;
	r->request_truncated += cut;
	r->samples += samples;
}

/* Returns the number of samples that are encoded. */
static uint64_t requests_part_samples(const struct profile_part *part)
{
	struct event_view *views = NULL;
	size_t count = event_views(part->profile, &views);
	uint64_t samples = requests_view_samples(views, count);

	free(views);
	return samples;
}

/* Encodes all events of a profile. */
static void requests_encode_all(struct push_requests *r,
				const struct profile_part *part)
{
	struct event_view *views = NULL;
	size_t count = event_views(part->profile, &views);

	requests_encode(r, part, views, count, 0);
	free(views);
}

/* Sends views in a request of their own; most of it, if it is too large. */
static void requests_send_views(struct push_requests *r,
				const struct profile_part *part,
				const struct event_view *views, size_t count)
{
	uint64_t most = 0;

	for (;;) {
		requests_encode(r, part, views, count, most);
		if (!requests_exceeds(r, r->largest, PUSH_PARCA_ALONE))
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

static void requests_send_alone(struct push_requests *r,
				const struct profile_part *part)
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
static void requests_add_shared(struct push_requests *r,
				const struct profile_part *parts, size_t count)
{
	size_t first = 0;

	for (size_t i = 0; i < count; i++) {
		if (r->alone) {
			requests_send_alone(r, &parts[i]);
			continue;
		}
		requests_encode_all(r, &parts[i]);
		if (!requests_exceeds(r, r->most, PUSH_PARCA_SHARED))
			continue;
		requests_discard_request(r);
		for (; first < i; first++)
			requests_encode_all(r, &parts[first]);
		requests_end_request(r);
		requests_encode_all(r, &parts[i]);
		if (!requests_exceeds(r, r->most, PUSH_PARCA_SHARED))
			continue;
		requests_discard_request(r);
		requests_send_alone(r, &parts[i]);
		first = i + 1;
	}
	requests_end_request(r);
}

/* ---- Pyroscope ---- */

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

/* In Pyroscope's list of labels, only these end a value. */
static void requests_add_value(struct text *out, const struct cursor *bytes)
{
	const char *at = (const char *)bytes->at;

	for (size_t i = 0; i < cursor_left(bytes); i++)
		text_putc(out, strchr(",{}", at[i]) ? '_' : at[i]); /* or NUL */
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
static bool requests_encode_view(struct push_requests *r,
				 const struct profile *p,
				 const struct event_view *view,
				 struct text *out)
{
	struct pprof_options options = {
		.title = "",
		.style.weights = true,
		.period = rate_period(p, view),
		.backend = PPROF_PYROSCOPE,
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

static void requests_add_pprof(struct push_requests *r,
			       const struct profile_part *part)
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

void push_requests_add(struct push_requests *r,
		       const struct profile_part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		r->omitted += push_requests_samples(parts[i].profile) -
			      requests_part_samples(&parts[i]);
	if (r->format != PUSH_PYROSCOPE) {
		requests_add_shared(r, parts, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		requests_add_pprof(r, &parts[i]);
}

void push_requests_init(struct push_requests *r, enum push_format format)
{
	*r = (struct push_requests){
		.format = format,
		.most = PUSH_REQUEST_BYTES,
		.largest = format == PUSH_GRPC || format == PUSH_PARCA
				   ? PUSH_REQUEST_BYTES
				   : PUSH_LARGEST_BYTES,
		.otlp = format != PUSH_PARCA,
		.parca = format == PUSH_PARCA,
		.request = otlp_request_new(),
	};
}

void push_requests_release(struct push_requests *r)
{
	otlp_request_free(r->request);
	text_release(&r->series);
	*r = (struct push_requests){ 0 };
}
