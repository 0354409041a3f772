package dev.cotenant.interference;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.profile.ProfileBook;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The first estimate of several models, the most specific first; the answer names the model that
 * gave it. Where none has an estimate, the answer holds every model's reason.
 *
 * <p>In turn: partitions from profiles or guesses (iGniter alone, or joined with measured solo
 * times and gpu-lets), partitions of workloads that were never profiled (cold start, from their
 * graphs), a whole GPU shared in time.
 */
public final class FallbackInterferenceModel implements InterferenceModel {
  private static final String NAME = "fallback";

  private final List<InterferenceModel> models;

  /**
   * @param models in the order of trial, at least one
   */
  public FallbackInterferenceModel(List<InterferenceModel> models) {
    this.models = List.copyOf(models);
    if (models.isEmpty()) {
      throw InputException.invalidArgument(
          "no-models", "A fallback chain needs at least one model.");
    }
  }

  /** What the shipped profiles and devices allow. */
  public static FallbackInterferenceModel builtIn() {
    return on(DeviceCatalogue::builtIn);
  }

  /** Models for the shipped profiles on the devices of a replaceable catalogue. */
  public static FallbackInterferenceModel on(Supplier<DeviceCatalogue> catalogue) {
    PartitionModel partitions = new PartitionModel(ProfileBook.builtIn());
    return new FallbackInterferenceModel(
        List.of(
            partitions, new ColdStartModel(catalogue, partitions), new TrainingColocationModel()));
  }

  @Override
  public OnWholeGpu onWholeGpu() {
    return models.stream()
        .map(InterferenceModel::onWholeGpu)
        .filter(form -> !(form instanceof OnWholeGpu.Unavailable))
        .findFirst()
        .orElseGet(OnWholeGpu.Unavailable::new);
  }

  @Override
  public Answer answer(Colocation colocation) {
    List<String> reasons = new ArrayList<>();
    for (InterferenceModel model : models) {
      switch (model.answer(colocation)) {
        case Answer.Estimated estimated -> {
          return estimated;
        }
        case Answer.Unavailable(String name, String reason) -> reasons.add(name + ": " + reason);
      }
    }
    return new Answer.Unavailable(NAME, String.join("; ", reasons));
  }
}
