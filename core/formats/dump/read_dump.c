/* SPDX-License-Identifier: Apache-2.0 */
/* read_dump: detects the dialect of thread dumps in text form. */
#include "core/formats/reader.h"

#include <string.h>

static const struct reader *const dialects[] = {
	&dump_to_file_dialect,
	&javacore_dialect,
	&hotspot_dialect,
	NULL,
};

static bool dump_sniff(const uint8_t *head, size_t len)
{
	if (memchr(head, '\0', len))
		return false;
	for (size_t i = 0; dialects[i]; i++) {
		if (dialects[i]->sniff(head, len))
			return true;
	}
	return false;
}

/*
 * Only a log has dumps anywhere; files of the other dialects begin with them.
 */
static bool dump_look(const uint8_t *text, size_t len)
{
	return hotspot_dialect.sniff(text, len);
}

static int dump_read(const uint8_t *bytes, size_t len, struct profile *p,
		     struct error *err)
{
	size_t head = len < READER_HEAD ? len : READER_HEAD;

	/* A dump in the middle of a log is HotSpot's. */
	for (size_t i = 0; dialects[i]; i++) {
		if (dialects[i]->sniff(bytes, head))
			return dialects[i]->read(bytes, len, p, err);
	}
	return hotspot_dialect.read(bytes, len, p, err);
}

const struct reader dump_reader = {
	.name = "jstack",
	.summary = "thread dumps of jstack, jcmd, kill -3 and similar tools",
	.sniff = dump_sniff,
	.look = dump_look,
	.read = dump_read,
};
