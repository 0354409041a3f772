package dev.cotenant.admission.decision;

import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What would fit in place of a pod that does not: the same with fewer samples per step.
 *
 * <p>The batch is halved until it is admitted, then the largest between the last two is searched
 * for: about twice the logarithm of the batch in decisions. That assumes that what fits with some
 * batch fits with every smaller one; where predictions are not like that, a larger one may be
 * missed, but what is answered was itself admitted.
 */
public final class LargestBatch {
  private LargestBatch() {}

  /**
   * A batch that would be admitted.
   *
   * @param batchSize samples per step, less than what was asked for
   * @param decision where, and on which numbers
   */
  public record Fit(int batchSize, Decision.Admitted decision) {}

  /**
   * The largest batch below the pod's own that is admitted; empty where none is.
   *
   * @param decide decides about a pod and records nothing; the same for the same pod
   */
  public static Optional<Fit> below(Colocatable pod, Function<Colocatable, Decision> decide) {
    return pod.workload().model() == null
        ? Optional.empty() // without a model nothing depends on the batch
        : below(pod.workload().batchSize(), batch -> decide.apply(pod.withBatch(batch)));
  }

  /** The largest batch below this one that is admitted; empty where none is. */
  public static Optional<Fit> below(int refusedBatch, IntFunction<Decision> decide) {
    int refused = refusedBatch;
    @Nullable Fit fits = null;
    while (fits == null && refused > 1) {
      int half = refused / 2;
      fits = admitted(half, decide);
      refused = fits == null ? half : refused;
    }
    while (fits != null && refused - fits.batchSize() > 1) {
      int middle = fits.batchSize() + (refused - fits.batchSize()) / 2;
      @Nullable Fit better = admitted(middle, decide);
      refused = better == null ? middle : refused;
      fits = better == null ? fits : better;
    }
    return Optional.ofNullable(fits);
  }

  private static @Nullable Fit admitted(int batch, IntFunction<Decision> decide) {
    return decide.apply(batch) instanceof Decision.Admitted admitted
        ? new Fit(batch, admitted)
        : null;
  }
}
