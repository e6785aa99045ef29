// Siv seals messages with libgcrypt's SIV. It reads them from standard input: the number of the
// cipher and the lengths of key, data, nonce and text, each of four bytes in this machine's
// order, and then these. It writes tag and ciphertext.
#include <gcrypt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(ok) do { if (!(ok)) { fprintf(stderr, "siv: " #ok " fails\n"); exit(1); } } while (0)

int main(void) {
	uint32_t head[5];
	CHECK(gcry_check_version("1.10.0"));
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	while (fread(head, sizeof head, 1, stdin)) {
		unsigned char *part[4], tag[16];
		for (int i = 0; i < 4; i++) {
			CHECK(part[i] = malloc(head[i + 1] + 1));
			CHECK(fread(part[i], 1, head[i + 1], stdin) == head[i + 1]);
		}
		gcry_cipher_hd_t c;
		CHECK(!gcry_cipher_open(&c, head[0], GCRY_CIPHER_MODE_SIV, 0));
		CHECK(!gcry_cipher_setkey(c, part[0], head[1]));
		CHECK(!gcry_cipher_authenticate(c, part[1], head[2]));
		CHECK(!gcry_cipher_setiv(c, part[2], head[3]));
		CHECK(!gcry_cipher_encrypt(c, part[3], head[4], NULL, 0));
		CHECK(!gcry_cipher_gettag(c, tag, sizeof tag));
		CHECK(fwrite(tag, sizeof tag, 1, stdout));
		CHECK(fwrite(part[3], 1, head[4], stdout) == head[4]);
		gcry_cipher_close(c);
		for (int i = 0; i < 4; i++)
			free(part[i]);
	}
	return 0;
}
