package dev.cotenant.admission.patch;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Load;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The annotations of a grant.
 *
 * <p>They hold the upper bounds that the decision used, rounded up, so that capacity rebuilt from
 * annotations is never less than the granted one, and the mean of utilization, rounded down, which
 * separates unattributed usage from that of the pod.
 */
public final class GrantAnnotations {
  /** Decision: capacity on a shared GPU. */
  public static final String ADMITTED = "Admitted";

  /** Decision: whole GPUs. */
  public static final String EXCLUSIVE = "Exclusive";

  /** Decision: ungated for a scheduler that chooses the node; capacity exists. */
  public static final String NOMINATED = "Nominated";

  /** Decision: ungated without a grant. */
  public static final String UNMANAGED = "Unmanaged";

  private static final int RATIO_DIGITS = 3;
  private static final int RATE_DIGITS = 4;
  private static final Pattern RATE = Pattern.compile("\\d{1,10}(?:\\.\\d{1,20})?");
  private static final double MAX_SLOWDOWN = 1000;

  private GrantAnnotations() {}

  /** Names and values, in the order of the patch. */
  public static Map<String, String> of(String admissionId, Decision.Admitted admitted) {
    Map<String, String> annotations = new LinkedHashMap<>();
    annotations.put(CotenantAnnotations.ADMISSION_ID, admissionId);
    annotations.putAll(of(admitted));
    return annotations;
  }

  /** As {@link #of(String, Decision.Admitted)}, for a pod with its admission id. */
  public static Map<String, String> of(Decision.Admitted admitted) {
    Map<String, String> annotations = new LinkedHashMap<>();
    @Nullable Prediction prediction = admitted.grants().getFirst().prediction();
    if (prediction != null) {
      annotations.putAll(of(prediction));
      @Nullable ObjectivePrediction service = prediction.service();
      if (service != null) {
        annotations.put(CotenantAnnotations.OBJECTIVE_SLOWDOWN, ratio(service.mostSlowdown()));
      }
    }
    if (admitted.evidence() instanceof Evidence.WithinLimits within) {
      annotations.put(CotenantAnnotations.GRANTED_RISK, GrantedRisk.text(within.limits().risk()));
      @Nullable Duration stay = prediction == null ? null : prediction.stay();
      if (stay != null) {
        annotations.put(CotenantAnnotations.GRANTED_STAY, Math.max(1, stay.toSeconds()) + "s");
      }
    }
    annotations.put(CotenantAnnotations.ASSIGNED_NODE, node(admitted));
    annotations.put(CotenantAnnotations.ASSIGNED_GPU, gpus(admitted));
    annotations.put(CotenantAnnotations.DECISION, decision(admitted));
    annotations.put(CotenantAnnotations.REASON, reason(admitted));
    return annotations;
  }

  /** Annotations of the capacity that a prediction needs. */
  public static Map<String, String> of(Prediction prediction) {
    Map<String, String> annotations = new LinkedHashMap<>();
    annotations.put(
        CotenantAnnotations.PREDICTED_UTILIZATION,
        percent(prediction.utilization().upper(), RoundingMode.CEILING));
    annotations.put(
        CotenantAnnotations.PREDICTED_UTILIZATION_MEAN,
        percent(prediction.utilization().mean(), RoundingMode.FLOOR));
    annotations.put(
        CotenantAnnotations.PREDICTED_MEMORY, mebibytes(prediction.peakMemory().upper()));
    if (prediction.settings().load() instanceof Load.RequestRate rate && rate.isMeasured()) {
      annotations.put(CotenantAnnotations.MEASURED_RATE, perSecond(rate.perSecond()));
    }
    return annotations;
  }

  /** The measured rate in an annotation; empty if absent or invalid. */
  public static OptionalDouble measuredRate(Map<String, String> annotations) {
    String text = annotations.getOrDefault(CotenantAnnotations.MEASURED_RATE, "");
    if (!RATE.matcher(text).matches()) {
      return OptionalDouble.empty();
    }
    double perSecond = Double.parseDouble(text);
    return perSecond > 0 && perSecond <= Load.RequestRate.MAX
        ? OptionalDouble.of(perSecond)
        : OptionalDouble.empty();
  }

  /** Rounded up to four digits, so that restored values are not below the original. */
  private static String perSecond(double rate) {
    return BigDecimal.valueOf(rate)
        .round(new MathContext(RATE_DIGITS, RoundingMode.CEILING))
        .stripTrailingZeros()
        .toPlainString();
  }

  public static String decision(Decision.Admitted admitted) {
    return switch (admitted.evidence()) {
      case Evidence.FreeGpus _ -> EXCLUSIVE;
      case Evidence.WithinLimits _, Evidence.Recorded _ -> ADMITTED;
    };
  }

  /** Node of the grant's GPUs. */
  public static String node(Decision.Admitted admitted) {
    return admitted.grants().getFirst().node();
  }

  public static String gpus(Decision.Admitted admitted) {
    return admitted.grants().stream().map(Grant::gpuUuid).collect(Collectors.joining(","));
  }

  /** Evidence of the decision on one line, with numbers. */
  public static String reason(Decision.Admitted admitted) {
    return admitted.evidence().sentence();
  }

  private static String percent(Utilization utilization, RoundingMode rounding) {
    return BigDecimal.valueOf(utilization.percent()).setScale(1, rounding).toPlainString();
  }

  /** The tolerated slowdown as an annotation's value. */
  public static String ratio(double slowdown) {
    return BigDecimal.valueOf(Math.min(slowdown, MAX_SLOWDOWN))
        .setScale(RATIO_DIGITS, RoundingMode.FLOOR)
        .toPlainString();
  }

  private static String mebibytes(MemorySize memory) {
    return Math.ceilDiv(memory.bytes(), MemorySize.MIB) + "Mi";
  }
}
