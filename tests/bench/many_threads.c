/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many_threads COUNT SECONDS
 *
 * Starts COUNT sleeping threads, prints READY when all of them sleep, and exits
 * after SECONDS.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *rest(void *arg)
{
	pause();
	return arg;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	unsigned seconds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 60;
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (long i = 1; i < count; i++) {
		if (pthread_create(&thread, &attr, rest, NULL)) {
			printf("%ld threads, no more\n", i);
			break;
		}
	}
	puts("READY");
	fflush(stdout);
	sleep(seconds);
	return 0;
}
