/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/sampled.h"

#include "core/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

uint32_t sampled_frame(struct profile *p, const char *name,
		       enum frame_kind kind, uint32_t line)
{
	const char *dot = strrchr(name, '.');
	const char *method = dot ? dot + 1 : name;
	struct frame f = {
		.class_name = profile_string(p, name,
					     dot ? (size_t)(dot - name) : 0),
		.method = profile_string(p, method, strlen(method)),
		.line = line,
		.kind = kind,
	};

	return profile_frame(p, &f);
}

uint32_t sampled_stack(struct profile *p, const char *path)
{
	char *copy = xstrdup(path);
	char *at = copy;
	uint32_t stack = 0;

	while (at && *at) {
		char *name = strsep(&at, ";");

		stack = profile_push(p, stack,
				     sampled_frame(p, name, FRAME_JAVA, 0));
	}
	free(copy);
	return stack;
}

void sampled(struct profile *p, const char *path, uint64_t count)
{
	struct sample s = {
		.event = profile_event(p, "cpu", UNIT_SAMPLES),
		.stack = sampled_stack(p, path),
		.count = count,
		.weight = count,
	};

	profile_add(p, &s);
}

void sampled_chain(struct profile *p, size_t depth)
{
	struct text path = { 0 };

	for (size_t i = 0; i < depth; i++) {
		text_printf(&path, "%sa.A.f%zu", i ? ";" : "", i);
		sampled(p, path.bytes, 1);
	}
	text_release(&path);
}

struct event_view sampled_view(const struct profile *p, uint32_t event)
{
	const struct event *e = &p->events[event];

	return (struct event_view){
		.name = profile_text(p, e->name),
		.events = { event },
		.event_count = 1,
		.unit = e->unit,
		.samples = e->samples,
		.without_stack = e->without_stack,
		.weight = e->weight,
	};
}

static struct text read_all(const char *path)
{
	FILE *file = fopen(path, "re");
	struct text all = { 0 };
	char piece[4096];
	size_t got;

	assert_non_null(file);
	while ((got = fread(piece, 1, sizeof(piece), file)) > 0)
		text_add(&all, piece, got);
	text_add(&all, "", 0);
	fclose(file);
	return all;
}

struct text sampled_written(sampled_write_fn *write, void *self)
{
	char path[] = "/tmp/sjkc-test.XXXXXX";
	int fd = mkstemp(path);
	struct error err = { 0 };
	struct output out;
	struct text all;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(output_open(&out, path, &err), 0);
	write(&out, self);
	assert_int_equal(output_commit(&out, &err), 0);
	output_close(&out);
	all = read_all(path);
	unlink(path);
	return all;
}
