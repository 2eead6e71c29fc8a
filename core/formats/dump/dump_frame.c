/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/dump/dump_frame.h"

#include "core/base/ascii.h"
#include "core/base/lines.h"
#include "core/profile/java_name.h"

#include <string.h>

static const char native_method[] = "Native Method";

/* A frame's text in its parts; the place is what the parentheses hold. */
struct frame_text {
	struct line name;
	struct line place;
};

/* Where needle is in the line, or NULL. */
static const char *find(struct line line, const char *needle)
{
	return memmem(line.text, line.len, needle, strlen(needle));
}

/*
 * Splits "name(place)": the place begins at the parenthesis that matches the
 * last character.
 */
static bool split(const char *text, size_t len, struct frame_text *out)
{
	size_t depth = 0;
	size_t at = len;

	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		at = --len;
	if (!len || text[len - 1] != ')')
		return false;
	while (at--) {
		if (text[at] == ')')
			depth++;
		else if (text[at] == '(' && --depth == 0)
			break;
	}
	if (depth || at == 0 || at == SIZE_MAX || text[at - 1] == ' ')
		return false;
	out->name = (struct line){ text, at };
	out->place = (struct line){ text + at + 1, len - at - 2 };
	return true;
}

/*
 * Cuts "java.base@17/", "app//" and the like from before a class name.  A
 * slash with a digit after it is another thing: it belongs to the name of a
 * hidden class, Foo$$Lambda/0x0000000091047d20 or, up to JDK 8,
 * Foo$$Lambda$7/1149319664.
 */
static struct line without_module(struct line name)
{
	size_t from = 0;

	for (size_t i = 0; i + 1 < name.len; i++) {
		if (name.text[i] != '/')
			continue;
		if (is_digit(name.text[i + 1]))
			break;
		from = i + 1;
	}
	return (struct line){ name.text + from, name.len - from };
}

/* Cuts the number from the name of a hidden class. */
static size_t without_number(const char *class_name, size_t len)
{
	for (size_t i = 1; i + 1 < len; i++) {
		if (class_name[i] == '/' && is_digit(class_name[i + 1]))
			return i;
	}
	return len;
}

static void set_name(struct profile *p, struct line name, bool dotted,
		     struct frame *f)
{
	const char *dot = memrchr(name.text, '.', name.len);
	const char *method = dot ? dot + 1 : name.text;
	size_t class_len = dot ? (size_t)(dot - name.text) : 0;

	if (dotted)
		class_len = without_number(name.text, class_len);
	f->class_name = java_class_name(p, name.text, class_len);
	f->method = profile_string(p, method,
				   (size_t)(name.text + name.len - method));
}

/* The number after the last ':' of a place, "Thread.java:840". */
static uint32_t line_of(struct line place)
{
	const char *colon = memrchr(place.text, ':', place.len);
	const char *end = place.text + place.len;
	uint32_t line = 0;

	if (!colon || end - colon > 9)
		return 0;
	for (const char *at = colon + 1; at < end; at++) {
		if (!is_digit(*at))
			return 0;
		line = line * 10 + (uint32_t)(*at - '0');
	}
	return line;
}

/* The number that follows a word such as " line=". */
static uint32_t line_after(struct line text, const char *word)
{
	const char *at = find(text, word);
	const char *end = text.text + text.len;
	uint32_t line = 0;

	if (!at)
		return 0;
	at += strlen(word);
	for (size_t i = 0; i < 8 && at < end && is_digit(*at); i++)
		line = line * 10 + (uint32_t)(*at++ - '0');
	return line;
}

static bool parse_java(struct profile *p, struct line text, struct frame *f)
{
	struct frame_text parts;

	if (!split(text.text, text.len, &parts))
		return false;
	*f = (struct frame){ .kind = FRAME_JAVA };
	set_name(p, without_module(parts.name), true, f);
	if (line_ends(parts.place, native_method))
		f->kind = FRAME_NATIVE;
	else
		f->line = line_of(parts.place);
	return true;
}

/*
 * The place may be followed by how the frame ran, "(Compiled Code)" or
 * "(Inlined Compiled Code)", inside the outer parentheses; "Bytecode PC:12"
 * is no line.
 */
static bool parse_j9(struct profile *p, struct line text, struct frame *f)
{
	struct frame_text parts;
	struct frame_text inner;

	if (!split(text.text, text.len, &parts))
		return false;
	*f = (struct frame){ .kind = FRAME_JAVA };
	set_name(p, parts.name, false, f);
	if (split(parts.place.text, parts.place.len, &inner)) {
		if (line_starts(inner.place, "Inlined"))
			f->kind = FRAME_INLINED;
		else if (find(inner.place, "Compiled"))
			f->kind = FRAME_JIT;
		parts.place = inner.name;
	}
	if (line_ends(parts.place, native_method))
		f->kind = FRAME_NATIVE;
	else if (!line_starts(parts.place, "Bytecode PC"))
		f->line = line_of(parts.place);
	return true;
}

static enum frame_kind sa_kind(struct line text)
{
	if (find(text, "(Interpreted frame"))
		return FRAME_INTERPRETED;
	if (find(text, "(Compiled frame"))
		return FRAME_JIT;
	return FRAME_JAVA;
}

static bool parse_sa(struct profile *p, struct line text, struct frame *f)
{
	const char *bci = find(text, " @bci=");
	struct frame_text parts;

	if (!bci || !split(text.text, (size_t)(bci - text.text), &parts))
		return false;
	*f = (struct frame){
		.kind = sa_kind(text),
		.line = line_after(text, ", line="),
	};
	set_name(p, without_module(parts.name), true, f);
	return true;
}

/* A Java frame is marked by a star: "0x… * a.B.c(int) bci:1 line:2 (…)". */
static bool parse_mixed(struct profile *p, struct line text, struct frame *f)
{
	const char *end = text.text + text.len;
	const char *at = memchr(text.text, '\t', text.len);
	struct frame_text parts;
	const char *bci;

	if (!at || !line_starts(text, "0x"))
		return false;
	at++;
	text = (struct line){ at, (size_t)(end - at) };
	if (!line_starts(text, "* ")) {
		const char *plus = find(text, " + 0x");

		*f = (struct frame){ .kind = FRAME_NATIVE };
		f->method = profile_string(
			p, at, plus ? (size_t)(plus - at) : text.len);
		return text.len != 0;
	}
	text.text += 2;
	text.len -= 2;
	bci = find(text, " bci:");
	if (!bci || !split(text.text, (size_t)(bci - text.text), &parts))
		return false;
	*f = (struct frame){
		.kind = sa_kind(text),
		.line = line_after(text, " line:"),
	};
	set_name(p, without_module(parts.name), true, f);
	return true;
}

static bool (*const parse[])(struct profile *p, struct line text,
			     struct frame *f) = {
	[DUMP_FRAME_JAVA] = parse_java,
	[DUMP_FRAME_J9] = parse_j9,
	[DUMP_FRAME_SA] = parse_sa,
	[DUMP_FRAME_MIXED] = parse_mixed,
};

bool dump_frame_parse(struct profile *p, enum dump_frame_form form,
		      const char *text, size_t len, struct frame *f)
{
	if (!parse[form](p, (struct line){ text, len }, f))
		return false;
	if (!p->keep_lines)
		f->line = 0;
	return true;
}
