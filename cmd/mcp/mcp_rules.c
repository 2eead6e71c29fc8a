/* SPDX-License-Identifier: Apache-2.0 */
/* What `sjkc mcp` may do: JVMs, rights, and the files of one directory. */
#include "cmd/mcp/mcp.h"

#include "cmd/shared/command.h"
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/units.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Files of a directory that are listed, the newest first. */
enum { LISTED_MAX = 500, NAME_MAX_BYTES = 100 };

const char *const mcp_right_names[MCP_RIGHTS] = { "stop", "load", "probe",
						  "files" };

int mcp_rules_check_jvm(const struct mcp_rules *r, pid_t pid, struct error *err)
{
	struct jvm jvm;
	bool is_users;
	size_t i = 0;

	while (i < r->jvm_count && r->jvms[i].pid != pid)
		i++;
	if (r->jvm_count && i == r->jvm_count)
		return fail(err, ERROR_PERMISSION,
			    "%d: this server was started for other JVMs; "
			    "list_jvms lists them",
			    (int)pid);
	if (r->jvm_count && !jvm_runs(&r->jvms[i]))
		return jvm_fail_ended(&r->jvms[i], err);
	if (!r->has_user)
		return 0;
	if (jvm_open(&jvm, pid, err))
		return -1;
	is_users = jvm.uid == r->user;
	jvm_close(&jvm);
	return is_users ? 0
			: fail(err, ERROR_PERMISSION,
			       "%d: this server was started for the JVMs of "
			       "another user; list_jvms lists them",
			       (int)pid);
}

static int rules_check_directory(const struct mcp_rules *r, struct error *err)
{
	return r->directory >= 0
		       ? 0
		       : fail(err, ERROR_PERMISSION,
			      "this server reads and writes no files; its user "
			      "can restart it with `sjkc mcp --dir DIR`");
}

/* The path below the directory: a path from the root may name it, too. */
static const char *rules_relative(const struct mcp_rules *r, const char *path)
{
	size_t len = strlen(r->directory_name);

	if (*path != '/' || strncmp(path, r->directory_name, len) != 0 ||
	    path[len] != '/')
		return path;
	path += len;
	return path + strspn(path, "/");
}

int mcp_rules_open_file(const struct mcp_rules *r, const char *path,
			struct error *err)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	struct stat st;
	int fd;

	if (rules_check_directory(r, err))
		return -1;
	fd = (int)syscall(SYS_openat2, r->directory, rules_relative(r, path),
			  &how, sizeof(how));
	if (fd < 0 && errno == EXDEV)
		return fail(err, ERROR_PERMISSION,
			    "%s: outside the directory %s", path,
			    r->directory_name);
	if (fd < 0)
		return fail_sys(err, ERROR_INPUT, "%s", path);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return fail(err, ERROR_INPUT, "%s: not a regular file", path);
}

int mcp_rules_check_new_file(const struct mcp_rules *r, const char *name,
			     struct error *err)
{
	struct stat st;

	if (rules_check_directory(r, err))
		return -1;
	for (const char *at = name; *at; at++)
		if (!is_letter(*at) && !is_digit(*at) &&
		    !(at > name && strchr("._-", *at)))
			return misuse(err,
				      "invalid file name '%s': use letters, "
				      "digits and ._-",
				      name);
	if (!*name || strlen(name) > NAME_MAX_BYTES)
		return misuse(err, "invalid file name '%.20s'", name);
	if (fstatat(r->directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return misuse(err, "%s: exists; choose another name", name);
	return 0;
}

struct listed_file {
	char *name;
	int64_t bytes, modified_s;
};

static int listed_compare(const void *a, const void *b)
{
	const struct listed_file *x = a, *y = b;

	if (x->modified_s != y->modified_s)
		return x->modified_s < y->modified_s ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void listed_write(struct json *j, const struct listed_file *f)
{
	struct text time = { 0 };

	units_add_utc(&time, f->modified_s * CLOCK_NS_PER_S);
	json_open_object(j);
	json_add_text(j, "name", f->name);
	json_add_int(j, "bytes", f->bytes);
	json_add_text(j, "modified", time.bytes);
	json_close_object(j);
	text_release(&time);
}

int mcp_rules_list_files(const struct mcp_rules *r, struct text *out,
			 struct error *err)
{
	struct listed_file *all = NULL;
	size_t count = 0, cap = 0;
	const struct dirent *entry;
	struct json j;
	DIR *dir;
	int fd;

	if (rules_check_directory(r, err))
		return -1;
	fd = openat(r->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return fail_sys(err, ERROR_INPUT, "%s", r->directory_name);
	while ((entry = readdir(dir)) && count < LISTED_MAX) {
		struct stat st;

		if (fstatat(r->directory, entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			array_add(all, count, cap,
				  (struct listed_file){ xstrdup(entry->d_name),
							st.st_size,
							st.st_mtime });
	}
	closedir(dir);
	if (count)
		qsort(all, count, sizeof(*all), listed_compare);
	j = json_into(out);
	json_open_object(&j);
	json_add_array(&j, "files");
	for (size_t i = 0; i < count; i++) {
		listed_write(&j, &all[i]);
		free(all[i].name);
	}
	free(all);
	json_close_array(&j);
	json_end_document(&j);
	return 0;
}
