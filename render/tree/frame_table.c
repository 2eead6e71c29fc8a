/* SPDX-License-Identifier: Apache-2.0 */
/* Names the frames of a profile, sorts the names and numbers the labels. */
#include "render/tree/frame_table.h"

#include "core/base/alloc.h"
#include "core/base/safe_text.h"
#include "render/tree/sort.h"

#include <stdlib.h>
#include <string.h>

const char *const frame_group_names[FRAME_GROUPS] = {
	[GROUP_FRAME] = "frame",
	[GROUP_CLASS] = "class",
	[GROUP_PACKAGE] = "package",
};

/* Returns the length of the class in front of "$$" in a generated class. */
static size_t frame_table_host_class(const char *name, size_t len)
{
	const char *dot = memrchr(name, '.', len);
	const char *base = dot ? dot + 1 : name;
	const char *end = memmem(base, len - (size_t)(base - name), "$$", 2);

	return end && end > base ? (size_t)(end - name) : len;
}

/* Appends the class or the package of a frame that has a class. */
static void frame_table_put_group(struct text *out, const char *name,
				  size_t len, const struct frame_naming *how)
{
	size_t host = frame_table_host_class(name, len);
	const char *dot = memrchr(name, '.', host);

	if (how->group == GROUP_PACKAGE && !dot)
		text_puts(out, "[default package]");
	else if (how->group == GROUP_PACKAGE)
		safe_text(out, name, (size_t)(dot - name));
	else if (dot && how->style.simple)
		safe_text(out, dot + 1, host - (size_t)(dot + 1 - name));
	else
		safe_text(out, name, host);
}

/* Returns the group of a frame without a class; NULL: its own name. */
static const char *frame_table_other_group(const struct frame *f)
{
	switch (f->kind) {
	case FRAME_KERNEL:
		return "[kernel]";
	case FRAME_NATIVE:
	case FRAME_CPP:
		return "[native]";
	case FRAME_SYNTHETIC:
	case FRAME_CLASS:
		return NULL;
	default:
		return "[no class]";
	}
}

static void frame_table_put_frame(struct text *out, const struct profile *p,
				  const struct frame *f,
				  const struct frame_naming *how)
{
	const char *other = f->class_name && f->kind != FRAME_CLASS
				    ? NULL
				    : frame_table_other_group(f);

	if (how->group == GROUP_FRAME || f->kind == FRAME_CLASS ||
	    (!f->class_name && !other))
		frame_name(out, p, f, &how->style);
	else if (other)
		text_puts(out, other);
	else
		frame_table_put_group(out, profile_text(p, f->class_name),
				      intern_len(&p->strings, f->class_name),
				      how);
}

static struct frame frame_table_item(const struct profile *p, uint32_t id)
{
	static const struct frame small = { .kind = FRAME_SYNTHETIC };

	return id == small_frames(p) ? small : p->frames[id];
}

/* Returns a row per used frame, sorted by class and method. */
static struct row *frame_table_rows_of_frames(const struct profile *p,
					      const uint8_t *used,
					      size_t *count)
{
	struct row *rows = xmalloc((p->frame_count + 1) * sizeof(*rows));
	size_t n = 0;

	for (uint32_t id = 0; id <= small_frames(p); id++) {
		struct frame f;

		if (!used[id])
			continue;
		f = frame_table_item(p, id);
		rows[n++] = (struct row){ f.method, f.class_name, id };
	}
	row_sort(rows, n);
	*count = n;
	return rows;
}

static void frame_table_put_name(struct text *out, const struct profile *p,
				 uint32_t id, const struct frame_naming *how)
{
	size_t start = out->len;

	if (id == small_frames(p))
		text_puts(out, "[small frames]");
	else
		frame_table_put_frame(out, p, &p->frames[id], how);
	if (how->adapt && out->len > start)
		how->adapt(out->bytes + start, out->len - start);
}

/*
 * Writes the names of all rows: one per method, or one per frame if names have
 * lines or suffixes. Sets the majors of the rows to indexes into names; returns
 * the number of names.
 */
static size_t frame_table_write_names(struct frame_table *t,
				      const struct profile *p, struct row *rows,
				      size_t count,
				      const struct frame_naming *how,
				      struct name *names)
{
	bool each = how->style.lines || how->style.annotate;
	struct row before = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct row *r = &rows[i];
		struct frame f = frame_table_item(p, r->item);
		size_t start = t->text.len;

		if (each || i == 0 || before.major != r->major ||
		    before.minor != r->minor || r->item == small_frames(p)) {
			frame_table_put_name(&t->text, p, r->item, how);
			names[n].len = t->text.len - start;
			names[n].item = (uint32_t)n;
			n++;
		}
		before = *r;
		r->major = (uint32_t)n - 1;
		r->minor = (uint64_t)f.kind << 32 | f.line;
		if (how->by_name)
			r->minor = how->by_line ? f.line : 0;
	}
	return n;
}

/* Sets the text of each name: the names follow one another in t->text. */
static void frame_table_point_names(struct frame_table *t, struct name *names,
				    size_t count)
{
	const char *text = t->text.bytes ? t->text.bytes : "";

	for (size_t i = 0; i < count; i++) {
		names[i].text = text;
		text += names[i].len;
	}
}

/* Sorts the names; sets the majors to ranks, which equal names share. */
static void frame_table_rank_names(struct frame_table *t, struct name *names,
				   size_t count, struct row *rows,
				   size_t row_count)
{
	uint32_t *rank_of = xmalloc(count * sizeof(*rank_of));

	name_sort(names, count);
	t->names = xmalloc(count * sizeof(*t->names));
	for (size_t i = 0; i < count; i++) {
		const struct name *n = &names[i];

		if (i == 0 || n->shared != n->len || n->len != n[-1].len)
			t->names[t->name_count++] = (struct label_name){
				n->text, n->len, n->shared
			};
		rank_of[n->item] = (uint32_t)t->name_count - 1;
	}
	for (size_t i = 0; i < row_count; i++)
		rows[i].major = rank_of[rows[i].major];
	free(rank_of);
}

static void frame_table_label_rows(struct frame_table *t,
				   const struct profile *p,
				   const struct row *rows, size_t count)
{
	t->labels = xmalloc(count * sizeof(*t->labels));
	for (size_t i = 0; i < count; i++) {
		const struct row *r = &rows[i];

		if (i == 0 || r->major != r[-1].major ||
		    r->minor != r[-1].minor) {
			struct frame f = frame_table_item(p, r->item);

			t->labels[t->label_count++] = (struct frame_label){
				.name = r->major,
				.line = f.line,
				.kind = f.kind,
			};
		}
		t->label_of[r->item] = (uint32_t)t->label_count - 1;
	}
}

void frame_table_init(struct frame_table *t, const struct profile *p,
		      const uint8_t *used, const struct frame_naming *how)
{
	size_t ids = p->frame_count + 1;
	size_t count, name_count;
	struct row *rows = frame_table_rows_of_frames(p, used, &count);
	struct name *names = xmalloc(count * sizeof(*names));

	*t = (struct frame_table){ 0 };
	t->label_of = xmalloc(ids * sizeof(*t->label_of));
	memset(t->label_of, 0xff, ids * sizeof(*t->label_of));
	name_count = frame_table_write_names(t, p, rows, count, how, names);
	frame_table_point_names(t, names, name_count);
	frame_table_rank_names(t, names, name_count, rows, count);
	row_sort(rows, count);
	frame_table_label_rows(t, p, rows, count);
	free(names);
	free(rows);
}

void frame_table_release(struct frame_table *t)
{
	free(t->label_of);
	free(t->labels);
	free(t->names);
	text_release(&t->text);
	*t = (struct frame_table){ 0 };
}
