/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_snap: reads the profile of a bundle of `sjkc snap` or, for commands of
 * threads and if there is no profile, its thread dumps.
 */
#include "core/base/tar.h"
#include "core/formats/reader.h"
#include "core/formats/snap_bundle.h"
#include "core/profile/profile.h"

#include <string.h>

/* A bundle of one JVM. */
struct bundle {
	struct tar tar;
	char jvm[16];    /* "4711/" in a bundle of several JVMs */
	size_t profiles; /* number of members that were read */
	size_t dumps;
	struct error failure; /* of the first unreadable member */
};

/* Returns the name below the directory of the bundle, or NULL. */
static const char *bundle_name(const struct tar_member *m)
{
	const char *slash = strchr(m->name, '/');

	if (!slash ||
	    strncmp(m->name, SNAP_DIRECTORY, strlen(SNAP_DIRECTORY)) != 0)
		return NULL;
	return slash + 1;
}

/* Returns the length of "4711/" at the start of a name. */
static size_t bundle_jvm_len(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && name[digits] == '/' ? digits + 1 : 0;
}

/* Fails unless the archive is a bundle of one JVM. */
static int bundle_open(struct bundle *b, const uint8_t *bytes, size_t len,
		       struct error *err)
{
	struct tar_member m;
	bool is_ours = false;

	*b = (struct bundle){ .jvm = "" };
	tar_open(&b->tar, bytes, len);
	while (tar_next(&b->tar, &m)) {
		const char *name = bundle_name(&m);
		size_t jvm = name ? bundle_jvm_len(name) : 0;

		if (!name)
			return fail(err, ERROR_INPUT,
				    "a tar archive, but not of `sjkc snap`; "
				    "unpack the file to read");
		is_ours = true;
		if (!jvm || jvm >= sizeof(b->jvm) ||
		    strncmp(b->jvm, name, jvm) == 0)
			continue;
		if (*b->jvm)
			return fail(err, ERROR_INPUT,
				    "a bundle of several JVMs; unpack it "
				    "with `tar xf`, and name a file of a JVM");
		memcpy(b->jvm, name, jvm);
	}
	if (!is_ours)
		return fail(err, ERROR_INPUT, "the tar archive has no files");
	tar_open(&b->tar, bytes, len);
	return 0;
}

/* Returns the next member, by its name in the directory of the JVM. */
static const char *bundle_next(struct bundle *b, struct tar_member *m)
{
	const char *name = tar_next(&b->tar, m) ? bundle_name(m) : NULL;

	return name ? name + bundle_jvm_len(name) : NULL;
}

static int bundle_fail_missing(const char *name, struct error *err)
{
	return fail(err, ERROR_INPUT,
		    "the bundle has no %s; its " SNAP_MANIFEST
		    " has the reason",
		    name);
}

int snap_bundle_narrow(struct input *in, const char *name, struct error *err)
{
	struct bundle b;
	struct tar_member m;
	const char *found;

	if (!tar_is(in->bytes, in->len))
		return 0;
	if (bundle_open(&b, in->bytes, in->len, err))
		return -1;
	while ((found = bundle_next(&b, &m)) && strcmp(found, name) != 0)
		;
	if (!found)
		return bundle_fail_missing(name, err);
	in->bytes = m.bytes;
	in->len = m.len;
	if (b.tar.is_cut && !in->damage)
		in->damage = "truncated tar archive";
	return 1;
}

/* Reads the members of one kind; they may be unreadable. */
static void bundle_read_members(struct bundle *b, bool dumps, struct profile *p)
{
	struct tar_member m;
	const char *name;
	struct error err;
	int ret;

	while ((name = bundle_next(b, &m))) {
		if (dumps && strncmp(name, SNAP_DUMP, strlen(SNAP_DUMP)) == 0)
			ret = dump_reader.read(m.bytes, m.len, p, &err);
		else if (!dumps && strcmp(name, SNAP_PROFILE) == 0)
			ret = jfr_reader.read(m.bytes, m.len, p, &err);
		else
			continue;
		if (ret == 0) {
			b->profiles += !dumps;
			b->dumps += dumps;
		} else if (!*b->failure.text) {
			b->failure = err;
			fail_in(&b->failure, "%s", name);
		}
	}
	if (b->tar.is_cut)
		profile_lost(p, "truncated tar archives", 1, "%s", "");
}

static bool snap_sniff(const uint8_t *head, size_t len)
{
	return tar_is(head, len);
}

static int snap_read(const uint8_t *bytes, size_t len, struct profile *p,
		     struct error *err)
{
	struct bundle b;

	if (bundle_open(&b, bytes, len, err))
		return -1;
	if (!p->thread_tap)
		bundle_read_members(&b, false, p);
	if (!b.profiles) {
		tar_open(&b.tar, bytes, len);
		bundle_read_members(&b, true, p);
	}
	if (b.profiles)
		return 0;
	if (b.dumps && !p->thread_tap)
		profile_note(p, "bundles without a profile", 1,
			     "the samples are those of its thread dumps");
	if (b.dumps)
		return 0;
	if (*b.failure.text) {
		*err = b.failure;
		return -1;
	}
	return bundle_fail_missing("thread dump", err);
}

const struct reader snap_reader = {
	.name = "snap",
	.summary = "bundle of sjkc snap",
	.sniff = snap_sniff,
	.read = snap_read,
};
