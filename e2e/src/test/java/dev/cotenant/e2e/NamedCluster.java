package dev.cotenant.e2e;

import io.fabric8.kubernetes.client.Config;
import java.net.URI;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The cluster that {@code KUBECONFIG} names, by somebody who may do everything there. What is made
 * in it has names of its own and is removed again.
 *
 * <p>Its API server has to reach the webhooks of the test at {@value #WEBHOOK_HOST}, an address of
 * this machine; without it only loopback is tried, where a server in a container or on another
 * machine finds nobody.
 */
final class NamedCluster implements Cluster {
  static final String WEBHOOK_HOST = "COTENANT_E2E_WEBHOOK_HOST";

  private final Config admin = Config.autoConfigure(null);
  private final Names names = Names.startingWith("cotenant-e2e-" + random());

  /**
   * Somebody who builds this has not therefore meant whatever cluster they work with.
   *
   * @return whether its server is on this machine, or an address for the webhooks was given
   */
  boolean isMeant() {
    String host = URI.create(admin.getMasterUrl()).getHost();
    return System.getenv(WEBHOOK_HOST) != null
        || host.equals("localhost")
        || host.startsWith("127.")
        || host.equals("[::1]");
  }

  private static String random() {
    byte[] bytes = new byte[3];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public Config admin() {
    return admin;
  }

  @Override
  public boolean hasControllers() {
    return true;
  }

  @Override
  public boolean hasScheduler() {
    return true;
  }

  @Override
  public String webhookHost() {
    return System.getenv().getOrDefault(WEBHOOK_HOST, "127.0.0.1");
  }

  @Override
  public boolean mustReachWebhooks() {
    return System.getenv(WEBHOOK_HOST) != null;
  }

  @Override
  public Names names() {
    return names;
  }

  @Override
  public void close() {
    // It is not ours.
  }
}
