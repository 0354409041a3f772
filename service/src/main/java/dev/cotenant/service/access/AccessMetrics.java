package dev.cotenant.service.access;

import dev.cotenant.admission.kubernetes.access.SubjectAccessReviews;
import dev.cotenant.admission.kubernetes.access.TokenReviews;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;

/** Counts what becomes of tokens and rights that no cache knows. */
public final class AccessMetrics {
  private final MeterRegistry meters;

  /** Registers a counter for every outcome from the start. */
  public AccessMetrics(MeterRegistry meters) {
    this.meters = meters;
    for (TokenReviews.Outcome outcome : TokenReviews.Outcome.values()) {
      tokens(outcome);
    }
    for (SubjectAccessReviews.Outcome outcome : SubjectAccessReviews.Outcome.values()) {
      rights(outcome);
    }
  }

  /** Counts a token. */
  public void reviewed(TokenReviews.Outcome outcome) {
    tokens(outcome).increment();
  }

  /** Counts a question about a right. */
  public void reviewed(SubjectAccessReviews.Outcome outcome) {
    rights(outcome).increment();
  }

  private Counter tokens(TokenReviews.Outcome outcome) {
    return Counter.builder("cotenant.token.reviews")
        .description("Uncached bearer tokens, by outcome")
        .tag("outcome", word(outcome))
        .register(meters);
  }

  private Counter rights(SubjectAccessReviews.Outcome outcome) {
    return Counter.builder("cotenant.access.reviews")
        .description("Uncached rights of cluster users, by outcome")
        .tag("outcome", word(outcome))
        .register(meters);
  }

  private static String word(Enum<?> outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }
}
