/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/dump_check.h"

#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct profile *profile_of_bytes(const struct reader *reader, const void *bytes,
				 size_t len)
{
	struct profile *p = profile_new();
	/* An exact allocation, so that ASan detects reads beyond the end. */
	uint8_t *copy = malloc(len ? len : 1);
	struct error err = { 0 };

	memcpy(copy, bytes, len);
	if (reader->read(copy, len, p, &err))
		fail_msg("%s", err.text);
	free(copy);
	return p;
}

struct profile *profile_of(const struct reader *reader, const char *text)
{
	return profile_of_bytes(reader, text, strlen(text));
}

struct profile *read_text(const char *text)
{
	return profile_of(&dump_reader, text);
}

void assert_whole(const struct profile *p)
{
	for (size_t i = 0; i < p->remark_count; i++)
		fail_msg("%s: %s", p->remarks[i].what, p->remarks[i].first);
}

uint64_t samples_in(const struct profile *p)
{
	assert_int_equal(p->event_count, 1);
	assert_string_equal(profile_text(p, p->events[0].name), "thread-dump");
	return p->events[0].samples;
}

uint64_t frames_in(const struct profile *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		for (uint32_t s = c->stack; s; s = p->stacks[s].caller)
			sum += c->count;
	}
	return sum;
}

const struct cell *cell_of(const struct profile *p, const char *thread)
{
	const struct cell *found = NULL;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct thread *t = &p->threads[p->cells[i].thread];

		if (strcmp(profile_text(p, t->name), thread) != 0)
			continue;
		assert_null(found);
		found = &p->cells[i];
	}
	if (!found)
		fail_msg("no sample of thread '%s'", thread);
	return found;
}

const struct thread *thread_of(const struct profile *p, const char *name)
{
	return &p->threads[cell_of(p, name)->thread];
}

const char *stack_of(const struct profile *p, const struct cell *c)
{
	static struct text out;

	text_clear(&out);
	for (uint32_t s = c->stack; s; s = p->stacks[s].caller) {
		const struct frame *f = &p->frames[p->stacks[s].frame];

		if (out.len)
			text_putc(&out, ' ');
		if (f->class_name)
			text_printf(&out, "%s.",
				    profile_text(p, f->class_name));
		text_puts(&out, profile_text(p, f->method));
		if (f->line)
			text_printf(&out, ":%u", f->line);
	}
	return out.len ? out.bytes : "";
}

uint64_t remarks_of(const struct profile *p, const char *what)
{
	for (size_t i = 0; i < p->remark_count; i++) {
		if (strcmp(p->remarks[i].what, what) == 0)
			return p->remarks[i].count;
	}
	return 0;
}

char *file_bytes(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	struct text all = { 0 };
	char piece[4096];
	size_t got;

	if (!file)
		return NULL;
	while ((got = fread(piece, 1, sizeof(piece), file)) > 0)
		text_add(&all, piece, got);
	fclose(file);
	*len = all.len;
	return all.bytes;
}
