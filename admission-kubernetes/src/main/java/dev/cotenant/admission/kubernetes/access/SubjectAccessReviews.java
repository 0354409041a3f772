package dev.cotenant.admission.kubernetes.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.access.Authorizer;
import dev.cotenant.admission.access.Permission;
import dev.cotenant.admission.access.User;
import dev.cotenant.admission.kubernetes.access.TokenBucket.Rate;
import dev.cotenant.admission.kubernetes.api.ApiAnswer;
import dev.cotenant.admission.kubernetes.api.ApiCall;
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
  private final Shares<Access, Cached> allowed = new Shares<>(MAX_CACHED);
  private final Shares<Access, Cached> denied = new Shares<>(MAX_CACHED);
  private final ReviewBudget budget = new ReviewBudget(OVERALL, PER_TENANT, IN_FLIGHT);
  private final SharedCalls<Access, Verdict> calls = new SharedCalls<>();

  private record Access(User user, Permission permission) {}

  private record Cached(Verdict verdict, Instant until) {}

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
  public Verdict decide(User user, Permission permission) {
    Access access = new Access(user, permission);
    Instant now = clock.instant();
    @Nullable Verdict cached = find(allowed, access, now);
    if (cached == null) {
      cached = find(denied, access, now);
    }
    return cached == null ? calls.call(access, () -> reviewWithinBudget(access, now)) : cached;
  }

  private static @Nullable Verdict find(Shares<Access, Cached> cache, Access access, Instant now) {
    @Nullable Cached cached = cache.find(access);
    return cached != null && now.isBefore(cached.until) ? cached.verdict : null;
  }

  private Verdict reviewWithinBudget(Access access, Instant now) {
    String tenant = access.user.tenant();
    Duration wait = budget.begin(tenant, now);
    if (!wait.isZero()) {
      listener.accept(Outcome.LIMITED);
      return new Verdict.Unavailable("too many access reviews of " + tenant);
    }
    try {
      Verdict verdict = review(access);
      cache(access, verdict);
      return verdict;
    } finally {
      budget.end();
    }
  }

  private void cache(Access access, Verdict verdict) {
    Instant now = clock.instant();
    String tenant = access.user.tenant();
    switch (verdict) {
      case Verdict.Allowed _ -> {
        listener.accept(Outcome.ALLOWED);
        allowed.put(tenant, access, new Cached(verdict, now.plus(CACHE_ALLOWED)));
      }
      case Verdict.Denied _ -> {
        listener.accept(Outcome.DENIED);
        denied.put(tenant, access, new Cached(verdict, now.plus(CACHE_DENIED)));
      }
      case Verdict.Unavailable _ -> listener.accept(Outcome.UNAVAILABLE);
    }
  }

  private Verdict review(Access access) {
    try {
      ApiAnswer answer = server.call(ApiCall.post(PATH, document(access)));
      return answer.isSuccessful()
          ? verdict(answer.json().path("status"))
          : new Verdict.Unavailable("the API server reviews no access: " + answer.message());
    } catch (IOException e) {
      return new Verdict.Unavailable(ApiServer.describe(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Verdict.Unavailable("interrupted");
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
  private static Verdict verdict(JsonNode status) {
    if (!status.path("allowed").isBoolean()) {
      return new Verdict.Unavailable("the API server's review has no verdict");
    }
    boolean isAllowed =
        status.path("allowed").booleanValue() && !status.path("denied").asBoolean(false);
    return isAllowed ? new Verdict.Allowed() : new Verdict.Denied();
  }
}
