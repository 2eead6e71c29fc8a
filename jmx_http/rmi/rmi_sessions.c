/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_sessions.h"

#include "core/base/alloc.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

struct rmi_session {
	struct jrmp_id id;
	uint64_t used; /* order of last uses; 0: unused entry */
	struct rmi_login login;
};

struct rmi_sessions {
	pthread_mutex_t lock;
	uint64_t uses;
	uint32_t numbers;
	struct rmi_session list[RMI_SESSIONS_MAX];
};

struct rmi_sessions *rmi_sessions_new(void)
{
	struct rmi_sessions *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t shared;

	if (s == MAP_FAILED)
		alloc_give_up(sizeof(*s));
	/* The entries contain passwords. */
	madvise(s, sizeof(*s), MADV_DONTDUMP);
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&s->lock, &shared);
	pthread_mutexattr_destroy(&shared);
	return s;
}

void rmi_sessions_free(struct rmi_sessions *s)
{
	if (!s)
		return;
	explicit_bzero(s, sizeof(*s));
	munmap(s, sizeof(*s));
}

/* If the owner of the lock was killed, one entry may be incomplete. */
static void sessions_lock(struct rmi_sessions *s)
{
	if (pthread_mutex_lock(&s->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&s->lock);
}

static void sessions_unlock(struct rmi_sessions *s)
{
	pthread_mutex_unlock(&s->lock);
}

static struct rmi_session *sessions_entry(struct rmi_sessions *s,
					  const struct jrmp_id *id)
{
	for (size_t i = 0; i < RMI_SESSIONS_MAX; i++)
		if (s->list[i].used &&
		    memcmp(&s->list[i].id, id, sizeof(*id)) == 0)
			return &s->list[i];
	return NULL;
}

static struct rmi_session *sessions_oldest(struct rmi_sessions *s)
{
	struct rmi_session *oldest = &s->list[0];

	for (size_t i = 1; i < RMI_SESSIONS_MAX; i++)
		if (s->list[i].used < oldest->used)
			oldest = &s->list[i];
	return oldest;
}

/* A client that guessed an ObjID would have another client's login. */
static void session_choose_id(struct jrmp_id *id)
{
	if (getrandom(id->bytes, sizeof(id->bytes), 0) !=
	    (ssize_t)sizeof(id->bytes))
		alloc_give_up(0);
}

struct jrmp_id rmi_sessions_add(struct rmi_sessions *s,
				const struct rmi_login *login)
{
	struct rmi_session *new;
	struct jrmp_id id;

	session_choose_id(&id);
	sessions_lock(s);
	new = sessions_oldest(s);
	new->used = 0;
	new->id = id;
	new->login = *login;
	new->used = ++s->uses;
	sessions_unlock(s);
	return id;
}

bool rmi_sessions_find(struct rmi_sessions *s, const struct jrmp_id *id,
		       struct rmi_login *login)
{
	struct rmi_session *found;

	sessions_lock(s);
	found = sessions_entry(s, id);
	if (found) {
		found->used = ++s->uses;
		*login = found->login;
	}
	sessions_unlock(s);
	return found;
}

void rmi_sessions_remove(struct rmi_sessions *s, const struct jrmp_id *id)
{
	struct rmi_session *found;

	sessions_lock(s);
	found = sessions_entry(s, id);
	if (found)
		explicit_bzero(found, sizeof(*found));
	sessions_unlock(s);
}

uint32_t rmi_sessions_next(struct rmi_sessions *s)
{
	uint32_t number;

	sessions_lock(s);
	number = ++s->numbers;
	sessions_unlock(s);
	return number;
}
