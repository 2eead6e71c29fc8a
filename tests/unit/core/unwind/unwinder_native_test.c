/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs are traced instruction by instruction.  The expected stack follows
 * from the observed calls and returns, and a walk at each instruction must find
 * the same, including prologues, epilogues, the dynamic linker and signal
 * handlers.
 */
#include "core/unwind/unwinder.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	DEPTH = 512,
	STACK = 64 << 10,
	STEPS = 60000,
	INTERRUPTED = 61, /* a signal interrupts one instruction in this many */
};

static char directory[] = "/tmp/native_walk_XXXXXX";

/* body() runs between two int3. */
static const char program[] =
	"#include <alloca.h>\n#include <pthread.h>\n#include <signal.h>\n"
	"#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	"#include <string.h>\n#include <unistd.h>\n"
	"#define KEEP __attribute__((noinline, noclone))\n"
	"int in_library(int (*f)(int), int x);\n"
	"static volatile int sink;\n"
	"KEEP static int leaf(int x) { return sink += x; }\n"
	"KEEP static int deep(int n) {\n"
	"	return n ? deep(n - 1) + sink : leaf(n); }\n"
	"KEEP static int moved(int n) {\n"
	"	char *p = alloca(n); memset(p, n, n); return leaf(p[n / 2]); "
	"}\n"
	"KEEP static int aligned(int n) {\n"
	"	char a[256] __attribute__((aligned(64)));\n"
	"	memset(a, n, sizeof(a)); return leaf(a[n & 255]); }\n"
	"KEEP static int moved_and_aligned(int n) {\n"
	"	char a[64] __attribute__((aligned(64)));\n"
	"	char *p = alloca(n); memset(a, n, 64); memset(p, n, n);\n"
	"	return leaf(a[n & 63] + p[n / 2]); }\n"
	"KEEP static int many(int n, ...) {\n"
	"	va_list v; va_start(v, n); int s = 0;\n"
	"	while (n--) s += va_arg(v, int);\n"
	"	va_end(v); return leaf(s); }\n"
	"KEEP static int registers(int a, int b, int c, int d, int e, int f) "
	"{\n"
	"	int x = leaf(a) * b, y = leaf(c) * d, z = leaf(e) * f;\n"
	"	return leaf(x + a) + leaf(y + b) + leaf(z + c) + x * y * z; }\n"
	"KEEP static int last(int n) { return n > 3 ? leaf(n) : deep(n); }\n"
	"static int order(const void *a, const void *b) {\n"
	"	return leaf(*(const char *)a - *(const char *)b); }\n"
	"static void handler(int s) { sink += s; leaf(s); }\n"
	"KEEP static int body(void) {\n"
	"	char text[64], letters[] = \"stack\";\n"
	"	__asm__ volatile(\"int3\");\n"
	"	int s = deep(40) + moved(100) + aligned(3) + last(1) + "
	"last(9);\n"
	"	s += moved_and_aligned(70) + many(3, 1, 2, 3);\n"
	"	s += registers(1, 2, 3, 4, 5, 6) + in_library(leaf, 4);\n"
	"	qsort(letters, 5, 1, order);\n"
	"	s += snprintf(text, sizeof(text), \"%d %s\", s, letters);\n"
	"	raise(SIGUSR1);\n"
	"	__asm__ volatile(\"int3\");\n"
	"	return s; }\n"
	"static void *run(void *x) { sink += body(); return x; }\n"
	"int main(int argc, char **argv) {\n"
	"	pthread_t t; (void)argv;\n"
	"	signal(SIGUSR1, handler);\n"
	"	if (argc == 1) { sink += body(); return 0; }\n"
	"	pthread_create(&t, NULL, run, NULL);\n"
	"	pthread_join(t, NULL); return 0; }\n";

static const char library[] =
	"__attribute__((noinline)) static int twice(int (*f)(int), int x) {\n"
	"	volatile int y = f(x) + f(x + 1); return y; }\n"
	"int in_library(int (*f)(int), int x) {\n"
	"	volatile int y = twice(f, x) + 1; return y; }\n";

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
}

static void run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *fmt, ...)
{
	char command[1024];
	va_list args;
	int len = snprintf(command, sizeof(command), "cd %s && ", directory);

	va_start(args, fmt);
	vsnprintf(command + len, sizeof(command) - (size_t)len, fmt, args);
	va_end(args);
	if (system(command) != 0)
		fail_msg("%s", command);
}

static int make_directory(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(directory));
	write_file("program.c", program);
	write_file("library.c", library);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	run("rm -rf %s", directory);
	return 0;
}

/* A return address on the stack, or the address that a signal interrupted. */
struct caller {
	uint64_t pc;
	bool is_exact;
};

struct traced {
	struct memory memory;
	pid_t pid, tid; /* the process; the thread that is stepped */
	int mem;        /* /proc/PID/mem */
	struct jvm jvm;
	struct process_view *view;
	struct unwinder *unwinder;
	struct user_regs_struct regs;
	struct caller callers[DEPTH]; /* callees of body(), outermost first */
	size_t depth;
	uint64_t base[32]; /* callers of body() */
	size_t base_count;
	uint64_t last_pc;     /* address of the instruction that ran last */
	uint8_t last_code[8]; /* and its bytes */
	uint64_t last_sp;
	size_t steps, interrupted, signals, wrong;
	size_t skipped; /* code without CFI has hidden a caller */
	size_t lost;    /* walks that found only the leaf and reported it */
	uint8_t stack[STACK];
};

static void read_all(struct memory *self, struct memory_range *ranges,
		     size_t count)
{
	struct traced *t = (struct traced *)self;

	for (size_t i = 0; i < count; i++) {
		struct memory_range *r = &ranges[i];

		r->is_read = pread(t->mem, r->bytes, r->len,
				   (off_t)r->address) == (ssize_t)r->len;
	}
}

static void read_state(struct traced *t)
{
	assert_int_equal(ptrace(PTRACE_GETREGS, t->tid, NULL, &t->regs), 0);
}

/* Continues until a stop; returns the signal, 0 when all have ended. */
static int go(struct traced *t, enum __ptrace_request how, int with)
{
	int status;
	pid_t tid;

	if (ptrace(how, t->tid, NULL, (void *)(intptr_t)with) < 0)
		fail_msg("ptrace: %s", strerror(errno));
	for (;;) {
		tid = waitpid(-1, &status, __WALL);
		if (tid < 0 || (tid == t->pid && !WIFSTOPPED(status)))
			return 0;
		if (!WIFSTOPPED(status))
			continue;
		/* A thread starts or is created: continue. */
		if (status >> 16 || WSTOPSIG(status) == SIGSTOP) {
			ptrace(PTRACE_CONT, tid, NULL, NULL);
			continue;
		}
		t->tid = tid;
		return WSTOPSIG(status);
	}
}

static void start(struct traced *t, const char *name, const char *argument)
{
	char path[128];
	struct error err;
	int status;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	*t = (struct traced){ .memory.read_all = read_all };
	t->pid = t->tid = fork();
	if (t->pid == 0) {
		alarm(60);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, path, argument, (char *)NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	assert_true(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, t->pid, NULL,
	       (void *)(PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL));
	assert_int_equal(go(t, PTRACE_CONT, 0), SIGTRAP);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)t->pid);
	t->mem = open(path, O_RDONLY);
	assert_int_equal(jvm_open(&t->jvm, t->pid, &err), 0);
	t->view = process_view_open_with(&t->jvm, &t->memory, NULL, 0, &err);
	if (!t->view)
		fail_msg("%s", err.text);
	t->unwinder = unwinder_new(&arch_x86_64, t->view);
}

static void end(struct traced *t)
{
	unwinder_free(t->unwinder);
	process_view_close(t->view);
	kill(t->pid, SIGKILL);
	/* Reap threads first; processes of an earlier test may remain. */
	while (waitpid(-1, NULL, __WALL) != t->pid)
		;
	jvm_close(&t->jvm);
	close(t->mem);
}

static void walk(struct traced *t, struct unwound *out)
{
	const struct user_regs_struct *r = &t->regs;
	struct unwind_start from = { .pc = r->rip,
				     .registers[DWARF_SP] = r->rsp,
				     .registers[DWARF_BP] = r->rbp,
				     .registers[DWARF_BX] = r->rbx,
				     .registers[12] = r->r12,
				     .registers[13] = r->r13,
				     .registers[14] = r->r14,
				     .registers[15] = r->r15,
				     .stack = t->stack,
				     .max_frames = UNWIND_FRAMES };
	ssize_t got = pread(t->mem, t->stack, STACK, (off_t)r->rsp);

	from.stack_bytes = got > 0 ? (size_t)got : 0;
	process_view_begin(t->view);
	unwinder_walk(t->unwinder, &from, out);
}

static const char *name_of(const struct unwound_frame *f)
{
	const char *name = NULL;

	if (f->image)
		name = elf_image_function(f->image, f->image_pc - !f->is_exact,
					  NULL);
	return name ? name : "?";
}

/* Records the stack where body() begins; some names are known. */
static void take_base(struct traced *t, const char *const *names, size_t count)
{
	struct unwound u;

	walk(t, &u);
	assert_int_equal(u.end, UNWIND_ROOT);
	for (size_t i = 0; i < u.count; i++) {
		const char *name = name_of(&u.frames[i]);

		/*
		 * Functions of the C library have names if there are debug
		 * files.
		 */
		if (i >= count || ((i < 2 || strcmp(name, "?") != 0) &&
				   strcmp(name, names[i]) != 0))
			fail_msg("frame %zu is %s", i, name);
	}
	assert_int_equal(u.count, count);
	for (size_t i = 1; i < u.count; i++)
		t->base[t->base_count++] = u.frames[i].pc;
}

/* Returns the expected frame i of a walk; 0 is the leaf. */
static bool expected(const struct traced *t, size_t i, uint64_t *pc,
		     bool *is_exact)
{
	*pc = t->regs.rip;
	*is_exact = true;
	if (i == 0)
		return true;
	*is_exact = false;
	if (i <= t->depth) {
		*pc = t->callers[t->depth - i].pc;
		*is_exact = t->callers[t->depth - i].is_exact;
		return true;
	}
	i -= t->depth + 1;
	if (i < t->base_count)
		*pc = t->base[i];
	return i < t->base_count;
}

/* Returns the number of correct frames from the leaf on; `skip` omits one. */
static bool is_right(const struct traced *t, const struct unwound *u,
		     size_t skip)
{
	bool is_exact;
	uint64_t pc;
	size_t i, k = 0;

	for (i = 0; expected(t, i, &pc, &is_exact); i++) {
		if (skip && i == skip)
			continue;
		if (k >= u->count || u->frames[k].pc != pc ||
		    u->frames[k].is_exact != is_exact)
			return false;
		k++;
	}
	return k == u->count && u->end == UNWIND_ROOT;
}

static void show(const struct traced *t, const struct unwound *u)
{
	print_message("# at %llx, %zu callers, end %d %s\n", t->regs.rip,
		      t->depth, u->end, u->why ? u->why : "");
	for (size_t i = 0; i < u->count && i < 8; i++) {
		bool is_exact = false;
		uint64_t pc = 0;

		expected(t, i, &pc, &is_exact);
		print_message("#   %lx%s %s, should be %lx%s\n",
			      u->frames[i].pc, u->frames[i].is_exact ? "!" : "",
			      name_of(&u->frames[i]), pc, is_exact ? "!" : "");
	}
}

/*
 * The signal trampoline has a name, with and without symbols of the C library.
 */
static void check_signal_names(struct traced *t, const struct unwound *u)
{
	for (size_t i = 1; i + 1 < u->count; i++) {
		const struct unwound_frame *f = &u->frames[i];
		const char *name;

		if (!f->is_exact || !u->frames[i + 1].is_exact || !f->image)
			continue;
		name = elf_image_function(f->image, f->image_pc, NULL);
		if (!name)
			name = elf_image_unnamed(f->image, f->image_pc, "",
						 false);
		assert_string_equal(name, "__restore_rt");
		t->signals++;
	}
}

static void check(struct traced *t)
{
	struct unwound u;

	walk(t, &u);
	check_signal_names(t, &u);
	if (is_right(t, &u, 0))
		return;
	if (is_right(t, &u, 1))
		t->skipped++;
	else if (u.why && u.count == 2)
		t->lost++;
	else if (t->wrong++ < 5)
		show(t, &u);
}

/* A call by FF /2, with or without a REX prefix, or by E8. */
static bool is_call(const uint8_t *code)
{
	while (*code == 0x3e || *code == 0xf2 || (*code & 0xf0) == 0x40)
		code++;
	return code[0] == 0xe8 || (code[0] == 0xff && (code[1] & 0x38) == 0x10);
}

static bool is_return(const uint8_t *code)
{
	while (*code == 0xf3 || *code == 0xf2)
		code++;
	return code[0] == 0xc3 || code[0] == 0xc2;
}

static void push(struct traced *t, uint64_t pc, bool is_exact)
{
	assert_true(t->depth < DEPTH);
	t->callers[t->depth++] = (struct caller){ pc, is_exact };
}

/* Applies the effect of the last instruction to the expected callers. */
static void follow(struct traced *t)
{
	struct caller *top = t->depth ? &t->callers[t->depth - 1] : NULL;
	uint64_t back = 0;

	if (is_call(t->last_code) && t->regs.rsp == t->last_sp - 8 &&
	    memory_read(&t->memory, t->regs.rsp, &back, 8) &&
	    back - t->last_pc < 9) {
		push(t, back, false);
	} else if (is_return(t->last_code)) {
		assert_non_null(top);
		assert_int_equal(t->regs.rip, top->pc);
		t->depth--;
	} else if (top && top->is_exact && t->regs.rip == top->pc) {
		t->depth--; /* sigreturn(2) */
	}
}

/* A signal handler starts; it returns to the trampoline. */
static void enter_handler(struct traced *t, uint64_t interrupted)
{
	uint64_t back;

	read_state(t);
	assert_true(memory_read(&t->memory, t->regs.rsp, &back, 8));
	push(t, interrupted, true);
	/* Nothing calls the trampoline: its frame begins at its start. */
	push(t, back, true);
}

static bool is_in_handler(const struct traced *t)
{
	for (size_t i = 0; i < t->depth; i++)
		if (t->callers[i].is_exact)
			return true;
	return false;
}

/* A signal arrives before the next instruction. */
static void interrupt(struct traced *t)
{
	uint64_t interrupted = t->regs.rip;

	assert_int_equal(go(t, PTRACE_SINGLESTEP, SIGUSR1), SIGTRAP);
	enter_handler(t, interrupted);
	t->interrupted++;
}

/* Steps one instruction; false after the last. */
static bool step(struct traced *t)
{
	int signal = go(t, PTRACE_SINGLESTEP, 0);

	read_state(t);
	/* The program raised this signal itself: raise(). */
	if (signal == SIGUSR1) {
		interrupt(t);
		return true;
	}
	assert_int_equal(signal, SIGTRAP);
	if (t->last_code[0] == 0xcc)
		return false;
	if (t->steps)
		follow(t);
	return true;
}

static void step_to_the_end(struct traced *t)
{
	for (t->steps = 0; t->steps < STEPS; t->steps++) {
		if (t->steps % INTERRUPTED == 1 && !is_in_handler(t))
			interrupt(t);
		else if (!step(t))
			return;
		check(t);
		t->last_pc = t->regs.rip;
		t->last_sp = t->regs.rsp;
		assert_true(memory_read(&t->memory, t->last_pc, t->last_code,
					sizeof(t->last_code)));
	}
	fail_msg("it has no end");
}

/* The number of instructions at which a walk may be worse, by defect. */
struct allowed {
	size_t skipped, lost;
};

static void trace(const char *flags, const char *library_flags,
		  const char *argument, struct allowed allowed)
{
	static const char *const of_main[] = { "body", "main",
					       "__libc_start_call_main",
					       "__libc_start_main", "_start" };
	static const char *const of_thread[] = { "body", "run", "start_thread",
						 "clone3" };
	struct traced *t = calloc(1, sizeof(*t));

	run("gcc -shared -fPIC %s -o liblibrary.so library.c", library_flags);
	run("gcc -g -w %s -o program program.c -L. -llibrary -pthread "
	    "-Wl,-rpath,%s",
	    flags, directory);
	start(t, "program", argument);
	read_state(t);
	if (argument)
		take_base(t, of_thread, 4);
	else
		take_base(t, of_main, 5);
	step_to_the_end(t);
	end(t);
	print_message("# %zu instructions, %zu interrupted; %zu without a "
		      "caller, %zu lost\n",
		      t->steps, t->interrupted, t->skipped, t->lost);
	assert_true(t->signals >= t->interrupted);
	assert_true(t->steps > 2000);
	assert_int_equal(t->wrong, 0);
	assert_true(t->skipped <= allowed.skipped);
	assert_true(t->lost <= allowed.lost);
	/* The program must contain such instructions. */
	assert_true(!allowed.lost == !t->lost);
	free(t);
}

static void walk_succeeds_from_every_instruction_of_optimized_code(void **state)
{
	(void)state;
	trace("-O2 -fomit-frame-pointer -Wl,-z,lazy", "-O2", NULL,
	      (struct allowed){ 0 });
}

/* A function with R10 as its base uses it for a few instructions only. */
static void walk_succeeds_from_every_instruction_of_plain_code(void **state)
{
	(void)state;
	trace("-O0 -Wl,-z,lazy -fcf-protection", "-O0", NULL,
	      (struct allowed){ .lost = 8 });
}

static void walk_succeeds_from_every_instruction_of_a_thread(void **state)
{
	(void)state;
	trace("-O3 -fomit-frame-pointer -Wl,-z,now", "-O3", "thread",
	      (struct allowed){ 0 });
}

static void walk_succeeds_with_debug_frame(void **state)
{
	(void)state;
	trace("-O2", "-O2 -g -fno-asynchronous-unwind-tables", NULL,
	      (struct allowed){ 0 });
}

/* A function has no frame in its prologue and epilogue. */
static void walk_succeeds_with_frame_pointers_alone(void **state)
{
	(void)state;
	trace("-O2",
	      "-O1 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables",
	      NULL, (struct allowed){ .skipped = 6, .lost = 6 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			walk_succeeds_from_every_instruction_of_optimized_code),
		cmocka_unit_test(
			walk_succeeds_from_every_instruction_of_plain_code),
		cmocka_unit_test(
			walk_succeeds_from_every_instruction_of_a_thread),
		cmocka_unit_test(walk_succeeds_with_debug_frame),
		cmocka_unit_test(walk_succeeds_with_frame_pointers_alone),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
