package dev.cotenant.service.access;

import dev.cotenant.service.access.Access.Scheme;
import dev.cotenant.service.access.Access.Verdict;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/**
 * Who a caller is that was let in, by name: the cluster's user, the configured token, or anybody on
 * this machine who presents neither.
 */
@Singleton
public class Callers {
  private static final String LOCAL = "local";

  private final Access access;

  Callers(Access access) {
    this.access = access;
  }

  /**
   * The name that goes with an Authorization header, which was looked at before.
   *
   * @throws TokensUnavailableException when nobody can say whose token it is any more
   */
  public String name(@Nullable String authorization) {
    if (authorization == null) {
      return LOCAL;
    }
    return switch (access.check(authorization, Scheme.BEARER)) {
      case Verdict.Granted(String user) -> "user " + user;
      case Verdict.Refused _ -> LOCAL;
      case Verdict.Unavailable(String why) -> throw new TokensUnavailableException(why);
    };
  }
}
