package dev.cotenant.service.access;

import dev.cotenant.admission.access.Authorizer;
import dev.cotenant.admission.access.Authorizer.Result;
import jakarta.inject.Singleton;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether a caller may make a call: users of the cluster by the cluster's own rules, holders of
 * other tokens by their role. May call a server, so no event loop calls it.
 */
@Singleton
public class Authorization {
  private final Authorizer cluster;

  public Authorization(Authorizer cluster) {
    this.cluster = cluster;
  }

  /**
   * Returns where the caller may make the call.
   *
   * @param namespace null for the whole cluster
   * @throws ForbiddenException where it may not
   * @throws AuthorizationUnavailableException where that is unknown
   */
  public void require(Caller caller, Endpoint endpoint, @Nullable String namespace) {
    if (!isAllowed(caller, endpoint, namespace)) {
      throw new ForbiddenException(caller, endpoint, namespace);
    }
  }

  /**
   * Whether the caller may make the call.
   *
   * @param namespace null for the whole cluster
   * @throws AuthorizationUnavailableException where that is unknown
   */
  public boolean isAllowed(Caller caller, Endpoint endpoint, @Nullable String namespace) {
    return switch (caller) {
      case Caller.Holder(_, Role role, Set<String> namespaces) ->
          role.includes(endpoint.least())
              && (namespaces.isEmpty() || (namespace != null && namespaces.contains(namespace)));
      case Caller.ClusterUser(var user) ->
          switch (cluster.decide(user, endpoint.permission(namespace))) {
            case Result.Allowed _ -> true;
            case Result.Denied _ -> false;
            case Result.Unavailable(String why) -> throw new AuthorizationUnavailableException(why);
          };
    };
  }
}
