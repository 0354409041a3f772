package dev.cotenant.placement.fleet;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Inference to be served.
 *
 * @param name unique in the fleet
 * @param sloMillis the latency a request was promised, waiting included, positive
 * @param requestsPerSecond the rate to keep up with, positive
 * @param memory what it holds on a GPU at any batch; null where not known, and then it counts for
 *     nothing
 * @param profiles its coefficients by device id; devices that are not in it cannot serve it
 */
public record Service(
    String name,
    double sloMillis,
    double requestsPerSecond,
    @Nullable MemorySize memory,
    Map<String, WorkloadProfile> profiles) {
  public Service {
    profiles = Map.copyOf(profiles);
    requirePositive(name, "latency objective", sloMillis);
    requirePositive(name, "request rate", requestsPerSecond);
  }

  private static void requirePositive(String name, String what, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw InputException.invalidArgument(
          "workload-out-of-range",
          "The " + what + " of workload '" + name + "' must be above 0, is " + value + ".");
    }
  }
}
