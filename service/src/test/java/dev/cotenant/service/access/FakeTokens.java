package dev.cotenant.service.access;

import dev.cotenant.admission.access.TokenAuthenticator;
import io.quarkus.test.Mock;
import jakarta.inject.Singleton;
import java.util.Set;

/** A cluster that knows one token, and does not answer about another. */
@Mock
@Singleton
public class FakeTokens implements TokenAuthenticator {
  public static final String GOOD = "eyJ.for-our-audience.sig";
  public static final String OTHER_AUDIENCE = "eyJ.for-another-audience.sig";
  public static final String EXPIRED = "eyJ.expired.sig";
  public static final String SERVER_DOWN = "eyJ.while-the-server-is-down.sig";

  @Override
  public Result authenticate(String token) {
    return switch (token) {
      case GOOD -> new Result.Authenticated("system:serviceaccount:team-a:planner", Set.of());
      case OTHER_AUDIENCE -> new Result.Rejected("it was made for another audience");
      case EXPIRED -> new Result.Rejected("token has expired");
      case SERVER_DOWN -> new Result.Unavailable("connection refused");
      default -> new Result.Rejected("the API server does not know it");
    };
  }
}
