/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/metadata_layout.h"

#include "core/hotspot/vm_symbols.h"
#include "tests/unit/hotspot_image.h"
#include "tests/unit/metadata_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* An image and its metadata layout. */
struct place {
	struct hotspot_image image;
	uint64_t method;
	struct vm_structs *structs;
	struct metadata_layout layout;
};

static void open_place(struct place *p, int jdk, const char *type,
		       const char *field, uint64_t offset)
{
	struct error err = { 0 };
	uint64_t code;

	hotspot_image_init(&p->image, jdk);
	p->method = hotspot_image_method(&p->image, 10, &code);
	if (type)
		assert_true(hotspot_image_set_offset(&p->image, type, field,
						     offset));
	hotspot_image_open(&p->image);
	p->structs = vm_structs_read(p->image.program, p->image.bias,
				     &p->image.memory, NULL, false, &err);
	assert_non_null(p->structs);
	assert_int_equal(metadata_layout_read(&p->layout, p->structs,
					      &p->image.memory, &err),
			 0);
}

static void close_place(struct place *p)
{
	vm_structs_free(p->structs);
	hotspot_image_release(&p->image);
}

static void check_name(const struct place *p)
{
	struct vm_symbols *s = vm_symbols_open_with(
		&p->layout, (struct memory *)&p->image.memory);
	struct java_frame frame;

	assert_int_equal(vm_symbols_method(s, p->method, &frame), 1);
	assert_string_equal(frame.class_name, "a.B");
	assert_string_equal(frame.method, "run");
	vm_symbols_close(s);
}

static void metadata_layout_matches_the_tables(void **state)
{
	static const int jdks[] = { 8, 11, 17, 25 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct metadata_image expected;
		struct place p;

		image_init(&expected, jdks[i]);
		open_place(&p, jdks[i], NULL, NULL, 0);
		assert_null(p.layout.scopes_why);
		assert_memory_equal(&p.layout.method, &expected.layout.method,
				    sizeof(p.layout.method));
		assert_memory_equal(&p.layout.scopes, &expected.layout.scopes,
				    sizeof(p.layout.scopes));
		check_name(&p);
		close_place(&p);
		image_release(&expected);
	}
}

static void metadata_layout_ignores_flags_outside_of_const_method(void **state)
{
	static const char *const names[] = { "_flags", "_flags._flags" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct place p;

		open_place(&p, i ? 25 : 17, "ConstMethod", names[i], 65000);
		assert_int_equal(p.layout.method.lines_flag, 0);
		assert_in_range(p.layout.method.const_flags, 0,
				METADATA_STRUCT_MOST);
		check_name(&p);
		close_place(&p);
		open_place(&p, i ? 25 : 17, NULL, NULL, 0);
		assert_int_equal(p.layout.method.lines_flag, 1);
		check_name(&p);
		close_place(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metadata_layout_matches_the_tables),
		cmocka_unit_test(
			metadata_layout_ignores_flags_outside_of_const_method),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
