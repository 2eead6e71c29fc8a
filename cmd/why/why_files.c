/* SPDX-License-Identifier: Apache-2.0 */
/* Files: recordings, thread dumps and GC logs, judged as far as they reach. */
#include "cmd/why/why.h"

#include "cmd/shared/log.h"
#include "core/base/ascii.h"
#include "core/base/safe_text.h"
#include "core/base/units.h"
#include "core/formats/reader.h"
#include "core/gc/gc_jfr.h"
#include "core/gc/gc_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The facts of files. */
struct filed_facts {
	struct dump_waits waits;
	struct diagnosis_pauses pauses;
	int64_t first_ns, last_ns; /* of the pauses */
	struct profile *profile;
	struct jvm_replies replies;
	struct text lost;
};

void why_add_lost(struct text *out, const char *what, uint64_t count)
{
	if (count)
		text_printf(out, "%s%s: %" PRIu64, out->len ? "; " : "", what,
			    count);
}

/* A file has several dumps: the series keeps one of them at a time. */
static int filed_add_dumps(struct filed_facts *f, const struct input *in,
			   const struct reader *reader, struct error *err)
{
	size_t count = 1;
	int ret = 0;

	for (size_t n = 1; ret == 0 && n <= count && n <= DUMP_WAITS_DUMPS;
	     n++) {
		struct profile *p = profile_new();
		struct dump_series s = { 0 };

		dump_series_init(&s, p);
		s.wanted = n;
		ret = reader->read(in->bytes, in->len, p, err);
		dump_series_end(&s);
		count = s.dump_count;
		if (ret == 0 && s.number == n)
			dump_waits_add(&f->waits, &s);
		dump_series_release(&s);
		profile_free(p);
	}
	if (count > DUMP_WAITS_DUMPS)
		log_info("%s: only the first %d of %zu thread dumps are judged",
			 in->name, DUMP_WAITS_DUMPS, count);
	return ret;
}

static void filed_add_pauses(struct filed_facts *f, struct gc_source *s)
{
	struct gc_pause p;
	struct gc_lost lost = { 0 };
	struct error err;
	enum gc_next next;

	while ((next = gc_source_next(s, &p, &err)) == GC_NEXT_RECORD) {
		int64_t end_ns = p.end_ns > 0 ? p.end_ns : p.uptime_ns;

		diagnosis_add_pause(&f->pauses, &p, s->columns);
		if (end_ns < 0)
			continue;
		if (!f->first_ns || end_ns < f->first_ns)
			f->first_ns = end_ns;
		if (end_ns > f->last_ns)
			f->last_ns = end_ns;
	}
	if (next == GC_NEXT_FAILED)
		why_add_lost(&f->lost, err.text, 1);
	gc_source_lost(s, &lost);
	why_add_lost(&f->lost, "pauses", lost.pauses + lost.records);
	why_add_lost(&f->lost, "lines", lost.lines);
}

static int filed_add_gc_log(struct filed_facts *f, const struct input *in,
			    struct error *err)
{
	const struct gc_log_file file = { in->bytes, in->len, in->name,
					  in->damage != NULL };
	struct gc_source *s = gc_log_open(&file, 1, err);

	if (!s)
		return -1;
	filed_add_pauses(f, s);
	why_add_lost(&f->lost, "incomplete lines",
		     gc_log_broken_lines(s, &(const char *){ NULL },
					 &(uint64_t){ 0 }));
	gc_source_close(s);
	return 0;
}

static void filed_add_jfr_pauses(struct filed_facts *f, const struct input *in)
{
	struct gc_source *s = gc_jfr_new();
	struct profile *p = profile_new();

	if (gc_jfr_add(s, in->bytes, in->len, p, error_unused()) == 0) {
		gc_jfr_finish(s);
		filed_add_pauses(f, s);
	}
	gc_source_close(s);
	profile_free(p);
}

static int filed_add(struct filed_facts *f, const struct input *in,
		     struct error *err)
{
	size_t head = in->len < READER_HEAD ? in->len : READER_HEAD;
	size_t look = in->len < READER_LOOK ? in->len : READER_LOOK;
	const struct reader *reader;

	if (!jfr_reader.sniff(in->bytes, head) &&
	    !dump_reader.sniff(in->bytes, head) &&
	    gc_log_sniff(in->bytes, in->len))
		return filed_add_gc_log(f, in, err);
	reader = reader_for(NULL, NULL, in->bytes, look, error_unused());
	if (!reader)
		return fail(err, ERROR_INPUT,
			    "no fatal error log, GC log, thread dump or "
			    "recording");
	if (reader == &dump_reader || reader == &dump_json_reader)
		return filed_add_dumps(f, in, reader, err);
	if (reader == &jfr_reader)
		filed_add_jfr_pauses(f, in);
	if (!f->profile)
		f->profile = profile_new();
	return reader->read(in->bytes, in->len, f->profile, err);
}

static void filed_diagnose(struct filed_facts *f, const char *title,
			   struct diagnosis *d)
{
	static const char absent[] = "files lack it";
	struct diagnosis_pauses pauses = f->pauses;
	struct diagnosis_facts facts = {
		.target = "PID",
		.title = title,
		.dumps = f->waits.dumps ? &f->waits : NULL,
		.profile = f->profile,
		.replies = &f->replies,
		.lost = &f->lost,
		.missing = { absent, absent, absent, absent, absent },
	};

	for (size_t i = 0; f->profile && i < f->profile->remark_count; i++)
		if (f->profile->remarks[i].is_loss)
			why_add_lost(&f->lost, f->profile->remarks[i].what,
				     f->profile->remarks[i].count);
	pauses.seconds = (double)(f->last_ns - f->first_ns) / 1e9;
	if (pauses.seconds > 0)
		facts.pauses = &pauses;
	facts.seconds = pauses.seconds;
	if (f->waits.dumps == 1)
		facts.missing[1] = "a wait needs two thread dumps";
	diagnosis_make(d, &facts);
}

/* True for a document of this command, after white space. */
static bool input_is_document(const struct input *in)
{
	static const char schema[] = "\"sjkc.why/1\"";
	size_t at = 0;

	while (at < in->len && (is_blank((char)in->bytes[at]) ||
				in->bytes[at] == '\n' || in->bytes[at] == '\r'))
		at++;
	return at < in->len && in->bytes[at] == '{' &&
	       memmem(in->bytes, in->len, schema, sizeof(schema) - 1);
}

static int filed_add_all(struct filed_facts *f, const struct input *all,
			 size_t count, struct text *title, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (filed_add(f, &all[i], err))
			return fail_in(err, "%s", all[i].name);
		if (all[i].damage)
			why_add_lost(&f->lost, all[i].damage, 1);
		if (i < 3)
			text_puts(title, i ? ", " : "");
		if (i < 3)
			safe_text_puts(title, all[i].name);
	}
	if (count > 3)
		text_printf(title, " and %zu more", count - 3);
	return 0;
}

int why_read_files(struct diagnosis *d, const struct input *all, size_t count,
		   struct error *err)
{
	struct filed_facts f = { 0 };
	struct text title = { 0 };
	int ret;

	if (count == 1 && input_is_document(all)) {
		ret = diagnosis_read_json(d, (const char *)all->bytes, all->len,
					  err);
		return ret ? fail_in(err, "%s", all->name) : 0;
	}
	jvm_replies_init(&f.replies);
	ret = filed_add_all(&f, all, count, &title, err);
	if (ret == 0)
		filed_diagnose(&f, title.bytes, d);
	dump_waits_release(&f.waits);
	profile_free(f.profile);
	jvm_replies_release(&f.replies);
	text_release(&f.lost);
	text_release(&title);
	return ret;
}
