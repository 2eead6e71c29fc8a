/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/object_class.h"

#include "tests/unit/metadata_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

enum { SHIFT = 3, MARK_SHIFT = 42 };

static struct object_layout narrow_layout(const struct metadata_image *image)
{
	return (struct object_layout){
		.method = image->layout.method,
		.base = IMAGE_BASE,
		.shift = SHIFT,
		.is_narrow = true,
	};
}

static uint64_t narrow_of(uint64_t klass)
{
	return (klass - IMAGE_BASE) >> SHIFT;
}

/* name NULL: the object has no class name */
static void check_name(struct object_classes *c, uint64_t mark, uint64_t klass,
		       const char *name)
{
	const uint64_t header[2] = { mark, klass };
	size_t len = 0;
	const char *found = object_classes_name(c, header, &len);

	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_int_equal(len, strlen(name));
	assert_memory_equal(found, name, len);
}

static void object_class_reads_every_kind_of_header(void **state)
{
	static const int jdks[] = { 8, 11, 17, 25 };
	struct metadata_image image;

	(void)state;
	for (size_t i = 0; i < sizeof(jdks) / sizeof(*jdks); i++) {
		struct object_layout l;
		struct object_classes *c;
		uint64_t klass;

		image_init(&image, jdks[i]);
		image_class(&image, "com/acme/Order");
		klass = image.holder;
		l = narrow_layout(&image);
		c = object_classes_new(&l, &image.memory);
		/* A narrow class pointer is followed by other data. */
		check_name(c, 1, 0xabcdefULL << 32 | narrow_of(klass),
			   "com/acme/Order");
		object_classes_free(c);
		l.is_narrow = false;
		c = object_classes_new(&l, &image.memory);
		check_name(c, 1, klass, "com/acme/Order");
		object_classes_free(c);
		l = narrow_layout(&image);
		l.is_compact = true;
		l.mark_shift = MARK_SHIFT;
		c = object_classes_new(&l, &image.memory);
		check_name(c, narrow_of(klass) << MARK_SHIFT | 1, 77,
			   "com/acme/Order");
		/*
		 * The collector has moved the object: the rest is an address.
		 */
		check_name(c, narrow_of(klass) << MARK_SHIFT | 3, 77, NULL);
		object_classes_free(c);
		image_release(&image);
	}
}

static void object_class_names_arrays_like_the_jvm(void **state)
{
	static const char *const names[] = { "[B", "[[I", "[Lcom/acme/Order;" };
	struct metadata_image image;
	struct object_layout l;
	struct object_classes *c;

	(void)state;
	image_init(&image, 17);
	l = narrow_layout(&image);
	c = object_classes_new(&l, &image.memory);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		image_class(&image, names[i]);
		check_name(c, 1, narrow_of(image.holder), names[i]);
	}
	object_classes_free(c);
	image_release(&image);
}

static void object_that_is_not_a_class_has_no_name(void **state)
{
	struct metadata_image image;
	struct object_layout l;
	struct object_classes *c;
	uint64_t klass;

	(void)state;
	image_init(&image, 25);
	image_class(&image, "a/B");
	klass = image.holder;
	image_class(&image, "a;B");
	l = narrow_layout(&image);
	c = object_classes_new(&l, &image.memory);
	check_name(c, 1, 0, NULL);
	check_name(c, 1, UINT32_MAX, NULL);
	check_name(c, 1, narrow_of(klass) + 1, NULL);
	check_name(c, 1, narrow_of(image.holder), NULL);
	check_name(c, 1, narrow_of(klass), "a/B");
	object_classes_free(c);
	l.is_narrow = false;
	c = object_classes_new(&l, &image.memory);
	check_name(c, 1, 8, NULL);
	check_name(c, 1, UINT64_MAX, NULL);
	check_name(c, 1, UINT64_MAX - 4, NULL);
	object_classes_free(c);
	image_release(&image);
}

/* A class was unloaded, and another class took its place. */
static void object_class_checks_each_class_once_per_batch(void **state)
{
	struct metadata_image image;
	struct object_layout l;
	struct object_classes *c;
	uint64_t klass, other;
	uint32_t name;

	(void)state;
	image_init(&image, 17);
	image_class(&image, "a/Old");
	klass = image.holder;
	image_class(&image, "a/New");
	name = image.layout.method.klass_name;
	other = image_u64(&image, image.holder + name);
	l = narrow_layout(&image);
	c = object_classes_new(&l, &image.memory);
	check_name(c, 1, narrow_of(klass), "a/Old");
	image_put(&image, klass + name, other, 8);
	check_name(c, 1, narrow_of(klass), "a/Old");
	object_classes_begin(c);
	check_name(c, 1, narrow_of(klass), "a/New");
	image_put(&image, klass + name, 1, 8);
	object_classes_begin(c);
	check_name(c, 1, narrow_of(klass), NULL);
	object_classes_free(c);
	image_release(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(object_class_reads_every_kind_of_header),
		cmocka_unit_test(object_class_names_arrays_like_the_jvm),
		cmocka_unit_test(object_that_is_not_a_class_has_no_name),
		cmocka_unit_test(object_class_checks_each_class_once_per_batch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
