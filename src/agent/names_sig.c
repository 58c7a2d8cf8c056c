#include "agent/names.h"

#include <string.h>

#include "agent/sampler.h"
#include "base/hash.h"

/* How often all was forgotten; and without counters of the VM, each epoch is a new one. */
static _Atomic uint32_t turn;

/*
 * Grows whenever classes were unloaded: what was known at an address must be looked at again. And
 * every four seconds, since classes that are redefined leave their old methods without a word.
 */
uint32_t ch_names_epoch(uint64_t now_ns)
{
	const struct ch_sampler *s = &ch_sampler;

	if (!s->unloaded[0])
		return atomic_fetch_add(&turn, 1) + 1;
	return (uint32_t)(*s->unloaded[0] + (s->unloaded[1] ? *s->unloaded[1] : 0)) +
	       (uint32_t)(now_ns >> 32) + atomic_load(&turn) + 1;
}

void ch_names_end_epoch(void)
{
	atomic_fetch_add(&turn, 1);
}

static uint32_t define_method(uint64_t method, struct ch_ring *defs)
{
	struct ch_rec_method *m =
	    ch_ring_reserve(defs, sizeof(*m) + CH_METHOD_COPY_MAX - sizeof(m->copy));
	uint32_t id;

	if (!m)
		return 0;
	id = ch_ids_next(&ch_sampler.methods);
	m->rec.type = CH_REC_METHOD;
	m->id = id;
	ch_ring_commit(defs, m,
	               offsetof(struct ch_rec_method, copy) +
	                   ch_method_copy_sig(&ch_sampler.vm, method, &m->copy));
	return id;
}

/*
 * 0 when it cannot be named now. What is written last is read first: who sees the epoch of now, or
 * the hash of this method, sees no older id.
 */
uint32_t ch_name_method(struct ch_walk *w, uint64_t method)
{
	struct ch_id_entry *e = ch_ids_find(&ch_sampler.methods, method);
	bool checked, same;
	uint32_t id;
	uint64_t hash;

	if (!e)
		return 0;
	checked = atomic_load_explicit(&e->epoch, memory_order_acquire) == w->epoch;
	id = ch_id_get(e, method);
	if (id && checked)
		return id;
	hash = ch_method_hash_sig(&ch_sampler.vm, method);
	same = atomic_load_explicit(&e->hash, memory_order_acquire) == hash;
	id = ch_id_get(e, method);
	if (!id || !same) {
		id = define_method(method, w->arg);
		if (!id)
			return 0;
		ch_id_set(e, method, id);
		atomic_store_explicit(&e->hash, hash, memory_order_release);
	}
	atomic_store_explicit(&e->epoch, w->epoch, memory_order_release);
	return id;
}

static uint64_t hash_text(const char *s, size_t n)
{
	uint64_t h = n + 1;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * CH_HASH_K1;
	return h ^ h >> 29;
}

int ch_name_told(const struct ch_thread *t, char to[CH_THREAD_NAME_MAX])
{
	uint32_t seq = atomic_load(&t->name_seq), n = t->name_len;

	if (seq & 1 || n > CH_THREAD_NAME_MAX)
		return -1;
	memcpy(to, t->name, n);
	return atomic_load(&t->name_seq) == seq ? (int)n : -1;
}

bool ch_name_thread(struct ch_thread *t, struct ch_stripe *s, uint32_t *ret)
{
	char text[CH_THREAD_NAME_MAX];
	uint64_t java = atomic_load(&t->java), hash, mark = 0;
	struct ch_rec_thread *def;
	uint32_t id = atomic_load(&t->name_id);
	int n = -1;

	*ret = id;
	if (java)
		mark = ch_thread_name_mark_sig(&ch_sampler.vm, &ch_sampler.names, java);
	if (id && mark && mark == t->name_mark && atomic_load(&t->name_hash))
		return true;
	if (java)
		n = ch_thread_name_sig(&ch_sampler.vm, &ch_sampler.names, java, text, sizeof(text));
	if (n < 0 && (!id || !ch_sampler.names.known || !java))
		n = ch_name_told(t, text);
	if (n < 0)
		return true;
	hash = hash_text(text, (size_t)n);
	if (id && hash == atomic_load(&t->name_hash)) {
		t->name_mark = mark;
		return true;
	}
	def = ch_ring_reserve(&s->defs, sizeof(*def) + (size_t)n);
	if (!def)
		return false;
	id = atomic_fetch_add(&ch_sampler.thread_names, 1) + 1;
	def->rec.type = CH_REC_THREAD;
	def->id = id;
	def->tid = atomic_load(&t->tid);
	def->java_id = t->java_id;
	def->len = (uint32_t)n;
	memcpy(def->name, text, (size_t)n);
	ch_ring_commit(&s->defs, def, sizeof(*def) + (size_t)n);
	/* In this order: a handler in between finds another hash, and names the thread once more. */
	atomic_store(&t->name_id, id);
	atomic_store(&t->name_hash, hash);
	t->name_mark = mark;
	*ret = id;
	return true;
}

static uint32_t define_class(const char *name, size_t n)
{
	struct ch_stripe *s = ch_stripe_take(&ch_sampler.rings);
	struct ch_rec_class *def = s ? ch_ring_reserve(&s->defs, sizeof(*def) + n) : NULL;
	uint32_t id = 0;

	if (def) {
		id = ch_ids_next(&ch_sampler.classes);
		def->rec.type = CH_REC_CLASS;
		def->id = id;
		def->len = (uint32_t)n;
		memcpy(def->name, name, n);
		ch_ring_commit(&s->defs, def, sizeof(*def) + n);
	}
	if (s)
		ch_stripe_release(s);
	return id;
}

uint32_t ch_name_class(const char *name, size_t n)
{
	struct ch_id_entry *e;
	uint64_t key;
	uint32_t id;

	if (n > CH_METHOD_TEXT_MAX)
		n = CH_METHOD_TEXT_MAX;
	key = hash_text(name, n) | 1;
	e = ch_ids_find(&ch_sampler.classes, key);
	if (!e)
		return 0;
	id = ch_id_get(e, key);
	if (id)
		return id;
	id = define_class(name, n);
	if (id)
		ch_id_set(e, key, id);
	return id;
}
