/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_writer.h"

#include <endian.h>
#include <string.h>

/* java.io.ObjectStreamConstants */
#define TC_NULL         0x70
#define TC_CLASSDESC    0x72
#define TC_OBJECT       0x73
#define TC_STRING       0x74
#define TC_ARRAY        0x75
#define TC_BLOCKDATA    0x77
#define TC_ENDBLOCKDATA 0x78
#define TC_LONGSTRING   0x7c
#define TC_ENUM         0x7e

void java_write_u16(struct text *out, uint16_t value)
{
	value = htobe16(value);
	text_add(out, &value, sizeof(value));
}

void java_write_u32(struct text *out, uint32_t value)
{
	value = htobe32(value);
	text_add(out, &value, sizeof(value));
}

void java_write_u64(struct text *out, uint64_t value)
{
	value = htobe64(value);
	text_add(out, &value, sizeof(value));
}

void java_write_header(struct text *out) { text_add(out, "\xac\xed\0\5", 4); }

void java_write_block(struct text *out, uint8_t len)
{
	text_putc(out, TC_BLOCKDATA);
	text_putc(out, (char)len);
}

void java_write_null(struct text *out) { text_putc(out, TC_NULL); }

void java_write_end(struct text *out) { text_putc(out, TC_ENDBLOCKDATA); }

/* The four bytes of a character beyond the BMP, as its two surrogates. */
static void add_surrogates(struct text *out, const uint8_t *utf8)
{
	uint32_t c = (uint32_t)(utf8[0] & 7) << 18 |
		     (uint32_t)(utf8[1] & 63) << 12 |
		     (uint32_t)(utf8[2] & 63) << 6 | (uint32_t)(utf8[3] & 63);

	c -= 0x10000;
	text_utf8(out, 0xd800 + (c >> 10));
	text_utf8(out, 0xdc00 + (c & 0x3ff));
}

static bool is_beyond_bmp(const uint8_t *utf8, size_t left)
{
	return utf8[0] >= 0xf0 && left >= 4;
}

static void add_modified(struct text *out, const uint8_t *utf8, size_t len)
{
	size_t i = 0;

	while (i < len) {
		if (utf8[i] == 0) {
			text_add(out, "\xc0\x80", 2);
			i++;
		} else if (is_beyond_bmp(utf8 + i, len - i)) {
			add_surrogates(out, utf8 + i);
			i += 4;
		} else {
			text_putc(out, (char)utf8[i++]);
		}
	}
}

/* How many bytes add_modified() adds. */
static size_t modified_len(const uint8_t *utf8, size_t len)
{
	size_t i = 0, total = 0;

	while (i < len) {
		bool is_long = is_beyond_bmp(utf8 + i, len - i);

		total += is_long ? 6 : utf8[i] == 0 ? 2 : 1;
		i += is_long ? 4 : 1;
	}
	return total;
}

void java_write_string(struct text *out, const char *utf8, size_t len)
{
	const uint8_t *from = (const uint8_t *)utf8;
	size_t written = modified_len(from, len);

	if (written <= UINT16_MAX) {
		text_putc(out, TC_STRING);
		java_write_u16(out, (uint16_t)written);
	} else {
		text_putc(out, TC_LONGSTRING);
		java_write_u64(out, written);
	}
	add_modified(out, from, len);
}

static void add_name(struct text *out, const char *name)
{
	size_t len = strlen(name);

	java_write_u16(out, (uint16_t)len);
	text_add(out, name, len);
}

static void add_fields(struct text *out, const struct java_shape *shape)
{
	size_t most = sizeof(shape->fields) / sizeof(*shape->fields);
	size_t count = 0;

	while (count < most && shape->fields[count].name)
		count++;
	java_write_u16(out, (uint16_t)count);
	for (size_t i = 0; i < count; i++) {
		const struct java_shape_field *f = &shape->fields[i];

		text_putc(out, f->type);
		add_name(out, f->name);
		if (f->signature)
			java_write_string(out, f->signature,
					  strlen(f->signature));
	}
}

/* A class and those above it, each right behind the one below. */
static void add_class(struct text *out, const struct java_shape *shape,
		      enum java_dialect dialect)
{
	for (; shape; shape = shape->super) {
		text_putc(out, TC_CLASSDESC);
		add_name(out, shape->name);
		java_write_u64(out, shape->suid);
		text_putc(out, (char)shape->flags);
		add_fields(out, shape);
		if (dialect == JAVA_OF_RMI)
			java_write_null(out);
		java_write_end(out);
	}
	java_write_null(out);
}

void java_write_object(struct text *out, const struct java_shape *shape,
		       enum java_dialect dialect)
{
	text_putc(out, TC_OBJECT);
	add_class(out, shape, dialect);
}

/* As JVMs write them; one that is not here is written with 0. */
static uint64_t suid_of_array(const char *class_name)
{
	static const struct {
		const char *name;
		uint64_t suid;
	} arrays[] = {
		{ "[B", 0xacf317f8060854e0 },
		{ "[I", 0x4dba602676eab2a5 },
		{ "[J", 0x782004b512b17593 },
		{ "[Ljava.lang.Object;", 0x90ce589f1073296c },
		{ "[Ljava.lang.String;", 0xadd256e7e91d7b47 },
		{ "[Ljava.rmi.MarshalledObject;", 0x9e683287739f6bfe },
		{ "[Ljava.rmi.server.ObjID;", 0x871300b8d02c647e },
		{ "[Ljavax.management.ObjectName;", 0x11838f543538c9ee },
		{ "[Ljavax.security.auth.Subject;", 0x587fe42963ddea58 },
	};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		if (strcmp(arrays[i].name, class_name) == 0)
			return arrays[i].suid;
	return 0;
}

void java_write_array(struct text *out, const char *class_name, uint32_t count,
		      enum java_dialect dialect)
{
	struct java_shape shape = {
		.name = class_name,
		.suid = suid_of_array(class_name),
		.flags = JAVA_SERIALIZABLE,
	};

	text_putc(out, TC_ARRAY);
	add_class(out, &shape, dialect);
	java_write_u32(out, count);
}

void java_write_enum(struct text *out, const char *class_name,
		     const char *constant, enum java_dialect dialect)
{
	static const struct java_shape root = {
		.name = "java.lang.Enum",
		.flags = JAVA_SERIALIZABLE | JAVA_IS_ENUM,
	};
	const struct java_shape shape = {
		.name = class_name,
		.flags = JAVA_SERIALIZABLE | JAVA_IS_ENUM,
		.super = &root,
	};

	text_putc(out, TC_ENUM);
	add_class(out, &shape, dialect);
	java_write_string(out, constant, strlen(constant));
}
