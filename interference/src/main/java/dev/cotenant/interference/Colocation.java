package dev.cotenant.interference;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Share;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Workloads together on one GPU.
 *
 * @param device the GPU's id in the catalogue
 * @param members at least one
 */
public record Colocation(String device, List<Member> members) {
  public Colocation {
    members = List.copyOf(members);
    if (members.isEmpty()) {
      throw InputException.invalidArgument(
          "no-workloads", "Name at least one workload on device '" + device + "'.");
    }
  }

  /**
   * One of them.
   *
   * @param name its name, for the answer
   * @param batch samples a batch, at least 1
   * @param share its MPS partition; null where the whole GPU is shared in time
   * @param source what is known of it
   */
  public record Member(
      String name, int batch, @Nullable Share share, WorkloadProfileSource source) {
    public Member {
      if (batch < 1) {
        throw InputException.invalidArgument(
            "batch-out-of-range", "The batch size must be at least 1, is " + batch + ".");
      }
    }
  }
}
