/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/reader.h"

#include "core/base/text.h"
#include "core/profile/readers.h"

#include <string.h>

const struct reader *const readers[] = {
	&jfr_reader,  &nps_reader,       &dump_json_reader,
	&dump_reader, &collapsed_reader, NULL,
};

static int unknown_format(const char *name, struct error *err)
{
	struct text known = { 0 };

	for (size_t i = 0; readers[i]; i++)
		text_printf(&known, " %s", readers[i]->name);
	fail(err, ERROR_MISUSE, "unknown format '%s'; there are:%s", name,
	     known.bytes);
	text_release(&known);
	return -1;
}

const struct reader *reader_for(const char *name, const uint8_t *head,
				size_t len, struct error *err)
{
	bool any = strcmp(name, "auto") == 0;

	if (len > READER_HEAD)
		len = READER_HEAD;
	for (size_t i = 0; readers[i]; i++) {
		if (any ? readers[i]->sniff(head, len)
			: strcmp(name, readers[i]->name) == 0)
			return readers[i];
	}
	if (any)
		fail(err, ERROR_INPUT, "not in a format that sjkc knows");
	else
		unknown_format(name, err);
	return NULL;
}
