/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_command: parses the command line of a Java program, and masks its
 * secrets.
 *
 * The rules are those of the launcher of JDK 8 to 25
 * (src/java.base/share/native/libjli: which options take the next word, where
 * @files are expanded) and of the VM's options in environment variables. Bytes
 * are foreign.
 */
#ifndef CORE_JVM_JAVA_COMMAND_H
#define CORE_JVM_JAVA_COMMAND_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Maximum number of words, far above what a JVM is started with. A process can
 * replace its arguments by megabytes of NULs, each of which is an empty word.
 */
enum { JAVA_WORDS_MAX = 16384 };

/* Strings on the heap; a nonempty array ends with NULL. */
struct java_words {
	char **at;
	size_t count, cap;
	bool is_cut; /* there were more words */
};

void java_words_add(struct java_words *w, const char *text, size_t len);
void java_words_release(struct java_words *w);

/* Moves all words of `from` to the end of *to. */
void java_words_move(struct java_words *to, struct java_words *from);

/* Adds the words of /proc/PID/cmdline, each terminated by NUL. */
void java_words_of_nuls(struct java_words *w, const char *bytes, size_t len);

/*
 * Adds the words of an environment variable. Spaces separate words, single or
 * double quotes protect spaces, and there are no escapes.
 */
void java_words_of_options(struct java_words *w, const char *text, size_t len);

struct java_command {
	char *main_class; /* or a jar, or module/class; NULL if unknown */
	struct java_words vm_args;
	struct java_words args; /* arguments of the program */
	bool has_file; /* the options include an @file, so others are unknown */
};

enum java_launcher {
	/*
	 * A JDK tool or another program, whose -J... options are the VM's and
	 * whose main class is not on the command line.
	 */
	JAVA_LAUNCHER_OTHER,
	JAVA_LAUNCHER_JAVA,
	JAVA_LAUNCHER_JSVC, /* of Apache Commons Daemon */
};

/* By the name of the program file. */
enum java_launcher java_launcher_of(const char *name);

/* Parses the name and arguments of a launcher. */
void java_command_read(struct java_command *c, const struct java_words *words,
		       enum java_launcher launcher);

/*
 * Secrets in arguments and properties are recognized by names: password,
 * passwd, pwd, passphrase, secret, token, credential, key (but not keystore,
 * which is a file). This is a guess that errs on the side of masking.
 */
#define SECRETS_MASK "***"

/*
 * Appends an argument with its secrets masked: the value of -Dname=value and
 * --name=value, the argument after a --name (before is the preceding argument
 * or NULL), name=value between & ; , and the password of
 * scheme://user:password@host.
 */
void secrets_add_arg(struct text *out, const char *before, const char *arg);

/* The same for a property. */
void secrets_add_value(struct text *out, const char *name, const char *value);

/*
 * The same for lines of any text: masks name=value and passwords of URLs. NUL
 * bytes become spaces.
 */
void secrets_add_lines(struct text *out, const char *bytes, size_t len);

#endif
