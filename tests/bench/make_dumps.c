/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_dumps nps|std FILE: writes a large VisualVM snapshot, 143 MB inflated,
 * or a stack trace dump of SJK with 100,000 stack traces of 117 frames.
 */
#include "core/base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define METHODS 5000
#define THREADS 24

static uint64_t random_state = 1;

static uint32_t next_random(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)((random_state >> 33) % below);
}

static void put(struct text *t, uint64_t value, int bytes)
{
	while (bytes--)
		text_putc(t, (char)(value >> 8 * bytes));
}

static void put_utf(struct text *t, const char *name)
{
	put(t, strlen(name), 2);
	text_puts(t, name);
}

static void put_name(struct text *t, const char *format, uint32_t number)
{
	char name[64];

	snprintf(name, sizeof(name), format, (unsigned)number);
	put_utf(t, name);
}

/* A tree of one thread, breadth first: each node has up to three callees. */
static void put_tree(struct text *t, uint32_t nodes)
{
	uint32_t *at = malloc((nodes + 1) * sizeof(*at));
	uint8_t *callees = calloc(nodes + 1, 1);
	uint32_t made = 1, offset = 0, next = 1;

	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t n = 1 + (next_random(4) == 0) + next_random(2);

		callees[i] = (uint8_t)(n < nodes - made ? n : nodes - made);
		made += callees[i];
		at[i] = offset;
		offset += 28 + 3u * callees[i];
	}
	put(t, offset, 4);
	for (uint32_t i = 0; i < nodes; i++) {
		put(t, i ? 1 + next_random(METHODS - 1) : 0, 2);
		put(t, 1, 4);
		for (int k = 0; k < 2; k++) {
			put(t, UINT64_C(1) << (i ? 20 : 39), 5);
			put(t, 1000, 5);
		}
		put(t, callees[i], 2);
		for (uint32_t k = 0; k < callees[i]; k++)
			put(t, at[next++], 3);
	}
	free(at);
	free(callees);
}

static void make_nps(struct text *t)
{
	put(t, 1, 4);
	put(t, UINT64_C(1700000000000), 8);
	put(t, UINT64_C(1700000060000), 8);
	put(t, 1, 1);
	put(t, METHODS, 4);
	for (uint32_t i = 0; i < METHODS; i++) {
		put_name(t, "com.acme.service.Component%u", i / 8);
		put_name(t, "process%u", i);
		put_utf(t, "()V");
	}
	put(t, THREADS, 4);
	for (uint32_t i = 0; i < THREADS; i++) {
		put(t, i + 1, 4);
		put_name(t, "worker-%u", i);
		put(t, 1, 1);
		put_tree(t, 192000);
		put(t, 28, 4);
		for (int k = 0; k < 73; k++)
			text_putc(t, 0);
	}
}

static void put_vint(struct text *t, uint32_t value)
{
	for (; value >= 0x80; value >>= 7)
		text_putc(t, (char)(0x80 | (value & 0x7f)));
	text_putc(t, (char)value);
}

/* Stack traces that share their callers, as those of a server do. */
static void make_std(struct text *t)
{
	uint32_t frames[117];

	for (uint32_t i = 0; i < METHODS; i++) {
		text_putc(t, 1);
		put_name(t, "process%u", i);
		text_putc(t, 2);
		put_vint(t, 0);
		put_vint(t, 1 + i / 8);
		put_vint(t, 1 + i);
		put_vint(t, 0);
		put_vint(t, 2 + i % 900);
	}
	for (uint32_t k = 0; k < 117; k++)
		frames[k] = 1 + next_random(METHODS);
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t changed = 1 + next_random(next_random(20) ? 8 : 117);

		for (uint32_t k = 0; k < changed; k++)
			frames[k] = 1 + next_random(200);
		text_putc(t, 3);
		put(t, 1 + i % 200, 8);
		put(t, UINT64_C(1700000000000) + i, 8);
		put_vint(t, 117);
		for (uint32_t k = 0; k < 117; k++)
			put_vint(t, frames[k]);
	}
}

int main(int argc, char **argv)
{
	int is_nps = argc == 3 && strcmp(argv[1], "nps") == 0;
	struct text t = { 0 }, head = { 0 };
	uLongf len;
	Bytef *packed;
	FILE *out;

	if (argc != 3)
		return 2;
	if (is_nps)
		make_nps(&t);
	else
		make_std(&t);
	len = compressBound(t.len);
	packed = malloc(len);
	compress2(packed, &len, (const Bytef *)t.bytes, t.len, 6);
	text_puts(&head, is_nps ? "nBpRoFiLeR" : "TRACEDUMP_1 ");
	if (is_nps) {
		put(&head, 0x0102, 2);
		put(&head, 1, 4);
		put(&head, len, 4);
		put(&head, t.len, 4);
	}
	out = fopen(argv[2], "w");
	if (!out)
		return 1;
	fwrite(head.bytes, 1, head.len, out);
	fwrite(packed, 1, len, out);
	if (is_nps)
		fwrite("\0\0\0\0\0\0", 1, 6, out);
	printf("%zu\n", t.len);
	text_release(&t);
	text_release(&head);
	free(packed);
	return fclose(out) ? 1 : 0;
}
