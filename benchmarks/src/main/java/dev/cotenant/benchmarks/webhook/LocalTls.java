package dev.cotenant.benchmarks.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** TLS connections to a service on this machine, with a certificate that it made itself. */
final class LocalTls {
  private final SSLContext context;
  private final int port;

  LocalTls(int port) throws GeneralSecurityException {
    this.port = port;
    context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustAny()}, null);
  }

  /** One after its handshake, of which no step may take longer than this. */
  Socket connect(int timeoutMillis) throws IOException {
    Socket plain = new Socket();
    try {
      plain.setTcpNoDelay(true);
      plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeoutMillis);
      plain.setSoTimeout(timeoutMillis);
      SSLSocket socket =
          (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", port, true);
      socket.startHandshake();
      return socket;
    } catch (IOException e) {
      plain.close();
      throw e;
    }
  }

  private static final class TrustAny implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
