/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_command: what a command line says of a Java program.
 *
 * As the launcher of JDK 8 to 25 reads it (src/java.base/share/native/libjli:
 * which options take the next word, where @files are expanded), and as the VM
 * reads its options from environment variables.  Bytes are foreign.
 */
#ifndef CORE_JVM_JAVA_COMMAND_H
#define CORE_JVM_JAVA_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* Strings on the heap; the array ends with NULL once something was added. */
struct java_words {
	char **at;
	size_t count, cap;
};

void java_words_add(struct java_words *w, const char *text, size_t len);
void java_words_release(struct java_words *w);

/* All words of the second behind those of the first; it is then empty. */
void java_words_move(struct java_words *to, struct java_words *from);

/* Adds what stands between NULs, as in /proc/PID/cmdline. */
void java_words_of_nuls(struct java_words *w, const char *bytes, size_t len);

/*
 * Adds the words of an environment variable: blanks separate, either quote
 * keeps blanks, and there are no escapes.
 */
void java_words_of_options(struct java_words *w, const char *text, size_t len);

struct java_command {
	char *main_class; /* or a jar, or module/class; NULL when unknown */
	struct java_words vm_args;
	struct java_words args; /* of the program */
	bool has_file; /* an @file stood among the options: there is more */
};

/*
 * Reads a launcher's name and the words behind it.  is_java: it is `java`;
 * otherwise a tool of the JDK or a program of its own, whose -J… are the VM's
 * and whose main class it knows itself.
 */
void java_command_read(struct java_command *c, const struct java_words *words,
		       bool is_java);
void java_command_release(struct java_command *c);

#endif
