/* SPDX-License-Identifier: Apache-2.0 */
#include "render/profile/push_requests.h"

#include "core/base/protobuf.h"
#include "core/base/zip.h"
#include "core/formats/reader.h"
#include "core/push/push_attributes.h"
#include "render/profile/export.h"
#include "tests/unit/foreign.h"
#include "tests/unit/sampled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SENT_MAX = 64 };

/* The requests that were sent, without compression. */
struct sent {
	struct inflated bytes[SENT_MAX];
	char *query[SENT_MAX], *ending[SENT_MAX];
	uint64_t samples[SENT_MAX];
	size_t count;
};

static void keep_request(void *self, struct text *body, struct text *parca,
			 const char *query, const char *ending,
			 uint64_t samples)
{
	struct sent *s = self;

	if (parca->len)
		body = parca;

	assert_true(s->count < SENT_MAX);
	s->bytes[s->count] = inflate_bytes(
		INFLATE_GZIP, (const uint8_t *)body->bytes, body->len, 0);
	assert_null(s->bytes[s->count].damage);
	s->query[s->count] = strdup(query);
	s->ending[s->count] = strdup(ending);
	s->samples[s->count++] = samples;
}

static void sent_release(struct sent *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free(s->bytes[i].bytes);
		free(s->query[i]);
		free(s->ending[i]);
	}
	*s = (struct sent){ 0 };
}

static uint64_t sent_samples(const struct sent *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->count; i++)
		sum += s->samples[i];
	return sum;
}

static struct profile_part part_new(const char *service)
{
	struct profile_part part = { .profile = profile_new() };

	push_attribute(&part.about, "service.name", service, strlen(service));
	profile_set(part.profile, "cpu", "period", "1000 ns");
	return part;
}

static void part_add(struct profile_part *part, uint32_t stack,
		     const char *thread)
{
	struct profile *p = part->profile;
	struct sample s = {
		.event = profile_event(p, "cpu", UNIT_NS),
		.stack = stack,
		.count = 1,
		.weight = 1000,
	};

	if (thread) {
		const struct thread t = {
			.name = profile_string(p, thread, strlen(thread)),
			.os_id = 1,
		};

		s.thread = profile_thread(p, &t);
	}
	profile_add(p, &s);
}

/* Adds stack traces of one frame with a long name. */
static void part_add_wide(struct profile_part *part, int count)
{
	struct profile *p = part->profile;
	char name[256];

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "com.acme.%p.Class%0150d.method",
			 (void *)part, i);
		part_add(part,
			 profile_push(p, 0,
				      sampled_frame(p, name, FRAME_JAVA, 0)),
			 NULL);
	}
}

/* Adds deep stack traces of few frames. */
static void part_add_deep(struct profile_part *part, int count, int depth)
{
	struct profile *p = part->profile;
	uint32_t frames[300];
	char name[32];

	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "a.A.m%d", i);
		frames[i] = sampled_frame(p, name, FRAME_JAVA, 0);
	}
	for (int i = 0; i < count; i++) {
		uint32_t stack = profile_push(p, 0, frames[i % 300]);

		stack = profile_push(p, stack, frames[i / 300]);
		for (int k = 2; k < depth; k++)
			stack = profile_push(p, stack, frames[k % 300]);
		part_add(part, stack, NULL);
	}
}

/* Reads all requests; returns the number of samples in them. */
static uint64_t sent_read(const struct sent *s, const struct reader *reader)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct profile *p = foreign_read(
			reader, (char *)s->bytes[i].bytes, s->bytes[i].len);

		for (size_t k = 0; k < p->remark_count; k++)
			assert_false(p->remarks[k].is_loss);
		samples += push_requests_samples(p);
		profile_free(p);
	}
	return samples;
}

static void requests_open(struct push_requests *r, enum push_format format,
			  struct sent *sent)
{
	push_requests_init(r, format);
	r->send = keep_request;
	r->self = sent;
}

static void profiles_of_many_jvms_are_split_between_requests(void **state)
{
	struct profile_part parts[12];
	struct sent sent = { 0 };
	struct push_requests r;
	char service[16];

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		snprintf(service, sizeof(service), "jvm-%zu", i);
		parts[i] = part_new(service);
		part_add_wide(&parts[i], 5000);
	}
	requests_open(&r, PUSH_GRPC, &sent);
	push_requests_add(&r, parts, 12);
	/* 12 MiB. */
	assert_true(sent.count >= 4);
	for (size_t i = 0; i < sent.count; i++) {
		assert_true(sent.bytes[i].len <= (size_t)4 << 20);
		/* No request is smaller than it has to be, but the last. */
		if (i + 1 < sent.count)
			assert_true(sent.bytes[i].len > (size_t)2 << 20);
	}
	assert_int_equal(sent_samples(&sent), 12 * 5000);
	assert_int_equal(sent_read(&sent, &otlp_reader), 12 * 5000);
	assert_int_equal(r.too_large + r.truncated + r.omitted, 0);
	sent_release(&sent);
	push_requests_release(&r);
	for (size_t i = 0; i < 12; i++)
		profile_part_release(&parts[i]);
}

static void profile_above_the_limit_is_sent_alone(void **state)
{
	struct profile_part parts[3] = { part_new("a"), part_new("b"),
					 part_new("c") };
	struct sent sent = { 0 };
	struct push_requests r;

	(void)state;
	part_add_wide(&parts[0], 10);
	part_add_wide(&parts[1], 30000);
	part_add_wide(&parts[2], 20);
	requests_open(&r, PUSH_OTLP, &sent);
	push_requests_add(&r, parts, 3);
	assert_int_equal(sent.count, 3);
	assert_int_equal(sent.samples[0], 10);
	assert_int_equal(sent.samples[1], 30000);
	assert_true(sent.bytes[1].len > PUSH_REQUEST_BYTES);
	assert_int_equal(sent.samples[2], 20);
	assert_int_equal(sent_read(&sent, &otlp_reader), 30030);
	assert_int_equal(r.too_large + r.truncated, 0);
	sent_release(&sent);
	push_requests_release(&r);
	for (size_t i = 0; i < 3; i++)
		profile_part_release(&parts[i]);
}

static void profile_above_the_largest_request_loses_frames(void **state)
{
	static const enum push_format formats[] = { PUSH_GRPC, PUSH_PYROSCOPE };
	struct profile_part part = part_new("a");

	(void)state;
	part_add_deep(&part, 3000, 990);
	for (size_t i = 0; i < 2; i++) {
		const struct reader *reader = i ? &pprof_reader : &otlp_reader;
		struct sent sent = { 0 };
		struct push_requests r;

		requests_open(&r, formats[i], &sent);
		r.largest = PUSH_REQUEST_BYTES;
		push_requests_add(&r, &part, 1);
		assert_int_equal(sent.count, 1);
		assert_true(sent.bytes[0].len <= (size_t)4 << 20);
		assert_int_equal(sent.samples[0], 3000);
		assert_int_equal(sent_read(&sent, reader), 3000);
		assert_int_equal(r.truncated, 3000);
		assert_int_equal(r.too_large, 0);
		sent_release(&sent);
		push_requests_release(&r);
	}
	profile_part_release(&part);
}

static void profile_that_never_fits_is_dropped_and_counted(void **state)
{
	static const enum push_format formats[] = { PUSH_OTLP, PUSH_PYROSCOPE };
	struct profile_part parts[2] = { part_new("a"), part_new("b") };

	(void)state;
	part_add_wide(&parts[0], 100);
	part_add_wide(&parts[1], 1);
	for (size_t i = 0; i < 2; i++) {
		struct sent sent = { 0 };
		struct push_requests r;

		requests_open(&r, formats[i], &sent);
		r.most = 2000;
		r.largest = 4000;
		push_requests_add(&r, parts, 2);
		assert_int_equal(sent.count, 1);
		assert_int_equal(sent.samples[0], 1);
		assert_int_equal(r.too_large, 100);
		sent_release(&sent);
		push_requests_release(&r);
	}
	for (size_t i = 0; i < 2; i++)
		profile_part_release(&parts[i]);
}

static void refused_event_takes_no_others_with_it(void **state)
{
	struct profile_part parts[2] = { part_new("a"), part_new("b") };
	struct sent sent = { 0 };
	struct push_requests r;

	(void)state;
	part_add_wide(&parts[0], 10);
	part_add_wide(&parts[1], 20);
	profile_add(parts[1].profile,
		    &(struct sample){
			    .event = profile_event(parts[1].profile, "offcpu",
						   UNIT_NS),
			    .stack = sampled_stack(parts[1].profile, "a.A.b"),
			    .count = 1,
			    .weight = 5,
		    });
	requests_open(&r, PUSH_GRPC, &sent);
	r.alone = true;
	push_requests_add(&r, parts, 2);
	assert_int_equal(sent.count, 3);
	assert_int_equal(sent.samples[0], 10);
	assert_int_equal(sent.samples[1], 20);
	assert_int_equal(sent.samples[2], 1);
	assert_int_equal(sent_read(&sent, &otlp_reader), 31);
	sent_release(&sent);
	push_requests_release(&r);
	for (size_t i = 0; i < 2; i++)
		profile_part_release(&parts[i]);
}

/* ---- Pyroscope ---- */

static void each_event_of_each_jvm_is_a_request_to_pyroscope(void **state)
{
	struct profile_part part = part_new("shop {1},/a-b");
	struct profile *p = part.profile;
	struct sent sent = { 0 };
	struct push_requests r;

	(void)state;
	push_attribute(&part.about, "k8s.pod-name", "a,b}=c \xff", 8);
	part_add(&part, sampled_stack(p, "a.A.b"), "worker-1");
	part_add(&part, sampled_stack(p, "a.A.b"), "worker-2");
	profile_add(p, &(struct sample){
			       .event = profile_event(p, "offcpu", UNIT_NS),
			       .stack = sampled_stack(p, "a.A.b"),
			       .count = 3,
			       .weight = 5,
		       });
	requests_open(&r, PUSH_PYROSCOPE, &sent);
	push_requests_add(&r, &part, 1);
	assert_int_equal(sent.count, 2);
	assert_string_equal(sent.query[0],
			    "name=shop__1__%2Fa-b%7Bk8s_pod_name%3Da_b_%3Dc%20"
			    "%EF%BF%BD%7D&format=pprof&spyName=sjkc");
	assert_string_equal(sent.query[1], sent.query[0]);
	assert_string_equal(sent.ending[0], "-shop__1___a-b.cpu.pb.gz");
	assert_string_equal(sent.ending[1], "-shop__1___a-b.offcpu.pb.gz");
	assert_int_equal(sent.samples[0], 2);
	assert_int_equal(sent.samples[1], 3);
	assert_int_equal(sent_read(&sent, &pprof_reader), 5);
	sent_release(&sent);
	push_requests_release(&r);
	profile_part_release(&part);
}

static void jvms_without_samples_send_nothing(void **state)
{
	struct profile_part part = part_new("a");
	struct sent sent = { 0 };
	struct push_requests r;

	(void)state;
	profile_event(part.profile, "cpu", UNIT_NS);
	for (enum push_format f = PUSH_OTLP; f <= PUSH_PYROSCOPE; f++) {
		requests_open(&r, f, &sent);
		push_requests_add(&r, &part, 1);
		push_requests_add(&r, NULL, 0);
		push_requests_release(&r);
	}
	assert_int_equal(sent.count, 0);
	profile_part_release(&part);
}

/* ---- Parca ---- */

/* Reads the raw profile of a series; returns its labels. */
static struct profile *series_read(struct cursor series, struct cursor *labels)
{
	struct protobuf_field f, raw;
	struct profile *p = NULL;

	while (protobuf_next(&series, &f)) {
		if (f.number == 1) {
			*labels = f.bytes;
		} else {
			assert_true(protobuf_next(&f.bytes, &raw));
			p = foreign_read(&pprof_reader,
					 (const char *)raw.bytes.at,
					 cursor_left(&raw.bytes));
		}
	}
	return p;
}

static bool labels_have(struct cursor labels, const char *name,
			const char *value)
{
	struct protobuf_field label, part;
	bool same;

	while (protobuf_next(&labels, &label)) {
		same = true;
		while (protobuf_next(&label.bytes, &part)) {
			const char *wanted = part.number == 1 ? name : value;

			same &= cursor_left(&part.bytes) == strlen(wanted) &&
				memcmp(part.bytes.at, wanted, strlen(wanted)) ==
					0;
		}
		if (same)
			return true;
	}
	return false;
}

static void each_thread_name_is_a_series_of_parca(void **state)
{
	static const char *const threads[] = { "", "a-#", "b" };
	struct profile_part part = part_new("shop");
	struct sent sent = { 0 };
	struct push_requests r;
	struct protobuf_field f;
	struct cursor all, labels;
	size_t count = 0;

	(void)state;
	push_attribute(&part.about, "k8s.pod-name", "pod", 3);
	part_add(&part, sampled_stack(part.profile, "a.A.b"), "a-1");
	part_add(&part, sampled_stack(part.profile, "a.A.c"), "a-2");
	part_add(&part, sampled_stack(part.profile, "a.A.c"), "b");
	part_add(&part, sampled_stack(part.profile, "a.A.c"), NULL);
	requests_open(&r, PUSH_PARCA, &sent);
	r.threads = THREADS_FOLDED;
	push_requests_add(&r, &part, 1);
	assert_int_equal(sent.count, 1);
	assert_int_equal(sent.samples[0], 4);
	all = cursor_over(sent.bytes[0].bytes, sent.bytes[0].len);
	for (; protobuf_next(&all, &f); count++) {
		struct profile *p = series_read(f.bytes, &labels);

		assert_int_equal(push_requests_samples(p), count == 1 ? 2 : 1);
		assert_true(labels_have(labels, "__name__", "process_cpu"));
		assert_true(labels_have(labels, "service_name", "shop"));
		assert_true(labels_have(labels, "k8s_pod_name", "pod"));
		assert_int_equal(
			labels_have(labels, "thread_name", threads[count]),
			count > 0);
		profile_free(p);
	}
	assert_int_equal(count, 3);
	sent_release(&sent);
	push_requests_release(&r);
	profile_part_release(&part);
}

static void request_for_parca_is_made_beside_that_of_otlp(void **state)
{
	struct profile_part parts[12];
	struct sent sent = { 0 };
	struct push_requests r;

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		parts[i] = part_new("shop");
		part_add_wide(&parts[i], 5000);
	}
	requests_open(&r, PUSH_GRPC, &sent);
	r.parca = true;
	push_requests_add(&r, parts, 12);
	for (size_t i = 0; i < sent.count; i++)
		assert_true(sent.bytes[i].len <= (size_t)8 << 20);
	assert_int_equal(sent_samples(&sent), 12 * 5000);
	assert_int_equal(r.too_large + r.truncated + r.omitted, 0);
	sent_release(&sent);
	push_requests_release(&r);
	for (size_t i = 0; i < 12; i++)
		profile_part_release(&parts[i]);
}

/* ---- names ---- */

/* RFC 3629: no surrogates, no long forms, nothing above U+10FFFF. */
static bool is_utf8(const uint8_t *at, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	while (len) {
		size_t size = *at < 0x80   ? 1
			      : *at < 0xc0 ? 0
			      : *at < 0xe0 ? 2
			      : *at < 0xf0 ? 3
			      : *at < 0xf8 ? 4
					   : 0;
		uint32_t c = size == 1 ? *at : *at & (0xffU >> (size + 1));

		if (!size || size > len)
			return false;
		for (size_t i = 1; i < size; i++) {
			if ((at[i] & 0xc0) != 0x80)
				return false;
			c = c << 6 | (at[i] & 0x3f);
		}
		if (c < least[size] || c > 0x10ffff || (c >> 11) == 0x1b)
			return false;
		at += size;
		len -= size;
	}
	return true;
}

/* Checks the strings of a table, and returns how many there are. */
static size_t expect_utf8(struct cursor message, uint32_t field)
{
	struct protobuf_field f;
	size_t count = 0;

	while (protobuf_next(&message, &f)) {
		if (f.number != field)
			continue;
		assert_true(is_utf8(f.bytes.at, cursor_left(&f.bytes)));
		count++;
	}
	assert_true(cursor_ok(&message));
	return count;
}

static void every_string_is_valid_utf8(void **state)
{
	static const char *const names[] = {
		"\xff\xfe",
		"a\xc0\x80z",
		"\xed\xa0\xbd\xed\xb8\x80",
		"\xed\xa0\xbd lone",
		"\xe2\x82",
		"\xf4\x90\x80\x80",
		"\xc1\xbf",
		"\x1b[31m\nred",
		"\xf0\x9f\x98\x80",
		"\x80pool-\xd9\xa1",
		"\xe2\x80\xae",
		"plain-12",
	};
	enum { NAMES = sizeof(names) / sizeof(*names) };
	struct profile_part part = part_new(names[0]);
	struct profile *p = part.profile;
	struct sent sent = { 0 };

	(void)state;
	for (size_t i = 0; i < NAMES; i++) {
		push_attribute(&part.about, names[i], names[i],
			       strlen(names[i]));
		part_add(&part,
			 profile_push(
				 p, 0,
				 sampled_frame(p, names[i], FRAME_NATIVE, 0)),
			 names[i]);
		profile_add(p, &(struct sample){
				       .event = profile_event(p, names[i],
							      UNIT_COUNT),
				       .stack = sampled_stack(p, "a.A.b"),
				       .count = 1,
				       .weight = 1,
			       });
	}
	for (enum push_format f = PUSH_OTLP; f <= PUSH_PYROSCOPE; f++) {
		struct push_requests r;

		requests_open(&r, f, &sent);
		push_requests_add(&r, &part, 1);
		assert_int_equal(sent_samples(&sent), 2 * NAMES);
		for (size_t i = 0; i < sent.count; i++) {
			struct cursor all = cursor_over(sent.bytes[i].bytes,
							sent.bytes[i].len);
			struct protobuf_field field;
			size_t strings = 0;

			if (f == PUSH_PYROSCOPE)
				strings = expect_utf8(all, 6);
			while (f != PUSH_PYROSCOPE &&
			       protobuf_next(&all, &field))
				if (field.number == 2)
					strings = expect_utf8(field.bytes, 5);
			assert_true(strings > 3);
			assert_true(is_utf8((uint8_t *)sent.query[i],
					    strlen(sent.query[i])));
		}
		sent_release(&sent);
		push_requests_release(&r);
	}
	profile_part_release(&part);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			profiles_of_many_jvms_are_split_between_requests),
		cmocka_unit_test(profile_above_the_limit_is_sent_alone),
		cmocka_unit_test(
			profile_above_the_largest_request_loses_frames),
		cmocka_unit_test(
			profile_that_never_fits_is_dropped_and_counted),
		cmocka_unit_test(refused_event_takes_no_others_with_it),
		cmocka_unit_test(
			each_event_of_each_jvm_is_a_request_to_pyroscope),
		cmocka_unit_test(each_thread_name_is_a_series_of_parca),
		cmocka_unit_test(request_for_parca_is_made_beside_that_of_otlp),
		cmocka_unit_test(jvms_without_samples_send_nothing),
		cmocka_unit_test(every_string_is_valid_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
