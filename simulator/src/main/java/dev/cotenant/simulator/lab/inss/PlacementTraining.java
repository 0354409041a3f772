package dev.cotenant.simulator.lab.inss;

import dev.cotenant.simulator.reinforcement.Environment;
import dev.cotenant.simulator.reinforcement.PolicyTraining;

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
   * @throws dev.cotenant.learning.file.FileFormatException where the file is none
   */
  public static PolicyTraining resume(byte[] file) {
    return PolicyTraining.read(file, environment());
  }

  private static Environment environment() {
    return new InssEnvironment(InssServer.ofSix());
  }
}
