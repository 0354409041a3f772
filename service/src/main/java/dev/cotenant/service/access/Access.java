package dev.cotenant.service.access;

import dev.cotenant.admission.access.TokenAuthenticator;
import dev.cotenant.admission.access.TokenAuthenticator.Presented;
import dev.cotenant.admission.access.TokenAuthenticator.Result;
import dev.cotenant.domain.text.Sha256;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Who a caller is: by the configured token or one of the tokens file, else by a token that the
 * cluster vouches for. May ask a server, so it is not called on an event loop. Safe for use by many
 * threads.
 */
public final class Access {
  private static final Logger LOG = Logger.getLogger(Access.class);
  private static final String BEARER = "bearer ";
  private static final String BASIC = "basic ";

  /**
   * Shorter tokens can be guessed from their digests; the configured token has the same minimum.
   */
  private static final int MIN_TOKEN_LENGTH = 16;

  private final Optional<String> configured;
  private final Optional<TokensFile> file;
  private final TokenAuthenticator cluster;

  /**
   * @param configured the token of an operator
   * @param file tokens with roles
   * @param cluster knows all others
   */
  public Access(
      Optional<String> configured, Optional<TokensFile> file, TokenAuthenticator cluster) {
    this.configured = configured.map(Sha256::of);
    this.file = file;
    this.cluster = cluster;
  }

  /**
   * What a caller presents.
   *
   * @param authorization the header; null where there is none
   * @param peer the caller's address
   */
  public record Presentation(@Nullable String authorization, Scheme scheme, String peer) {
    /** Credentials of a request. */
    public static Presentation of(HttpServerRequest request, Scheme scheme) {
      SocketAddress peer = request.remoteAddress();
      return new Presentation(
          request.getHeader(HttpHeaders.AUTHORIZATION),
          scheme,
          peer == null || peer.hostAddress() == null ? "unknown" : peer.hostAddress());
    }
  }

  /** Authentication schemes of tokens. */
  public enum Scheme {
    /** {@code Authorization: Bearer …}. */
    BEARER,
    /** That, or as the password of {@code Basic}: kube-scheduler can present nothing else. */
    BEARER_OR_BASIC
  }

  /** Result of authentication. */
  public sealed interface Outcome {
    /** It is known. */
    record Granted(Caller caller) implements Outcome {}

    /**
     * It is not known.
     *
     * @param why for the log, without the token
     */
    record Refused(String why) implements Outcome {}

    /** The API server did not answer; the caller gets nothing and may try again. */
    record Unavailable(String why) implements Outcome {}

    /** Too many unknown tokens lately. */
    record Limited(Duration retryAfter) implements Outcome {}
  }

  /** Looks at an Authorization header. */
  public Outcome check(Presentation presentation) {
    String authorization = presentation.authorization;
    Optional<String> token = token(authorization, presentation.scheme);
    if (token.isEmpty()) {
      return new Outcome.Refused(
          authorization == null
              ? "no token is presented"
              : "the Authorization header has no token");
    }
    return holder(token.get())
        .<Outcome>map(Outcome.Granted::new)
        .orElseGet(() -> ofCluster(new Presented(token.get(), presentation.peer)));
  }

  private Optional<Caller> holder(String token) {
    if (token.length() < MIN_TOKEN_LENGTH) {
      return Optional.empty();
    }
    return isConfigured(token)
        ? Optional.of(Caller.Holder.CONFIGURED_TOKEN)
        : file.flatMap(tokens -> tokens.find(token));
  }

  private Outcome ofCluster(Presented presented) {
    return switch (cluster.authenticate(presented)) {
      case Result.Authenticated(var user) -> new Outcome.Granted(new Caller.ClusterUser(user));
      case Result.Rejected(String why) -> new Outcome.Refused(why);
      case Result.Unavailable(String why) -> {
        LOG.warnf("no token can be checked: %s", why);
        yield new Outcome.Unavailable(why);
      }
      case Result.Limited(Duration retryAfter) -> new Outcome.Limited(retryAfter);
    };
  }

  /** Digests are as long as each other, so that time says nothing about length or content. */
  private boolean isConfigured(String token) {
    return configured.isPresent()
        && MessageDigest.isEqual(bytes(configured.get()), bytes(Sha256.of(token)));
  }

  private static byte[] bytes(String digest) {
    return digest.getBytes(StandardCharsets.US_ASCII);
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
}
