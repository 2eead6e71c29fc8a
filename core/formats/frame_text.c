/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/frame_text.h"

#include "core/base/ascii.h"
#include "core/profile/java_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LINE_DIGITS 9 /* longer numbers are not line numbers */

struct name {
	const char *text;
	size_t len;
};

static bool char_is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool char_is_lower(char c) { return c >= 'a' && c <= 'z'; }

static bool name_contains(struct name n, const char *what)
{
	return memmem(n.text, n.len, what, strlen(what)) != NULL;
}

static bool name_equals(struct name n, const char *what)
{
	return n.len == strlen(what) && memcmp(n.text, what, n.len) == 0;
}

/* Removes a suffix such as _[j] and sets kind, which stays if there is none. */
static void name_cut_suffix(struct name *n, enum frame_kind *kind)
{
	static const struct {
		char letter;
		enum frame_kind kind;
	} suffixes[] = {
		{ '0', FRAME_INTERPRETED }, { '1', FRAME_C1 },
		{ 'j', FRAME_JIT },         { 'i', FRAME_INLINED },
		{ 'k', FRAME_KERNEL },
	};
	const char *at = n->text + n->len - 4;

	if (n->len < 5 || at[0] != '_' || at[1] != '[' || at[3] != ']')
		return;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (suffixes[i].letter == at[2]) {
			*kind = suffixes[i].kind;
			n->len -= 4;
		}
	}
}

/* Removes :LINE and returns the number, or 0. */
static uint32_t name_cut_line(struct name *n)
{
	size_t end = n->len;
	uint32_t line = 0;

	while (end && is_digit(n->text[end - 1]))
		end--;
	if (end < 2 || end == n->len || n->len - end > LINE_DIGITS ||
	    n->text[end - 1] != ':')
		return 0;
	for (size_t i = end; i < n->len; i++)
		line = line * 10 + (uint32_t)(n->text[i] - '0');
	if (line)
		n->len = end - 1;
	return line;
}

/* Splits at the last dot; false if the name is not a Java method's. */
static bool name_split_java(struct name n, struct name *class_name,
			    struct name *method)
{
	/* foo.cold is a part of a C function, libjvm.so a library. */
	static const char *const never[] = { "so", "cold" };
	const char *dot = memrchr(n.text, '.', n.len);

	for (size_t i = 0; i < n.len; i++) {
		if ((unsigned char)n.text[i] <= ' ' ||
		    strchr("()[]{}:,*&~@=\"", n.text[i]))
			return false;
	}
	if (!dot || dot == n.text || dot + 1 == n.text + n.len)
		return false;
	*class_name = (struct name){ n.text, (size_t)(dot - n.text) };
	*method = (struct name){ dot + 1, n.len - class_name->len - 1 };
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++) {
		if (name_equals(*method, never[i]))
			return false;
	}
	return !is_digit(method->text[0]);
}

/* True for java.util.List: a package, and a class in the place of a method. */
static bool name_is_class(struct name class_name, struct name method)
{
	size_t last = class_name.len;

	while (last && class_name.text[last - 1] != '.' &&
	       class_name.text[last - 1] != '/')
		last--;
	return char_is_upper(method.text[0]) && last < class_name.len &&
	       char_is_lower(class_name.text[last]);
}

/* Returns the name without its trailing "[]". */
static struct name name_element(struct name n)
{
	while (n.len > 2 && memcmp(n.text + n.len - 2, "[]", 2) == 0)
		n.len -= 2;
	return n;
}

static bool name_is_primitive(struct name n)
{
	static const char *const names[] = {
		"byte", "char", "double", "float",
		"int",  "long", "short",  "boolean"
	};
	bool is = false;

	for (size_t i = 0; !is && i < sizeof(names) / sizeof(*names); i++)
		is = name_equals(n, names[i]);
	return is;
}

/*
 * True for byte[] and a.B[], which are array classes, not functions. A class
 * without a package, Order_[i], is recognized by its mark: methods with this
 * mark have a class, and functions never have it.
 */
static bool name_is_plain_class(struct name n, enum frame_kind kind)
{
	struct name e = name_element(n), class_name, method;
	bool is_array = e.len < n.len;

	if (is_array && name_is_primitive(e))
		return true;
	if (memchr(e.text, '.', e.len))
		return is_array && name_split_java(e, &class_name, &method);
	return kind == FRAME_INLINED && char_is_upper(e.text[0]) &&
	       !name_contains(e, "::") && !memchr(e.text, '(', e.len);
}

/* The mark tells how the object was allocated, not how a frame ran. */
static uint32_t name_class_frame(struct profile *p, struct name n)
{
	struct frame f = {
		.class_name = java_class_name(p, n.text, n.len),
		.kind = FRAME_CLASS,
	};

	return profile_frame(p, &f);
}

static enum frame_kind name_guess_kind(struct name n)
{
	static const char cut[] = "[truncated";

	if (n.text[0] == '[') {
		/* The reason may follow. */
		if (name_equals(n, "[unknown]") ||
		    (n.len >= sizeof(cut) &&
		     memcmp(n.text, cut, sizeof(cut) - 1) == 0))
			return FRAME_SYNTHETIC;
		/* The root frame of a thread. */
		return name_contains(n, " tid=") ? FRAME_SYNTHETIC
						 : FRAME_NATIVE;
	}
	return name_contains(n, "::") ? FRAME_CPP : FRAME_NATIVE;
}

uint32_t frame_text_id(struct profile *p, const char *text, size_t len,
		       uint32_t line)
{
	struct name n = { text, len };
	struct name class_name, method;
	struct frame f = { .kind = FRAME_KINDS };
	uint32_t named_line;
	bool is_java;

	if (!len)
		n = (struct name){ "[unknown]", strlen("[unknown]") };
	name_cut_suffix(&n, &f.kind);
	method = n;
	named_line = name_cut_line(&method);
	is_java = name_split_java(method, &class_name, &method);
	if (is_java && name_is_class(class_name, method)) {
		class_name.len += 1 + method.len;
		return name_class_frame(p, class_name);
	}
	if (is_java && f.kind != FRAME_KERNEL) {
		if (p->keep_lines)
			f.line = line ? line : named_line;
		if (f.kind == FRAME_KINDS)
			f.kind = FRAME_JAVA;
		f.class_name = java_class_name(p, class_name.text,
					       class_name.len);
		f.method = profile_string(p, method.text, method.len);
		return profile_frame(p, &f);
	}
	if (name_is_plain_class(n, f.kind))
		return name_class_frame(p, n);
	if (f.kind == FRAME_KINDS)
		f.kind = name_guess_kind(n);
	f.method = profile_string(p, n.text, n.len);
	return profile_frame(p, &f);
}

uint32_t frame_text_at_line(struct profile *p, uint32_t frame, uint32_t line)
{
	struct frame f = p->frames[frame];

	/* As in frame_text_id(), only Java methods have lines. */
	if (!line || !p->keep_lines || !f.class_name || !f.method)
		return frame;
	f.line = line;
	return profile_frame(p, &f);
}

#define FILE_NAME_MAX 253 /* bytes; limits.h has NAME_MAX, 255 */
#define FILE_PATH_MAX 4096

uint32_t frame_text_of_file(struct profile *p, struct line path)
{
	char name[FILE_NAME_MAX + 3];
	const char *slash;
	int len;

	if (!path.len || path.len > FILE_PATH_MAX)
		return frame_text_id(p, "", 0, 0);
	slash = memrchr(path.text, '/', path.len);
	if (slash) {
		path.len -= (size_t)(slash + 1 - path.text);
		path.text = slash + 1;
	}
	if (!path.len || path.len > FILE_NAME_MAX)
		return frame_text_id(p, "", 0, 0);
	if (path.text[0] == '[')
		return frame_text_id(p, path.text, path.len, 0);
	len = snprintf(name, sizeof(name), "[%.*s]", (int)path.len, path.text);
	return frame_text_id(p, name, (size_t)len, 0);
}
