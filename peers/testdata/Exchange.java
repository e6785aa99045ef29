// What BouncyCastle has to say about files of SM2, for TestSM2BouncyCastle: it
// checks those that begin with "ours" in a directory, a line of output for each,
// and writes others that begin with "theirs".
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.*;
import java.security.spec.*;
import java.util.Arrays;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.crypto.CipherParameters;
import org.bouncycastle.crypto.agreement.SM2KeyExchange;
import org.bouncycastle.crypto.engines.SM2Engine;
import org.bouncycastle.crypto.params.*;
import org.bouncycastle.jcajce.spec.SM2ParameterSpec;
import org.bouncycastle.jcajce.provider.asymmetric.util.ECUtil;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.jcajce.*;
import org.bouncycastle.pkcs.PKCS8EncryptedPrivateKeyInfo;
import org.bouncycastle.pkcs.jcajce.*;

public class Exchange {
	static Path dir;

	static byte[] read(String name) throws Exception { return Files.readAllBytes(dir.resolve(name)); }

	static void write(String name, byte[] b) throws Exception { Files.write(dir.resolve(name), b); }

	interface Check { boolean run() throws Exception; }

	static void check(String name, Check c) {
		String said;
		try {
			said = c.run() ? "ok" : "wrong";
		} catch (Throwable e) {
			said = e.toString().replace('\n', ' ');
		}
		System.out.println(name + ": " + said);
	}

	static byte[] crypt(SM2Engine.Mode mode, boolean encrypt, CipherParameters key, byte[] in) throws Exception {
		SM2Engine engine = new SM2Engine(mode);
		engine.init(encrypt, encrypt ? new ParametersWithRandom(key, new SecureRandom()) : key);
		return engine.processBlock(in, 0, in.length);
	}

	static Signature signer(byte[] id) throws Exception {
		Signature s = Signature.getInstance("SM3withSM2", "BC");
		if (id != null) {
			s.setParameter(new SM2ParameterSpec(id));
		}
		return s;
	}

	public static void main(String[] args) throws Exception {
		dir = Path.of(args[0]);
		Security.addProvider(new BouncyCastleProvider());
		KeyFactory keys = KeyFactory.getInstance("EC", "BC");
		PrivateKey ours = keys.generatePrivate(new PKCS8EncodedKeySpec(read("ours.p8")));
		PublicKey oursPublic = keys.generatePublic(new X509EncodedKeySpec(read("ours.spki")));
		byte[] message = read("message"), id = read("id");
		char[] passphrase = new String(read("passphrase"), StandardCharsets.UTF_8).toCharArray();
		AsymmetricKeyParameter d = ECUtil.generatePrivateKeyParameter(ours), p = ECUtil.generatePublicKeyParameter(oursPublic);

		for (byte[] with : new byte[][] {null, id}) {
			String name = with == null ? "default" : "id";
			check("signature, " + name, () -> {
				Signature s = signer(with);
				s.initVerify(oursPublic);
				s.update(message);
				return s.verify(read("ours.sig." + name));
			});
			Signature s = signer(with);
			s.initSign(ours);
			s.update(message);
			write("theirs.sig." + name, s.sign());
		}
		for (SM2Engine.Mode mode : SM2Engine.Mode.values()) {
			check("ciphertext, " + mode, () -> Arrays.equals(message, crypt(mode, false, d, read("ours." + mode))));
			write("theirs." + mode, crypt(mode, true, p, message));
		}
		for (String how : new String(read("ours.encrypted"), StandardCharsets.UTF_8).trim().split(" ")) {
			check("encrypted key, " + how, () -> {
				PKCS8EncryptedPrivateKeyInfo info = new PKCS8EncryptedPrivateKeyInfo(read("ours.encrypted." + how));
				PrivateKey back = new JcaPEMKeyConverter().setProvider("BC").getPrivateKey(
					info.decryptPrivateKeyInfo(new JcePKCSPBEInputDecryptorProviderBuilder().setProvider("BC").build(passphrase)));
				return ((java.security.interfaces.ECPrivateKey) back).getS().equals(((java.security.interfaces.ECPrivateKey) ours).getS());
			});
		}

		KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", "BC");
		generator.initialize(new ECGenParameterSpec("sm2p256v1"));
		KeyPair theirs = generator.generateKeyPair();
		write("theirs.p8", theirs.getPrivate().getEncoded());
		write("theirs.spki", theirs.getPublic().getEncoded());
		write("theirs.encrypted", new JcaPKCS8EncryptedPrivateKeyInfoBuilder(theirs.getPrivate()).build(
			new JceOpenSSLPKCS8EncryptorBuilder(NISTObjectIdentifiers.id_aes256_CBC)
				.setPRF(new AlgorithmIdentifier(PKCSObjectIdentifiers.id_hmacWithSHA256, org.bouncycastle.asn1.DERNull.INSTANCE))
				.setIterationCount(10000).setProvider("BC").setPassword(passphrase).build()).getEncoded());

		// The key exchange, with BouncyCastle as the initiator. Both sides have fixed
		// their points before, so that nobody has to wait.
		ECDomainParameters curve = ((ECPrivateKeyParameters) d).getParameters();
		SM2KeyExchange exchange = new SM2KeyExchange();
		exchange.init(new ParametersWithID(new SM2KeyExchangePrivateParameters(true,
			new ECPrivateKeyParameters(new BigInteger(1, read("initiator")), curve),
			new ECPrivateKeyParameters(new BigInteger(1, read("initiator.ephemeral")), curve)), id));
		check("key exchange", () -> {
			byte[][] agreed = exchange.calculateKeyWithConfirmation(384, read("ours.confirmation"), new ParametersWithID(new SM2KeyExchangePublicParameters(
				(ECPublicKeyParameters) p, new ECPublicKeyParameters(curve.getCurve().decodePoint(read("ours.point")), curve)), id));
			write("theirs.confirmation", agreed[1]);
			return Arrays.equals(agreed[0], read("ours.key"));
		});
	}
}
