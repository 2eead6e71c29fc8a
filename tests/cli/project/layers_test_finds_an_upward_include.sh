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
sh "$(dirname "$DATA")/layers.sh" . | grep -E '^(not ok|#)'
