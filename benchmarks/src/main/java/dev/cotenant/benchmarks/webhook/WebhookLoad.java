package dev.cotenant.benchmarks.webhook;

import dev.cotenant.benchmarks.load.PacedLoad;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * Sends a review to the mutating webhook of a service on this machine at a fixed rate, over TLS
 * connections that stay open, and counts what was not allowed as failed.
 */
public final class WebhookLoad {
  private static final int WARM_UP_SECONDS = 10;

  private WebhookLoad() {}

  /** Arguments: port, requests a second, seconds, file of a review. */
  public static void main(String[] arguments)
      throws InterruptedException, IOException, GeneralSecurityException {
    int port = Integer.parseInt(arguments[0]);
    int perSecond = Integer.parseInt(arguments[1]);
    int seconds = Integer.parseInt(arguments[2]);
    String review = Files.readString(Path.of(arguments[3]));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustAny()}, null);
    PacedLoad load =
        new PacedLoad(
            new PacedLoad.Target(
                () -> connect(context, port),
                PacedLoad.Target.post("/webhooks/mutate", review),
                answer -> answer.contains("\"allowed\":true")),
            perSecond);
    load.run(WARM_UP_SECONDS);
    System.out.println(load.run(seconds));
  }

  private static Socket connect(SSLContext context, int port) throws IOException {
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.startHandshake();
    return socket;
  }

  /** The service is on this machine, with a certificate that it made itself. */
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
