package dev.cotenant.interference;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.profile.ProfileBook;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Asks the models in turn, the most specific first, and gives the first estimate; the answer names
 * the model that gave it. Where none has one, every reason is told.
 *
 * <p>In turn: pairs calibrated on measured pairs, partitions of workloads whose arrival rate is
 * known (InSS), partitions from profiles or guesses (iGniter alone, or joined with measured solo
 * times and gpu-lets), workloads that were never profiled (cold start, from their graphs), training
 * jobs on a whole GPU.
 */
public final class InterferenceEnsemble implements InterferenceModel {
  private static final String NAME = "ensemble";

  private final List<InterferenceModel> models;

  /** Asks these, in this order. */
  public InterferenceEnsemble(List<InterferenceModel> models) {
    this.models = List.copyOf(models);
    if (models.isEmpty()) {
      throw InputException.invalidArgument("no-models", "An ensemble needs at least one model.");
    }
  }

  /** What the shipped profiles allow. */
  public static InterferenceEnsemble builtIn() {
    ProfileBook book = ProfileBook.builtIn();
    DeviceCatalogue catalogue = DeviceCatalogue.builtIn();
    PartitionModel partitions = new PartitionModel(book);
    TrainingColocationModel training = new TrainingColocationModel();
    return new InterferenceEnsemble(
        List.of(
            new InssModel(book, catalogue),
            partitions,
            new ColdStartModel(catalogue, partitions, training),
            training));
  }

  /** This ensemble, or one of its models, by name; an input error where none has it. */
  public InterferenceModel named(String name) {
    return Stream.concat(Stream.of(this), models.stream())
        .filter(model -> model.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            InputException.invalidArgument(
                "unknown-interference-model",
                "There is no interference model '"
                    + name
                    + "': use "
                    + NAME
                    + models.stream().map(m -> ", " + m.name()).collect(Collectors.joining())
                    + "."));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public UtilizationAlone onUtilizationAlone() {
    return models.stream()
        .map(InterferenceModel::onUtilizationAlone)
        .filter(how -> !(how instanceof UtilizationAlone.CannotSay))
        .findFirst()
        .orElseGet(UtilizationAlone.CannotSay::new);
  }

  @Override
  public GraphsKnown onGraphsKnown() {
    return models.stream()
        .map(InterferenceModel::onGraphsKnown)
        .filter(how -> !(how instanceof GraphsKnown.CannotSay))
        .findFirst()
        .orElseGet(GraphsKnown.CannotSay::new);
  }

  @Override
  public Answer answer(Colocation colocation) {
    List<String> reasons = new ArrayList<>();
    for (InterferenceModel model : models) {
      switch (model.answer(colocation)) {
        case Answer.Estimated estimated -> {
          return estimated;
        }
        case Answer.CannotSay(String name, String reason) -> reasons.add(name + ": " + reason);
      }
    }
    return new Answer.CannotSay(NAME, String.join("; ", reasons));
  }
}
