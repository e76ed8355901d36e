/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/executable_kind.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 4096 /* linkers put the program headers right after the file's */

enum nx_executable_kind nx_executable_kind_of_bytes(struct nx_slice bytes)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;

	if (bytes.len < sizeof(head))
		return NX_EXECUTABLE_OTHER;
	memcpy(&head, bytes.data, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof(part))
		return NX_EXECUTABLE_OTHER;
	for (uint64_t i = 0; i < head.e_phnum; i++) {
		struct nx_slice at =
			nx_slice_part(bytes, head.e_phoff, (i + 1) * (uint64_t)sizeof(part));

		if (at.len < (i + 1) * sizeof(part))
			return NX_EXECUTABLE_OTHER;
		memcpy(&part, at.data + i * sizeof(part), sizeof(part));
		if (part.p_type == PT_INTERP)
			return NX_EXECUTABLE_DYNAMIC;
	}
	return NX_EXECUTABLE_STATIC;
}

static enum nx_executable_kind kind_of_file(const char *path)
{
	uint8_t head[HEAD_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	return nx_executable_kind_of_bytes(nx_slice_of(head, len > 0 ? (size_t)len : 0));
}

const char *nx_executable_find(struct nx_arena *arena, const char *command, const char *search_path)
{
	if (strchr(command, '/'))
		return command;
	while (search_path && *search_path) {
		size_t len = strcspn(search_path, ":");
		const char *file = nx_arena_printf(arena, "%.*s/%s", (int)(len ? len : 1),
						   len ? search_path : ".", command);
		struct stat about;

		if (!stat(file, &about) && S_ISREG(about.st_mode) && !access(file, X_OK))
			return file;
		search_path += len;
		search_path += *search_path == ':';
	}
	return NULL;
}

enum nx_executable_kind nx_executable_kind_of(const char *command, const char *search_path)
{
	struct nx_arena arena = {0};
	const char *file = nx_executable_find(&arena, command, search_path);
	enum nx_executable_kind kind = file ? kind_of_file(file) : NX_EXECUTABLE_OTHER;

	nx_arena_release(&arena);
	return kind;
}
