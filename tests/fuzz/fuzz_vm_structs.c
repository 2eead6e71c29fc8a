/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables by which a JVM says where everything stands, parts of which the
 * input replaces: three bytes of an offset and two of a value each.  The first
 * byte is of which JDK.
 */
#include "core/native/vm_structs.h"
#include "tests/unit/hotspot_image.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATCH = 5 };

static void damage(struct hotspot_image *image, const uint8_t *data,
		   size_t size)
{
	for (; size >= PATCH; data += PATCH, size -= PATCH) {
		size_t at = data[0] | data[1] << 8 | (size_t)data[2] << 16;

		if (at % HOTSPOT_IMAGE_BYTES < HOTSPOT_IMAGE_BYTES - 1)
			memcpy(image->bytes + at % HOTSPOT_IMAGE_BYTES,
			       data + 3, 2);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hotspot_image images[2];
	struct hotspot_image *image = &images[size ? data[0] & 1 : 0];
	static uint8_t *before[2];
	size_t which_one = (size_t)(image - images);
	uint64_t tables[2];
	struct vm_structs *v;
	struct error err;
	uint32_t offset;
	int64_t constant;

	if (!image->bytes) {
		hotspot_image_init(image, which_one ? 25 : 17);
		hotspot_image_open(image);
		before[which_one] = xmalloc(HOTSPOT_IMAGE_BYTES);
		memcpy(before[which_one], image->bytes, HOTSPOT_IMAGE_BYTES);
	}
	tables[0] = gHotSpotVMStructs;
	tables[1] = gHotSpotVMTypes;
	/* The symbols' own values come from the input, too. */
	if (size > 24)
		memcpy(&gHotSpotVMStructEntryArrayStride, data + 1, 1);
	if (size > 24 && data[2] & 1)
		memcpy(&gHotSpotVMStructEntryTypeNameOffset, data + 3, 8);
	if (size > 24 && data[2] & 2)
		memcpy(&gHotSpotVMIntConstants, data + 11, 8);
	damage(image, data + (size ? 1 : 0), size ? size - 1 : 0);
	v = vm_structs_read(image->program, image->bias, &image->memory, &err);
	if (v) {
		struct error why;

		vm_structs_offset(v, "CodeBlob", "_name", &offset);
		vm_structs_size(v, "HeapBlock", &offset);
		vm_structs_constant(v, "none", &constant);
		code_cache_close(code_cache_open(v, &image->memory, &why));
		vm_structs_free(v);
	}
	memcpy(image->bytes, before[which_one], HOTSPOT_IMAGE_BYTES);
	gHotSpotVMStructs = tables[0];
	gHotSpotVMTypes = tables[1];
	gHotSpotVMIntConstants = gHotSpotVMLongConstants;
	gHotSpotVMStructEntryArrayStride = ENTRY_BYTES;
	gHotSpotVMStructEntryTypeNameOffset = 0;
	return 0;
}
