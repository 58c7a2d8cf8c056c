/*
 * Hashing of bytes and ids. The seed is drawn once per process, so that a crafted file cannot
 * choose its collisions; nothing that is printed may depend on hash order.
 */
#ifndef CH_BASE_HASH_H
#define CH_BASE_HASH_H

#include <stdint.h>
#include <string.h>

extern uint64_t ch_hash_seed;

/* Multiply to 128 bits and fold: every input bit reaches every output bit. */
static inline uint64_t ch_hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m = (unsigned __int128)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t ch_load64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

static inline uint32_t ch_load32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

/* Odd constants with about half of their bits set. */
#define CH_HASH_K1 UINT64_C(0x9e3779b97f4a7c15)
#define CH_HASH_K2 UINT64_C(0xd6e8feb86659fd93)

static inline uint32_t ch_hash_bytes(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t h = ch_hash_seed ^ len, a, b;
	size_t left = len;

	for (; left > 16; left -= 16, p += 16)
		h = ch_hash_mix(h ^ ch_load64(p), ch_load64(p + 8) ^ CH_HASH_K1);
	/* The last 1 to 16 bytes, by two loads that may overlap. */
	if (left >= 8) {
		a = ch_load64(p);
		b = ch_load64(p + left - 8);
	} else if (left >= 4) {
		a = ch_load32(p);
		b = ch_load32(p + left - 4);
	} else if (left) {
		a = (uint64_t)p[0] << 16 | (uint64_t)p[left >> 1] << 8 | p[left - 1];
		b = left;
	} else {
		a = b = 0;
	}
	h = ch_hash_mix(h ^ a, b ^ CH_HASH_K2);
	h = ch_hash_mix(h, CH_HASH_K1);
	return (uint32_t)(h ^ h >> 32);
}

static inline uint32_t ch_hash_u64(uint64_t a, uint64_t b)
{
	uint64_t h = ch_hash_mix(a ^ ch_hash_seed, b ^ CH_HASH_K1);

	h = ch_hash_mix(h, CH_HASH_K2);
	return (uint32_t)(h ^ h >> 32);
}

#endif
