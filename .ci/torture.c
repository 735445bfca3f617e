/* Preloaded: the nth call of one kind in this process fails, or kills it. Armed by torture.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITE, FSYNC, RENAME, FORK, EXEC, KINDS };

/* Shared with children: their calls are counted in the one order in which they came. */
static long *calls;
static long wanted = -1;
static int kind = -1, fault;

void torture_arm(int which, long nth, int error)
{
	if (!calls)
		calls = mmap(0, sizeof(long) * KINDS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < KINDS; i++)
		calls[i] = 0;
	kind = which, wanted = nth, fault = error;
}

long torture_calls(int which) { return calls[which]; }

static int strikes(int which)
{
	if (!calls || __sync_add_and_fetch(calls + which, 1) != wanted || which != kind)
		return 0;
	if (fault < 0)
		kill(getpid(), SIGKILL);
	errno = fault;
	return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *text, size_t size)
{
	static __typeof__(&write) real;
	if (!real)
		real = REAL(write);
	return strikes(WRITE) ? -1 : real(fd, text, size);
}

ssize_t pwrite64(int fd, const void *text, size_t size, off64_t at)
{
	return strikes(WRITE) ? -1 : REAL(pwrite64)(fd, text, size, at);
}

int fsync(int fd) { return strikes(FSYNC) ? -1 : REAL(fsync)(fd); }
int rename(const char *a, const char *b) { return strikes(RENAME) ? -1 : REAL(rename)(a, b); }
pid_t fork(void) { return strikes(FORK) ? -1 : REAL(fork)(); }
/* A real vfork cannot be wrapped: the caller's frame would be gone. */
pid_t vfork(void) { return strikes(FORK) ? -1 : REAL(fork)(); }

int execve(const char *path, char *const words[], char *const environment[])
{
	return strikes(EXEC) ? -1 : REAL(execve)(path, words, environment);
}

int execv(const char *path, char *const words[])
{
	return strikes(EXEC) ? -1 : REAL(execv)(path, words);
}
