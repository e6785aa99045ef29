// Calls the operations that ci/count compares, in one library of those below, which is
// selected with -DOPENSSL, -DGCRYPT, -DBOTAN or -DIPSECMB:
//
//	peers MATCH SIZE...
//
// MATCH is a regular expression for the names of operations. A line "case TAG CALLS BYTES
// LIBRARY NAME" of the output belongs to marks of the plugin with this tag: before CALLS calls,
// after them, and after twice as many more. A line "version LIBRARY VERSION" is first. Keys are set
// and objects are made before the first mark.
//
// With -DCLOCK the marks are times: after each case, lines "mark TAG NANOSECONDS".
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef CLOCK
enum { ROUNDS = 20 };
#else
enum { ROUNDS = 3 };
#endif
enum { MOST = 1 << 20, EXTRA = 13 };

enum mode { ECB, CBC, CFB, CTR, XTS, GCM, GMAC, CCM, CMAC, HASH, CHACHA };

struct operation {
	const char *name;
	enum mode mode;
	const char *algorithm; // in the library's notation
	int number, number2;   // libgcrypt's
	int key;               // bytes
	bool decrypt;
};

static unsigned char key[64], iv[16], extra[MOST], in[MOST], out[MOST + 64], tag[16];
static size_t size;
static const struct operation *op;

// fail ends the program if a call has failed: a count of errors is worth nothing.
static void check(bool ok, const char *what) {
	if (ok)
		return;
	fprintf(stderr, "peers: %s: %s failed\n", op ? op->name : "start", what);
	exit(1);
}
#define CHECK(x) check(x, #x)

#ifdef OPENSSL
#define LIBRARY "OpenSSL"
#include <openssl/crypto.h>
#include <openssl/evp.h>

static EVP_CIPHER_CTX *cipher;
static EVP_MAC_CTX *mac;
static EVP_MD_CTX *hash;
static EVP_MD *md;

static bool start(void) {
	printf("version " LIBRARY " %s\n", OpenSSL_version(OPENSSL_VERSION_STRING));
	return true;
}

static bool prepare(void) {
	if (op->mode == CMAC) {
		OSSL_PARAM params[2] = {OSSL_PARAM_construct_utf8_string("cipher", (char *)op->algorithm, 0), OSSL_PARAM_construct_end()};
		mac = EVP_MAC_CTX_new(EVP_MAC_fetch(NULL, "CMAC", NULL));
		return EVP_MAC_init(mac, key, op->key, params) == 1;
	}
	if (op->mode == HASH) {
		hash = EVP_MD_CTX_new();
		return (md = EVP_MD_fetch(NULL, op->algorithm, NULL)) != NULL;
	}
	EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, op->algorithm, NULL);
	if (!c)
		return false;
	cipher = EVP_CIPHER_CTX_new();
	CHECK(EVP_CipherInit_ex(cipher, c, NULL, NULL, NULL, !op->decrypt) == 1);
	if (op->mode == CCM || op->mode == GCM || op->mode == GMAC || op->mode == CHACHA)
		CHECK(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) == 1);
	if (op->mode == CCM)
		CHECK(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, 16, op->decrypt ? tag : NULL) == 1);
	CHECK(EVP_CipherInit_ex(cipher, NULL, NULL, key, iv, -1) == 1);
	EVP_CIPHER_CTX_set_padding(cipher, 0);
	return true;
}

static void call(void) {
	int n;
	size_t written;
	switch (op->mode) {
	case CMAC:
		CHECK(EVP_MAC_init(mac, NULL, 0, NULL) == 1);
		CHECK(EVP_MAC_update(mac, in, size) == 1);
		CHECK(EVP_MAC_final(mac, tag, &written, sizeof tag) == 1);
		return;
	case HASH:
		CHECK(EVP_DigestInit_ex2(hash, md, NULL) == 1);
		CHECK(EVP_DigestUpdate(hash, in, size) == 1);
		CHECK(EVP_DigestFinal_ex(hash, out, NULL) == 1);
		return;
	case XTS:
		CHECK(EVP_CipherInit_ex(cipher, NULL, NULL, NULL, iv, -1) == 1);
		// fall through
	case ECB: case CBC: case CFB: case CTR:
		CHECK(EVP_CipherUpdate(cipher, out, &n, in, size) == 1);
		CHECK(n == (int)size);
		return;
	default:
		if (op->decrypt && op->mode == CCM)
			CHECK(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1);
		CHECK(EVP_CipherInit_ex(cipher, NULL, NULL, NULL, iv, -1) == 1);
		if (op->decrypt && op->mode != CCM)
			CHECK(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1);
		if (op->mode == CCM)
			CHECK(EVP_CipherUpdate(cipher, NULL, &n, NULL, size) == 1);
		CHECK(EVP_CipherUpdate(cipher, NULL, &n, extra, op->mode == GMAC ? size : EXTRA) == 1);
		if (op->mode != GMAC)
			CHECK(EVP_CipherUpdate(cipher, out, &n, in, size) == 1);
		if (!op->decrypt || op->mode != CCM)
			CHECK(EVP_CipherFinal_ex(cipher, out + size, &n) == 1);
		if (!op->decrypt)
			CHECK(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
	}
}

static void end(void) {
	EVP_CIPHER_CTX_free(cipher);
	cipher = NULL;
}
#endif

#ifdef GCRYPT
#define LIBRARY "libgcrypt"
#include <gcrypt.h>

static gcry_cipher_hd_t cipher;
static gcry_mac_hd_t mac;

// start disables the features in GCRYPT_DISABLE, which are separated by commas.
static bool start(void) {
	char *list = getenv("GCRYPT_DISABLE");
	for (char *name = list ? strtok(list, ",") : NULL; name; name = strtok(NULL, ","))
		CHECK(!gcry_control(GCRYCTL_DISABLE_HWF, name, NULL));
	printf("version " LIBRARY " %s\n", gcry_check_version(NULL));
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	return true;
}

static bool prepare(void) {
	static const int modes[] = {
		[ECB] = GCRY_CIPHER_MODE_ECB, [CBC] = GCRY_CIPHER_MODE_CBC, [CFB] = GCRY_CIPHER_MODE_CFB, [CTR] = GCRY_CIPHER_MODE_CTR,
		[XTS] = GCRY_CIPHER_MODE_XTS, [GCM] = GCRY_CIPHER_MODE_GCM, [GMAC] = GCRY_CIPHER_MODE_GCM, [CCM] = GCRY_CIPHER_MODE_CCM,
		[CHACHA] = GCRY_CIPHER_MODE_POLY1305,
	};
	if (op->mode == HASH)
		return true;
	if (op->mode == CMAC)
		return !gcry_mac_open(&mac, op->number2, 0, NULL) && !gcry_mac_setkey(mac, key, op->key);
	if (gcry_cipher_open(&cipher, op->number, modes[op->mode], 0))
		return false;
	CHECK(!gcry_cipher_setkey(cipher, key, op->key));
	if (op->mode == CTR)
		CHECK(!gcry_cipher_setctr(cipher, iv, 16));
	else if (op->mode == CBC || op->mode == CFB)
		CHECK(!gcry_cipher_setiv(cipher, iv, 16));
	return true;
}

static void process(void *to, size_t n) {
	if (op->decrypt)
		CHECK(!gcry_cipher_decrypt(cipher, to, n, in, n));
	else
		CHECK(!gcry_cipher_encrypt(cipher, to, n, in, n));
}

static void call(void) {
	uint64_t lengths[3] = {size, EXTRA, 16};
	switch (op->mode) {
	case CMAC: {
		size_t n = 16;
		CHECK(!gcry_mac_reset(mac));
		CHECK(!gcry_mac_write(mac, in, size));
		CHECK(!gcry_mac_read(mac, tag, &n));
		return;
	}
	case HASH:
		gcry_md_hash_buffer(op->number, out, in, size);
		return;
	case XTS:
		CHECK(!gcry_cipher_setiv(cipher, iv, 16));
		// fall through
	case ECB: case CBC: case CFB: case CTR:
		process(out, size);
		return;
	default:
		CHECK(!gcry_cipher_setiv(cipher, iv, 12));
		if (op->mode == CCM)
			CHECK(!gcry_cipher_ctl(cipher, GCRYCTL_SET_CCM_LENGTHS, lengths, sizeof lengths));
		CHECK(!gcry_cipher_authenticate(cipher, extra, op->mode == GMAC ? size : EXTRA));
		if (op->mode != GMAC)
			process(out, size);
		if (op->decrypt)
			CHECK(!gcry_cipher_checktag(cipher, tag, 16));
		else
			CHECK(!gcry_cipher_gettag(cipher, tag, 16));
	}
}

static void end(void) {
	gcry_cipher_close(cipher);
	cipher = NULL;
}
#endif

#ifdef BOTAN
#define LIBRARY "Botan"
#include <botan/ffi.h>

static botan_cipher_t cipher;
static botan_block_cipher_t block;
static botan_mac_t mac;
static botan_hash_t hash;

static bool start(void) {
	printf("version " LIBRARY " %u.%u.%u\n", botan_version_major(), botan_version_minor(), botan_version_patch());
	return true;
}

static bool prepare(void) {
	switch (op->mode) {
	case ECB:
		return !botan_block_cipher_init(&block, op->algorithm) && !botan_block_cipher_set_key(block, key, op->key);
	case CMAC:
		return !botan_mac_init(&mac, op->algorithm, 0) && !botan_mac_set_key(mac, key, op->key);
	case HASH:
		return !botan_hash_init(&hash, op->algorithm, 0);
	default:
		if (botan_cipher_init(&cipher, op->algorithm, op->decrypt ? BOTAN_CIPHER_INIT_FLAG_DECRYPT : BOTAN_CIPHER_INIT_FLAG_ENCRYPT))
			return false;
		CHECK(!botan_cipher_set_key(cipher, key, op->key));
		if (op->mode == CTR)
			CHECK(!botan_cipher_start(cipher, iv, 16));
		return true;
	}
}

static void call(void) {
	size_t written, read;
	bool aead = op->mode == GCM || op->mode == GMAC || op->mode == CCM || op->mode == CHACHA;
	switch (op->mode) {
	case ECB:
		if (op->decrypt)
			CHECK(!botan_block_cipher_decrypt_blocks(block, in, out, size / 16));
		else
			CHECK(!botan_block_cipher_encrypt_blocks(block, in, out, size / 16));
		return;
	case CMAC:
		CHECK(!botan_mac_update(mac, in, size));
		CHECK(!botan_mac_final(mac, tag));
		return;
	case HASH:
		CHECK(!botan_hash_update(hash, in, size));
		CHECK(!botan_hash_final(hash, out));
		return;
	case CTR:
		CHECK(!botan_cipher_update(cipher, 0, out, sizeof out, &written, in, size, &read));
		CHECK(read == size);
		return;
	default: // CBC and CFB, too, take less than several blocks only at the end of a message
		if (aead)
			CHECK(!botan_cipher_set_associated_data(cipher, extra, op->mode == GMAC ? size : EXTRA));
		CHECK(!botan_cipher_start(cipher, iv, aead ? 12 : 16));
		size_t n = op->mode == GMAC ? 0 : size;
		if (op->decrypt && aead)
			memcpy(in + n, tag, 16); // the tag follows the ciphertext
		CHECK(!botan_cipher_update(cipher, BOTAN_CIPHER_UPDATE_FLAG_FINAL, out, sizeof out, &written, in, n + (op->decrypt && aead ? 16 : 0), &read));
		if (!op->decrypt && aead)
			memcpy(tag, out + n, 16);
	}
}

static void end(void) {
	botan_cipher_destroy(cipher);
	cipher = NULL;
}
#endif

#ifdef IPSECMB
#define LIBRARY "IPsec-MB"
#define NO_COMPAT_IMB_API_053 // older names, one of them ECB
#include <intel-ipsec-mb.h>

static IMB_MGR *manager;
static struct gcm_key_data gcm;
static struct gcm_context_data gcm_state;
static struct chacha20_poly1305_context_data chacha;
static _Alignas(64) uint32_t encrypt_keys[4 * 15], decrypt_keys[4 * 15];

static bool start(void) {
	printf("version " LIBRARY " %s\n", imb_get_version_str());
	if (!(manager = alloc_mb_mgr(0)))
		return false;
	init_mb_mgr_auto(manager, NULL);
	return true;
}

static bool prepare(void) {
	if (op->number != 1)
		return false;
	switch (op->mode) {
	case GCM: case GMAC:
		if (op->key == 16)
			IMB_AES128_GCM_PRE(manager, key, &gcm);
		else
			IMB_AES256_GCM_PRE(manager, key, &gcm);
		return true;
	case CTR: case CBC:
		if (op->key == 16)
			IMB_AES_KEYEXP_128(manager, key, encrypt_keys, decrypt_keys);
		else
			IMB_AES_KEYEXP_256(manager, key, encrypt_keys, decrypt_keys);
		return true;
	case CHACHA:
		return true;
	default:
		return false;
	}
}

// job is one message: the library has no other way to these modes. It returns when that is done.
static void job(void) {
	IMB_JOB *j = IMB_GET_NEXT_JOB(manager);
	memset(j, 0, sizeof *j);
	j->cipher_mode = op->mode == CTR ? IMB_CIPHER_CNTR : IMB_CIPHER_CBC;
	j->cipher_direction = op->decrypt ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
	j->chain_order = IMB_ORDER_CIPHER_HASH;
	j->hash_alg = IMB_AUTH_NULL;
	j->enc_keys = encrypt_keys;
	j->dec_keys = decrypt_keys;
	j->key_len_in_bytes = op->key;
	j->iv = iv;
	j->iv_len_in_bytes = 16;
	j->src = in;
	j->dst = out;
	j->msg_len_to_cipher_in_bytes = size;
	if (!IMB_SUBMIT_JOB(manager))
		CHECK(IMB_FLUSH_JOB(manager) != NULL);
}

static void call(void) {
	size_t n = op->mode == GMAC ? size : EXTRA;
	switch (op->mode) {
	case GCM: case GMAC:
		if (op->key == 16 && op->decrypt)
			IMB_AES128_GCM_DEC(manager, &gcm, &gcm_state, out, in, size, iv, extra, n, tag, 16);
		else if (op->key == 16)
			IMB_AES128_GCM_ENC(manager, &gcm, &gcm_state, out, in, op->mode == GMAC ? 0 : size, iv, extra, n, tag, 16);
		else if (op->decrypt)
			IMB_AES256_GCM_DEC(manager, &gcm, &gcm_state, out, in, size, iv, extra, n, tag, 16);
		else
			IMB_AES256_GCM_ENC(manager, &gcm, &gcm_state, out, in, op->mode == GMAC ? 0 : size, iv, extra, n, tag, 16);
		return;
	case CHACHA:
		IMB_CHACHA20_POLY1305_INIT(manager, key, &chacha, iv, extra, n);
		if (op->decrypt) {
			IMB_CHACHA20_POLY1305_DEC_UPDATE(manager, key, &chacha, out, in, size);
			IMB_CHACHA20_POLY1305_DEC_FINALIZE(manager, &chacha, tag, 16);
		} else {
			IMB_CHACHA20_POLY1305_ENC_UPDATE(manager, key, &chacha, out, in, size);
			IMB_CHACHA20_POLY1305_ENC_FINALIZE(manager, &chacha, tag, 16);
		}
		return;
	default:
		job();
	}
}

static void end(void) {}
#endif

#if defined OPENSSL
#define ALGORITHM(openssl, botan, number, number2) openssl, 0, 0
#elif defined BOTAN
#define ALGORITHM(openssl, botan, number, number2) botan, 0, 0
#elif defined IPSECMB // AES and ChaCha20-Poly1305
#define ALGORITHM(openssl, botan, number, number2) "", openssl[0] == 'A' || openssl[0] == 'C', 0
#else
#define ALGORITHM(openssl, botan, number, number2) "", number, number2
#endif

#define BLOCK(name, bits, openssl, botan, number, number2, length) \
	{name "-ECB encrypt", ECB, ALGORITHM(openssl "-ECB", botan, number, 0), length, false}, \
	{name "-ECB decrypt", ECB, ALGORITHM(openssl "-ECB", botan, number, 0), length, true}, \
	{name "-CTR", CTR, ALGORITHM(openssl "-CTR", "CTR-BE(" botan ")", number, 0), length, false}, \
	{name "-CBC encrypt", CBC, ALGORITHM(openssl "-CBC", botan "/CBC/NoPadding", number, 0), length, false}, \
	{name "-CBC decrypt", CBC, ALGORITHM(openssl "-CBC", botan "/CBC/NoPadding", number, 0), length, true}, \
	{name "-CFB encrypt", CFB, ALGORITHM(openssl "-CFB", botan "/CFB", number, 0), length, false}, \
	{name "-CFB decrypt", CFB, ALGORITHM(openssl "-CFB", botan "/CFB", number, 0), length, true}, \
	{name "-XTS encrypt", XTS, ALGORITHM(openssl "-XTS", botan "/XTS", number, 0), 2 * length, false}, \
	{name "-XTS decrypt", XTS, ALGORITHM(openssl "-XTS", botan "/XTS", number, 0), 2 * length, true}, \
	{name "-GCM seal", GCM, ALGORITHM(openssl "-GCM", botan "/GCM", number, 0), length, false}, \
	{name "-GCM open", GCM, ALGORITHM(openssl "-GCM", botan "/GCM", number, 0), length, true}, \
	{name "-GMAC", GMAC, ALGORITHM(openssl "-GCM", botan "/GCM", number, 0), length, false}, \
	{name "-CCM seal", CCM, ALGORITHM(openssl "-CCM", botan "/CCM(16,3)", number, 0), length, false}, \
	{name "-CCM open", CCM, ALGORITHM(openssl "-CCM", botan "/CCM(16,3)", number, 0), length, true}, \
	{name "-CMAC", CMAC, ALGORITHM(openssl "-CBC", "CMAC(" botan ")", 0, number2), length, false}

static const struct operation operations[] = {
	BLOCK("AES-128", 128, "AES-128", "AES-128", GCRY_CIPHER_AES128, GCRY_MAC_CMAC_AES, 16),
	BLOCK("AES-256", 256, "AES-256", "AES-256", GCRY_CIPHER_AES256, GCRY_MAC_CMAC_AES, 32),
	BLOCK("SM4", 128, "SM4", "SM4", GCRY_CIPHER_SM4, GCRY_MAC_CMAC_SM4, 16),
	{"SM3", HASH, ALGORITHM("SM3", "SM3", GCRY_MD_SM3, 0), 0, false},
	{"ChaCha20-Poly1305 seal", CHACHA, ALGORITHM("ChaCha20-Poly1305", "ChaCha20Poly1305", GCRY_CIPHER_CHACHA20, 0), 32, false},
	{"ChaCha20-Poly1305 open", CHACHA, ALGORITHM("ChaCha20-Poly1305", "ChaCha20Poly1305", GCRY_CIPHER_CHACHA20, 0), 32, true},
};

// calls is the number of calls in the shorter run, as in peers/count.
static int calls(void) {
#ifdef CLOCK
	return size < 1024 ? 500 : size < 8192 ? 100 : 20;
#else
	return size < 1024 ? 32 : size < 8192 ? 8 : 2;
#endif
}

#ifdef CLOCK
static struct timespec marks[3 * ROUNDS];
static int marked;

static void mark(int tag) { clock_gettime(CLOCK_MONOTONIC, &marks[marked++]); }

static void show_marks(int tag) {
	for (int i = 0; i < marked; i++)
		printf("mark %d %lld\n", tag, marks[i].tv_sec * 1000000000LL + marks[i].tv_nsec);
	marked = 0;
}
#else
static void mark(int tag) { syscall(4000, tag); }

static void show_marks(int tag) {}
#endif

int main(int argc, char **argv) {
	regex_t match;
	int next = 2;
	if (argc < 3 || regcomp(&match, argv[1], REG_EXTENDED | REG_NOSUB)) {
		fputs("usage: peers MATCH SIZE...\n", stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	CHECK(start());
	for (size_t i = 0; i < sizeof key; i++)
		key[i] = i;
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
		if (regexec(&match, operations[i].name, 0, NULL, 0))
			continue;
		for (int a = 2; a < argc; a++) {
			size = atol(argv[a]);
			struct operation seal = operations[i];
			op = &operations[i];
			if (size < 1 || size > MOST - 16)
				continue;
			if (op->mode == ECB || op->mode == CBC || op->mode == XTS)
				size = (size + 15) / 16 * 16;
			if (op->decrypt && (op->mode == GCM || op->mode == CCM || op->mode == CHACHA)) {
				// Only sealed messages can be opened.
				seal.decrypt = false;
				op = &seal;
				memset(in, 1, size);
				if (!prepare())
					break;
				call();
				end();
				memcpy(in, out, size);
				op = &operations[i];
			}
			if (!prepare())
				break; // the library lacks it
			call();
			call();
			printf("case %d %d %zu %s %s\n", next, calls(), size, LIBRARY, op->name);
			for (int round = 0; round < ROUNDS; round++) {
				mark(next);
				for (int k = 0; k < calls(); k++)
					call();
				mark(next);
				for (int k = 0; k < 2 * calls(); k++)
					call();
				mark(next);
			}
			show_marks(next);
			next++;
			end();
		}
	}
	return 0;
}
