/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/sampling_frames.h"

#include "core/elf/elf_image.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define HANDLE "java.lang.invoke.MethodHandle"

/* A source that returns the same method for any frame. */
struct source {
	struct java_symbols symbols; /* first */
	struct java_frame method;
	bool knows;
};

static size_t source_frames(struct java_symbols *self,
			    const struct unwound_frame *at, uint64_t time_ns,
			    struct java_frame *out, size_t cap)
{
	const struct source *s = (struct source *)self;

	(void)at;
	(void)time_ns;
	if (!s->knows || !cap)
		return 0;
	*out = s->method;
	return 1;
}

static const char *source_generated(struct java_symbols *self,
				    const struct unwound_frame *at,
				    uint64_t time_ns)
{
	(void)self;
	(void)at;
	(void)time_ns;
	return NULL;
}

static struct source source_of(const char *class_name, const char *method,
			       enum java_frame_kind kind)
{
	return (struct source){
		.symbols = { source_frames, source_generated },
		.method = { .kind = kind,
			    .class_name = class_name,
			    .method = method,
			    .signature = "()V" },
		.knows = method != NULL,
	};
}

/* Formats a stack trace as "class.method;…", root first. */
static const char *stack_text(const struct profile *p, uint32_t stack)
{
	static char text[512];
	size_t at = sizeof(text) - 1;

	for (; stack; stack = p->stacks[stack].caller) {
		const struct frame *f = &p->frames[p->stacks[stack].frame];
		char name[128];
		size_t len = (size_t)snprintf(name, sizeof(name), "%s%s%s%s",
					      profile_text(p, f->class_name),
					      f->class_name ? "." : "",
					      profile_text(p, f->method),
					      text[at] ? ";" : "");

		assert_true(len < sizeof(name) && len <= at);
		at -= len;
		memcpy(text + at, name, len);
	}
	return text + at;
}

/*
 * Returns the name of a compiled frame that both the agent and the memory name.
 */
static const char *compiled(struct source *agent, struct source *memory)
{
	static char text[512];
	struct sampling_names names = { &agent->symbols,
					memory ? &memory->symbols : NULL,
					NULL };
	struct profile *p = profile_new();
	struct sampling_frames *f = sampling_frames_new(p, &names);
	struct code_blob blob = { .kind = BLOB_NATIVE, .identity = 1 };
	struct unwound_frame frame = { .kind = UNWOUND_COMPILED,
				       .pc = 0x1000,
				       .blob = &blob };
	const struct unwound walk = { .frames = &frame, .count = 1 };

	sampling_frames_begin(f);
	sampling_frames_user(f, &walk, NULL, 0);
	snprintf(text, sizeof(text), "%s",
		 stack_text(p, sampling_frames_stack(f)));
	sampling_frames_free(f);
	profile_free(p);
	return text;
}

static void method_handle_intrinsics_are_named_by_the_jvms_memory(void **state)
{
	struct source agent = source_of(HANDLE, "linkToStatic", JAVA_NATIVE);
	struct source memory = source_of(HANDLE, "invokeBasic", JAVA_NATIVE);
	struct source silent = source_of(NULL, NULL, JAVA_NATIVE);

	(void)state;
	assert_string_equal(compiled(&agent, &memory), HANDLE ".invokeBasic");
	/* The agent's name is better than none. */
	assert_string_equal(compiled(&agent, &silent), HANDLE ".linkToStatic");
	assert_string_equal(compiled(&agent, NULL), HANDLE ".linkToStatic");
	/*
	 * For any other method, the agent knows the name at the time of the
	 * sample.
	 */
	agent = source_of("a.B", "run", JAVA_NATIVE);
	assert_string_equal(compiled(&agent, &memory), "a.B.run");
	agent = source_of(HANDLE, "asType", JAVA_C2);
	assert_string_equal(compiled(&agent, &memory), HANDLE ".asType");
	assert_string_equal(compiled(&silent, &memory), HANDLE ".invokeBasic");
	assert_string_equal(compiled(&silent, &silent),
			    "[unknown Java method]");
}

/* A frame of the JVM calls the agent, above a Java frame without a name. */
static void callback_frames_are_dropped_above_nameless_java_code(void **state)
{
	static const enum unwound_kind kinds[] = { UNWOUND_COMPILED,
						   UNWOUND_INTERPRETED };
	struct source silent = source_of(NULL, NULL, JAVA_C2);
	struct sampling_names names = { &silent.symbols, NULL, NULL };
	struct code_blob blob = { .kind = BLOB_NMETHOD, .identity = 1 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct profile *p = profile_new();
		struct sampling_frames *f = sampling_frames_new(p, &names);
		struct unwound_frame frames[] = {
			{ .kind = UNWOUND_NATIVE },
			{ .kind = kinds[i], .pc = 0x1000, .blob = &blob },
			{ .kind = UNWOUND_NATIVE },
		};
		const struct unwound walk = { .frames = frames, .count = 3 };

		sampling_frames_begin(f);
		sampling_frames_user(f, &walk, NULL, 0);
		sampling_frames_drop_callback(f);
		assert_string_equal(stack_text(p, sampling_frames_stack(f)),
				    "[unknown];[unknown Java method]");
		sampling_frames_free(f);
		profile_free(p);
	}
}

__attribute__((noinline, used, visibility("default"))) void probed_code(void);
void probed_code(void) { __asm__ volatile(""); }

/*
 * An instruction and the call before it may belong to different functions, and
 * both may occur on stacks with the same address: a call of a function that
 * does not return may be the last instruction of its caller.
 */
static void
instruction_and_return_address_have_their_own_functions(void **state)
{
	const struct sampling_names nobody = { NULL, NULL, NULL };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct error err;
	struct elf_image *image = elf_image_open_fd(fd, &err);
	uint64_t address;

	(void)state;
	assert_non_null(image);
	address = elf_image_symbol(image, "probed_code");
	assert_true(address);
	for (int first = 0; first < 2; first++) {
		struct profile *p = profile_new();
		struct sampling_frames *f = sampling_frames_new(p, &nobody);

		for (int i = 0; i < 2; i++) {
			struct unwound_frame frame = {
				.kind = UNWOUND_NATIVE,
				.image = image,
				.image_pc = address,
				.is_exact = i == first,
			};
			const struct unwound walk = { .frames = &frame,
						      .count = 1 };
			const char *name;

			sampling_frames_begin(f);
			sampling_frames_user(f, &walk, NULL, 0);
			name = stack_text(p, sampling_frames_stack(f));
			if (frame.is_exact)
				assert_string_equal(name, "probed_code");
			else
				assert_string_not_equal(name, "probed_code");
		}
		sampling_frames_free(f);
		profile_free(p);
	}
	elf_image_close(image);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			method_handle_intrinsics_are_named_by_the_jvms_memory),
		cmocka_unit_test(
			instruction_and_return_address_have_their_own_functions),
		cmocka_unit_test(
			callback_frames_are_dropped_above_nameless_java_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
