/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	leaving_main LIBJVM FILE OPTION... CLASS ARGUMENT...
 *
 * Runs main() of a Java class in a second thread. The first thread ends once
 * the file exists, and the JVM lives on.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Places in the table of functions of JNI (JNI specification, chapter 4). */
enum {
	JNI_FIND_CLASS = 6,
	JNI_GET_STATIC_METHOD_ID = 113,
	JNI_CALL_STATIC_VOID_METHOD_A = 143,
	JNI_NEW_STRING_UTF = 167,
	JNI_NEW_OBJECT_ARRAY = 172,
	JNI_SET_OBJECT_ARRAY_ELEMENT = 174,
	JNI_VERSION = 0x00010008,
	OPTIONS_MAX = 32,
};

typedef void *jni_ref;
typedef void *const *jni_table;
typedef jni_table *jni_env;

struct vm_option {
	char *text;
	void *extra;
};

struct vm_arguments {
	int32_t version, count;
	struct vm_option *options;
	uint8_t ignores_unknown;
};

typedef int32_t create_vm(jni_ref *vm, jni_env *env, struct vm_arguments *a);

static char **words;

static void check(const void *value, const char *what)
{
	if (value)
		return;
	fprintf(stderr, "leaving_main: %s\n", what);
	_exit(1);
}

/* Calls main() with the words after the class. */
static void run_class(jni_env env, char **class)
{
	jni_table table = *env;
	jni_ref (*find)(jni_env, const char *) = (jni_ref(*)(
		jni_env, const char *))table[JNI_FIND_CLASS];
	jni_ref (*method_of)(jni_env, jni_ref, const char *,
			     const char *) = (jni_ref(*)(jni_env, jni_ref,
							 const char *,
							 const char *))
		table[JNI_GET_STATIC_METHOD_ID];
	void (*call)(jni_env, jni_ref, jni_ref, const jni_ref *) = (void (*)(
		jni_env, jni_ref, jni_ref,
		const jni_ref *))table[JNI_CALL_STATIC_VOID_METHOD_A];
	jni_ref (*text)(jni_env, const char *) = (jni_ref(*)(
		jni_env, const char *))table[JNI_NEW_STRING_UTF];
	jni_ref (*array_of)(jni_env, int32_t, jni_ref, jni_ref) = (jni_ref(*)(
		jni_env, int32_t, jni_ref, jni_ref))table[JNI_NEW_OBJECT_ARRAY];
	void (*set)(jni_env, jni_ref, int32_t, jni_ref) = (void (*)(
		jni_env, jni_ref, int32_t,
		jni_ref))table[JNI_SET_OBJECT_ARRAY_ELEMENT];
	jni_ref found = find(env, class[0]), method, strings;
	int32_t count = 0;

	check(found, class[0]);
	method = method_of(env, found, "main", "([Ljava/lang/String;)V");
	check(method, "no main()");
	while (class[1 + count])
		count++;
	strings = array_of(env, count, find(env, "java/lang/String"), NULL);
	for (int32_t i = 0; i < count; i++)
		set(env, strings, i, text(env, class[1 + i]));
	call(env, found, method, &strings);
}

static void *run_vm(void *unused)
{
	struct vm_option options[OPTIONS_MAX] = { { 0 } };
	struct vm_arguments arguments = { .version = JNI_VERSION,
					  .options = options };
	void *library = dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
	char **word = words + 3;
	create_vm *create;
	jni_env env = NULL;
	jni_ref vm;

	(void)unused;
	check(library, library ? words[1] : dlerror());
	create = (create_vm *)dlsym(library, "JNI_CreateJavaVM");
	check((void *)create, "no JNI_CreateJavaVM");
	while (*word && **word == '-' && arguments.count < OPTIONS_MAX)
		options[arguments.count++].text = *word++;
	check(*word, "no class");
	check(create(&vm, &env, &arguments) == 0 ? vm : NULL, "no JVM");
	run_class(env, word);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t thread;

	if (argc < 4)
		return 2;
	words = argv;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 8 << 20);
	if (pthread_create(&thread, &attributes, run_vm, NULL))
		return 1;
	while (access(argv[2], F_OK))
		usleep(50000);
	pthread_exit(NULL);
}
