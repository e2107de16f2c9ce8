/* What a guest in virtual time sees of the files of this machine: names, contents, kinds, lengths and
 * permissions. The rest differs between machines, and programs take it up: FreeRADIUS draws other
 * random numbers where the inode numbers of its files are others. So it is made the same everywhere:
 *
 *   statx                inode numbers are hashes of paths, all times are 0, all owners are root
 *   opendir, readdir64   entries come in the order of their names
 *   statfs64             a file system of one size, half full
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#define BLOCK 4096
#define BLOCKS (1 << 20)

/* A folder that is read: its entries, and the place of the next one. */
struct folder {
	struct dirent64 *entries;
	size_t count, next;
};

static void *real(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

/* FNV-1a of a path (Fowler, Noll, Vo: RFC 9923). */
static uint64_t number_of(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 0x100000001b3;
	return hash;
}

int statx(int folder, const char *restrict path, int flags, unsigned mask,
	  struct statx *restrict about)
{
	static int (*real_statx)(int, const char *, int, unsigned, struct statx *);
	struct statx found;

	if (!real_statx)
		real_statx = real("statx");
	if (real_statx(folder, path, flags, mask, &found))
		return -1;
	*about = (struct statx){
		.stx_mask = found.stx_mask,
		.stx_blksize = BLOCK,
		.stx_nlink = 1,
		.stx_mode = found.stx_mode & ~(S_ISUID | S_ISGID),
		/* Without a path it is of an open file, of which the kernel asks no number. */
		.stx_ino = number_of(path),
		.stx_size = S_ISDIR(found.stx_mode) ? BLOCK : found.stx_size,
		.stx_rdev_major = found.stx_rdev_major,
		.stx_rdev_minor = found.stx_rdev_minor,
	};
	about->stx_blocks = (about->stx_size + 511) / 512;
	return 0;
}

int statfs64(const char *path, struct statfs64 *about)
{
	(void)path;
	*about = (struct statfs64){
		.f_bsize = BLOCK,
		.f_frsize = BLOCK,
		.f_blocks = BLOCKS,
		.f_bfree = BLOCKS / 2,
		.f_bavail = BLOCKS / 2,
		.f_files = BLOCKS,
		.f_ffree = BLOCKS / 2,
		.f_namelen = NAME_MAX,
	};
	return 0;
}

static int by_name(const void *one, const void *other)
{
	return strcmp(((const struct dirent64 *)one)->d_name, ((const struct dirent64 *)other)->d_name);
}

static int read_all(struct folder *folder, DIR *source, const char *path)
{
	static struct dirent64 *(*real_readdir)(DIR *);
	static char whole[PATH_MAX + NAME_MAX + 2];
	struct dirent64 *entry, *more;
	size_t i;

	if (!real_readdir)
		real_readdir = real("readdir64");
	while ((entry = real_readdir(source))) {
		more = realloc(folder->entries, (folder->count + 1) * sizeof *more);
		if (!more)
			return -1;
		folder->entries = more;
		memcpy(&more[folder->count++], entry, entry->d_reclen);
	}
	if (folder->count)
		qsort(folder->entries, folder->count, sizeof *folder->entries, by_name);
	for (i = 0; i < folder->count; i++) {
		snprintf(whole, sizeof whole, "%s/%s", path, folder->entries[i].d_name);
		folder->entries[i].d_ino = number_of(whole);
		folder->entries[i].d_off = i + 1;
	}
	return 0;
}

DIR *opendir(const char *path)
{
	static DIR *(*real_opendir)(const char *);
	static int (*real_closedir)(DIR *);
	struct folder *folder;
	DIR *source;

	if (!real_opendir) {
		real_opendir = real("opendir");
		real_closedir = real("closedir");
	}
	source = real_opendir(path);
	if (!source)
		return NULL;
	folder = calloc(1, sizeof *folder);
	if (!folder || read_all(folder, source, path))
		abort();
	real_closedir(source);
	return (DIR *)folder;
}

struct dirent64 *readdir64(DIR *stream)
{
	struct folder *folder = (struct folder *)stream;

	return folder->next < folder->count ? &folder->entries[folder->next++] : NULL;
}

void seekdir(DIR *stream, long place)
{
	((struct folder *)stream)->next = place;
}

int closedir(DIR *stream)
{
	free(((struct folder *)stream)->entries);
	free(stream);
	return 0;
}
