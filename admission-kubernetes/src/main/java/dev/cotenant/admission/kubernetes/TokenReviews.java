package dev.cotenant.admission.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.access.TokenAuthenticator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks the API server whose a token is [TokenReview, authentication.k8s.io/v1].
 *
 * <p>Only tokens that were made for one of our audiences are accepted: a token that another service
 * was shown must not open this one. Answers are kept, by the token's hash: who it is for a minute,
 * that it is nobody's for ten seconds; that the server did not answer, never.
 */
public final class TokenReviews implements TokenAuthenticator {
  private static final String PATH = "/apis/authentication.k8s.io/v1/tokenreviews";
  private static final Duration KEEP_AUTHENTICATED = Duration.ofMinutes(1);
  private static final Duration KEEP_REJECTED = Duration.ofSeconds(10);
  private static final int MAX_KEPT = 4_096;
  private static final int MAX_TOKEN_LENGTH = 16_384;
  private static final String ANONYMOUS = "system:anonymous";

  private final ApiServer server;
  private final Set<String> audiences;
  private final InstantSource clock;
  private final Map<String, Kept> kept =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Kept> eldest) {
          return size() > MAX_KEPT;
        }
      };

  private record Kept(Result result, Instant until) {}

  /**
   * @param server whom to ask
   * @param audiences for one of which a token must have been made; never empty
   * @param clock tells how long answers are kept
   */
  public TokenReviews(ApiServer server, Set<String> audiences, InstantSource clock) {
    if (audiences.isEmpty()) {
      throw new IllegalArgumentException("without an audience any token of the cluster would do");
    }
    this.server = server;
    this.audiences = Set.copyOf(audiences);
    this.clock = clock;
  }

  @Override
  public Result authenticate(String token) {
    if (token.isBlank() || token.length() > MAX_TOKEN_LENGTH) {
      return new Result.Rejected("there is no token of a reasonable length");
    }
    String key = hash(token);
    @Nullable Result known = find(key);
    if (known != null) {
      return known;
    }
    Result result = review(token);
    keep(key, result);
    return result;
  }

  private @Nullable Result find(String key) {
    synchronized (kept) {
      Kept found = kept.get(key);
      return found != null && clock.instant().isBefore(found.until) ? found.result : null;
    }
  }

  private void keep(String key, Result result) {
    @Nullable Duration howLong =
        switch (result) {
          case Result.Authenticated _ -> KEEP_AUTHENTICATED;
          case Result.Rejected _ -> KEEP_REJECTED;
          case Result.Unavailable _ -> null;
        };
    if (howLong != null) {
      synchronized (kept) {
        kept.remove(key); // so that it becomes the youngest
        kept.put(key, new Kept(result, clock.instant().plus(howLong)));
      }
    }
  }

  private Result review(String token) {
    try {
      ApiAnswer answer = server.ask(ApiCall.post(PATH, question(token)));
      return answer.isSuccessful()
          ? verdict(answer.json().path("status"))
          : new Result.Unavailable("the API server does not review tokens: " + answer.message());
    } catch (IOException e) {
      return new Result.Unavailable(ApiServer.describe(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Result.Unavailable("interrupted");
    }
  }

  private JsonNode question(String token) {
    ObjectNode review =
        Json.object().put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
    ObjectNode spec = review.putObject("spec").put("token", token);
    audiences.stream().sorted().forEach(spec.putArray("audiences")::add);
    return review;
  }

  /**
   * A server that does not know of audiences returns none, which means its own; that is not ours
   * either.
   */
  private Result verdict(JsonNode status) {
    @Nullable String user = Json.text(status.path("user"), "username");
    if (!status.path("authenticated").asBoolean(false) || user == null || user.equals(ANONYMOUS)) {
      return new Result.Rejected(Json.textOr(status, "error", "the API server does not know it"));
    }
    if (texts(status.path("audiences")).stream().noneMatch(audiences::contains)) {
      return new Result.Rejected("it was made for another audience");
    }
    return new Result.Authenticated(user, texts(status.path("user").path("groups")));
  }

  private static Set<String> texts(JsonNode array) {
    Set<String> texts = new HashSet<>();
    for (JsonNode text : array) {
      if (text.isTextual()) {
        texts.add(text.textValue());
      }
    }
    return texts;
  }

  private static String hash(String token) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
