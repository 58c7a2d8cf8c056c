/*
 * Pushes whole stacks at once. Going down the trie frame by frame costs a cache miss or three per
 * frame; here the deepest part that is known already is found in a few steps by the hash of the
 * path from the root, and only the rest is pushed.
 *
 * A path is taken for known when 64 bits of seeded hash, its length and its last frame agree: the
 * chance of a mistake is below 1e-9 for a trie of ten million nodes, and no file can raise it,
 * since it does not know the seed.
 */
#ifndef CH_PROFILE_PATHS_H
#define CH_PROFILE_PATHS_H

#include "profile/profile.h"

struct ch_paths {
	struct ch_path {
		uint64_t hash;
		uint32_t node, depth; /* node 0: free */
	} * slots;
	size_t mask, used;
	uint64_t *hash; /* of the path in hand, by depth */
	size_t hash_cap;
};

void ch_paths_done(struct ch_paths *c);
/*
 * The trie node of p for frames[0..n), leaf first. All calls with one ch_paths must be for one
 * profile. Failures stick in p.
 */
uint32_t ch_paths_push(struct ch_paths *c, struct ch_profile *p, const uint32_t *frames, size_t n);

#endif
