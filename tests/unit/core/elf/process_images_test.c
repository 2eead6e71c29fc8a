/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/process_images.h"

#include "core/base/clock.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

enum { BYTES = 4096, PLENTY = 64 << 20 };

static struct mapped {
	char directory[64];
	struct jvm jvm;
	struct memory memory;
	void *at; /* where a copy of this program is mapped */
} self;

static void read_all(struct memory *m, struct memory_range *ranges,
		     size_t count)
{
	(void)m;
	for (size_t i = 0; i < count; i++) {
		memcpy(ranges[i].bytes, (void *)(uintptr_t)ranges[i].address,
		       ranges[i].len);
		ranges[i].is_read = true;
	}
}

/* Maps a new copy of this program at self.at, replacing the last one. */
static void map_copy(const char *name)
{
	char path[128], command[300];
	void *at;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", self.directory, name);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(),
		 path);
	assert_int_equal(system(command), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	at = mmap(self.at, BYTES, PROT_READ | PROT_EXEC,
		  MAP_PRIVATE | (self.at ? MAP_FIXED : 0), fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	close(fd);
	self.at = at;
}

/* Reads memory in which the file starts with another byte. */
static void read_all_changed(struct memory *m, struct memory_range *ranges,
			     size_t count)
{
	read_all(m, ranges, count);
	for (size_t i = 0; i < count; i++)
		if (ranges[i].address == (uintptr_t)self.at)
			*(uint8_t *)ranges[i].bytes += 1;
}

static int set_up_below(const char *directory)
{
	struct error err;

	self = (struct mapped){ .memory.read_all = read_all };
	snprintf(self.directory, sizeof(self.directory),
		 "%s/process_images_XXXXXX", directory);
	if (!mkdtemp(self.directory))
		return -1;
	return jvm_open(&self.jvm, getpid(), &err);
}

static int set_up(void **state)
{
	(void)state;
	return set_up_below("/tmp");
}

static int set_up_in_memory(void **state)
{
	(void)state;
	return set_up_below("/dev/shm");
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	munmap(self.at, BYTES);
	jvm_close(&self.jvm);
	snprintf(command, sizeof(command), "rm -r %s", self.directory);
	return system(command);
}

static struct process_images *open_images(const struct jvm *jvm,
					  struct elf_image_set *set)
{
	struct process_images *p;
	struct error err;

	p = process_images_open(jvm, &self.memory, set, &err);
	assert_non_null(p);
	process_images_begin(p);
	return p;
}

static struct elf_image *image_there(struct process_images *p)
{
	const struct mapping *m;
	uint32_t image;

	m = process_images_mapping(p, (uintptr_t)self.at);
	assert_non_null(m);
	image = process_images_of(p, m);
	assert_int_not_equal(image, 0);
	assert_non_null(p->all[image - 1].elf);
	return p->all[image - 1].elf;
}

static void library_replaced_at_its_address_is_another_image(void **state)
{
	struct process_images *p;
	uint32_t generation;

	(void)state;
	map_copy("first.so");
	p = open_images(&self.jvm, NULL);
	assert_string_equal(elf_image_name(image_there(p)), "first.so");
	generation = p->generation;
	map_copy("second.so");
	p->read_ns -= 60 * CLOCK_NS_PER_S;
	process_images_begin(p);
	assert_int_not_equal(p->generation, generation);
	assert_string_equal(elf_image_name(image_there(p)), "second.so");
	process_images_close(p);
}

static void mappings_without_new_code_keep_their_generation(void **state)
{
	struct process_images *p;
	uint32_t generation;
	int64_t read_ns;
	void *data;

	(void)state;
	map_copy("first.so");
	p = open_images(&self.jvm, NULL);
	generation = p->generation;
	data = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p->read_ns -= 60 * CLOCK_NS_PER_S;
	read_ns = p->read_ns;
	process_images_begin(p);
	assert_true(p->read_ns > read_ns);
	assert_int_equal(p->generation, generation);
	munmap(data, BYTES);
	process_images_close(p);
}

static void processes_of_one_user_share_the_image_of_a_file(void **state)
{
	struct elf_image_set set = { .process_bytes = PLENTY };
	struct process_images *a, *b;
	struct elf_image *image;
	struct stat st;

	(void)state;
	map_copy("first.so");
	a = open_images(&self.jvm, &set);
	b = open_images(&self.jvm, &set);
	image = image_there(a);
	assert_ptr_equal(image_there(b), image);
	assert_int_equal(stat(self.directory, &st), 0);
	assert_int_equal(elf_image_is_of_one_place(image),
			 major(st.st_dev) != 0);
	process_images_close(a);
	assert_ptr_equal(set.first, image);
	assert_string_equal(elf_image_name(image), "first.so");
	process_images_close(b);
	assert_null(set.first);
}

static void images_are_charged_until_they_are_closed(void **state)
{
	struct elf_image_set set = { .process_bytes = PLENTY };
	struct process_images *a, *b;
	uint64_t used, start;
	const char *name;

	(void)state;
	map_copy("first.so");
	a = open_images(&self.jvm, &set);
	b = open_images(&self.jvm, &set);
	image_there(a);
	used = a->files.budget->used;
	assert_true(used > 0);
	elf_image_function(image_there(b), 0, &start);
	assert_true(a->files.budget->used > used);
	assert_int_equal(b->files.budget->used, 0);
	assert_int_equal(set.budget.used, a->files.budget->used);
	assert_int_equal(process_images_cut(a, &name), 0);
	/* The image of a process that has ended stays charged. */
	process_images_close(a);
	assert_true(set.budget.used > used);
	process_images_close(b);
	assert_int_equal(set.budget.used, 0);
}

static void files_beyond_the_budget_are_counted(void **state)
{
	struct elf_image_set set = { .process_bytes = 64 << 10 };
	struct process_images *p;
	const struct mapping *m;
	const char *name;

	(void)state;
	map_copy("first.so");
	p = open_images(&self.jvm, &set);
	assert_null(elf_image_function(image_there(p), 0x1000, NULL));
	assert_int_equal(process_images_cut(p, &name), 1);
	assert_string_equal(name, "first.so");
	map_copy("second.so");
	p->read_ns -= 60 * CLOCK_NS_PER_S;
	process_images_begin(p);
	set.budget.limit = set.budget.used;
	m = process_images_mapping(p, (uintptr_t)self.at);
	assert_null(p->all[process_images_of(p, m) - 1].elf);
	assert_int_equal(process_images_cut(p, &name), 2);
	process_images_close(p);
}

static void changed_file_is_not_the_image_that_was_shared(void **state)
{
	struct elf_image_set set = { .process_bytes = PLENTY };
	struct process_images *a, *b;
	char path[128];

	(void)state;
	map_copy("first.so");
	a = open_images(&self.jvm, &set);
	image_there(a);
	snprintf(path, sizeof(path), "%s/first.so", self.directory);
	assert_int_equal(truncate(path, 1 << 20), 0);
	b = open_images(&self.jvm, &set);
	assert_ptr_not_equal(image_there(b), image_there(a));
	process_images_close(a);
	process_images_close(b);
	assert_null(set.first);
}

static void
processes_of_two_users_share_an_image_of_equal_contents(void **state)
{
	struct elf_image_set set = { .process_bytes = PLENTY };
	struct jvm other = self.jvm;
	struct process_images *a, *b, *c;
	struct elf_image *image;

	(void)state;
	map_copy("first.so");
	other.uid++;
	a = open_images(&self.jvm, &set);
	b = open_images(&other, &set);
	image = image_there(a);
	assert_ptr_equal(image_there(b), image);
	/* Only the contents are known to be equal. */
	assert_false(elf_image_is_of_one_place(image));
	/* No process of several can use up the budget of the others. */
	assert_int_equal(a->files.budget->used, 0);
	assert_int_equal(b->files.budget->used, 0);
	assert_true(set.budget.used > 0);
	c = open_images(&other, &set);
	assert_ptr_equal(image_there(c), image);
	process_images_close(c);
	process_images_close(b);
	process_images_close(a);
	assert_null(set.first);
	assert_int_equal(set.budget.used, 0);
}

/* A tmpfs has no block device, like the overlay of a container. */
static void file_without_a_block_device_is_shared_by_its_start(void **state)
{
	struct elf_image_set set = { .process_bytes = PLENTY };
	struct process_images *a, *b, *c;

	(void)state;
	if (geteuid() != 0)
		skip();
	map_copy("first.so");
	a = open_images(&self.jvm, &set);
	b = open_images(&self.jvm, &set);
	assert_ptr_equal(image_there(a), image_there(b));
	/* The other process may have a copy in another container. */
	assert_false(elf_image_is_of_one_place(image_there(a)));
	self.memory.read_all = read_all_changed;
	c = open_images(&self.jvm, &set);
	/* It is read again, and its contents are equal. */
	assert_ptr_equal(image_there(a), image_there(c));
	process_images_close(c);
	process_images_close(b);
	process_images_close(a);
	assert_null(set.first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			library_replaced_at_its_address_is_another_image,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			mappings_without_new_code_keep_their_generation, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			processes_of_one_user_share_the_image_of_a_file, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			images_are_charged_until_they_are_closed, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			files_beyond_the_budget_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			changed_file_is_not_the_image_that_was_shared, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			processes_of_two_users_share_an_image_of_equal_contents,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			file_without_a_block_device_is_shared_by_its_start,
			set_up_in_memory, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
