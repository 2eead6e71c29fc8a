/* SPDX-License-Identifier: Apache-2.0 */
/*
 * without_bpf [-p | -0 | -m] COMMAND...: runs the command under a system call
 * filter, as in a container, that rejects bpf(2), or with -p
 * perf_event_open(2), or with -m process_vm_readv(2).  With -0,
 * perf_event_open(2) reports CPU 0 as offline.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int is_offline = argc > 1 && strcmp(argv[1], "-0") == 0;
	int is_perf = is_offline || (argc > 1 && strcmp(argv[1], "-p") == 0);
	int is_memory = argc > 1 && strcmp(argv[1], "-m") == 0;
	unsigned refused = is_perf     ? SYS_perf_event_open
			   : is_memory ? SYS_process_vm_readv
				       : SYS_bpf;
	/*
	 * The third argument is the CPU; otherwise the number is compared
	 * again.
	 */
	unsigned argument = is_offline ? offsetof(struct seccomp_data, args[2])
				       : offsetof(struct seccomp_data, nr);
	char **command = argv + 1 + (is_perf || is_memory);
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, is_offline ? 0 : refused, 0,
			 1),
		BPF_STMT(BPF_RET | BPF_K,
			 SECCOMP_RET_ERRNO | (is_offline ? ENODEV : EPERM)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(*filter),
		.filter = filter,
	};

	if (!*command || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("without_bpf");
		return 1;
	}
	execvp(*command, command);
	perror(*command);
	return 1;
}
