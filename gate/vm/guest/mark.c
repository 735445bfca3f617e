/* Run a command between two marks, which the plugin sees and a processor does not: they are
   instructions that do nothing, with a number of ours inside. */
#include <sys/wait.h>
#include <unistd.h>

#define MARK(n) __asm__ volatile(".byte 0x0f,0x1f,0x80,0xe0,0xa7,0x67," #n ::: "memory")

int main(int argc, char **argv)
{
    int status = 0;
    if (argc < 2)
        return 2;
    MARK(1);
    pid_t child = vfork();
    if (child == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    MARK(2);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
