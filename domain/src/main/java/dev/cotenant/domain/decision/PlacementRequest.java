package dev.cotenant.domain.decision;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a workload requests of the cluster. */
public sealed interface PlacementRequest {
  /** The workload's name, {@code team-a/resnet50-train}. */
  String workload();

  /** Predictions by device; empty where the model is unknown. */
  Map<DeviceId, Prediction> predictions();

  /**
   * A share of one GPU.
   *
   * @param predictions by device; a device without a prediction is no candidate, one whose
   *     prediction's bounds the limits do not trust only as a whole GPU
   * @param limits within which it may share
   * @param trust with whom it may share
   */
  record Share(
      String workload,
      Map<DeviceId, Prediction> predictions,
      DeviceLimits limits,
      TrustDomain trust)
      implements PlacementRequest {
    public Share {
      predictions = Map.copyOf(predictions);
    }

    /** Equal limits on every product, with tenants of every namespace. */
    public Share(String workload, Map<DeviceId, Prediction> predictions, SharingLimits limits) {
      this(workload, predictions, DeviceLimits.of(limits), TrustDomain.CLUSTER);
    }

    /** The same with other predictions. */
    public Share withPredictions(Map<DeviceId, Prediction> others) {
      return new Share(workload, others, limits, trust);
    }

    /** The same with other limits. */
    public Share withLimits(DeviceLimits others) {
      return new Share(workload, predictions, others, trust);
    }
  }

  /**
   * Whole GPUs of one node.
   *
   * @param gpus how many, at least 1
   * @param because why it does not share
   * @param predictions by device where the model is known, else empty
   */
  record Whole(
      String workload, int gpus, ExclusiveCause because, Map<DeviceId, Prediction> predictions)
      implements PlacementRequest {
    public Whole {
      if (gpus < 1) {
        throw new IllegalArgumentException("gpus must be at least 1, is " + gpus);
      }
      predictions = Map.copyOf(predictions);
    }
  }

  /** Why a workload gets whole GPUs. */
  sealed interface ExclusiveCause {
    /** It requests more than one GPU. */
    record SeveralGpus() implements ExclusiveCause {}

    /**
     * Its model is not registered, or it names none (null).
     *
     * @param why where the model was searched and the remedy; null if only the name was looked up
     * @param isPending whether the model's description is being read: the request waits for it
     */
    record ModelUnknown(@Nullable String model, @Nullable String why, boolean isPending)
        implements ExclusiveCause {
      /** No model is registered under this name. */
      public ModelUnknown(@Nullable String model) {
        this(model, null, false);
      }

      /** The reason of a refusal. */
      public Reason.ModelUnknown reason() {
        return new Reason.ModelUnknown(model, why);
      }

      /** Description of the unknown model, without a full stop. */
      public String sentence() {
        if (why != null) {
          return why;
        }
        return model == null ? "no model is named" : "model '" + model + "' is not registered";
      }
    }

    /**
     * The bounds of its prediction hold too rarely to share by them.
     *
     * @param coverage in what share of cases they hold; null where they are assumed
     * @param least required coverage
     */
    record BoundsUncertain(@Nullable Coverage coverage, Coverage least) implements ExclusiveCause {}

    /**
     * GPUs that pods cannot share.
     *
     * @param why reason, for example a product that the catalogue does not list
     */
    record NotShareable(String why) implements ExclusiveCause {}

    /** It has waited for a share longer than the limit. */
    record WaitTimeout(Duration waited, Duration limit) implements ExclusiveCause {}

    /** The policy grants GPUs whose memory is not known by now to one workload alone. */
    record MetricsMissing() implements ExclusiveCause {}
  }
}
