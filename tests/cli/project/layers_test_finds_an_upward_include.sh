mkdir -p core/base core/profile core/unwind render/text cmd
echo '#include "core/profile/profile.h"' >core/base/a.c
echo '#include "render/page/flame.h"' >core/profile/b.c
echo 'void f(void) { printf("x"); exit(1); }' >render/text/c.c
# Comments and literals may name these functions.
cat >render/text/e.c <<'END'
/* printf() is
 * exit() */
const char *e = "/* \" printf("; char q = '"';
void g(void) { text_printf(e); }
END
echo '#include "core/unwind/x86_64/x86_code.h"' >core/unwind/d.c
# opens NAME PATH CALL: a function that builds a path and calls a function
opens() {
	{
		echo '/* SPDX-License-Identifier: Apache-2.0 */'
		printf 'int %s(int pid)\n{\n\tprint(path, "%s", pid);\n' "$1" "$2"
		printf '\treturn %s;\n}\n' "$3"
	} >"cmd/$1.c"
}
for call in 'open(path, 0)' 'openat(1, path, 0)' 'fopen(path, "r")' \
	'opendir(path)' 'stat(path, &st)' 'statfs(path, &st)' 'access(path, 0)' \
	'realpath(path, to)'; do
	opens "${call%%(*}_file" '/proc/%d/root/tmp/x' "$call"
	opens "${call%%(*}_link" /proc/%d/exe "$call"
done
opens readlink_file /proc/%d/cwd/x 'readlink(path, to, 9)'
opens jvm_open_file /x 'jvm_open_file(pid, path)'
opens procfs_open /x 'procfs_open(pid, "exe", 0)'
opens elf_image_open_fd /x 'elf_image_open_fd(pid)'
# Only the link is read.
opens readlink_link /proc/%d/exe 'readlink(path, to, 9)'
opens open_own /proc/self/exe 'open(path, 0)'
sh "$(dirname "$DATA")/layers.sh" . | grep -E '^(not ok|#)'
