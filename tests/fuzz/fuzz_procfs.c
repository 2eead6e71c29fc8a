/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes /proc files whose contents a process can influence. */
#include "core/base/alloc.h"
#include "core/jvm/java_command.h"
#include "core/jvm/jvm_kind.h"
#include "core/jvm/procfs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_proc(const char *text, size_t len)
{
	struct proc_status status;
	struct proc_stat stat;

	if (procfs_parse_status(text, len, &status))
		assert(status.ns_depth <= PROCFS_NAMESPACES);
	if (procfs_parse_stat(text, len, &stat))
		assert(strnlen(stat.comm, PROCFS_NAMES) < PROCFS_NAMES);
	jvm_kind_of_mapping(text, len);
}

/* The output may be longer than the input only by the masks of secrets. */
static void mask(const struct java_words *words)
{
	struct text out = { 0 };

	for (size_t i = 0; i < words->count; i++) {
		text_clear(&out);
		secrets_add_arg(&out, i ? words->at[i - 1] : NULL,
				words->at[i]);
		assert(out.len <=
		       strlen(words->at[i]) * (1 + strlen(SECRETS_MASK)) + 3);
	}
	text_release(&out);
}

static void read_command(const char *text, size_t len,
			 enum java_launcher launcher)
{
	struct java_words words = { 0 }, options = { 0 };
	struct java_command c;

	java_words_of_nuls(&words, text, len);
	java_words_of_options(&options, text, len);
	java_command_read(&c, &words, launcher);
	assert(c.vm_args.count + c.args.count <= words.count);
	mask(&words);
	java_words_move(&options, &c.vm_args);
	free(c.main_class);
	java_words_release(&c.vm_args);
	java_words_release(&c.args);
	java_words_release(&words);
	java_words_release(&options);
}

static void read_program(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		native_image_is(fd);
	if (fd >= 0)
		close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* An exact allocation, so that the sanitizer finds a read beyond it. */
	char *exact = xmalloc(size);

	memcpy(exact, data, size);
	read_proc(exact, size);
	read_command(exact, size, JAVA_LAUNCHER_JAVA);
	read_command(exact, size, JAVA_LAUNCHER_OTHER);
	read_command(exact, size, JAVA_LAUNCHER_JSVC);
	if (size >= 4 && memcmp(data, "\177ELF", 4) == 0)
		read_program(data, size);
	free(exact);
	return 0;
}
