package dev.cotenant.service;

import static dev.cotenant.admission.policy.Policy.Mode.IMMEDIATE;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.origin.Authority;
import dev.cotenant.service.origin.LoopbackTrust;
import java.net.InetAddress;
import java.util.Map;
import org.jboss.logging.Logger;

/** Checks at the start which ports are open without authentication. */
final class Exposure {
  private static final Logger LOG = Logger.getLogger(Exposure.class);

  /** Set by the kubelet in every container. */
  private static final String IN_CLUSTER = "KUBERNETES_SERVICE_HOST";

  private final ServiceSettings settings;
  private final String httpHost;
  private final Map<String, String> environment;

  Exposure(ServiceSettings settings, String httpHost, Map<String, String> environment) {
    this.settings = settings;
    this.httpHost = httpHost;
    this.environment = environment;
  }

  /**
   * Refuses to trust loopback in a pod that listens elsewhere too: sidecars, and in the host's
   * network every process of the node, call from 127.0.0.1.
   *
   * @throws InputException ({@code bad-configuration})
   */
  void check() {
    if (trustsLoopbackElsewhere()) {
      requireNoCluster();
    }
  }

  private boolean trustsLoopbackElsewhere() {
    return settings.origin().loopback() == LoopbackTrust.ON && !isLoopback(httpHost);
  }

  /** Logs what unknown clients may do by this configuration. */
  void warn() {
    if (trustsLoopbackElsewhere()) {
      LOG.warnf(
          "HTTP listens on %s and callers from 127.0.0.1 need no token: if a proxy on this machine"
              + " forwards requests, set cotenant.rest.trust-loopback=false",
          httpHost);
    }
    if (decidesAtOnce() && !isLoopback(settings.webhook().host()) && isOpen(settings.webhook())) {
      LOG.warnf(
          "Mode immediate: each client of https://%s:%d can allocate GPUs by reviews of pods that"
              + " do not exist; set cotenant.webhook.client-ca or restrict access to the port",
          settings.webhook().host(), settings.webhook().port());
    }
  }

  private void requireNoCluster() {
    if (environment.containsKey(IN_CLUSTER)) {
      throw InputException.invalidArgument(
          "bad-configuration",
          "cotenant.rest.trust-loopback must be false in a Kubernetes cluster unless"
              + " quarkus.http.host is a loopback address, which is "
              + httpHost
              + ": sidecars and, in the host's network, every process of the node call from"
              + " 127.0.0.1.");
    }
  }

  private boolean decidesAtOnce() {
    return settings.policies().byName().values().stream()
        .anyMatch(policy -> policy.mode() == IMMEDIATE);
  }

  private static boolean isOpen(ServiceSettings.Webhook webhook) {
    return webhook.clients().isEmpty();
  }

  /** Also {@code localhost}, by which loopback alone is listened on. */
  static boolean isLoopback(String host) {
    return Authority.parse(host.contains(":") ? "[" + host + "]" : host)
        .map(parsed ->
            parsed.isAddress()
                ? InetAddress.ofLiteral(parsed.host()).isLoopbackAddress()
                : parsed.host().equals("localhost"))
        .orElse(false);
  }
}
