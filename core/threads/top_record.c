/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/top_record.h"

#include "core/base/json.h"
#include "core/threads/top_record_fields.h"

void top_record_head(struct text *out, const char *title, pid_t pid,
		     int64_t wall_ns)
{
	struct json j = json_document(out, TOP_RECORD_SCHEMA);

	json_add_text(&j, "title", title);
	json_add_int(&j, "pid", pid);
	json_add_int(&j, "wall", wall_ns);
	json_end_document(&j);
}

/* Writes a number unless it is the value for absent. */
static void record_put_int(struct json *j, const char *key, int64_t value,
			   int64_t nothing)
{
	if (value == nothing)
		return;
	json_add_int(j, key, value);
}

static void record_put_uint(struct json *j, const char *key, uint64_t value)
{
	if (!value)
		return;
	json_add_uint(j, key, value);
}

static void record_put_flag(struct json *j, const char *key, bool value)
{
	if (!value)
		return;
	json_add_bool(j, key, true);
}

static void record_put_field(struct json *j, const struct record_field *f,
			     const char *at)
{
	switch (f->type) {
	case RECORD_COUNTER:
		record_put_int(j, f->key, *(const int64_t *)at, COUNTER_ABSENT);
		break;
	case RECORD_ID:
		record_put_int(j, f->key, *(const int64_t *)at, 0);
		break;
	case RECORD_PID:
		record_put_int(j, f->key, *(const pid_t *)at, 0);
		break;
	case RECORD_UNSIGNED:
		record_put_uint(j, f->key, *(const uint64_t *)at);
		break;
	case RECORD_FLAG:
		record_put_flag(j, f->key, *(const bool *)at);
		break;
	case RECORD_KIND:
		json_add_text(j, f->key,
			      thread_kind_name(*(const enum thread_kind *)at));
		break;
	case RECORD_STATE:
		json_add_text(j, f->key,
			      thread_run_state_name(
				      *(const enum thread_run_state *)at));
		break;
	case RECORD_STRING:
		json_add_text(j, f->key, *(const char *const *)at);
		break;
	case RECORD_CHARS:
		if (*at)
			json_add_text(j, f->key, at);
		break;
	}
}

static void record_put_fields(struct json *j, const struct record_field *fields,
			      const void *from)
{
	for (const struct record_field *f = fields; f->key; f++)
		record_put_field(j, f, (const char *)from + f->offset);
}

static void record_put_process(struct json *j, const struct process_sample *p)
{
	json_add_object(j, "process");
	record_put_fields(j, process_fields, p);
	json_add_array(j, "gc");
	for (size_t i = 0; i < p->gc_count; i++) {
		json_open_object(j);
		record_put_fields(j, gc_fields, &p->gc[i]);
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
}

static void record_put_thread(struct json *j, const struct thread_sample *t)
{
	json_open_object(j);
	record_put_fields(j, thread_fields, t);
	for (size_t i = 0; i < THREAD_COUNTERS; i++)
		record_put_int(j, thread_counter_name((enum thread_counter)i),
			       t->counters[i], COUNTER_ABSENT);
	json_close_object(j);
}

void top_record_sample(struct text *out, const struct top_sample *s)
{
	struct json j = json_into(out);

	json_open_object(&j);
	record_put_fields(&j, sample_fields, s);
	record_put_process(&j, &s->process);
	json_add_array(&j, "threads");
	for (size_t i = 0; i < s->thread_count; i++)
		record_put_thread(&j, &s->threads[i]);
	json_close_array(&j);
	json_add_array(&j, "notes");
	for (size_t i = 0; i < s->note_count; i++) {
		json_open_object(&j);
		record_put_fields(&j, note_fields, &s->notes[i]);
		json_close_object(&j);
	}
	json_close_array(&j);
	json_end_document(&j);
}

void top_record_shown(struct text *out, const char *what, int64_t of,
		      const char *text, size_t len)
{
	struct json j = json_into(out);

	json_open_object(&j);
	json_add_text(&j, "shown", what);
	json_add_int(&j, "of", of);
	json_add_string(&j, "text", text, len);
	json_end_document(&j);
}
