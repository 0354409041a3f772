package dev.cotenant.benchmarks.webhook;

import dev.cotenant.benchmarks.load.PacedLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;

/**
 * Sends a review to the mutating webhook of a service on this machine at a fixed rate, over TLS
 * connections that stay open, and counts what was not allowed as failed.
 */
public final class WebhookLoad {
  private static final int WARM_UP_SECONDS = 10;
  private static final int TIMEOUT_MILLIS = 60_000;

  private WebhookLoad() {}

  /** Arguments: port, requests a second, seconds, file of a review. */
  public static void main(String[] arguments)
      throws InterruptedException, IOException, GeneralSecurityException {
    int port = Integer.parseInt(arguments[0]);
    int perSecond = Integer.parseInt(arguments[1]);
    int seconds = Integer.parseInt(arguments[2]);
    String review = Files.readString(Path.of(arguments[3]));
    LocalTls service = new LocalTls(port);
    PacedLoad load =
        new PacedLoad(
            new PacedLoad.Target(
                () -> service.connect(TIMEOUT_MILLIS),
                PacedLoad.Target.post("/webhooks/mutate", review),
                answer -> answer.contains("\"allowed\":true")),
            perSecond);
    load.run(WARM_UP_SECONDS);
    System.out.println(load.run(seconds));
  }
}
