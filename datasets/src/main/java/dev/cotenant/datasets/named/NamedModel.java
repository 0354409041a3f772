package dev.cotenant.datasets.named;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.zoo.layers.InputShape;

/** Meaning of a model's name in a set. */
sealed interface NamedModel {
  /** Images of ImageNet, as most networks take them. */
  InputShape IMAGENET = InputShape.Image.square(224);

  /** Images of CIFAR-10 and CIFAR-100. */
  InputShape CIFAR = InputShape.Image.square(32);

  /** A job of reinforcement learning. */
  NamedModel HOST_BOUND =
      new Unclear("an environment that is simulated on the host sets the pace, not the network");

  /**
   * A network that the zoo can build.
   *
   * @param zooName its name there
   * @param family the architecture family
   * @param input the input that was measured
   * @param mode whether weights were trained
   * @param identity how variant and input are known
   */
  record Known(
      String zooName,
      String family,
      InputShape input,
      ExecutionMode mode,
      ProfileRow.Identity identity)
      implements NamedModel {
    /** Known from the runs' own memory. */
    Known fromMemory() {
      return new Known(zooName, family, input, mode, ProfileRow.Identity.INFERRED_FROM_MEMORY);
    }
  }

  /**
   * A name that leaves open what was measured.
   *
   * @param reason what is not known
   */
  record Unclear(String reason) implements NamedModel {}

  /** A name in training runs. */
  static Known trained(String zooName, String family, InputShape input) {
    return new Known(zooName, family, input, ExecutionMode.TRAINING, ProfileRow.Identity.STATED);
  }

  /** A name in runs that only compute forward. */
  static NamedModel served(String zooName, String family, InputShape input) {
    return new Known(zooName, family, input, ExecutionMode.INFERENCE, ProfileRow.Identity.STATED);
  }

  /** A name that is not in the list. */
  static NamedModel unknown(String model) {
    return new Unclear("the zoo has no graph for '" + model + "'");
  }
}
