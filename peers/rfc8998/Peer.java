import java.io.*;
import java.security.*;
import java.security.cert.*;
import javax.net.ssl.*;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.jsse.provider.BouncyCastleJsseProvider;

/**
 * A client of TLS 1.3 on BouncyCastle:
 *
 *   Peer SUITE CA PORT BYTES
 *
 * It prints a line for a connection. The JSSE provider of BouncyCastle 1.84 does not find a key of SM2,
 * whatever the key manager, so that there are no servers and no certificates of clients.
 */
class Peer {
	static X509Certificate[] certificates(String file) throws Exception {
		try (InputStream in = new FileInputStream(file)) {
			return CertificateFactory.getInstance("X.509", "BC").generateCertificates(in).toArray(new X509Certificate[0]);
		}
	}

	public static void main(String[] args) throws Exception {
		Security.insertProviderAt(new BouncyCastleProvider(), 1);
		Security.insertProviderAt(new BouncyCastleJsseProvider(), 2);
		KeyStore store = KeyStore.getInstance("PKCS12", "BC");
		store.load(null, null);
		store.setCertificateEntry("ca", certificates(args[1])[0]);
		TrustManagerFactory f = TrustManagerFactory.getInstance("PKIX", "BCJSSE");
		f.init(store);
		SSLContext context = SSLContext.getInstance("TLSv1.3", "BCJSSE");
		context.init(null, f.getTrustManagers(), null);
		try (SSLSocket s = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", Integer.parseInt(args[2]))) {
			SSLParameters p = s.getSSLParameters();
			p.setProtocols(new String[] {"TLSv1.3"});
			p.setCipherSuites(new String[] {args[0]});
			p.setEndpointIdentificationAlgorithm("HTTPS");
			s.setSSLParameters(p);
			s.startHandshake();
			s.getOutputStream().write(("GET /" + args[3] + " HTTP/1.0\r\n\r\n").getBytes());
			s.getOutputStream().flush();
			long n = 0;
			byte[] block = new byte[1 << 14];
			InputStream in = s.getInputStream();
			for (int m; (m = in.read(block)) > 0; n += m) { }
			SSLSession session = s.getSession();
			String peer = ((X509Certificate) session.getPeerCertificates()[0]).getSubjectX500Principal().getName();
			System.out.println("connection " + session.getProtocol() + " " + session.getCipherSuite() + " " + n + " " + peer);
		}
	}
}
