/* Runs a fuzz target once over each file of a folder: the corpus as an ordinary test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *dir, const char *name)
{
	char path[4096];
	uint8_t *data;
	FILE *f;
	long size;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END) < 0 || (size = ftell(f)) < 0) {
		perror(path);
		return 1;
	}
	rewind(f);
	/* Exactly as large as the file, so that ASan sees a read past the end. */
	data = malloc(size ? (size_t)size : 1);
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
		perror(path);
		return 1;
	}
	fclose(f);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	struct dirent *e;
	int n = 0, bad = 0;

	if (!dir) {
		fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
		return 2;
	}
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		bad |= replay(argv[1], e->d_name);
		n++;
	}
	closedir(dir);
	printf("%d inputs replayed\n", n);
	return bad || !n;
}
