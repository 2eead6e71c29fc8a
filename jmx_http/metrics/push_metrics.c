/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/metrics/push_metrics.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/units.h"
#include "core/base/version.h"
#include "core/jvm/procfs.h"
#include "jmx_http/http/exposition.h"
#include "jmx_http/http/page_server.h"
#include "jmx_http/net/address.h"
#include "jmx_http/net/cidr.h"
#include "jmx_http/net/socket.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The lookup of a host name. */
#define RESOLVE_NS (5 * CLOCK_NS_PER_S)

struct push_metrics {
	struct page_server *server;
	struct cidr *allowed;
	struct push_metrics_options options;
	uint64_t delivered, rejected; /* when they were last read */
	struct push_counts window;    /* when the last window ended */
	unsigned failed_windows;      /* in succession */
	int64_t last_push_ns;         /* wall clock; 0 = none */
};

/* ---- the document ---- */

static const struct metric jvms = {
	"sjkc_jvms",
	METRIC_GAUGE,
	"JVMs that are sampled, cannot be sampled, or are excluded by options.",
};
static const struct metric lost = {
	"sjkc_samples_lost_total",
	METRIC_COUNTER,
	"Samples that were taken and not delivered, by reason.",
};
static const struct metric losses = {
	"sjkc_losses_total",
	METRIC_COUNTER,
	"Lost samples, stack traces, names and reads of sampling, by kind.",
};
static const struct metric notes = {
	"sjkc_notes_total",
	METRIC_COUNTER,
	"Omissions, truncations and estimates of sampling, by kind.",
};
static const struct metric requests = {
	"sjkc_push_requests_total",
	METRIC_COUNTER,
	"Attempts to send a request, by result; failed ones are repeated.",
};
static const struct metric dropped = {
	"sjkc_push_dropped_total",
	METRIC_COUNTER,
	"Requests that were dropped, by reason.",
};

static void metrics_put(struct exposition *e, const struct metric *metric,
			const char *label, const char *value, uint64_t number)
{
	struct metric_labels labels = { 0 };
	char text[24];

	if (label)
		metric_labels_add(&labels, label, value);
	snprintf(text, sizeof(text), "%" PRIu64, number);
	exposition_add(e, metric, "", &labels, text);
}

static void metrics_put_number(struct exposition *e, const char *name,
			       enum metric_type type, double number,
			       const char *help)
{
	const struct metric metric = { name, type, help };
	char text[32];

	snprintf(text, sizeof(text), "%.15g", number);
	exposition_add(e, &metric, "", NULL, text);
}

static void metrics_put_remarks(struct exposition *e,
				const struct push_metrics_values *v,
				bool is_loss)
{
	for (size_t i = 0; i < v->remark_count; i++)
		if (v->remarks[i].is_loss == is_loss)
			metrics_put(e, is_loss ? &losses : &notes, "kind",
				    v->remarks[i].what, v->remarks[i].count);
}

static void metrics_put_losses(struct exposition *e,
			       const struct push_metrics_values *v)
{
	const struct push_counts *c = &v->push;

	metrics_put(e, &lost, "reason", "queue full", c->too_many_samples);
	metrics_put(e, &lost, "reason", "too old", c->too_old_samples);
	metrics_put(e, &lost, "reason", "refused", c->refused_samples);
	metrics_put(e, &lost, "reason", "too large", v->too_large);
	metrics_put(e, &lost, "reason", "no stack trace", v->without_stack);
	metrics_put_remarks(e, v, true);
	metrics_put(e, &losses, "kind", "others", v->other_losses);
	metrics_put_remarks(e, v, false);
	metrics_put(e, &notes, "kind", "others", v->other_notes);
	metrics_put(e, &dropped, "reason", "queue full", c->too_many);
	metrics_put(e, &dropped, "reason", "too old", c->too_old);
	metrics_put(e, &dropped, "reason", "refused", c->refused);
}

static void metrics_put_push(struct exposition *e,
			     const struct push_metrics_values *v,
			     int64_t last_push_ns)
{
	const struct push_counts *c = &v->push;

	metrics_put(e, &requests, "result", "delivered", c->delivered);
	metrics_put(e, &requests, "result", "refused", c->refused);
	metrics_put(e, &requests, "result", "failed", c->failed);
	metrics_put_number(
		e, "sjkc_push_rejected_profiles_total", METRIC_COUNTER,
		(double)c->rejected_profiles,
		"Profiles that the backend rejected of requests that "
		"it accepted.");
	metrics_put_number(e, "sjkc_push_samples_total", METRIC_COUNTER,
			   (double)c->delivered_samples,
			   "Samples in requests that the backend accepted.");
	metrics_put_number(e, "sjkc_push_bytes_total", METRIC_COUNTER,
			   (double)c->delivered_bytes,
			   "Compressed bytes that the backend accepted.");
	metrics_put_number(e, "sjkc_queue_bytes", METRIC_GAUGE,
			   (double)c->queued_bytes,
			   "Compressed bytes that wait to be sent.");
	metrics_put_number(e, "sjkc_queue_samples", METRIC_GAUGE,
			   (double)c->queued_samples,
			   "Samples that wait to be sent.");
	if (last_push_ns)
		metrics_put_number(
			e, "sjkc_last_push_timestamp_seconds", METRIC_GAUGE,
			(double)last_push_ns / 1e9,
			"Time when the backend last accepted a request.");
}

/* Of the directory beside a backend. */
static void metrics_put_files(struct exposition *e, const struct push_counts *c)
{
	metrics_put_number(e, "sjkc_files_total", METRIC_COUNTER,
			   (double)c->delivered,
			   "Files written to the directory.");
	metrics_put_number(e, "sjkc_files_samples_total", METRIC_COUNTER,
			   (double)c->delivered_samples,
			   "Samples written to the directory.");
	metrics_put_number(e, "sjkc_files_samples_lost_total", METRIC_COUNTER,
			   (double)(c->too_many_samples + c->too_old_samples +
				    c->refused_samples),
			   "Samples that could not be written to the "
			   "directory.");
	metrics_put_number(e, "sjkc_files_removed_total", METRIC_COUNTER,
			   (double)c->removed_files,
			   "Old files removed from the directory.");
}

/* Seconds of CPU time of this process. */
static double metrics_cpu_s(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_SELF, &r))
		return 0;
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

/* /proc/self/statm: "size resident …", in pages. */
static double metrics_resident_bytes(void)
{
	struct text file = { 0 };
	double pages = 0;
	const char *space;

	if (procfs_read(getpid(), "statm", 256, &file, error_unused()) == 0 &&
	    file.len && (space = strchr(file.bytes, ' ')))
		pages = (double)strtoull(space, NULL, 10);
	text_release(&file);
	return pages * (double)sysconf(_SC_PAGESIZE);
}

static void metrics_put_process(struct exposition *e)
{
	static const struct metric build = {
		"sjkc_build_info",
		METRIC_GAUGE,
		"1, with the version of sjkc.",
	};

	metrics_put(e, &build, "version", SJKC_VERSION, 1);
	metrics_put_number(e, "process_cpu_seconds_total", METRIC_COUNTER,
			   metrics_cpu_s(),
			   "CPU time of sjkc, without its child processes.");
	metrics_put_number(e, "process_resident_memory_bytes", METRIC_GAUGE,
			   metrics_resident_bytes(),
			   "Resident memory of sjkc, without its child "
			   "processes.");
}

/* Appends the document of Prometheus. */
static void metrics_add(const struct push_metrics_values *v,
			int64_t last_push_ns, struct text *out)
{
	struct exposition e = { 0 };

	metrics_put(&e, &jvms, "state", "sampled", v->sampled);
	metrics_put(&e, &jvms, "state", "refused", v->refused);
	metrics_put(&e, &jvms, "state", "excluded", v->excluded);
	metrics_put_number(&e, "sjkc_sampling_hz", METRIC_GAUGE, (double)v->hz,
			   "Samples per second and CPU.");
	metrics_put_number(&e, "sjkc_samples_total", METRIC_COUNTER,
			   (double)v->samples,
			   "Samples taken, in intervals that have ended.");
	metrics_put_number(&e, "sjkc_frames_unnamed_total", METRIC_COUNTER,
			   (double)v->unnamed,
			   "Java frames whose names are unavailable.");
	metrics_put_losses(&e, v);
	metrics_put_push(&e, v, last_push_ns);
	if (v->has_files)
		metrics_put_files(&e, &v->files);
	metrics_put_process(&e);
	exposition_write(&e, out);
	exposition_release(&e);
}

/* ---- health ---- */

/* Reads the values, and resets the failures if a request was delivered. */
static void metrics_read_values(struct push_metrics *m,
				struct push_metrics_values *v)
{
	*v = (struct push_metrics_values){ .problem = "" };
	m->options.fill(m->options.self, v);
	if (v->push.delivered != m->delivered) {
		/* A request whose profiles are rejected is no success. */
		if (v->push.rejected_profiles == m->rejected)
			m->failed_windows = 0;
		m->last_push_ns = clock_wall_ns();
	}
	m->delivered = v->push.delivered;
	m->rejected = v->push.rejected_profiles;
}

void push_metrics_end_window(struct push_metrics *m)
{
	struct push_metrics_values v;

	if (!m)
		return;
	metrics_read_values(m, &v);
	if (v.push.rejected_profiles != m->window.rejected_profiles ||
	    (v.push.delivered == m->window.delivered &&
	     (v.push.queued || v.push.refused != m->window.refused)))
		m->failed_windows++;
	m->window = v.push;
}

static void metrics_add_health(const struct push_metrics *m,
			       const struct push_metrics_values *v,
			       struct page *page)
{
	page->status = 200;
	text_puts(&page->body, "sampling and sending\n");
	if (m->failed_windows < PUSH_UNHEALTHY && !v->refused)
		return;
	page->status = 503;
	text_clear(&page->body);
	if (m->failed_windows < PUSH_UNHEALTHY) {
		text_printf(&page->body,
			    "%" PRIu64 " JVM%s cannot be sampled; the messages "
			    "of sjkc have the reasons\n",
			    (uint64_t)v->refused, units_plural(v->refused));
		return;
	}
	text_printf(&page->body, "no profile was delivered in %u interval%s",
		    m->failed_windows, units_plural(m->failed_windows));
	if (*v->problem)
		text_printf(&page->body, ": %s", v->problem);
	text_putc(&page->body, '\n');
}

static void metrics_answer(void *self, const char *path, struct page *page)
{
	struct push_metrics *m = self;
	struct push_metrics_values v;

	if (strcmp(path, EXPOSITION_PATH) != 0 && strcmp(path, "/healthz") != 0)
		return;
	metrics_read_values(m, &v);
	if (strcmp(path, EXPOSITION_PATH) != 0) {
		metrics_add_health(m, &v, page);
		return;
	}
	page->status = 200;
	page->type = EXPOSITION_TYPE;
	metrics_add(&v, m->last_push_ns, &page->body);
}

static void metrics_refuse(void *self, const struct sockaddr_storage *peer)
{
	const struct push_metrics *m = self;
	struct text address = { 0 };

	socket_add_host(&address, peer);
	m->options.refused(m->options.self, address.bytes);
	text_release(&address);
}

/* ---- set-up ---- */

size_t push_metrics_polls(const struct push_metrics *m,
			  struct pollfd fds[PUSH_METRICS_FDS])
{
	return m ? page_server_polls(m->server, fds) : 0;
}

void push_metrics_step(struct push_metrics *m)
{
	struct push_metrics_values v;

	if (!m)
		return;
	metrics_read_values(m, &v);
	page_server_step(m->server);
}

static int metrics_listen(struct push_metrics *m, struct error *err)
{
	const struct push_metrics_options *given = &m->options;
	struct page_server_options o = {
		.answer = metrics_answer,
		.refused = metrics_refuse,
		.self = m,
		.hosts = given->hosts,
		.host_count = given->host_count,
	};
	struct sockaddr_storage to = { 0 };

	m->allowed = xcalloc(given->allow_count + 1, sizeof(*m->allowed));
	for (size_t i = 0; i < given->allow_count; i++)
		if (cidr_parse(&m->allowed[i], given->allow[i], err))
			return fail_in(err, "--allow");
	if (net_address_parse_bind(
		    &to, given->address,
		    clock_after(clock_monotonic_ns(), RESOLVE_NS), err))
		return fail_in(err, "--metrics");
	if (!cidr_is_loopback(&to) && !given->allow_count)
		return fail(err, ERROR_MISUSE,
			    "--metrics %s lets other machines connect; use "
			    "--allow <network>",
			    given->address);
	o.allowed = m->allowed;
	o.allowed_count = given->allow_count;
	m->server = page_server_open(&to, &o, err);
	return m->server ? 0 : fail_in(err, "--metrics");
}

struct push_metrics *push_metrics_open(const struct push_metrics_options *o,
				       struct error *err)
{
	struct push_metrics *m = xcalloc(1, sizeof(*m));

	m->options = *o;
	if (metrics_listen(m, err) == 0)
		return m;
	push_metrics_close(m);
	return NULL;
}

void push_metrics_add_address(const struct push_metrics *m, struct text *out)
{
	page_server_add_address(m->server, out);
}

void push_metrics_close(struct push_metrics *m)
{
	if (!m)
		return;
	page_server_close(m->server);
	free(m->allowed);
	free(m);
}
