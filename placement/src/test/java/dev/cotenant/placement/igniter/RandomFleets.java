package dev.cotenant.placement.igniter;

import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Services of the built-in models, seeded. */
final class RandomFleets {
  private static final Map<String, double[]> OBJECTIVES =
      Map.of(
          "alexnet", new double[] {8, 10, 12, 15, 20},
          "resnet50", new double[] {20, 25, 30, 40},
          "vgg19", new double[] {20, 30, 40, 60},
          "ssd", new double[] {25, 40, 55, 80});
  private static final Map<String, double[]> RATES =
      Map.of(
          "alexnet", new double[] {200, 400, 500, 800, 1200},
          "resnet50", new double[] {100, 200, 400, 600},
          "vgg19", new double[] {50, 100, 200, 300, 400},
          "ssd", new double[] {20, 50, 100, 150, 300});
  private static final List<String> MODELS = List.of("alexnet", "resnet50", "vgg19", "ssd");

  private RandomFleets() {}

  /** Models, objectives and rates of the sets that iGniter's code planned, each drawn alike. */
  static List<Service> published(int count, long seed) {
    Random random = new Random(seed);
    List<Service> services = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String model = MODELS.get(random.nextInt(MODELS.size()));
      double[] objectives = OBJECTIVES.get(model);
      double[] rates = RATES.get(model);
      services.add(
          Fleets.service(
              "w" + i,
              model,
              objectives[random.nextInt(objectives.length)],
              rates[random.nextInt(rates.length)]));
    }
    return services;
  }

  /** The same, objectives and rates anywhere between, so that hardly two are alike. */
  static List<Service> continuous(int count, long seed) {
    Random random = new Random(seed);
    List<Service> services = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String model = MODELS.get(random.nextInt(MODELS.size()));
      services.add(
          Fleets.service(
              "w" + i,
              model,
              between(OBJECTIVES.get(model), random),
              between(RATES.get(model), random)));
    }
    return services;
  }

  private static double between(double[] values, Random random) {
    double last = values[values.length - 1];
    return values[0] * Math.pow(last / values[0], random.nextDouble());
  }
}
