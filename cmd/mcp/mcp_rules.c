/* SPDX-License-Identifier: Apache-2.0 */
/* What `sjkc mcp` may do: JVMs, rights, and the files of one directory. */
#include "cmd/mcp/mcp.h"

#include "cmd/shared/command.h"
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

enum { NEW_NAME_MAX = 100 };

/*
 * Numbers of descriptors of files, whose names commands print: this one is
 * recognized in messages and replaced by the name of the file.
 */
#define FIRST_FILE 901

const char *const mcp_right_names[MCP_RIGHTS] = { "stop", "load", "probe",
						  "files" };

unsigned mcp_right_find(struct line name)
{
	for (unsigned i = 0; i < MCP_RIGHTS; i++)
		if (line_is(name, mcp_right_names[i]))
			return 1U << i;
	return 0;
}

/* The JVM of --pid with this PID; NULL if there is none. */
static const struct jvm *rules_find_jvm(const struct mcp_rules *r, pid_t pid)
{
	for (size_t i = 0; i < r->jvm_count; i++)
		if (r->jvms[i].pid == pid)
			return &r->jvms[i];
	return NULL;
}

bool mcp_rules_allow_jvm(const struct mcp_rules *r, pid_t pid, uid_t uid)
{
	return (!r->jvm_count || rules_find_jvm(r, pid)) &&
	       (!r->has_user || uid == r->user);
}

int mcp_rules_check_jvm(const struct mcp_rules *r, pid_t pid, struct error *err)
{
	const struct jvm *known = rules_find_jvm(r, pid);
	bool is_allowed = !r->jvm_count || known;
	struct jvm jvm;

	if (is_allowed && (known || r->has_user)) {
		if (jvm_open(&jvm, pid, err))
			return -1;
		/* A later process may have the PID. */
		is_allowed = mcp_rules_allow_jvm(r, pid, jvm.uid) &&
			     (!known || known->start_ticks == jvm.start_ticks);
		jvm_close(&jvm);
	}
	return is_allowed ? 0
			  : fail(err, ERROR_PERMISSION,
				 "%d: this server was started for other JVMs; "
				 "list_jvms lists them",
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
	int fd, moved;

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
	moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FILE);
	if (moved >= 0) {
		close(fd);
		fd = moved;
	}
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
	if (!*name || strlen(name) > NEW_NAME_MAX)
		return misuse(err, "invalid file name '%.20s'", name);
	if (fstatat(r->directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return misuse(err, "%s: exists; choose another name", name);
	return 0;
}

int mcp_rules_list_files(const struct mcp_rules *r, struct text *out,
			 struct error *err)
{
	struct json j = json_into(out);
	struct dirent **all = NULL;
	int count;

	if (rules_check_directory(r, err))
		return -1;
	count = scandirat(r->directory, ".", &all, NULL, alphasort);
	if (count < 0)
		return fail_sys(err, ERROR_INPUT, "%s", r->directory_name);
	json_open_object(&j);
	json_add_array(&j, "files");
	for (int i = 0; i < count; i++) {
		struct text time = { 0 };
		struct stat st;

		if (fstatat(r->directory, all[i]->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode)) {
			units_add_utc(&time, st.st_mtime * CLOCK_NS_PER_S);
			json_open_object(&j);
			json_add_text(&j, "name", all[i]->d_name);
			json_add_int(&j, "bytes", st.st_size);
			json_add_text(&j, "modified", time.bytes);
			json_close_object(&j);
			text_release(&time);
		}
		free(all[i]);
	}
	free(all);
	json_close_array(&j);
	json_end_document(&j);
	return 0;
}
