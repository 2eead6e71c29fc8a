/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the unwinder with stacks, registers and code.  The first byte selects
 * the JDK and when code blobs are listed again.  Each of the following groups
 * replaces a part: a byte that selects the memory, two bytes of an offset, and
 * a byte that is the value or selects a meaningful address.
 */
#include "core/unwind/unwinder.h"
#include "tests/unit/hotspot_image.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATCH = 4, BLOBS = 6 };

static const uint8_t code[] = {
	0x89, 0x84, 0x24, 0,    0xc0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec,
	0x20, 0xe8, 1,    2,    3,    4,    0x90, 0x90, 0x90, 0x48, 0x83,
	0xc4, 0x20, 0x5d, 0x49, 0x3b, 0xa7, 0x40, 3,    0,    0,    0x0f,
	0x87, 0,    0,    0,    0,    0xc3, 0x48, 0x81, 0xec, 0x80, 0,
	0,    0,    0xe8, 1,    2,    3,    4,    0x48, 0x81, 0xc4, 0x80,
	0,    0,    0,    0xe9, 0,    0,    0,    0,    0x90,
};
static const char *const names[BLOBS] = {
	"nmethod",          "native nmethod", "Interpreter",
	"I2C/C2I adapters", "vtable chunks",  "StubRoutines (continuation)",
};

struct world {
	struct hotspot_image image;
	uint8_t *before;
	uint64_t addresses[16];
};

static void make(struct world *w, int jdk)
{
	uint64_t bytecodes;
	uint64_t method;

	hotspot_image_init(&w->image, jdk);
	method = hotspot_image_method(&w->image, 40, &bytecodes);
	for (int i = 0; i < BLOBS; i++) {
		struct image_blob b = {
			.name = names[i],
			.code = code,
			.len = sizeof(code),
			.frame_words = i < 2 ? 6 : 0,
			.frame_complete = 12,
			.original_pc = 8,
			.deopt = 63,
		};

		w->addresses[i] = hotspot_image_blob(&w->image, &b);
	}
	w->addresses[6] = method;
	w->addresses[7] = bytecodes;
	w->addresses[8] = (uintptr_t)abort;
	for (int i = 9; i < 16; i++)
		w->addresses[i] = HOTSPOT_STACK + 8 * 37 * (uint64_t)(i - 9);
	hotspot_image_open(&w->image);
	w->before = xmalloc(HOTSPOT_IMAGE_BYTES);
	memcpy(w->before, w->image.bytes, HOTSPOT_IMAGE_BYTES);
}

static void patch(struct world *w, struct unwind_start *from,
		  const uint8_t *data)
{
	uint64_t value = w->addresses[data[3] & 15] + (data[3] >> 4) * 8;
	size_t at = data[1] | data[2] << 8;
	uint64_t *registers[] = { &from->pc,
				  &from->registers[DWARF_SP],
				  &from->registers[DWARF_BP],
				  &from->registers[DWARF_BX],
				  &from->registers[13],
				  &from->registers[12],
				  &from->registers[14],
				  &from->registers[15] };

	switch (data[0] & 3) {
	case 0:
		w->image.stack[at % HOTSPOT_STACK_WORDS] = value;
		break;
	case 1:
		*registers[at & 7] = value + data[2];
		break;
	case 2:
		w->image.bytes[CODE_AT + at % 8192] = data[3];
		break;
	default:
		w->image.bytes[(data[0] & 4 ? MAP_AT : 0) +
			       at % 8192] = data[3];
	}
}

static void check(const struct unwound *u)
{
	const struct unwound_frame *last = &u->frames[u->count - 1];

	if (!u->count || u->count > UNWIND_FRAMES + 1 ||
	    (u->end == UNWIND_LOST) != (last->kind == UNWOUND_UNKNOWN) ||
	    (u->end == UNWIND_LOST) != (u->why != NULL))
		abort();
	for (size_t i = 0; i < u->count; i++)
		if (u->frames[i].kind == UNWOUND_COMPILED && !u->frames[i].blob)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world worlds[2];
	struct world *w = &worlds[size ? data[0] & 1 : 0];
	struct unwind_start from = { .registers[DWARF_SP] = HOTSPOT_STACK,
				     .max_frames = UNWIND_FRAMES };
	struct unwound u;

	if (!w->before)
		make(w, w == worlds ? 17 : 25);
	memcpy(w->image.bytes, w->before, HOTSPOT_IMAGE_BYTES);
	memset(w->image.stack, 0, sizeof(w->image.stack));
	from.pc = w->addresses[0] + 12;
	from.stack = (const uint8_t *)w->image.stack;
	from.stack_bytes = sizeof(w->image.stack);
	process_view_begin(w->image.view);
	for (size_t i = 1; i + PATCH <= size; i += PATCH) {
		patch(w, &from, data + i);
		if (!(data[i] & 0xf8))
			continue;
		if (data[i] & 0x80)
			process_view_begin(w->image.view);
		unwinder_walk(w->image.unwinder, &from, &u);
		check(&u);
	}
	unwinder_walk(w->image.unwinder, &from, &u);
	check(&u);
	return 0;
}
