/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/shared/vm_flags.h"

#include <string.h>

/*
 * The last words of a flag's kind, as in "{C2 product}" and "{product rw}".
 * Origins, such as "{command line}", have none of them.
 */
static const char *const kind_words[] = {
	"product}",      "manageable}", "diagnostic}", "rw}",
	"experimental}", "commercial}", "develop}",
};

/* Removes the group in braces at the end of *value. Returns its length. */
static size_t vm_flag_cut_group(struct line *value)
{
	const char *end = value->text + value->len;

	if (!line_ends(*value, "}"))
		return 0;
	while (value->len && value->text[value->len - 1] != '{')
		value->len--;
	if (value->len)
		value->len--;
	return (size_t)(end - value->text) - value->len;
}

/*
 * Removes "{product} {ergonomic}" from the end of a value and returns it; of
 * JDK 8, which prints no origin, "{product}". The value itself may end with
 * "}".
 */
static struct line vm_flag_cut_origin(struct line *value)
{
	struct line whole = *value, origin;
	bool is_kind = false;

	for (size_t i = 0; i < sizeof(kind_words) / sizeof(*kind_words); i++)
		is_kind |= line_ends(whole, kind_words[i]);
	if (vm_flag_cut_group(value) && !is_kind) {
		*value = line_trimmed(*value);
		vm_flag_cut_group(value);
	}
	origin = (struct line){ value->text + value->len,
				whole.len - value->len };
	*value = line_trimmed(*value);
	return origin;
}

/*
 * The line is "     bool UseG1GC      = true      {product} {ergonomic}" or, of
 * JDK 8, "    uintx MaxHeapSize := 134217728 {product}".
 */
bool vm_flag_read(struct line line, struct vm_flag *f)
{
	const char *end, *name, *sign;

	line = line_trimmed(line);
	end = line.text + line.len;
	name = memchr(line.text, ' ', line.len);
	sign = memchr(line.text, '=', line.len);
	if (!name || !sign || sign < name)
		return false;
	f->is_changed = sign > name && sign[-1] == ':';
	f->name = line_trimmed(
		(struct line){ name, (size_t)(sign - name) - f->is_changed });
	f->value = line_trimmed(
		(struct line){ sign + 1, (size_t)(end - sign - 1) });
	f->origin = vm_flag_cut_origin(&f->value);
	return f->name.len > 0;
}

struct line vm_flag_value(const struct text *flags, const char *name)
{
	struct lines lines = lines_over(flags->bytes, flags->len);
	struct line line;
	struct vm_flag f;

	while (lines_next(&lines, &line))
		if (vm_flag_read(line, &f) && line_is(f.name, name))
			return f.value;
	return (struct line){ "", 0 };
}

/*
 * CMS comes before ParNew: a JVM with CMS has both flags. The objects that
 * histograms count were tried with each collector of JDK 8, 11, 17, 21, 25 and
 * 28.
 */
static const struct {
	const char *flag;
	struct vm_collector collector;
} collectors[] = {
	{ "UseConcMarkSweepGC", { .name = "CMS" } },
	{ "UseG1GC", { .name = "G1" } },
	{ "UseParallelGC", { .name = "Parallel" } },
	{ "UseSerialGC", { .name = "Serial" } },
	{ "UseZGC", { .name = "ZGC", .counts_reachable_only = true } },
	{ "UseShenandoahGC",
	  { .name = "Shenandoah", .counts_reachable_only = true } },
	{ "UseEpsilonGC", { .name = "Epsilon", .never_collects = true } },
	{ "UseParNewGC", { .name = "ParNew" } },
};

const struct vm_collector *vm_collector_of(const struct text *flags)
{
	for (size_t i = 0; i < sizeof(collectors) / sizeof(*collectors); i++)
		if (line_is(vm_flag_value(flags, collectors[i].flag), "true"))
			return &collectors[i].collector;
	return NULL;
}
