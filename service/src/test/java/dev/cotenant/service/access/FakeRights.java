package dev.cotenant.service.access;

import dev.cotenant.admission.access.Authorizer;
import dev.cotenant.admission.access.Permission;
import dev.cotenant.admission.access.User;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Singleton;

/** A cluster in which one user of {@link FakeTokens} may do everything and another nothing. */
@Alternative
@Singleton
public class FakeRights implements Authorizer {
  @Override
  public Result decide(User user, Permission permission) {
    return switch (user.name()) {
      case FakeTokens.PLANNER -> new Result.Allowed();
      case FakeTokens.MALLORY -> new Result.Denied();
      default -> new Result.Unavailable("connection refused");
    };
  }
}
