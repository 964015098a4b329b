/*
 * Stands between a program and its file system (LD_PRELOAD), for the tests in tests/storage.rs.
 *
 * It counts the operations that change something below one directory. It can make one of them fail or kill the
 * process at it, and it can write down all of them, so that a test can tell what a power cut could have left.
 *
 *   MORPION_SHIM_ROOT    the directory, absolute; without it nothing is done
 *   MORPION_SHIM_ONLY    the name of a file: only operations on files of this name count
 *   MORPION_SHIM_COUNT   a file of 24 bytes: how many operations there were, how many were disturbed, and a number that
 *                        a test sets: while it is not 0, nothing is disturbed
 *   MORPION_SHIM_LIFTED  that number at the beginning; 0 if it is not given
 *   MORPION_SHIM_TRACE   a file that gets a record of each operation (see `record`)
 *   MORPION_SHIM_FAULT   KIND:FIRST:NUMBER, counted from 1: the operations to disturb. Kinds:
 *                        error   they fail (EIO)
 *                        full    they fail (ENOSPC)
 *                        short   a write writes half of its bytes; other operations are left alone
 *                        flush   a flush fails (EIO); other operations are left alone
 *                        before  the process is killed before the operation
 *                        within  the process is killed when half of the bytes are written; else as `before`
 *                        after   the process is killed after the operation
 *
 * One lock is held during each operation, so the order of the records is the order of the operations.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, MKDIR, RMDIR, SYNC_DIRECTORY, LINK };
enum { FILES = 4096 };

static struct {
    char *path;   /* below the root; NULL if the descriptor is not watched */
    int directory;
} files[FILES];

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char root[PATH_MAX];
static const char *only;
static size_t root_length;
static int trace = -1;
static volatile uint64_t *counts;
static char fault[16];
static uint64_t fault_first, fault_number;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("MORPION_SHIM_ROOT");
    if (!given || strlen(given) >= sizeof root) return;
    strcpy(root, given);
    root_length = strlen(root);
    only = getenv("MORPION_SHIM_ONLY");
    const char *lifted = getenv("MORPION_SHIM_LIFTED");
    const char *count = getenv("MORPION_SHIM_COUNT");
    if (count) {
        int fd = REAL(open)(count, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0 || REAL(ftruncate)(fd, 24)) abort();
        counts = mmap(NULL, 24, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (counts == MAP_FAILED) abort();
        counts[0] = counts[1] = 0;
        counts[2] = lifted ? strtoull(lifted, NULL, 10) : 0;
        REAL(close)(fd);
    }
    const char *traced = getenv("MORPION_SHIM_TRACE");
    if (traced && (trace = REAL(open)(traced, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) < 0) abort();
    const char *text = getenv("MORPION_SHIM_FAULT");
    if (text) {
        unsigned long first, number;
        if (sscanf(text, "%15[a-z]:%lu:%lu", fault, &first, &number) != 3) abort();
        fault_first = first;
        fault_number = number;
    }
}

/* The path of a name below the root, or NULL. The caller frees it. */
static char *watched(int at, const char *name) {
    char whole[2 * PATH_MAX];
    if (!root_length || !name) return NULL;
    if (name[0] == '/' || at == AT_FDCWD) {
        if (strlen(name) >= sizeof whole) return NULL;
        strcpy(whole, name);
    } else {
        if (at < 0 || at >= FILES || !files[at].path) return NULL;
        snprintf(whole, sizeof whole, "%s%s%s/%s", root, *files[at].path ? "/" : "", files[at].path, name);
    }
    if (strncmp(whole, root, root_length) || (whole[root_length] != '/' && whole[root_length])) return NULL;
    const char *rest = whole + root_length;
    while (*rest == '/') rest++;
    const char *name_alone = strrchr(rest, '/');
    if (only && strcmp(name_alone ? name_alone + 1 : rest, only)) return NULL;
    return strdup(rest);
}

/* One record: kind (1 byte), inode, offset (8 each), lengths of both texts (4 each), the texts. */
static void record(int kind, uint64_t inode, uint64_t offset, const void *a, size_t length_a, const void *b) {
    if (trace < 0) return;
    uint32_t first = (uint32_t)length_a, second = b ? (uint32_t)strlen(b) : 0;
    unsigned char head[25];
    head[0] = (unsigned char)kind;
    memcpy(head + 1, &inode, 8);
    memcpy(head + 9, &offset, 8);
    memcpy(head + 17, &first, 4);
    memcpy(head + 21, &second, 4);
    struct iovec parts[3] = {{head, sizeof head}, {(void *)a, length_a}, {(void *)b, second}};
    ssize_t whole = (ssize_t)(sizeof head + first + second);
    if (REAL(writev)(trace, parts, 3) != whole) abort();
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Whether the operation of this number is to be disturbed. */
static int is_hit(uint64_t number) {
    return fault_number && number >= fault_first && number - fault_first < fault_number && !(counts && counts[2]);
}

/* Whether it is to be disturbed in this way. */
static int disturbed(const char *kind, uint64_t number) {
    return is_hit(number) && !strcmp(fault, kind);
}

/* Counts an operation. Returns its number, or 0 if it has to fail; errno is set then. */
static uint64_t count(void) {
    static uint64_t own;
    uint64_t number = ++own;
    if (counts) counts[0] = number;
    if (is_hit(number) && strcmp(fault, "flush") && counts) counts[1]++;
    if (disturbed("before", number)) die();
    if (disturbed("error", number)) { errno = EIO; return 0; }
    if (disturbed("full", number)) { errno = ENOSPC; return 0; }
    return number;
}

static void done(uint64_t number) {
    if (disturbed("after", number)) die();
}

/* Does an operation that is not a write. */
#define OPERATION(type, call, on_success)              \
    do {                                               \
        uint64_t number = count();                     \
        if (!number) { result = -1; break; }           \
        if (disturbed("within", number)) die();        \
        result = (call);                               \
        if (result == 0) { on_success; }               \
        done(number);                                  \
    } while (0)

static uint64_t inode_of(int fd) {
    struct stat about;
    return fstat(fd, &about) ? 0 : about.st_ino;
}

static void watch(int fd, char *path) {
    struct stat about;
    if (fd >= FILES || fstat(fd, &about)) abort();
    free(files[fd].path);
    files[fd].path = path;
    files[fd].directory = S_ISDIR(about.st_mode);
}

static int is_watched(int fd) {
    return fd >= 0 && fd < FILES && files[fd].path;
}

static int open_any(int at, const char *name, int flags, mode_t mode) {
    pthread_mutex_lock(&lock);
    int result;
    char *path = watched(at, name);
    if (!path) {
        result = REAL(openat)(at, name, flags, mode);
    } else {
        int creates = (flags & O_CREAT) && faccessat(at, name, F_OK, AT_SYMLINK_NOFOLLOW);
        int empties = (flags & O_TRUNC) && (flags & O_ACCMODE) != O_RDONLY && !creates;
        uint64_t number = 1;
        if (creates || empties) number = count();
        if (!number) {
            result = -1;
        } else {
            if ((creates || empties) && disturbed("within", number)) die();
            result = REAL(openat)(at, name, flags, mode);
            int error = errno;
            if (result >= 0) {
                if (creates) record(CREATE, inode_of(result), 0, path, strlen(path), NULL);
                if (empties) record(TRUNCATE, inode_of(result), 0, NULL, 0, NULL);
                watch(result, path);
                path = NULL;
            }
            if (creates || empties) done(number);
            errno = error;
        }
        free(path);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static mode_t mode_of(int flags, va_list rest) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPENS(name, parameters, at)                    \
    int name parameters {                              \
        va_list rest;                                  \
        va_start(rest, flags);                         \
        mode_t mode = mode_of(flags, rest);            \
        va_end(rest);                                  \
        return open_any(at, path, flags, mode);        \
    }
OPENS(open, (const char *path, int flags, ...), AT_FDCWD)
OPENS(open64, (const char *path, int flags, ...), AT_FDCWD)
OPENS(openat, (int at, const char *path, int flags, ...), at)
OPENS(openat64, (int at, const char *path, int flags, ...), at)

int close(int fd) {
    pthread_mutex_lock(&lock);
    if (is_watched(fd)) {
        free(files[fd].path);
        files[fd].path = NULL;
    }
    int result = REAL(close)(fd);
    pthread_mutex_unlock(&lock);
    return result;
}

/* A second descriptor of a watched file is watched, too. */
static int control(int fd, int command, void *argument) {
    int result = REAL(fcntl64)(fd, command, argument);
    if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0) {
        int error = errno;
        pthread_mutex_lock(&lock);
        if (is_watched(fd)) watch(result, strdup(files[fd].path));
        pthread_mutex_unlock(&lock);
        errno = error;
    }
    return result;
}

#define CONTROLS(name)                                 \
    int name(int fd, int command, ...) {               \
        va_list rest;                                  \
        va_start(rest, command);                       \
        void *argument = va_arg(rest, void *);         \
        va_end(rest);                                  \
        return control(fd, command, argument);         \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

/* Writes at an offset, or at the file's own position if it is negative. */
static ssize_t write_any(int fd, const void *bytes, size_t length, off64_t offset) {
    int positioned = offset >= 0;
    if (!is_watched(fd))
        return positioned ? REAL(pwrite64)(fd, bytes, length, offset) : REAL(write)(fd, bytes, length);
    pthread_mutex_lock(&lock);
    ssize_t result = -1;
    uint64_t number = count();
    if (number) {
        int half = disturbed("within", number) || disturbed("short", number);
        size_t part = half && length > 1 ? length / 2 : length;
        struct stat about;
        off64_t start = offset;
        if (!positioned)
            start = REAL(fcntl64)(fd, F_GETFL) & O_APPEND ? (fstat(fd, &about), about.st_size)
                                                          : lseek64(fd, 0, SEEK_CUR);
        result = positioned ? REAL(pwrite64)(fd, bytes, part, offset) : REAL(write)(fd, bytes, part);
        int error = errno;
        if (result > 0) record(WRITE, inode_of(fd), (uint64_t)start, bytes, (size_t)result, NULL);
        if (disturbed("within", number)) die();
        done(number);
        errno = error;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

ssize_t write(int fd, const void *bytes, size_t length) { return write_any(fd, bytes, length, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return write_any(fd, bytes, length, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) { return write_any(fd, bytes, length, at); }

/* A caller has to take a short write, so the first part may be all that is written. */
ssize_t writev(int fd, const struct iovec *parts, int number) {
    if (!is_watched(fd)) return REAL(writev)(fd, parts, number);
    for (int i = 0; i < number; i++)
        if (parts[i].iov_len) return write_any(fd, parts[i].iov_base, parts[i].iov_len, -1);
    return 0;
}

/* Has the program copy by reading and writing. */
ssize_t copy_file_range(int in, off64_t *at_in, int out, off64_t *at_out, size_t length, unsigned flags) {
    if (!is_watched(out)) return REAL(copy_file_range)(in, at_in, out, at_out, length, flags);
    errno = ENOSYS;
    return -1;
}

ssize_t sendfile64(int out, int in, off64_t *at, size_t length) {
    static ssize_t (*next)(int, int, off64_t *, size_t);
    if (!is_watched(out)) {
        if (!next) next = (ssize_t(*)(int, int, off64_t *, size_t))real("sendfile64");
        return next(out, in, at, length);
    }
    errno = ENOSYS;
    return -1;
}

static int failed_flush(void) {
    if (counts) counts[1]++;
    errno = EIO;
    return -1;
}

static int sync_any(int fd, int (*next)(int)) {
    if (!is_watched(fd)) return next(fd);
    pthread_mutex_lock(&lock);
    int result;
    const char *path = files[fd].path;
    OPERATION(int, disturbed("flush", number) ? failed_flush() : next(fd),
              files[fd].directory ? record(SYNC_DIRECTORY, 0, 0, path, strlen(path), NULL)
                                  : record(SYNC, inode_of(fd), 0, NULL, 0, NULL));
    pthread_mutex_unlock(&lock);
    return result;
}
int fsync(int fd) { return sync_any(fd, REAL(fsync)); }
int fdatasync(int fd) { return sync_any(fd, REAL(fdatasync)); }

static int truncate_any(int fd, off64_t size) {
    if (!is_watched(fd)) return REAL(ftruncate64)(fd, size);
    pthread_mutex_lock(&lock);
    int result;
    OPERATION(int, REAL(ftruncate64)(fd, size), record(TRUNCATE, inode_of(fd), (uint64_t)size, NULL, 0, NULL));
    pthread_mutex_unlock(&lock);
    return result;
}
int ftruncate(int fd, off_t size) { return truncate_any(fd, size); }
int ftruncate64(int fd, off64_t size) { return truncate_any(fd, size); }

/* Room is asked for in no other way, so that a trace says all. */
static int no_room(int fd) { return is_watched(fd) ? EOPNOTSUPP : 0; }
int fallocate64(int fd, int mode, off64_t at, off64_t length) {
    if ((errno = no_room(fd))) return -1;
    return REAL(fallocate64)(fd, mode, at, length);
}
int posix_fallocate64(int fd, off64_t at, off64_t length) {
    int refused = no_room(fd);
    return refused ? refused : REAL(posix_fallocate64)(fd, at, length);
}

static int rename_any(int from_at, const char *from, int to_at, const char *to, int linked) {
    pthread_mutex_lock(&lock);
    int result;
    char *old = watched(from_at, from), *new = watched(to_at, to);
    if (old && new) {
        OPERATION(int,
                  linked ? REAL(linkat)(from_at, from, to_at, to, 0) : REAL(renameat)(from_at, from, to_at, to),
                  record(linked ? LINK : RENAME, 0, 0, old, strlen(old), new));
    } else {
        result = linked ? REAL(linkat)(from_at, from, to_at, to, 0) : REAL(renameat)(from_at, from, to_at, to);
    }
    int error = errno;
    free(old);
    free(new);
    errno = error;
    pthread_mutex_unlock(&lock);
    return result;
}
int rename(const char *from, const char *to) { return rename_any(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int at, const char *from, int to_at, const char *to) { return rename_any(at, from, to_at, to, 0); }
int link(const char *from, const char *to) { return rename_any(AT_FDCWD, from, AT_FDCWD, to, 1); }
int linkat(int at, const char *from, int to_at, const char *to, int flags) {
    (void)flags;
    return rename_any(at, from, to_at, to, 1);
}

static int name_any(int at, const char *name, int kind, mode_t mode) {
    pthread_mutex_lock(&lock);
    int result;
    char *path = watched(at, name);
    int (*next_mkdir)(int, const char *, mode_t) = REAL(mkdirat);
    int (*next_unlink)(int, const char *, int) = REAL(unlinkat);
    int flags = kind == RMDIR ? AT_REMOVEDIR : 0;
#define NEXT (kind == MKDIR ? next_mkdir(at, name, mode) : next_unlink(at, name, flags))
    if (path)
        OPERATION(int, NEXT, record(kind, 0, 0, path, strlen(path), NULL));
    else
        result = NEXT;
    int error = errno;
    free(path);
    errno = error;
    pthread_mutex_unlock(&lock);
    return result;
}
int mkdir(const char *name, mode_t mode) { return name_any(AT_FDCWD, name, MKDIR, mode); }
int mkdirat(int at, const char *name, mode_t mode) { return name_any(at, name, MKDIR, mode); }
int unlink(const char *name) { return name_any(AT_FDCWD, name, UNLINK, 0); }
int rmdir(const char *name) { return name_any(AT_FDCWD, name, RMDIR, 0); }
int unlinkat(int at, const char *name, int flags) {
    return name_any(at, name, flags & AT_REMOVEDIR ? RMDIR : UNLINK, 0);
}
