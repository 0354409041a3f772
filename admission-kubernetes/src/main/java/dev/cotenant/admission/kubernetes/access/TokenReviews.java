package dev.cotenant.admission.kubernetes.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.access.TokenAuthenticator;
import dev.cotenant.admission.access.User;
import dev.cotenant.admission.kubernetes.access.TokenBucket.Rate;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiResponse;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates tokens by the API server [TokenReview, authentication.k8s.io/v1].
 *
 * <p>Only tokens for our audiences are accepted: a token presented to a different service must be
 * invalid here. Answers are cached by the token's hash: a user for a minute, a rejection for ten
 * seconds, in a cache of its own; a failure never.
 *
 * <p>Reviews are bounded, since all callers can send tokens: a token with invalid claims gets none;
 * unknown tokens share a budget, overall and per peer; tokens that were valid within the last hour
 * have their own budget, so that a flood of unknown ones does not lock out callers with an expired
 * cache entry.
 */
public final class TokenReviews implements TokenAuthenticator {
  private static final String PATH = "/apis/authentication.k8s.io/v1/tokenreviews";
  private static final Duration CACHE_AUTHENTICATED = Duration.ofMinutes(1);
  private static final Duration CACHE_REJECTED = Duration.ofSeconds(10);
  private static final Duration KNOWN_FOR = Duration.ofHours(1);
  private static final int MAX_CACHED = 4_096;

  /** Callers repeat their tokens, so that even a large cluster has few new ones a second. */
  private static final Rate OVERALL = new Rate(20, 40);

  private static final Rate PER_PEER = new Rate(5, 10);
  private static final Rate OF_KNOWN = new Rate(100, 200);
  private static final int UNKNOWN_IN_FLIGHT = 16;
  private static final int KNOWN_IN_FLIGHT = 64;
  private static final String ANONYMOUS = "system:anonymous";

  private final ApiServer server;
  private final Set<String> audiences;
  private final InstantSource clock;
  private final Consumer<Outcome> listener;
  private final FairBoundedMap<String, Cached> good = new FairBoundedMap<>(MAX_CACHED);
  private final FairBoundedMap<String, Cached> bad = new FairBoundedMap<>(MAX_CACHED);
  private final ReviewBudget unknown = new ReviewBudget(OVERALL, PER_PEER, UNKNOWN_IN_FLIGHT);
  private final ReviewBudget known = new ReviewBudget(OF_KNOWN, OF_KNOWN, KNOWN_IN_FLIGHT);
  private final SingleFlight<String, Result> calls = new SingleFlight<>();

  private record Cached(Result result, Instant until) {}

  /** The outcomes of tokens without a cached answer; for counting. */
  public enum Outcome {
    AUTHENTICATED,
    REJECTED,
    UNAVAILABLE,
    /** Beyond the budget: no review was made. */
    LIMITED,
    /** Invalid by its own claims: no review was made. */
    MALFORMED
  }

  /**
   * @param server makes the reviews
   * @param audiences accepted ones; never empty
   * @param clock for caches and budgets
   * @param listener counts outcomes
   */
  public TokenReviews(
      ApiServer server, Set<String> audiences, InstantSource clock, Consumer<Outcome> listener) {
    if (audiences.isEmpty()) {
      throw new IllegalArgumentException(
          "without an audience every token of the cluster is accepted");
    }
    this.server = server;
    this.audiences = Set.copyOf(audiences);
    this.clock = clock;
    this.listener = listener;
  }

  @Override
  public Result authenticate(Presented presented) {
    Instant now = clock.instant();
    Optional<String> flaw = TokenClaims.flaw(presented.token(), audiences, now);
    if (flaw.isPresent()) {
      listener.accept(Outcome.MALFORMED);
      return new Result.Rejected(flaw.get());
    }
    String key = hash(presented.token());
    @Nullable Result cached = find(key, now);
    return cached == null ? calls.call(key, () -> reviewWithinBudget(key, presented, now)) : cached;
  }

  private @Nullable Result find(String key, Instant now) {
    for (FairBoundedMap<String, Cached> cache : List.of(good, bad)) {
      @Nullable Cached cached = cache.find(key);
      if (cached != null && now.isBefore(cached.until)) {
        return cached.result;
      }
    }
    return null;
  }

  private Result reviewWithinBudget(String key, Presented presented, Instant now) {
    ReviewBudget budget = wasGood(key, now) ? known : unknown;
    Duration wait = budget.begin(presented.peer(), now);
    if (!wait.isZero()) {
      listener.accept(Outcome.LIMITED);
      return new Result.Limited(wait);
    }
    try {
      Result result = review(presented.token());
      cache(key, result, presented.peer());
      return result;
    } finally {
      budget.end();
    }
  }

  private boolean wasGood(String key, Instant now) {
    @Nullable Cached cached = good.find(key);
    return cached != null && now.isBefore(cached.until.plus(KNOWN_FOR));
  }

  private void cache(String key, Result result, String peer) {
    Instant now = clock.instant();
    switch (result) {
      case Result.Authenticated(User user) -> {
        listener.accept(Outcome.AUTHENTICATED);
        good.put(user.tenant(), key, new Cached(result, now.plus(CACHE_AUTHENTICATED)));
      }
      case Result.Rejected _ -> {
        listener.accept(Outcome.REJECTED);
        bad.put(peer, key, new Cached(result, now.plus(CACHE_REJECTED)));
        good.remove(key);
      }
      case Result.Unavailable _ -> listener.accept(Outcome.UNAVAILABLE);
      case Result.Limited _ -> throw new IllegalStateException("a review has no such answer");
    }
  }

  private Result review(String token) {
    try {
      ApiResponse answer = server.call(ApiCall.post(PATH, document(token)));
      return answer.isSuccessful()
          ? result(answer.json().path("status"))
          : new Result.Unavailable("the API server reviews no tokens: " + answer.message());
    } catch (IOException e) {
      return new Result.Unavailable(ApiServer.describe(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Result.Unavailable("interrupted");
    }
  }

  private JsonNode document(String token) {
    ObjectNode review =
        Json.object().put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
    ObjectNode spec = review.putObject("spec").put("token", token);
    audiences.stream().sorted().forEach(spec.putArray("audiences")::add);
    return review;
  }

  /** A server without support of audiences returns none, which means its own; that is not ours. */
  private Result result(JsonNode status) {
    JsonNode info = status.path("user");
    @Nullable String user = Json.text(info, "username");
    if (!status.path("authenticated").asBoolean(false) || user == null || user.equals(ANONYMOUS)) {
      return new Result.Rejected(Json.textOr(status, "error", "the API server rejects it"));
    }
    if (texts(status.path("audiences")).stream().noneMatch(audiences::contains)) {
      return new Result.Rejected("it has another audience");
    }
    return new Result.Authenticated(
        new User(
            user,
            Json.textOr(info, "uid", ""),
            texts(info.path("groups")),
            extra(info.path("extra"))));
  }

  private static Map<String, List<String>> extra(JsonNode object) {
    Map<String, List<String>> extra = new HashMap<>();
    object
        .properties()
        .forEach(member ->
            extra.put(member.getKey(), texts(member.getValue()).stream().sorted().toList()));
    return extra;
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
