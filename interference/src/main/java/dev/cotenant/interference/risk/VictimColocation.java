package dev.cotenant.interference.risk;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A job and its neighbours on one whole GPU.
 *
 * @param device product of the GPU
 * @param victim the job whose speed is at stake
 * @param aggressors the other jobs, 1 to 7, by configuration
 */
public record VictimColocation(String device, SharedJob victim, List<SharedJob> aggressors) {
  /** Most jobs beside a job. */
  public static final int MAX_AGGRESSORS = 7;

  public VictimColocation {
    aggressors =
        aggressors.size() == 1
            ? List.copyOf(aggressors)
            : aggressors.stream().sorted(Comparator.comparing(SharedJob::configuration)).toList();
    if (aggressors.isEmpty() || aggressors.size() > MAX_AGGRESSORS) {
      throw new IllegalArgumentException(
          aggressors.size() + " aggressors, outside 1 to " + MAX_AGGRESSORS);
    }
  }

  /** Copy with a subset of the aggressors, one bit each. */
  VictimColocation among(int bits) {
    if (bits == (1 << aggressors.size()) - 1) {
      return this;
    }
    List<SharedJob> some = new ArrayList<>();
    for (int i = 0; i < aggressors.size(); i++) {
      if ((bits & 1 << i) != 0) {
        some.add(aggressors.get(i));
      }
    }
    return new VictimColocation(device, victim, some);
  }

  /** Common key of all measurements of this colocation, regardless of usage. */
  Cell cell() {
    return new Cell(
        device, victim.configuration(), aggressors.stream().map(SharedJob::configuration).toList());
  }

  record Cell(String device, String victim, List<String> aggressors) {}
}
