package dev.cotenant.service.access;

import dev.cotenant.admission.access.TokenAuthenticator;
import dev.cotenant.admission.access.User;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** A cluster that knows two tokens, and does not answer about others. */
@Alternative
@Singleton
public class FakeTokens implements TokenAuthenticator {
  public static final String GOOD = "eyJ.for-our-audience.sig";
  public static final String WITHOUT_RIGHTS = "eyJ.of-mallory.sig";
  public static final String RIGHTS_UNKNOWN = "eyJ.of-somebody-else.sig";
  public static final String OTHER_AUDIENCE = "eyJ.for-another-audience.sig";
  public static final String EXPIRED = "eyJ.expired.sig";
  public static final String SERVER_DOWN = "eyJ.while-the-server-is-down.sig";
  public static final String ONE_TOO_MANY = "eyJ.one-too-many.sig";

  static final String PLANNER = "system:serviceaccount:team-a:planner";
  static final String MALLORY = "system:serviceaccount:mallory:default";

  @Override
  public Result authenticate(Presented presented) {
    return switch (presented.token()) {
      case GOOD -> new Result.Authenticated(new User(PLANNER, "", Set.of(), Map.of()));
      case WITHOUT_RIGHTS -> new Result.Authenticated(new User(MALLORY, "", Set.of(), Map.of()));
      case RIGHTS_UNKNOWN -> new Result.Authenticated(new User("somebody", "", Set.of(), Map.of()));
      case OTHER_AUDIENCE -> new Result.Rejected("it has another audience");
      case EXPIRED -> new Result.Rejected("token has expired");
      case SERVER_DOWN -> new Result.Unavailable("connection refused");
      case ONE_TOO_MANY -> new Result.Limited(Duration.ofMillis(2_500));
      default -> new Result.Rejected("the API server does not know it");
    };
  }
}
