/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/agent/agent_record.h"

#include "jvmti/agent/agent_system.h"

struct record record_over(void *memory, size_t size)
{
	uint8_t *begin = memory;

	return (struct record){ begin, begin, begin + size, false };
}

void record_put_byte(struct record *r, uint8_t byte)
{
	if (r->at < r->end)
		*r->at++ = byte;
	else
		r->is_full = true;
}

void record_put(struct record *r, uint64_t value)
{
	int more = 8;

	while (value >= 0x80 && more--) {
		record_put_byte(r, (uint8_t)(value | 0x80));
		value >>= 7;
	}
	record_put_byte(r, (uint8_t)value);
}

void record_put_signed(struct record *r, int64_t value)
{
	record_put(r, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

void record_put_bytes(struct record *r, const void *bytes, size_t len)
{
	if (len > (size_t)(r->end - r->at)) {
		r->is_full = true;
		return;
	}
	if (len)
		memcpy(r->at, bytes, len);
	r->at += len;
}

void record_put_text(struct record *r, const char *text)
{
	size_t len = system_length(text);

	if (len > RECORD_NAME)
		len = RECORD_NAME;
	record_put(r, len);
	record_put_bytes(r, text, len);
}

uint8_t *record_begin(struct record *r, unsigned kind)
{
	uint8_t *begin = r->at;

	for (int i = 0; i < 4; i++)
		record_put_byte(r, 0);
	record_put_byte(r, (uint8_t)kind);
	return begin;
}

void record_end(struct record *r, uint8_t *begin)
{
	size_t len = (size_t)(r->at - begin) - 4;

	if (r->is_full)
		return;
	for (int i = 0; i < 4; i++)
		begin[i] = (uint8_t)(len >> (24 - 8 * i));
}
