/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The archive of a bundle. Each file is compressed by itself, as a gzip member:
 * its size is known before the archive is written, and only compressed files
 * stay in memory. Programs read such members as one stream (RFC 1952, 2.2).
 */
#include "cmd/snap/snap.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/output.h"
#include "core/base/tar.h"
#include "core/base/units.h"
#include "core/base/version.h"
#include "core/base/zip.h"
#include "core/formats/snap_bundle.h"
#include "core/jvm/java_command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void bundle_pack(const struct snap_bundle *b, const char *name,
			const void *bytes, size_t len, struct text *packed)
{
	struct text path = { 0 }, file = { 0 };

	text_printf(&path, "%s/%s", b->directory, name);
	tar_add(&file, path.bytes, bytes, len,
		clock_wall_ns() / CLOCK_NS_PER_S);
	gzip_bytes(packed, file.bytes, file.len);
	text_release(&path);
	text_release(&file);
}

/* Returns the largest file, one that is not required if there is one. */
static struct snap_member *bundle_find_largest(const struct snap_bundle *b)
{
	struct snap_member *found = NULL;

	for (size_t i = 0; i < b->count; i++) {
		struct snap_member *m = &b->all[i];

		if (!m->packed.len)
			continue;
		if (!found || (m->is_required == found->is_required
				       ? m->packed.len > found->packed.len
				       : !m->is_required))
			found = m;
	}
	return found;
}

static void bundle_limit(struct snap_bundle *b)
{
	struct snap_member *m;

	while (b->bytes > b->max_bytes && (m = bundle_find_largest(b))) {
		b->bytes -= m->packed.len;
		text_release(&m->packed);
		m->status = "dropped";
		free(m->error);
		m->error = xstrdup("the bundle would be larger than "
				   "--max-size");
	}
}

struct snap_member *snap_bundle_miss(struct snap_bundle *b, const char *name,
				     const char *status, const char *error)
{
	array_add(b->all, b->count, b->cap,
		  (struct snap_member){
			  .name = xstrdup(name),
			  .status = status,
			  .error = error ? xstrdup(error) : NULL,
		  });
	return &b->all[b->count - 1];
}

struct snap_member *snap_bundle_add(struct snap_bundle *b, const char *name,
				    const void *bytes, size_t len,
				    bool is_required)
{
	struct snap_member *m = snap_bundle_miss(b, name, "ok", NULL);
	const char *dot = strrchr(name, '.');
	struct text masked = { 0 };

	if (!dot || (strcmp(dot, ".json") != 0 && strcmp(dot, ".jfr") != 0)) {
		secrets_add_lines(&masked, bytes, len);
		bytes = masked.bytes;
		len = masked.len;
	}
	m->len = len;
	m->is_required = is_required;
	bundle_pack(b, name, bytes, len, &m->packed);
	b->bytes += m->packed.len;
	text_release(&masked);
	bundle_limit(b);
	return m;
}

static void manifest_add_member(struct json *j, const struct snap_member *m)
{
	json_open_object(j);
	json_add_text(j, "name", m->name);
	json_add_text(j, "status", m->status);
	json_add_text(j, "error", m->error);
	if (m->packed.len)
		json_add_uint(j, "bytes", m->len);
	else
		json_add_null(j, "bytes");
	json_add_double(j, "seconds", m->seconds);
	json_add_text(j, "messages", m->messages);
	json_close_object(j);
}

static void bundle_add_manifest(const struct snap_bundle *b,
				const struct snap_about *about,
				struct text *packed)
{
	struct text out = { 0 }, time = { 0 };
	struct json j = json_document(&out, "sjkc.snap/1");

	units_add_utc(&time, about->begin_ns);
	json_add_text(&j, "version", SJKC_VERSION);
	json_add_text(&j, "host", about->host);
	json_add_text(&j, "time", time.bytes);
	json_add_double(&j, "seconds",
			(double)(about->end_ns - about->begin_ns) /
				(double)CLOCK_NS_PER_S);
	json_add_bool(&j, "quick", about->is_quick);
	json_add_bool(&j, "interrupted", about->is_interrupted);
	json_add_array(&j, "jvms");
	for (size_t i = 0; i < about->jvm_count; i++)
		json_text(&j, about->jvms[i].bytes);
	json_close_array(&j);
	json_add_array(&j, "members");
	for (size_t i = 0; i < b->count; i++)
		manifest_add_member(&j, &b->all[i]);
	json_close_array(&j);
	json_end_document(&j);
	bundle_pack(b, SNAP_MANIFEST, out.bytes, out.len, packed);
	text_release(&time);
	text_release(&out);
}

int snap_bundle_write(const struct snap_bundle *b, const char *path,
		      const struct snap_about *about, struct error *err)
{
	struct text first = { 0 }, last = { 0 }, end = { 0 };
	mode_t mask = umask(077);
	struct output out;
	int ret = output_open(&out, path, err);

	umask(mask);
	bundle_add_manifest(b, about, &first);
	tar_end(&end);
	gzip_bytes(&last, end.bytes, end.len);
	if (ret == 0) {
		output_write(&out, first.bytes, first.len);
		for (size_t i = 0; i < b->count; i++)
			output_write(&out, b->all[i].packed.bytes,
				     b->all[i].packed.len);
		output_write(&out, last.bytes, last.len);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	text_release(&first);
	text_release(&last);
	text_release(&end);
	return ret;
}

void snap_bundle_release(struct snap_bundle *b)
{
	for (size_t i = 0; i < b->count; i++) {
		free(b->all[i].name);
		free(b->all[i].error);
		free(b->all[i].messages);
		text_release(&b->all[i].packed);
	}
	free(b->all);
}
