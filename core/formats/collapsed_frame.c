/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/collapsed_frame.h"

#include "core/base/ascii.h"
#include "core/profile/java_name.h"

#include <stdbool.h>
#include <string.h>

#define LINE_DIGITS 9 /* more are no line number */

struct name {
	const char *text;
	size_t len;
};

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

static bool contains(struct name n, const char *what)
{
	return memmem(n.text, n.len, what, strlen(what)) != NULL;
}

static bool equals(struct name n, const char *what)
{
	return n.len == strlen(what) && memcmp(n.text, what, n.len) == 0;
}

/* Takes a suffix such as _[j] off; kind stays when there is none. */
static void take_suffix(struct name *n, enum frame_kind *kind)
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

/* Takes :LINE off and gives it, or 0. */
static uint32_t take_line(struct name *n)
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

/* Splits at the last dot; false when that does not look like Java. */
static bool split_java(struct name n, struct name *class_name,
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
		if (equals(*method, never[i]))
			return false;
	}
	return !is_digit(method->text[0]);
}

/* java.util.List: a package, then what should be a method but is a class. */
static bool is_class_alone(struct name class_name, struct name method)
{
	size_t last = class_name.len;

	while (last && class_name.text[last - 1] != '.' &&
	       class_name.text[last - 1] != '/')
		last--;
	return is_upper(method.text[0]) && last < class_name.len &&
	       is_lower(class_name.text[last]);
}

/* The name without "[]" at its end, however many dimensions it has. */
static struct name element(struct name n)
{
	while (n.len > 2 && memcmp(n.text + n.len - 2, "[]", 2) == 0)
		n.len -= 2;
	return n;
}

static bool is_primitive(struct name n)
{
	static const char *const names[] = {
		"byte", "char", "double", "float",
		"int",  "long", "short",  "boolean"
	};
	bool is = false;

	for (size_t i = 0; !is && i < sizeof(names) / sizeof(*names); i++)
		is = equals(n, names[i]);
	return is;
}

/*
 * byte[], a.B[]: an array's class, which no function is called.  A class that
 * has no package, Order_[i], is told by its mark: of frames with this mark,
 * methods have a class and functions none.
 */
static bool is_plain_class(struct name n, enum frame_kind kind)
{
	struct name e = element(n), class_name, method;
	bool is_array = e.len < n.len;

	if (is_array && is_primitive(e))
		return true;
	if (memchr(e.text, '.', e.len))
		return is_array && split_java(e, &class_name, &method);
	return kind == FRAME_INLINED && is_upper(e.text[0]) &&
	       !contains(e, "::") && !memchr(e.text, '(', e.len);
}

/* How it was allocated, _[i] or _[k], is no kind of frame. */
static uint32_t class_frame(struct profile *p, struct name n)
{
	struct frame f = {
		.class_name = java_class_name(p, n.text, n.len),
		.kind = FRAME_CLASS,
	};

	return profile_frame(p, &f);
}

static enum frame_kind kind_by_looks(struct name n)
{
	static const char cut[] = "[truncated";

	if (n.text[0] == '[') {
		/* Behind it may stand why. */
		if (equals(n, "[unknown]") ||
		    (n.len >= sizeof(cut) &&
		     memcmp(n.text, cut, sizeof(cut) - 1) == 0))
			return FRAME_SYNTHETIC;
		/* The root frame that stands for a thread. */
		return contains(n, " tid=") ? FRAME_SYNTHETIC : FRAME_NATIVE;
	}
	return contains(n, "::") ? FRAME_CPP : FRAME_NATIVE;
}

uint32_t collapsed_frame(struct profile *p, const char *text, size_t len)
{
	struct name n = { text, len };
	struct name class_name, method;
	struct frame f = { .kind = FRAME_KINDS };
	uint32_t line;
	bool is_java;

	if (!len)
		n = (struct name){ "[unknown]", strlen("[unknown]") };
	take_suffix(&n, &f.kind);
	method = n;
	line = take_line(&method);
	is_java = split_java(method, &class_name, &method);
	if (is_java && is_class_alone(class_name, method)) {
		class_name.len += 1 + method.len;
		return class_frame(p, class_name);
	}
	if (is_java && f.kind != FRAME_KERNEL) {
		if (p->keep_lines)
			f.line = line;
		if (f.kind == FRAME_KINDS)
			f.kind = FRAME_JAVA;
		f.class_name = java_class_name(p, class_name.text,
					       class_name.len);
		f.method = profile_string(p, method.text, method.len);
		return profile_frame(p, &f);
	}
	if (is_plain_class(n, f.kind))
		return class_frame(p, n);
	if (f.kind == FRAME_KINDS)
		f.kind = kind_by_looks(n);
	f.method = profile_string(p, n.text, n.len);
	return profile_frame(p, &f);
}
