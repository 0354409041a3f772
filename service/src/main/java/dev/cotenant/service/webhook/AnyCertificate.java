package dev.cotenant.service.webhook;

import java.net.Socket;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Lets every client certificate through the handshake, which proves that the client has its key.
 * Who signed it is looked at for each request ({@link ClientAuthority}): one port also serves
 * callers that need no certificate, and a client with a wrong one gets an answer that says so.
 */
final class AnyCertificate extends X509ExtendedTrustManager {
  private static final X509Certificate[] NO_HINT = {};

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) {}

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) {
    throw new UnsupportedOperationException("this is a server's");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
    throw new UnsupportedOperationException("this is a server's");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
    throw new UnsupportedOperationException("this is a server's");
  }

  /**
   * Clients may choose any certificate: some send none where they do not find the signer's name.
   */
  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return NO_HINT;
  }
}
