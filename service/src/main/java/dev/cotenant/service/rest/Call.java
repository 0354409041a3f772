package dev.cotenant.service.rest;

import dev.cotenant.service.access.Authorization;
import dev.cotenant.service.access.Caller;
import dev.cotenant.service.access.Endpoint;
import dev.cotenant.service.access.Namespaces;
import dev.cotenant.service.access.Visibility;
import jakarta.ws.rs.core.SecurityContext;

/** One call of an endpoint: its caller and authorization. */
public final class Call implements SecurityContext {
  private final Caller caller;
  private final Endpoint endpoint;
  private final Authorization authorization;
  private Visibility visibility = Visibility.EVERYTHING;
  private boolean decided;

  public Call(Caller caller, Endpoint endpoint, Authorization authorization) {
    this.caller = caller;
    this.endpoint = endpoint;
    this.authorization = authorization;
  }

  /** The call that a resource method answers. */
  public static Call of(SecurityContext context) {
    if (context instanceof Call call) {
      return call;
    }
    throw new IllegalStateException("no filter has authorized this call");
  }

  public Endpoint endpoint() {
    return endpoint;
  }

  /** The authenticated caller, as recorded. */
  public Caller caller() {
    return caller;
  }

  /** Namespaces that the caller may read. */
  public Visibility visibility() {
    return visibility;
  }

  /** Whether some right was found that allows the call. */
  public boolean isDecided() {
    return decided;
  }

  /**
   * Returns where the caller has the right in the whole cluster.
   *
   * @throws dev.cotenant.service.access.ForbiddenException where not
   */
  public void requireEverywhere() {
    authorization.require(caller, endpoint, null);
    decided = true;
  }

  /**
   * Returns where the caller has the right in a namespace, of which alone it then reads.
   *
   * @throws dev.cotenant.service.access.ForbiddenException where not
   */
  public void requireOnly(String namespace) {
    authorization.require(caller, endpoint, Namespaces.require(namespace));
    visibility = new Visibility(namespace);
    decided = true;
  }

  /**
   * Returns where the caller has the right in the whole cluster, or in the namespace, of which
   * alone it then reads.
   *
   * @throws dev.cotenant.service.access.ForbiddenException where neither
   */
  public void requireIn(String namespace) {
    Namespaces.require(namespace);
    if (authorization.isAllowed(caller, endpoint, null)) {
      decided = true;
    } else {
      requireOnly(namespace);
    }
  }

  /** As {@link #requireIn}, for an object that its creator may always use. */
  public void requireOwn(String creator, String namespace) {
    if (creator.equals(caller.getName())) {
      visibility = new Visibility(namespace);
      decided = true;
    } else {
      requireIn(namespace);
    }
  }

  @Override
  public Caller getUserPrincipal() {
    return caller;
  }

  @Override
  public boolean isUserInRole(String role) {
    return false; // rights are those of the table
  }

  @Override
  public boolean isSecure() {
    return false;
  }

  @Override
  public String getAuthenticationScheme() {
    return "bearer";
  }
}
