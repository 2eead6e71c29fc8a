/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_writer: serialized Java objects, written.
 *
 * Each appends to out; Java Object Serialization Specification, chapter 6,
 * protocol version 2.  Nothing refers to what was written before: a reader
 * takes it twice as well.
 */
#ifndef JMX_HTTP_RMI_JAVA_WRITER_H
#define JMX_HTTP_RMI_JAVA_WRITER_H

#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>

/* Big-endian integers, as block data and fields hold them. */
void java_write_u16(struct text *out, uint16_t value);
void java_write_u32(struct text *out, uint32_t value);
void java_write_u64(struct text *out, uint64_t value);

/* What a stream begins with. */
void java_write_header(struct text *out);

/* Block data of len bytes follows: 255 at most. */
void java_write_block(struct text *out, uint8_t len);

void java_write_null(struct text *out);

/*
 * A String of len bytes of UTF-8, which become modified UTF-8: NUL is two
 * bytes, a character beyond the BMP two surrogates.
 */
void java_write_string(struct text *out, const char *utf8, size_t len);

#endif
