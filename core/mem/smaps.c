/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/smaps.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/saturate.h"
#include "core/jvm/procfs_lines.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAPPINGS_MOST = 1 << 20,
	/* Bytes of the lines with addresses: the kernel makes them slowly. */
	LINES_MOST = 16 << 20,
};
#define TEXT_MOST ((size_t)1 << 30)

/* Parses "        12 kB"; 0 if it is malformed. */
static uint64_t line_bytes(struct line line)
{
	uint64_t kb = 0;

	line = line_trimmed(line);
	for (size_t i = 0; i < line.len && is_digit(line.text[i]); i++) {
		if (kb > UINT64_MAX / 1024 / 100)
			return 0;
		kb = kb * 10 + (unsigned)(line.text[i] - '0');
	}
	return kb * 1024;
}

static const struct smaps_field {
	const char *name;
	size_t offset;
} fields[] = {
	{ "Rss:", offsetof(struct smap, resident) },
	{ "Pss:", offsetof(struct smap, pss) },
	{ "Swap:", offsetof(struct smap, swapped) },
	{ "AnonHugePages:", offsetof(struct smap, huge) },
	{ "ShmemPmdMapped:", offsetof(struct smap, huge) },
	{ "Shared_Hugetlb:", offsetof(struct smap, hugetlb) },
	{ "Private_Hugetlb:", offsetof(struct smap, hugetlb) },
};

static bool flags_have(struct line flags, const char *name)
{
	while (flags.len) {
		if (line_is(line_cut(&flags, ' '), name))
			return true;
	}
	return false;
}

static void smap_add_field(struct smap *s, struct line line)
{
	static const char flags[] = "VmFlags:";

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const struct smaps_field *f = &fields[i];
		size_t len;
		uint64_t *value;

		/* Most lines differ in the first character. */
		if (!line.len || *line.text != *f->name ||
		    !line_starts(line, f->name))
			continue;
		len = strlen(f->name);
		value = (void *)((char *)s + f->offset);
		*value = saturate_add(
			*value, line_bytes((struct line){ line.text + len,
							  line.len - len }));
		return;
	}
	if (line_starts(line, flags)) {
		line.text += sizeof(flags) - 1;
		line.len -= sizeof(flags) - 1;
		s->has_no_huge = flags_have(line, "nh");
	}
}

/* Names of fields begin with an uppercase letter, addresses do not. */
static bool line_is_mapping(struct line line)
{
	return line.len && (is_digit(*line.text) ||
			    (*line.text >= 'a' && *line.text <= 'f'));
}

static void smaps_add_mapping(struct smaps *s, struct line line)
{
	struct mappings *m = &s->mappings;

	s->has_last = false;
	s->line_bytes += line.len;
	s->is_cut = m->count == MAPPINGS_MOST || s->line_bytes > LINES_MOST;
	if (s->is_cut || !mappings_add_line(m, line))
		return;
	array_reserve(s->all, s->cap, m->count);
	s->all[m->count - 1] = (struct smap){ 0 };
	s->has_last = true;
}

bool smaps_parse(void *to, const char *text, size_t len)
{
	struct lines lines = lines_over(text, len);
	struct smaps *s = to;
	struct line line;

	while (!s->is_cut && lines_next(&lines, &line)) {
		if (line_is_mapping(line))
			smaps_add_mapping(s, line);
		else if (s->has_last)
			smap_add_field(&s->all[s->mappings.count - 1], line);
	}
	return !s->is_cut;
}

int smaps_read(struct smaps *s, const struct jvm *jvm, struct error *err)
{
	if (procfs_lines(jvm->pid, "smaps", TEXT_MOST, smaps_parse, s, err))
		return -1;
	/* Another process may have the PID; a dead one has no mappings. */
	if (!jvm_runs(jvm) || !s->mappings.count)
		return jvm_fail_ended(jvm, err);
	return 0;
}

void smaps_release(struct smaps *s)
{
	mappings_release(&s->mappings);
	free(s->all);
	*s = (struct smaps){ 0 };
}

bool smaps_is_anonymous(const struct mapping *m)
{
	/* prctl(PR_SET_VMA_ANON_NAME) gives names. */
	return !m->inode && (!*m->path || strncmp(m->path, "[anon:", 6) == 0);
}
