/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the command jfr2json with files in memory. The output must be JSON
 * within the limits, which are lower here: at the limits of the command, each
 * input would take seconds.
 */
#define JFR2JSON_EVENT ((size_t)256 << 10)
#define JFR2JSON_TIMES 64

#include "cmd/sjk/jfr2json.c"
#include "core/base/zip.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where the sanitizers write; absent without them. */
extern void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

static void expect(bool holds)
{
	if (!holds)
		__builtin_trap();
}

static void check_document(char *text)
{
	cJSON *json = cJSON_Parse(text);

	expect(json);
	cJSON_Delete(json);
}

static void check_output(int fd, size_t input, bool is_lines, bool is_json)
{
	struct stat st;
	char *text, *rest, *line;

	expect(fstat(fd, &st) == 0);
	expect((size_t)st.st_size <=
	       input * JFR2JSON_TIMES + 2 * JFR2JSON_EVENT + JFR2JSON_FLUSH);
	if (!is_json)
		return;
	text = xcalloc((size_t)st.st_size + 1, 1);
	expect(pread(fd, text, (size_t)st.st_size, 0) == st.st_size);
	rest = text;
	if (!is_lines)
		check_document(text);
	while (is_lines && (line = strsep(&rest, "\n")))
		if (*line)
			check_document(line);
	free(text);
}

/*
 * The program's own output, kept while that of the command goes elsewhere: its
 * messages about damage would make a log of gigabytes.
 */
static int kept[3];

static void keep_output(void)
{
	if (kept[STDERR_FILENO])
		return;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		kept[fd] = dup(fd);
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd(
			(void *)(intptr_t)kept[STDERR_FILENO]);
}

/* Runs the command; its standard output is `out`. */
static int run_command(const uint8_t *data, size_t size, int out,
		       struct error *err)
{
	int in = memfd_create("in", MFD_CLOEXEC);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char path[64];
	int ret;

	keep_output();
	expect(write(in, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", in);
	opt.input = path;
	dup2(out, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	ret = jfr2json_run(0, NULL, err);
	dup2(kept[STDOUT_FILENO], STDOUT_FILENO);
	dup2(kept[STDERR_FILENO], STDERR_FILENO);
	close(in);
	close(null);
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool is_lines = size % 2, lists = size % 16 == 6;
	struct error err;
	int out, ret;

	/* The limit of the output is that of the unzipped input. */
	if (inflate_is_gzip(data, size))
		return 0;
	opt.lines = is_lines;
	opt.list_types = lists;
	out = memfd_create("out", MFD_CLOEXEC);
	ret = run_command(data, size, out, &err);
	expect(ret == 0 || err.kind == ERROR_INPUT ||
	       err.kind == ERROR_PARTIAL);
	check_output(out, size, is_lines,
		     !lists && (ret == 0 || err.kind == ERROR_PARTIAL));
	close(out);
	return 0;
}
