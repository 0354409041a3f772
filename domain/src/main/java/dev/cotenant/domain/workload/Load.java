package dev.cotenant.domain.workload;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Utilization;
import java.util.Locale;

/** How often the GPU receives work. */
public sealed interface Load {
  /** Training: the next step starts when the last one ends. Inference: the rate is unknown. */
  Load UNSTATED = new Unstated();

  /** The utilization that this load cannot pass, whatever the model. */
  Utilization ceiling();

  /** No statement. */
  record Unstated() implements Load {
    @Override
    public Utilization ceiling() {
      return Utilization.FULL;
    }
  }

  /**
   * Requests of an inference service. One request is one sample.
   *
   * @param perSecond above 0 and finite
   * @param source who says so
   */
  record RequestRate(double perSecond, Source source) implements Load {
    /** Above the rate of any GPU, in requests per second. */
    public static final double MAX = 1e9;

    /** Where a rate comes from. */
    public enum Source {
      /** The owner says so. */
      STATED,
      /** Pods of the configuration served it, and the owner says nothing. */
      MEASURED;

      @Override
      public String toString() {
        return name().toLowerCase(Locale.ROOT);
      }
    }

    /** Stated by the owner. */
    public RequestRate(double perSecond) {
      this(perSecond, Source.STATED);
    }

    /** Whether pods of the configuration served it. */
    public boolean isMeasured() {
      return source == Source.MEASURED;
    }

    public RequestRate {
      if (!(perSecond > 0 && perSecond <= MAX)) {
        throw InputException.invalidArgument(
            "request-rate-out-of-range",
            "The request rate must be above 0 and at most 1e9 requests per second, is "
                + perSecond
                + ".");
      }
    }

    @Override
    public Utilization ceiling() {
      return Utilization.FULL;
    }
  }

  /**
   * A training job whose GPU waits for input.
   *
   * @param share of each step that the GPU waits, from 0 to below 1
   */
  record InputWait(double share) implements Load {
    public InputWait {
      if (!(share >= 0 && share < 1)) {
        throw InputException.invalidArgument(
            "input-wait-out-of-range",
            "The share of a step that waits for input must be at least 0 % and below 100 %, is "
                + 100 * share
                + " %.");
      }
    }

    @Override
    public Utilization ceiling() {
      return Utilization.ofPercentClipped(100 * (1 - share));
    }
  }

  /**
   * A training job whose utilization stays below a limit, because its input is slow.
   *
   * @param highest above 0 %
   */
  record UtilizationLimit(Utilization highest) implements Load {
    public UtilizationLimit {
      if (highest.percent() <= 0) {
        throw InputException.invalidArgument(
            "utilization-limit-out-of-range", "The utilization limit must be above 0 %.");
      }
    }

    @Override
    public Utilization ceiling() {
      return highest;
    }
  }
}
