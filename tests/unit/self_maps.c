/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/self_maps.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

void self_maps_open(struct self_maps *s)
{
	struct error err;

	*s = (struct self_maps){ 0 };
	assert_int_equal(jvm_open(&s->jvm, getpid(), &err), 0);
	assert_int_equal(mappings_read(&s->maps, &s->jvm, &err), 0);
}

void self_maps_close(struct self_maps *s)
{
	mappings_release(&s->maps);
	jvm_close(&s->jvm);
}

struct elf_image *self_maps_image(struct self_maps *s, uintptr_t address,
				  uint64_t *in_file)
{
	const struct mapping *m = mappings_find(&s->maps, address);
	struct target_files files = { .jvm = &s->jvm };
	struct elf_image *image;
	struct error err;

	assert_non_null(m);
	assert_true(m->is_executable);
	image = elf_image_open(&files, NULL, m, 0, &err);
	if (!image)
		fail_msg("%s", err.text);
	*in_file = address - elf_image_bias(image, m);
	return image;
}

struct elf_image *self_maps_open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_image *image;
	struct error err;

	if (fd < 0)
		return NULL;
	image = elf_image_open_fd(fd, &err);
	close(fd);
	if (!image)
		fail_msg("%s: %s", path, err.text);
	return image;
}
