package dev.cotenant.service.access;

import dev.cotenant.admission.access.TokenAuthenticator;
import dev.cotenant.admission.access.TokenAuthenticator.Result;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a caller is who it says it is: by the configured token, else by a token that the cluster
 * vouches for. May ask a server, so it is not called on an event loop. Safe for use by many
 * threads.
 */
public final class Access {
  private static final String BEARER = "bearer ";
  private static final String BASIC = "basic ";

  private final Optional<byte[]> configured;
  private final TokenAuthenticator cluster;

  /**
   * @param configured a token that is accepted without asking anybody
   * @param cluster is asked about all others
   */
  public Access(Optional<String> configured, TokenAuthenticator cluster) {
    this.configured = configured.map(Access::digest);
    this.cluster = cluster;
  }

  /** How a caller may present a token. */
  public enum Scheme {
    /** {@code Authorization: Bearer …}. */
    BEARER,
    /** That, or as the password of {@code Basic}: kube-scheduler can present nothing else. */
    BEARER_OR_BASIC
  }

  /** What became of a caller. */
  public sealed interface Verdict {
    /** It may go on. */
    record Granted(String user) implements Verdict {}

    /**
     * It may not.
     *
     * @param why for the log, never with a token in it
     */
    record Refused(String why) implements Verdict {}

    /** Nobody could be asked; it gets nothing, and may try again. */
    record Unavailable(String why) implements Verdict {}
  }

  /** Looks at an Authorization header. */
  public Verdict check(@Nullable String authorization, Scheme scheme) {
    Optional<String> token = token(authorization, scheme);
    if (token.isEmpty()) {
      return new Verdict.Refused(
          authorization == null
              ? "no token is presented"
              : "the Authorization header has no token");
    }
    if (isConfigured(token.get())) {
      return new Verdict.Granted("configured token");
    }
    return switch (cluster.authenticate(token.get())) {
      case Result.Authenticated(String user, _) -> new Verdict.Granted(user);
      case Result.Rejected(String why) -> new Verdict.Refused(why);
      case Result.Unavailable(String why) -> new Verdict.Unavailable(why);
    };
  }

  /** Digests are as long as each other, so that time says nothing about length or content. */
  private boolean isConfigured(String token) {
    return configured.isPresent() && MessageDigest.isEqual(configured.get(), digest(token));
  }

  private static Optional<String> token(@Nullable String authorization, Scheme scheme) {
    if (authorization == null) {
      return Optional.empty();
    }
    if (startsWith(authorization, BEARER)) {
      return Optional.of(authorization.substring(BEARER.length()).strip())
          .filter(token -> !token.isEmpty() && token.chars().allMatch(Access::isVisible));
    }
    return scheme == Scheme.BEARER_OR_BASIC && startsWith(authorization, BASIC)
        ? password(authorization.substring(BASIC.length()).strip())
        : Optional.empty();
  }

  private static Optional<String> password(String basic) {
    try {
      String decoded = new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8);
      int colon = decoded.indexOf(':');
      return Optional.of(decoded.substring(colon + 1))
          .filter(password -> colon >= 0 && !password.isEmpty());
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // no base 64
    }
  }

  private static boolean isVisible(int character) {
    return character > ' ' && character < 0x7f;
  }

  private static boolean startsWith(String authorization, String scheme) {
    return authorization.length() > scheme.length()
        && authorization.substring(0, scheme.length()).toLowerCase(Locale.ROOT).equals(scheme);
  }

  private static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
