/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input: the bytes of a file, a pipe or standard input, decompressed if they
 * are compressed by gzip, zstd, LZ4 or xz, or the only file in a ZIP file. Text
 * is UTF-8 without a byte order mark (core/base/plain_text.h).
 *
 * input_open() reads the head, enough to detect the format; input_complete()
 * reads the rest. So an endless device is rejected after 1 MiB. ZIP files are
 * read completely, because their directory is at the end.
 */
#ifndef CORE_BASE_INPUT_H
#define CORE_BASE_INPUT_H

#include "core/base/archive.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/unpack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INPUT_HEAD ((size_t)1 << 20)

struct input {
	const uint8_t *
		bytes; /* the whole input, or its head until input_complete() */
	size_t len;
	const char *name;   /* for messages: the path, or "<stdin>" */
	const char *damage; /* NULL, or why the compressed input ends early */

	/* Private from here on. */
	int fd;
	enum unpack_kind packed;
	bool zipped; /* the input is `member` of a ZIP file */
	bool zip_is_cut;
	struct archive_member member;
	bool complete;
	const uint8_t *mapped; /* mapped_len bytes; NULL for a stream */
	size_t mapped_len;
	uint8_t *owned; /* heap behind bytes, or NULL */
	uint8_t *raw;   /* the compressed bytes of a stream */
	size_t raw_len;
};

/*
 * Opens path ("-" is standard input) and reads its head. ERROR_INPUT for input
 * that is missing, not readable, a directory, empty, or a file that no command
 * reads (foreign_file_name()); even then in->name is set and input_close()
 * must follow. path is borrowed.
 */
int input_open(struct input *in, const char *path, struct error *err);

/*
 * The same for input that cannot be merged: also fails for a ZIP file of
 * several files, and names these.
 */
int input_open_single(struct input *in, const char *path, struct error *err);

/* As input_open(), but accepts the files that foreign_file_name() names. */
int input_open_any(struct input *in, const char *path, struct error *err);

/* Reads the rest and updates bytes and len. Fails with ERROR_INPUT. */
int input_complete(struct input *in, struct error *err);

/* Zeroed storage is allowed. */
void input_close(struct input *in);

/*
 * ---- foreign_file.c ----
 *
 * Names the files that a JVM leaves behind and sjkc does not
 * read: fatal error logs, core files, minidumps and heap dumps.
 */

/*
 * Appends "a heap dump; open it with …" and the like for a file that begins
 * with these bytes; false, and nothing appended, for another file. Foreign
 * text is made safe for a terminal.
 */
bool foreign_file_name(struct text *out, const void *bytes, size_t len);

#endif
