package dev.cotenant.service.cluster;

import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.MetricQuery;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.workload.ExecutionMode;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which number of the metrics server is the speed, the latency and the rate of a pod. */
public final class SpeedQueries {
  private final Function<String, Optional<PodQuery>> ofPolicies;

  /** PromQL of a number about a pod, averaged over a window. */
  @FunctionalInterface
  public interface PodQuery {
    String promQl(PodIdentity pod, Duration window);
  }

  /** Where policies have no queries. */
  public SpeedQueries() {
    this(_ -> Optional.empty());
  }

  /**
   * @param ofPolicies the query for speeds of pods of a namespace that name no metric
   */
  public SpeedQueries(Function<String, Optional<PodQuery>> ofPolicies) {
    this.ofPolicies = ofPolicies;
  }

  /** Whether the pod has queries. */
  boolean names(Holding held) {
    return held.pod().annotations().containsKey(CotenantAnnotations.LATENCY_METRIC)
        || held.pod().annotations().containsKey(CotenantAnnotations.RATE_METRIC)
        || hasSpeed(held);
  }

  boolean hasSpeed(Holding held) {
    return held.pod().annotations().containsKey(CotenantAnnotations.SPEED_METRIC)
        || ofPolicy(held).isPresent();
  }

  /** For trainings only: the speed of a server depends on its requests. */
  private Optional<PodQuery> ofPolicy(Holding held) {
    return held.pod().request() instanceof Colocatable pod
            && pod.workload().settings().mode() == ExecutionMode.TRAINING
        ? ofPolicies.apply(held.pod().pod().namespace())
        : Optional.empty();
  }

  /** Of its own metric; of the policy's query where it names none. */
  Optional<PodQuery> speed(Holding held) {
    @Nullable String own = held.pod().annotations().get(CotenantAnnotations.SPEED_METRIC);
    return own == null ? ofPolicy(held) : MetricQuery.speed(own).map(query -> query::promQl);
  }

  static Optional<PodQuery> latency(Holding held) {
    return Optional.ofNullable(held.pod().annotations().get(CotenantAnnotations.LATENCY_METRIC))
        .flatMap(MetricQuery::latency)
        .map(query -> query::promQl);
  }

  static Optional<PodQuery> rate(Holding held) {
    return rateMetric(held).map(query -> query::promQl);
  }

  static Optional<MetricQuery> rateMetric(Holding held) {
    return Optional.ofNullable(held.pod().annotations().get(CotenantAnnotations.RATE_METRIC))
        .flatMap(MetricQuery::rate);
  }
}
