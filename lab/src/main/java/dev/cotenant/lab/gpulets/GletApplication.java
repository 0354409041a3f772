package dev.cotenant.lab.gpulets;

import dev.cotenant.lab.requests.RateCurve;
import dev.cotenant.lab.requests.RequestStream;
import dev.cotenant.lab.requests.RequestStream.Part;
import dev.cotenant.lab.requests.RequestStream.Stage;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An application of the paper: a chain of models with one objective [gpu-lets, section 6.1, figures
 * 10 and 11].
 *
 * @param key its name
 * @param sloMillis its objective
 * @param stages of models
 */
public record GletApplication(String key, double sloMillis, List<Stage> stages) {
  /** Six digits and an image of a streamed game. */
  public static final GletApplication GAME =
      new GletApplication(
          "game",
          95,
          List.of(new Stage(List.of(part(PaperModel.LENET, 6), part(PaperModel.RESNET50, 1)))));

  /** Objects of a traffic camera, then their kinds by two models. */
  public static final GletApplication TRAFFIC =
      new GletApplication(
          "traffic",
          136,
          List.of(
              new Stage(List.of(part(PaperModel.SSD, 1))),
              new Stage(List.of(part(PaperModel.GOOGLENET, 1), part(PaperModel.VGG16, 1)))));

  public GletApplication {
    stages = List.copyOf(stages);
  }

  private static Part part(PaperModel model, int count) {
    return new Part(model.key(), count);
  }

  /** Requests at a rate. */
  public RequestStream stream(double requestsPerSecond) {
    return new RequestStream(key, sloMillis, stages, RateCurve.constant(requestsPerSecond));
  }

  /** Inferences a second of each model. */
  public SortedMap<String, Double> rates(double requestsPerSecond) {
    SortedMap<String, Double> rates = new TreeMap<>();
    for (Stage stage : stages) {
      stage.parts().forEach(part -> rates.put(part.service(), part.count() * requestsPerSecond));
    }
    return rates;
  }

  /**
   * The objective of each model: that of the application in proportion to the longest model of each
   * stage, at batch 32 alone. The paper does not say how it divides them.
   */
  public Map<String, Double> objectives() {
    double sum = stages.stream().mapToDouble(GletApplication::longest).sum();
    Map<String, Double> objectives = new TreeMap<>();
    for (Stage stage : stages) {
      double own = sloMillis * longest(stage) / sum;
      stage.parts().forEach(part -> objectives.put(part.service(), own));
    }
    return objectives;
  }

  private static double longest(Stage stage) {
    return stage.parts().stream()
        .mapToDouble(part -> PaperModel.of(part.service()).sloMillis())
        .max()
        .orElseThrow();
  }
}
