/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/reader.h"

#include "core/base/nearest.h"
#include "core/base/text.h"

#include <string.h>

const struct reader *const readers[] = {
	/* clang-format off */
	&jfr_reader,
	&std_reader,
	&nps_reader,
	&apps_reader,
	&zip_reader,
	&snap_reader,
	&perf_data_reader,
	&pprof_reader,
	&otlp_reader,
	&dump_json_reader,
	&speedscope_reader,
	&firefox_reader,
	&page_reader,
	&dump_reader,
	&perf_reader,
	&collapsed_reader,
	NULL,
	/* clang-format on */
};

/*
 * Compressed files that no reader unpacks: their first bytes, and a program
 * that writes the contents to its standard output.
 */
static const struct {
	const char *name, *magic, *unpack;
} packed[] = {
	{ "bzip2", "BZh", "bzip2 -dc" },
	{ "7-Zip", "7z\xbc\xaf\x27\x1c", "7z x -so" },
};

/* Fails with the program that unpacks the input; false if none is known. */
static bool reader_fail_packed(const uint8_t *head, size_t len,
			       struct error *err)
{
	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
		size_t magic = strlen(packed[i].magic);

		if (len < magic || memcmp(head, packed[i].magic, magic) != 0)
			continue;
		fail(err, ERROR_INPUT,
		     "compressed by %s, which sjkc does not read: use `%s FILE "
		     "| sjkc … -`",
		     packed[i].name, packed[i].unpack);
		return true;
	}
	return false;
}

/*
 * Fails if a format is forced on an archive; an archive of a single file does
 * not come here.
 */
static bool reader_fail_archive(const struct reader *forced,
				const uint8_t *head, size_t len,
				struct error *err)
{
	if (forced == &zip_reader || !zip_reader.sniff(head, len) ||
	    forced == &apps_reader)
		return false;
	fail(err, ERROR_INPUT,
	     "is a ZIP file of several files, whose formats are detected: omit "
	     "--format %s",
	     forced->name);
	return true;
}

/* Fails with the valid formats; name and wanted as in reader_for(). */
static void reader_fail_unknown(const char *name, const char *wanted,
				struct error *err)
{
	struct text known = { 0 };

	for (size_t i = 0; readers[i]; i++)
		text_printf(&known, " %s", readers[i]->name);
	if (!name)
		fail(err, ERROR_INPUT, "unrecognized input format; valid: %s",
		     wanted ? wanted : known.bytes + 1);
	else if (strcmp(name, "auto") == 0)
		fail(err, ERROR_INPUT,
		     "unrecognized input format; use --format to force one of:"
		     "%s",
		     known.bytes);
	else
		nearest_fail_choice("format", name, strlen(name), known.bytes,
				    err);
	text_release(&known);
}

static const struct reader *reader_by_name(const char *name)
{
	size_t i = 0;

	while (readers[i] && strcmp(name, readers[i]->name) != 0)
		i++;
	return readers[i];
}

static const struct reader *reader_by_head(const uint8_t *head, size_t len)
{
	size_t i = 0;

	while (readers[i] && !readers[i]->sniff(head, len))
		i++;
	return readers[i];
}

static const struct reader *reader_by_text(const uint8_t *text, size_t len)
{
	if (memchr(text, '\0', len))
		return NULL;
	for (size_t i = 0; readers[i]; i++) {
		if (readers[i]->look && readers[i]->look(text, len))
			return readers[i];
	}
	return NULL;
}

const struct reader *reader_for(const char *name, const char *wanted,
				const uint8_t *head, size_t len,
				struct error *err)
{
	bool any = !name || strcmp(name, "auto") == 0;
	const struct reader *found;

	if (!any)
		found = reader_by_name(name);
	else
		found = reader_by_head(head,
				       len < READER_HEAD ? len : READER_HEAD);
	if (found && !any && reader_fail_archive(found, head, len, err))
		return NULL;
	if (!found && any && len > READER_HEAD)
		found = reader_by_text(head,
				       len < READER_LOOK ? len : READER_LOOK);
	if (!found && any && reader_fail_packed(head, len, err))
		return NULL;
	if (!found)
		reader_fail_unknown(name, wanted, err);
	return found;
}
