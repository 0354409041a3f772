package dev.cotenant.admission.kubernetes.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.access.Authorizer;
import dev.cotenant.admission.access.Permission;
import dev.cotenant.admission.access.User;
import dev.cotenant.admission.kubernetes.access.TokenBucket.Rate;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiResponse;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks rights with the API server [SubjectAccessReview, authorization.k8s.io/v1].
 *
 * <p>Answers are cached: an allowance for 30 seconds, a denial for 10, a failure never. A tenant's
 * flood evicts its own answers only and uses its own budget of reviews.
 */
public final class SubjectAccessReviews implements Authorizer {
  private static final String PATH = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  private static final Duration CACHE_ALLOWED = Duration.ofSeconds(30);
  private static final Duration CACHE_DENIED = Duration.ofSeconds(10);
  private static final int MAX_CACHED = 8_192;
  private static final Rate OVERALL = new Rate(200, 400);
  private static final Rate PER_TENANT = new Rate(20, 60);
  private static final int IN_FLIGHT = 32;

  private final ApiServer server;
  private final InstantSource clock;
  private final Consumer<Outcome> listener;
  private final FairBoundedMap<Access, Cached> allowed = new FairBoundedMap<>(MAX_CACHED);
  private final FairBoundedMap<Access, Cached> denied = new FairBoundedMap<>(MAX_CACHED);
  private final ReviewBudget budget = new ReviewBudget(OVERALL, PER_TENANT, IN_FLIGHT);
  private final SingleFlight<Access, Result> calls = new SingleFlight<>();

  private record Access(User user, Permission permission) {}

  private record Cached(Result result, Instant until) {}

  /** The outcomes of calls without a cached answer; for counting. */
  public enum Outcome {
    ALLOWED,
    DENIED,
    UNAVAILABLE,
    /** Beyond the budget: no review was made. */
    LIMITED
  }

  /**
   * @param server makes the reviews
   * @param clock dates answers and budgets
   * @param listener counts outcomes
   */
  public SubjectAccessReviews(ApiServer server, InstantSource clock, Consumer<Outcome> listener) {
    this.server = server;
    this.clock = clock;
    this.listener = listener;
  }

  @Override
  public Result decide(User user, Permission permission) {
    Access access = new Access(user, permission);
    Instant now = clock.instant();
    @Nullable Result cached = find(allowed, access, now);
    if (cached == null) {
      cached = find(denied, access, now);
    }
    return cached == null ? calls.call(access, () -> reviewWithinBudget(access, now)) : cached;
  }

  private static @Nullable Result find(
      FairBoundedMap<Access, Cached> cache, Access access, Instant now) {
    @Nullable Cached cached = cache.find(access);
    return cached != null && now.isBefore(cached.until) ? cached.result : null;
  }

  private Result reviewWithinBudget(Access access, Instant now) {
    String tenant = access.user.tenant();
    Duration wait = budget.begin(tenant, now);
    if (!wait.isZero()) {
      listener.accept(Outcome.LIMITED);
      return new Result.Unavailable("too many access reviews of " + tenant);
    }
    try {
      Result result = review(access);
      cache(access, result);
      return result;
    } finally {
      budget.end();
    }
  }

  private void cache(Access access, Result result) {
    Instant now = clock.instant();
    String tenant = access.user.tenant();
    switch (result) {
      case Result.Allowed _ -> {
        listener.accept(Outcome.ALLOWED);
        allowed.put(tenant, access, new Cached(result, now.plus(CACHE_ALLOWED)));
      }
      case Result.Denied _ -> {
        listener.accept(Outcome.DENIED);
        denied.put(tenant, access, new Cached(result, now.plus(CACHE_DENIED)));
      }
      case Result.Unavailable _ -> listener.accept(Outcome.UNAVAILABLE);
    }
  }

  private Result review(Access access) {
    try {
      ApiResponse answer = server.call(ApiCall.post(PATH, document(access)));
      return answer.isSuccessful()
          ? result(answer.json().path("status"))
          : new Result.Unavailable("the API server reviews no access: " + answer.message());
    } catch (IOException e) {
      return new Result.Unavailable(ApiServer.describe(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Result.Unavailable("interrupted");
    }
  }

  private static JsonNode document(Access access) {
    ObjectNode review =
        Json.object()
            .put("apiVersion", "authorization.k8s.io/v1")
            .put("kind", "SubjectAccessReview");
    User user = access.user;
    ObjectNode spec = review.putObject("spec").put("user", user.name()).put("uid", user.uid());
    user.groups().stream().sorted().forEach(spec.putArray("groups")::add);
    ObjectNode extra = spec.putObject("extra");
    user.extra().forEach((key, values) -> values.forEach(extra.putArray(key)::add));
    ObjectNode attributes =
        spec.putObject("resourceAttributes")
            .put("group", Permission.GROUP)
            .put("verb", access.permission.verb())
            .put("resource", access.permission.resource());
    String namespace = access.permission.namespace();
    if (namespace != null) {
      attributes.put("namespace", namespace);
    }
    return review;
  }

  /** An unclear answer allows nothing. */
  private static Result result(JsonNode status) {
    if (!status.path("allowed").isBoolean()) {
      return new Result.Unavailable("the API server's review has no result");
    }
    boolean isAllowed =
        status.path("allowed").booleanValue() && !status.path("denied").asBoolean(false);
    return isAllowed ? new Result.Allowed() : new Result.Denied();
  }
}
