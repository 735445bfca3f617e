/* QEMU's plugin header names two types of GLib that we never touch. */
typedef struct _GArray GArray;
typedef struct _GByteArray GByteArray;
