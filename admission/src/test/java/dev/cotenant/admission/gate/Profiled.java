package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Measuring;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MeasuredHere;
import dev.cotenant.domain.prediction.Prediction;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Pods of interleavings that are measured alone, by what is written on them. */
final class Profiled {
  private static final Duration TIME = Duration.ofSeconds(45);

  private Profiled() {}

  /** In every fifth world, those of models that were not measured. */
  static Measuring policy(int seed) {
    return seed % 5 == 0
        ? new Measuring(Measuring.Profiling.UNKNOWN_FIRST, TIME, Guarded.rules(seed), null)
        : new Measuring(Measuring.Profiling.OFF, Duration.ofMinutes(5), Guarded.rules(seed), null);
  }

  static Map<DeviceId, Prediction> measured(Map<DeviceId, Prediction> byDevice) {
    Map<DeviceId, Prediction> measured = new HashMap<>();
    byDevice.forEach((device, prediction) ->
        measured.put(
            device,
            prediction.withMeasured(
                new MeasuredHere(Set.of(MeasuredHere.Target.UTILIZATION), 1, Instant.EPOCH))));
    return measured;
  }

  static boolean isProfiled(StoredPod pod) {
    return pod.annotations.containsKey(CotenantAnnotations.PROFILE_TIME);
  }

  /** Until when its GPU is closed to others; null where it is open. */
  static @Nullable Instant until(StoredPod pod, Instant now) {
    if (!isProfiled(pod) || pod.annotations.containsKey(CotenantAnnotations.PROFILED)) {
      return null;
    }
    Instant latest =
        Instant.parse(pod.annotation(CotenantAnnotations.GRANTED_AT)).plus(Duration.ofMinutes(15));
    Instant started = pod.startedAt;
    Instant until = (started != null && started.isBefore(latest) ? started : latest).plus(TIME);
    return now.isBefore(until) ? until : null;
  }

  static boolean isOver(StoredPod pod, Instant now) {
    return isProfiled(pod) && until(pod, now) == null;
  }

  /** A pod that was granted capacity now came to no GPU that is closed, nor does it close one. */
  static void verify(StoredPod granted, Iterable<StoredPod> all, Instant now) {
    Set<String> gpus = gpus(granted);
    for (StoredPod other : all) {
      boolean isThere =
          other != granted
              && other.isLive()
              && !other.gates.contains(WatchedPod.GATE)
              && Grants.isGranted(other)
              && gpus(other).stream().anyMatch(gpus::contains);
      if (isThere && !Grants.isWhole(other) && !Grants.isWhole(granted)) {
        assertThat(until(other, now)).as("profiling of %s", other.identity).isNull();
        assertThat(until(granted, now))
            .as("profiling of %s beside %s", granted.identity, other.identity)
            .isNull();
      }
    }
  }

  private static Set<String> gpus(StoredPod pod) {
    return Set.copyOf(List.of(pod.annotation(CotenantAnnotations.ASSIGNED_GPU).split(",", -1)));
  }
}
