package dev.cotenant.service.gate;

import dev.cotenant.admission.access.Authorizer;
import dev.cotenant.admission.access.TokenAuthenticator;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.supervision.Supervisor;
import java.util.Optional;

/**
 * Parts of the service that need a cluster.
 *
 * @param server its API server; empty where none is configured
 * @param gate the gate controller of this process; empty where the webhook decides by itself
 * @param grants looks up the pods of the webhook's grants; empty where the gate controller decides
 * @param tokens whose bearer tokens are whose
 * @param authorizer what its users may do
 */
public record KubernetesParts(
    Optional<ApiServer> server,
    Optional<GateControllerRuntime> gate,
    Optional<GrantCheck> grants,
    TokenAuthenticator tokens,
    Authorizer authorizer) {
  /** No cluster. */
  public static final KubernetesParts NONE =
      new KubernetesParts(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          TokenAuthenticator.NONE,
          Authorizer.NONE);

  /** Lets the controller compete, if there is one, or the grants of the webhook be looked up. */
  public void start(Supervisor supervisor) {
    gate.ifPresent(GateControllerRuntime::start);
    grants.ifPresent(check -> check.start(supervisor));
  }

  /** Ends everything. */
  public void stop() {
    grants.ifPresent(GrantCheck::stop);
    gate.ifPresent(GateControllerRuntime::stop);
    server.ifPresent(ApiServer::close);
  }
}
