/* Counts the instructions that a Linux guest on x86-64 executes between two marks: those of its
   kernel by the block they belong to, those of its programs in one sum.

   A block (QEMU: a translation block) is a run of instructions that is entered at its start. It
   counts whole when it is entered; what an interrupt or a fault cuts short counts once more when it
   is entered again, which is the same in every boot that goes the same way.

   Addresses of the kernel lie in the upper half, those of programs in the lower one. */
#include <stdio.h>
#include <string.h>
#include <qemu-plugin.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

enum { BLOCKS = 1 << 19, BUCKETS = 1 << 20 };
enum { PROGRAMS, UNNAMED, FIRST }; /* slots without an address of their own */

struct counts {
    uint64_t of[BLOCKS];
};

#if QEMU_PLUGIN_VERSION >= 2
static struct qemu_plugin_scoreboard *board;
#else /* QEMU 8: one array for all processors, of which our guest has one */
static struct counts board;
#endif
static uint64_t address_of[BLOCKS], before[BLOCKS];
static uint32_t bucket[BUCKETS], used = FIRST;
static FILE *out;

#if QEMU_PLUGIN_VERSION >= 2
static qemu_plugin_u64 entry(uint32_t slot)
{
    qemu_plugin_u64 one = {board, slot * sizeof(uint64_t)};
    return one;
}

static uint64_t counted(uint32_t slot)
{
    return qemu_plugin_u64_sum(entry(slot));
}

static void count_each(struct qemu_plugin_tb *block, uint32_t slot, size_t count)
{
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(block, QEMU_PLUGIN_INLINE_ADD_U64,
                                                      entry(slot), count);
}
#else
static uint64_t counted(uint32_t slot)
{
    return board.of[slot];
}

static void count_each(struct qemu_plugin_tb *block, uint32_t slot, size_t count)
{
    qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &board.of[slot],
                                             count);
}
#endif

static int is_mark(const struct qemu_plugin_insn *one, unsigned char bytes[7])
{
    static const unsigned char mark[6] = {0x0f, 0x1f, 0x80, 0xe0, 0xa7, 0x67};
    if (qemu_plugin_insn_size(one) != 7)
        return 0;
#if QEMU_PLUGIN_VERSION >= 3
    if (qemu_plugin_insn_data(one, bytes, 7) != 7)
        return 0;
#else
    memcpy(bytes, qemu_plugin_insn_data(one), 7);
#endif
    return !memcmp(bytes, mark, sizeof mark);
}

static uint32_t slot_of(uint64_t address)
{
    if (!(address >> 63))
        return PROGRAMS;
    uint32_t at = (uint32_t)((address * 0x9E3779B97F4A7C15ull) >> 44);
    for (;; at = (at + 1) % BUCKETS) {
        uint32_t slot = bucket[at];
        if (slot && address_of[slot] == address)
            return slot;
        if (slot)
            continue;
        if (used == BLOCKS)
            return UNNAMED;
        address_of[used] = address;
        return bucket[at] = used++;
    }
}

static void begin(unsigned int processor, void *unused)
{
    for (uint32_t slot = 0; slot < used; slot++)
        before[slot] = counted(slot);
    fprintf(out, "begin\n");
    fflush(out);
}

static void end(unsigned int processor, void *unused)
{
    uint64_t kernel = 0, programs = 0;
    for (uint32_t slot = 0; slot < used; slot++) {
        uint64_t gained = counted(slot) - before[slot];
        if (slot == PROGRAMS)
            programs = gained;
        else
            kernel += gained;
        if (slot >= FIRST && gained)
            fprintf(out, "block %lx %lu\n", address_of[slot], gained);
    }
    fprintf(out, "end %lu %lu\n", kernel, programs);
    fflush(out);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    uint64_t address = qemu_plugin_tb_vaddr(block);
    size_t count = qemu_plugin_tb_n_insns(block);
    count_each(block, slot_of(address), count);
    if (address >> 63)
        return;
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *one = qemu_plugin_tb_get_insn(block, i);
        unsigned char bytes[7];
        if (!is_mark(one, bytes))
            continue;
        if (bytes[6] == 1)
            qemu_plugin_register_vcpu_insn_exec_cb(one, begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
        if (bytes[6] == 2)
            qemu_plugin_register_vcpu_insn_exec_cb(one, end, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                           char **argv)
{
    for (int i = 0; i < argc; i++)
        if (!strncmp(argv[i], "counts=", 7))
            out = fopen(argv[i] + 7, "we");
    if (!out || !info->system_emulation || strcmp(info->target_name, "x86_64"))
        return 1;
#if QEMU_PLUGIN_VERSION >= 2
    board = qemu_plugin_scoreboard_new(sizeof(struct counts));
#endif
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
