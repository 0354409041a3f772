package dev.cotenant.service.gate;

import dev.cotenant.admission.access.Authorizer;
import dev.cotenant.admission.access.TokenAuthenticator;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import java.util.Optional;

/**
 * Parts of the service that need a cluster.
 *
 * @param server its API server; empty where none is configured
 * @param gate the gate controller of this process; empty where the webhook decides by itself
 * @param tokens whose bearer tokens are whose
 * @param authorizer what its users may do
 */
public record KubernetesParts(
    Optional<ApiServer> server,
    Optional<GateKeeper> gate,
    TokenAuthenticator tokens,
    Authorizer authorizer) {
  /** No cluster. */
  public static final KubernetesParts NONE =
      new KubernetesParts(
          Optional.empty(), Optional.empty(), TokenAuthenticator.NONE, Authorizer.NONE);

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
