package dev.cotenant.service.gate;

import dev.cotenant.admission.access.TokenAuthenticator;
import dev.cotenant.admission.kubernetes.ApiServer;
import dev.cotenant.admission.kubernetes.TokenReviews;
import dev.cotenant.service.configuration.KubernetesSettings;
import java.time.InstantSource;
import java.util.Optional;

/**
 * What there is of a cluster.
 *
 * @param server its API server; empty where none is configured
 * @param gate the gate controller of this process; empty where the webhook decides by itself
 * @param tokens whose bearer tokens are whose
 */
public record KubernetesParts(
    Optional<ApiServer> server, Optional<GateKeeper> gate, TokenAuthenticator tokens) {
  /** No cluster. */
  public static final KubernetesParts NONE =
      new KubernetesParts(Optional.empty(), Optional.empty(), TokenAuthenticator.NOBODY);

  /** Of this API server. */
  public static KubernetesParts of(
      ApiServer server, KubernetesSettings settings, Optional<GateKeeper> gate) {
    return new KubernetesParts(
        Optional.of(server),
        gate,
        new TokenReviews(server, settings.tokenAudiences(), InstantSource.system()));
  }

  /** Lets the controller compete, if there is one. */
  public void start() {
    gate.ifPresent(GateKeeper::start);
  }

  /** Ends everything. */
  public void stop() {
    gate.ifPresent(GateKeeper::stop);
    server.ifPresent(ApiServer::close);
  }
}
