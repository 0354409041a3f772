package dev.cotenant.service.configuration;

import static dev.cotenant.service.configuration.Range.bad;
import static dev.cotenant.service.configuration.Range.positive;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Reads {@code cotenant.kubernetes}. */
final class KubernetesReader {
  private final KubernetesConfiguration kubernetes;
  private final UnaryOperator<Path> resolve;

  KubernetesReader(KubernetesConfiguration kubernetes, UnaryOperator<Path> resolve) {
    this.kubernetes = kubernetes;
    this.resolve = resolve;
  }

  /** Empty where it is not enabled; checked all the same. */
  Optional<KubernetesSettings> read() {
    if (kubernetes.tokenAudiences().isEmpty()) {
      throw bad("kubernetes.token-audiences", "must name one: without it any token is accepted");
    }
    KubernetesSettings settings =
        new KubernetesSettings(
            kubernetes.kubeconfig().map(resolve),
            kubernetes.gate(),
            positive("kubernetes.request-timeout", kubernetes.requestTimeout()),
            lease(),
            kubernetes.tokenAudiences());
    return kubernetes.enabled() ? Optional.of(settings) : Optional.empty();
  }

  /** Requests of a leader end before another replica may lead. */
  private KubernetesSettings.Lease lease() {
    Duration duration = positive("kubernetes.lease-duration", kubernetes.leaseDuration());
    Duration deadline = positive("kubernetes.renew-deadline", kubernetes.renewDeadline());
    Duration retry = positive("kubernetes.retry-period", kubernetes.retryPeriod());
    if (duration.compareTo(Duration.ofSeconds(1)) < 0) {
      throw bad("kubernetes.lease-duration", "must be at least a second, is " + duration);
    }
    if (deadline.plus(kubernetes.requestTimeout()).compareTo(duration) > 0) {
      throw bad(
          "kubernetes.renew-deadline",
          "must be kubernetes.request-timeout less than kubernetes.lease-duration, is " + deadline);
    }
    if (retry.compareTo(deadline) >= 0) {
      throw bad("kubernetes.retry-period", "must be less than kubernetes.renew-deadline");
    }
    return new KubernetesSettings.Lease(
        kubernetes.namespace(), kubernetes.leaseName(), duration, deadline, retry);
  }
}
