/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/frame_name.h"

#include "core/base/ascii.h"
#include "core/base/safe_text.h"

#include <inttypes.h>
#include <string.h>

static const char *const annotations[FRAME_KINDS] = {
	[FRAME_INTERPRETED] = "_[0]",
	[FRAME_C1] = "_[1]",
	[FRAME_JIT] = "_[j]",
	[FRAME_INLINED] = "_[i]",
	[FRAME_KERNEL] = "_[k]",
	/* async-profiler's mark for classes (frameName.cpp, BCI_ALLOC). */
	[FRAME_CLASS] = "_[i]",
};

/* Maximum number of an array's dimensions (JVMS 4.3.2). */
enum { ARRAY_MOST = 255 };
/* Bytes of the end of a name that is shortened: its innermost class. */
enum { NAME_END = FRAME_NAME_SHOWN / 3 };

/* Returns true in the middle of a character of UTF-8. */
static bool byte_continues(char byte) { return (byte & 0xc0) == 0x80; }

/* Appends a name, made safe, as far as the profile, or NULL, shows it. */
static void name_put(struct text *out, const struct profile *p,
		     const char *name, size_t len)
{
	size_t begin = FRAME_NAME_SHOWN - NAME_END, end = len - NAME_END;

	if (!p || !p->shortens || len <= FRAME_NAME_SHOWN) {
		safe_text(out, name, len);
		return;
	}
	while (begin && byte_continues(name[begin]))
		begin--;
	while (end < len && byte_continues(name[end]))
		end++;
	safe_text(out, name, begin);
	text_puts(out, "…");
	safe_text(out, name + end, len - end);
}

/* Returns the name of a primitive type's descriptor (JVMS 4.3.2), or NULL. */
static const char *name_primitive(char descriptor)
{
	static const struct {
		char descriptor;
		const char *name;
	} types[] = {
		{ 'B', "byte" },  { 'C', "char" },    { 'D', "double" },
		{ 'F', "float" }, { 'I', "int" },     { 'J', "long" },
		{ 'S', "short" }, { 'Z', "boolean" },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (types[i].descriptor == descriptor)
			return types[i].name;
	}
	return NULL;
}

/* Appends a class name, without its package if simple. */
static void name_put_class(struct text *out, const struct profile *p,
			   const char *name, size_t len, bool simple)
{
	const char *dot = simple ? memrchr(name, '.', len) : NULL;

	/* A trailing dot belongs to a name that no compiler generates. */
	if (dot && dot + 1 < name + len) {
		len -= (size_t)(dot + 1 - name);
		name = dot + 1;
	}
	name_put(out, p, name, len);
}

/*
 * Appends the class of an array as Java writes it: [[I is int[][]. False, and
 * nothing appended, if name is not an array descriptor.
 */
static bool name_put_array(struct text *out, const struct profile *p,
			   const char *name, size_t len, bool simple)
{
	size_t depth = strspn(name, "[");

	if (!depth || depth == len || depth > ARRAY_MOST)
		return false;
	if (name[depth] == 'L' && len > depth + 2 && name[len - 1] == ';')
		name_put_class(out, p, name + depth + 1, len - depth - 2,
			       simple);
	else if (depth + 1 == len && name_primitive(name[depth]))
		text_puts(out, name_primitive(name[depth]));
	else
		return false;
	while (depth--)
		text_puts(out, "[]");
	return true;
}

/* Appends a class of a descriptor, whose name has slashes. */
static void name_put_slashed(struct text *out, const char *name, size_t len,
			     bool simple)
{
	struct text dotted = { 0 };

	text_add(&dotted, name, len);
	for (size_t i = 0; i < dotted.len; i++) {
		if (dotted.bytes[i] == '/')
			dotted.bytes[i] = '.';
	}
	name_put_class(out, NULL, dotted.bytes, dotted.len, simple);
	text_release(&dotted);
}

/* Appends the type at the start; returns its length, 0 if it is invalid. */
static size_t name_put_type(struct text *out, const char *at, size_t len,
			    bool simple)
{
	size_t depth = 0, used;

	while (depth < len && at[depth] == '[')
		depth++;
	if (depth == len)
		return 0;
	used = depth + 1;
	if (at[depth] == 'L') {
		const char *end = memchr(at + depth, ';', len - depth);

		if (!end || end == at + depth + 1)
			return 0;
		used = (size_t)(end - at) + 1;
		name_put_slashed(out, at + depth + 1, used - depth - 2, simple);
	} else if (name_primitive(at[depth])) {
		text_puts(out, name_primitive(at[depth]));
	} else {
		return 0;
	}
	while (depth--)
		text_puts(out, "[]");
	return used;
}

bool frame_parameters(struct text *out, const char *descriptor, size_t len,
		      bool simple)
{
	struct text list = { 0 };
	size_t at = 1, used;

	if (!len || descriptor[0] != '(')
		return false;
	text_putc(&list, '(');
	while (at < len && descriptor[at] != ')') {
		if (at > 1)
			text_puts(&list, ", ");
		used = name_put_type(&list, descriptor + at, len - at, simple);
		if (!used)
			break;
		at += used;
	}
	text_putc(&list, ')');
	if (at < len && descriptor[at] == ')')
		text_add(out, list.bytes, list.len);
	else
		at = len;
	text_release(&list);
	return at < len;
}

static void name_put_string(struct text *out, const struct profile *p,
			    uint32_t string)
{
	name_put(out, p, profile_text(p, string),
		 intern_len(&p->strings, string));
}

void frame_name(struct text *out, const struct profile *p,
		const struct frame *f, const struct style *style)
{
	const char *class_name = profile_text(p, f->class_name);
	size_t len = intern_len(&p->strings, f->class_name);

	if (len && !name_put_array(out, p, class_name, len, style->simple))
		name_put_class(out, p, class_name, len, style->simple);
	/* An allocated class has no method. */
	if (len && f->method)
		text_putc(out, '.');
	name_put_string(out, p, f->method);
	if (!len && !f->method)
		text_puts(out, "[unknown]");
	if (style->lines && f->line)
		text_printf(out, ":%" PRIu32, f->line);
	if (style->annotate && annotations[f->kind])
		text_puts(out, annotations[f->kind]);
}

void thread_frame_name(struct text *out, const struct profile *p,
		       uint32_t thread)
{
	const struct thread *t = &p->threads[thread];
	int64_t id = t->os_id ? t->os_id : t->java_id;

	text_putc(out, '[');
	if (t->name)
		name_put_string(out, p, t->name);
	else
		text_puts(out, id ? "unnamed" : "no thread");
	if (id)
		text_printf(out, " tid=%" PRId64, id);
	text_putc(out, ']');
}

/* a.b.Outer$Inner is in Outer.java. */
static void place_put_file(struct text *out, const struct profile *p,
			   const char *class_name)
{
	const char *dot = strrchr(class_name, '.');
	const char *base = dot ? dot + 1 : class_name;

	name_put(out, p, base, strcspn(base, "$"));
	text_puts(out, ".java");
}

void frame_place_name(struct text *out, const struct profile *p,
		      const struct frame *f)
{
	static const struct style style = { 0 };

	frame_name(out, p, f, &style);
	if (!f->class_name || !f->method)
		return;
	if (f->kind == FRAME_NATIVE) {
		text_puts(out, "(Native Method)");
		return;
	}
	text_putc(out, '(');
	if (f->source)
		name_put_string(out, p, f->source);
	else if (p->keep_exact && !f->line)
		text_puts(out, "Unknown Source");
	else
		place_put_file(out, p, profile_text(p, f->class_name));
	if (f->line)
		text_printf(out, ":%" PRIu32, f->line);
	text_putc(out, ')');
}

bool frame_is_java_call(const struct frame *f)
{
	return f->class_name && f->method && f->kind != FRAME_CPP &&
	       f->kind != FRAME_KERNEL && f->kind != FRAME_CLASS &&
	       f->kind != FRAME_SYNTHETIC;
}

bool frame_is_jdk(const struct profile *p, const struct frame *f)
{
	return frame_is_java_call(f) &&
	       has_any(profile_text(p, f->class_name),
		       "java.|javax.|jdk.|sun.|com.sun.", true);
}

bool frame_is_application(const struct profile *p, const struct frame *f)
{
	return frame_is_java_call(f) && !frame_is_jdk(p, f);
}
