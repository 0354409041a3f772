package dev.cotenant.lab.inss;

import dev.cotenant.domain.InputException;
import dev.cotenant.lab.reinforcement.Environment;
import dev.cotenant.lab.reinforcement.PolicyTraining;
import dev.cotenant.learning.file.FileFormatException;

/** Trains InSS's placement for the paper's six models on four GPUs. */
public final class PlacementTraining {
  private PlacementTraining() {}

  /** A training that has not begun. */
  public static PolicyTraining begin(long seed) {
    return new PolicyTraining(environment(), seed);
  }

  /**
   * A training that {@link PolicyTraining#write} wrote.
   *
   * @param name of the file in messages
   * @throws InputException ({@code training-unreadable}) where it is none
   */
  public static PolicyTraining resume(byte[] file, String name) {
    try {
      return PolicyTraining.read(file, environment());
    } catch (FileFormatException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "training-unreadable",
          name + " " + e.getMessage() + ", or delete it to start again.",
          e);
    }
  }

  private static Environment environment() {
    return new InssEnvironment(InssServer.ofSix());
  }
}
