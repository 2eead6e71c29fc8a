/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/nps_builder.h"

#include "core/base/alloc.h"
#include "core/formats/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct profile *nps_read_bytes(const uint8_t *bytes, size_t len)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	if (nps_reader.read(bytes, len, p, &err))
		fail_msg("%s", err.text);
	return p;
}

struct error nps_refusal(const void *bytes, size_t len)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	assert_int_equal(nps_reader.read(bytes, len, p, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	profile_free(p);
	return err;
}

const struct remark *nps_find_remark(const struct profile *p, const char *what)
{
	for (size_t i = 0; i < p->remark_count; i++) {
		if (strcmp(p->remarks[i].what, what) == 0)
			return &p->remarks[i];
	}
	fail_msg("no remark '%s'", what);
	return NULL;
}

void nps_put(struct text *t, uint64_t value, int bytes)
{
	while (bytes--)
		text_putc(t, bytes < 8 ? (char)(value >> 8 * bytes) : 0);
}

void nps_put_utf(struct text *t, const char *string)
{
	nps_put(t, strlen(string), 2);
	text_puts(t, string);
}

void nps_put_node(struct text *t, unsigned method, uint64_t total,
		  unsigned callees)
{
	nps_put(t, method, 2);
	nps_put(t, 1, 4);
	nps_put(t, total, 5);
	nps_put(t, 0, 5); /* self time, which the reader must ignore */
	nps_put(t, callees, 2);
}

void nps_put_start(struct text *t, int64_t began_ms, int64_t taken_ms)
{
	nps_put(t, 1, 4);
	nps_put(t, (uint64_t)began_ms, 8);
	nps_put(t, (uint64_t)taken_ms, 8);
	nps_put(t, 0, 1);
	nps_put(t, 3, 4);
	nps_put_utf(t, "Thread");
	nps_put_utf(t, "");
	nps_put_utf(t, "");
	nps_put_utf(t, "A");
	nps_put_utf(t, "main");
	nps_put_utf(t, "()V");
	nps_put_utf(t, "b/B$$Lambda$7/0x0000000800c0");
	nps_put_utf(t, "run[native](long) : void");
	nps_put_utf(t, "");
}

void nps_put_thread(struct text *t, const char *name, const struct text *tree,
		    unsigned node_size)
{
	nps_put(t, 0, 4);
	nps_put_utf(t, name);
	nps_put(t, 0, 1);
	nps_put(t, tree->len, 4);
	text_add(t, tree->bytes, tree->len);
	nps_put(t, node_size, 4);
	for (int i = 0; i < 9; i++)
		nps_put(t, 0, 8);
	nps_put(t, 0, 1);
}

void nps_put_tree(struct text *tree)
{
	nps_put_node(tree, 0, 2501, 1);
	nps_put(tree, 21, 3);
	nps_put_node(tree, 1, 2501, 1);
	nps_put(tree, 42, 3);
	nps_put_node(tree, 2, 2000, 0);
}

struct nps_made nps_made_payload(int64_t began_ms, int64_t taken_ms)
{
	struct nps_made m = { .comment = "", .major = 1, .type = 1 };
	struct text tree = { 0 };

	nps_put_start(&m.payload, began_ms, taken_ms);
	nps_put(&m.payload, 1, 4);
	nps_put_tree(&tree);
	nps_put_thread(&m.payload, "main", &tree, 18);
	text_release(&tree);
	return m;
}

struct text nps_made_file(struct nps_made *m)
{
	struct text file = { 0 };
	uLongf len = compressBound(m->payload.len);
	uint8_t *zipped = xmalloc(len);

	assert_int_equal(compress(zipped, &len, (uint8_t *)m->payload.bytes,
				  m->payload.len),
			 Z_OK);
	text_puts(&file, "nBpRoFiLeR");
	nps_put(&file, (uint64_t)m->major, 1);
	nps_put(&file, m->comment ? 2 : 1, 1);
	nps_put(&file, (uint64_t)m->type, 4);
	nps_put(&file, len + (uint64_t)m->compressed_lie, 4);
	nps_put(&file, m->payload.len + (uint64_t)m->len_lie, 4);
	text_add(&file, zipped, len);
	nps_put(&file, (uint64_t)m->settings_len, 4);
	if (m->comment)
		nps_put_utf(&file, m->comment);
	free(zipped);
	text_release(&m->payload);
	return file;
}

struct profile *nps_read_made(struct nps_made *m)
{
	struct text file = nps_made_file(m);
	struct profile *p = nps_read_bytes((uint8_t *)file.bytes, file.len);

	text_release(&file);
	return p;
}
