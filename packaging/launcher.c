/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launcher: `sjkc` of the relocatable tarball, linked statically.
 *
 * The kernel takes a program's loader only by an absolute path, so a directory
 * that may be anywhere starts its loader itself.  The loader is the file
 * libexec/sjkc, so that ps(1) and top(1) print "sjkc".  It gets the directory
 * of the libraries as an option: LD_LIBRARY_PATH would reach the programs that
 * sjkc starts, too.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOADER    "/libexec/sjkc"
#define PROGRAM   "/libexec/sjkc-program"
#define LIBRARIES "/lib"
#define TERMINALS "/share/terminfo"

enum {
	EXIT_UNAVAILABLE = 8,
	/* The arguments of the loader and the NULL at the end. */
	ROOM = 8,
};

static void fail(const char *what)
{
	fprintf(stderr, "sjkc: cannot start: %s: %s\n", what, strerror(errno));
	exit(EXIT_UNAVAILABLE);
}

/* The directory of this file, links followed; it ends the program otherwise. */
static void find_directory(char directory[PATH_MAX], const char *name)
{
	ssize_t len = readlink("/proc/self/exe", directory, PATH_MAX - 1);
	char *slash;

	if (len >= 0)
		directory[len] = '\0';
	/* Without /proc, a name with a slash is a path. */
	else if (!strchr(name, '/') || !realpath(name, directory))
		fail("/proc/self/exe");
	slash = strrchr(directory, '/');
	if (slash)
		*slash = '\0';
}

static char *join(const char *directory, const char *name)
{
	char *path;

	if (asprintf(&path, "%s%s", directory, name) < 0)
		fail(name);
	return path;
}

/* A small container has no terminal descriptions: the tarball has common ones.
 */
static void offer_terminals(const char *directory)
{
	const char *before = getenv("TERMINFO_DIRS");
	char *added = join(directory, TERMINALS);
	char *dirs;

	/* An empty entry is the list that is compiled into ncurses. */
	if (asprintf(&dirs, "%s:%s", before ? before : "", added) < 0 ||
	    setenv("TERMINFO_DIRS", dirs, 1) < 0)
		fail("TERMINFO_DIRS");
	free(added);
	free(dirs);
}

int main(int argc, char **argv)
{
	char directory[PATH_MAX];
	char **args = calloc((size_t)argc + ROOM, sizeof(*args));
	char **arg = args;

	if (!args || argc < 1)
		fail("arguments");
	find_directory(directory, argv[0]);
	offer_terminals(directory);
	*arg++ = "sjkc";
	*arg++ = "--inhibit-cache";
	*arg++ = "--library-path";
	*arg++ = join(directory, LIBRARIES);
	*arg++ = "--argv0";
	*arg++ = argv[0];
	*arg++ = join(directory, PROGRAM);
	for (int i = 1; i < argc; i++)
		*arg++ = argv[i];
	execv(join(directory, LOADER), args);
	fail(join(directory, LOADER));
}
