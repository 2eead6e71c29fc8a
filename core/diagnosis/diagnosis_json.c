/* SPDX-License-Identifier: Apache-2.0 */
/* The document "sjkc.why/1", written and read. */
#include "core/diagnosis/diagnosis.h"

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/lines.h"
#include "core/base/safe_text.h"
#include "core/diagnosis/rules.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void evidence_add_json(struct json *j, const char *key,
			      const struct evidence *all, size_t count)
{
	json_add_array(j, key);
	for (size_t i = 0; i < count; i++) {
		json_open_object(j);
		json_add_text(j, "name", all[i].name);
		json_add_double(j, "value", all[i].value);
		json_add_text(j, "unit", all[i].unit);
		json_add_text(j, "source", all[i].source);
		json_close_object(j);
	}
	json_close_array(j);
}

static void text_add_json(struct json *j, const char *key, const struct text *t)
{
	json_add_string(j, key, t->len ? t->bytes : "", t->len);
}

static void cause_add_json(struct json *j, const struct cause *c)
{
	json_open_object(j);
	json_add_text(j, "rule", c->rule->name);
	json_add_text(j, "rank", cause_rank_names[c->rank]);
	text_add_json(j, "sentence", &c->sentence);
	text_add_json(j, "detail", &c->detail);
	evidence_add_json(j, "evidence", c->evidence, c->evidence_count);
	text_add_json(j, "place", &c->place);
	json_add_uint(j, "threads", c->threads);
	text_add_json(j, "next", &c->next);
	json_add_double(j, "lost_s", c->lost_s);
	json_add_uint(j, "explained_by", c->explained_by);
	json_close_object(j);
}

static void diagnosis_add_members(struct json *j, const struct diagnosis *d)
{
	json_add_int(j, "pid", d->pid);
	text_add_json(j, "title", &d->title);
	json_add_double(j, "duration_s", d->seconds);
	json_add_uint(j, "dumps", d->dumps);
	json_add_array(j, "causes");
	for (size_t i = 0; i < d->count; i++)
		cause_add_json(j, &d->causes[i]);
	json_close_array(j);
	json_add_array(j, "fine");
	for (size_t i = 0; i < d->fine_count; i++)
		json_text(j, d->fine[i]->name);
	json_close_array(j);
	json_add_array(j, "not_checked");
	for (size_t i = 0; i < d->unchecked_count; i++) {
		json_open_object(j);
		json_add_text(j, "rule", d->unchecked[i]->name);
		json_add_text(j, "reason", d->reasons[i]);
		json_close_object(j);
	}
	json_close_array(j);
	evidence_add_json(j, "figures", d->figures, d->figure_count);
	text_add_json(j, "busiest", &d->busiest);
	json_add_double(j, "busiest_share", d->busiest_share);
	text_add_json(j, "lost", &d->lost);
}

void diagnosis_add_json(struct text *out, const struct diagnosis *d,
			const struct diagnosis *other)
{
	struct json j = json_document(out, "sjkc.why/1");

	diagnosis_add_members(&j, d);
	if (other) {
		json_add_object(&j, "against");
		diagnosis_add_members(&j, other);
		json_close_object(&j);
	}
	json_end_document(&j);
}

/* ---- reading ---- */

static const struct rule *rule_named(const struct text *name)
{
	for (size_t i = 0; name->len && i < diagnosis_rule_count; i++)
		if (strcmp(diagnosis_rules[i].name, name->bytes) == 0)
			return &diagnosis_rules[i];
	return NULL;
}

/* A file may have any text: it is made safe for a terminal. */
static void read_safe(struct json_reader *r, struct text *out)
{
	struct text raw = { 0 };

	json_read_text(r, &raw);
	text_clear(out);
	if (raw.len)
		safe_text(out, raw.bytes, raw.len);
	text_release(&raw);
}

static const char *read_kept(struct json_reader *r, struct diagnosis *d)
{
	struct text t = { 0 };
	const char *kept;

	read_safe(r, &t);
	kept = arena_copy(&d->texts, t.len ? t.bytes : "", t.len + 1);
	text_release(&t);
	return kept;
}

static size_t read_evidence(struct json_reader *r, struct diagnosis *d,
			    struct evidence *all, size_t most)
{
	struct line key;
	size_t count = 0;

	for (bool in = json_enter_array(r); in && json_next_element(r);) {
		struct evidence e = { "", 0, "", "" };

		for (in = json_enter_object(r);
		     in && json_next_member(r, &key);)
			if (line_is(key, "name"))
				e.name = read_kept(r, d);
			else if (line_is(key, "value"))
				e.value = json_read_double(r);
			else if (line_is(key, "unit"))
				e.unit = read_kept(r, d);
			else if (line_is(key, "source"))
				e.source = read_kept(r, d);
			else
				json_skip(r);
		in = true;
		if (count < most)
			all[count++] = e;
	}
	return count;
}

static enum cause_rank rank_named(const struct text *name)
{
	size_t i = 0;

	while (i < CAUSE_RANKS - 1 &&
	       (!name->len || strcmp(cause_rank_names[i], name->bytes) != 0))
		i++;
	return (enum cause_rank)i;
}

static void read_cause(struct json_reader *r, struct diagnosis *d)
{
	struct cause c = { 0 };
	struct text rule = { 0 }, rank = { 0 };
	struct line key;

	for (bool in = json_enter_object(r); in && json_next_member(r, &key);)
		if (line_is(key, "rule"))
			json_read_text(r, &rule);
		else if (line_is(key, "rank"))
			json_read_text(r, &rank);
		else if (line_is(key, "sentence"))
			read_safe(r, &c.sentence);
		else if (line_is(key, "detail"))
			read_safe(r, &c.detail);
		else if (line_is(key, "place"))
			read_safe(r, &c.place);
		else if (line_is(key, "next"))
			read_safe(r, &c.next);
		else if (line_is(key, "threads"))
			c.threads = json_read_uint(r);
		else if (line_is(key, "lost_s"))
			c.lost_s = json_read_double(r);
		else if (line_is(key, "explained_by"))
			c.explained_by = json_read_uint(r);
		else if (line_is(key, "evidence"))
			c.evidence_count = read_evidence(r, d, c.evidence,
							 EVIDENCE_MAX);
		else
			json_skip(r);
	c.rule = rule_named(&rule);
	c.rank = rank_named(&rank);
	if (c.rule && c.sentence.len)
		array_add(d->causes, d->count, d->cap, c);
	else
		cause_release(&c);
	text_release(&rule);
	text_release(&rank);
}

static void read_fine(struct json_reader *r, struct diagnosis *d)
{
	struct text name = { 0 };

	for (bool in = json_enter_array(r); in && json_next_element(r);) {
		text_clear(&name);
		json_read_text(r, &name);
		if (rule_named(&name) && d->fine_count < diagnosis_rule_count)
			d->fine[d->fine_count++] = rule_named(&name);
	}
	text_release(&name);
}

static void read_unchecked(struct json_reader *r, struct diagnosis *d)
{
	struct text name = { 0 };
	struct line key;

	for (bool in = json_enter_array(r); in && json_next_element(r);) {
		const char *reason = "";

		text_clear(&name);
		for (in = json_enter_object(r);
		     in && json_next_member(r, &key);)
			if (line_is(key, "rule"))
				json_read_text(r, &name);
			else if (line_is(key, "reason"))
				reason = read_kept(r, d);
			else
				json_skip(r);
		in = true;
		if (!rule_named(&name) ||
		    d->unchecked_count == diagnosis_rule_count)
			continue;
		d->reasons[d->unchecked_count] = reason;
		d->unchecked[d->unchecked_count++] = rule_named(&name);
	}
	text_release(&name);
}

static void read_member(struct json_reader *r, struct line key,
			struct diagnosis *d)
{
	if (line_is(key, "pid"))
		d->pid = (int)json_read_int(r);
	else if (line_is(key, "title"))
		read_safe(r, &d->title);
	else if (line_is(key, "duration_s"))
		d->seconds = json_read_double(r);
	else if (line_is(key, "dumps"))
		d->dumps = json_read_uint(r);
	else if (line_is(key, "fine"))
		read_fine(r, d);
	else if (line_is(key, "not_checked"))
		read_unchecked(r, d);
	else if (line_is(key, "figures"))
		d->figure_count = read_evidence(r, d, d->figures, FIGURES_MAX);
	else if (line_is(key, "busiest"))
		read_safe(r, &d->busiest);
	else if (line_is(key, "busiest_share"))
		d->busiest_share = json_read_double(r);
	else if (line_is(key, "lost"))
		read_safe(r, &d->lost);
	else
		json_skip(r);
}

int diagnosis_read_json(struct diagnosis *d, const char *json, size_t len,
			struct error *err)
{
	struct json_reader r = json_reader_over(json, len);
	struct text schema = { 0 };
	struct line key;

	diagnosis_init(d);
	for (bool in = json_enter_object(&r);
	     in && json_next_member(&r, &key);) {
		if (line_is(key, "schema"))
			json_read_text(&r, &schema);
		else if (line_is(key, "causes"))
			for (in = json_enter_array(&r);
			     in && json_next_element(&r);)
				read_cause(&r, d);
		else
			read_member(&r, key, d);
		in = true;
	}
	if (!json_reader_at_end(&r))
		fail(err, ERROR_INPUT, "invalid JSON");
	else if (!schema.len || strcmp(schema.bytes, "sjkc.why/1") != 0)
		fail(err, ERROR_INPUT, "no document of sjkc why");
	else
		err = NULL;
	text_release(&schema);
	return err ? -1 : 0;
}
