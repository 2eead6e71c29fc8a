/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/main_name.h"

#include "core/jvm/container.h"
#include "core/jvm/procfs.h"

#include <stdbool.h>
#include <string.h>

/* True for file names, whose dots separate no packages. */
static bool main_name_is_file(const char *name)
{
	static const char *const extensions[] = { ".jar", ".war", ".java" };
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(extensions) / sizeof(*extensions); i++) {
		size_t ext = strlen(extensions[i]);

		if (len > ext &&
		    memcmp(name + len - ext, extensions[i], ext) == 0)
			return true;
	}
	return false;
}

const char *main_name_simple(const char *main_class)
{
	const char *slash = strrchr(main_class, '/');
	const char *base = slash && slash[1] ? slash + 1 : main_class;
	const char *dot = main_name_is_file(base) ? NULL : strrchr(base, '.');

	return dot && dot[1] ? dot + 1 : base;
}

void main_name_of(const struct jvm *jvm, const struct jvm_info *info,
		  struct text *out)
{
	struct proc_stat stat;

	text_clear(out);
	if (info->main_class)
		text_puts(out, info->main_class);
	else if (procfs_stat(jvm->pid, &stat, error_unused()) == 0)
		text_printf(out, "(%s)", stat.comm);
	else
		text_puts(out, "(?)");
}

void main_name_add_with_pid(const struct jvm *jvm, struct text *out)
{
	struct jvm_info info;
	struct text name = { 0 };
	struct proc_stat stat;

	if (jvm->kind == JVM_NONE) {
		if (procfs_stat(jvm->pid, &stat, error_unused()) == 0)
			text_puts(&name, stat.comm);
	} else if (jvm_info(jvm, &info, error_unused()) == 0) {
		main_name_of(jvm, &info, &name);
		jvm_info_release(&info);
	}
	if (name.len)
		text_printf(out, "%s ", name.bytes);
	text_printf(out, "(%d)", (int)jvm->pid);
	text_release(&name);
}

void main_name_add_with_pod(const struct jvm *jvm, struct text *out)
{
	struct container_pod pod;

	main_name_add_with_pid(jvm, out);
	container_pod_read(&pod, jvm);
	container_pod_add_to_title(&pod, out);
	container_pod_release(&pod);
}
