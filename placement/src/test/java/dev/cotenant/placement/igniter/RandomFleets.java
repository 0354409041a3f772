package dev.cotenant.placement.igniter;

import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;

/** Seeded services of the built-in models that fit a V100 each. */
public final class RandomFleets {
  /** Objectives and rates of the sets that iGniter's code planned. */
  private record Model(String name, List<Double> objectives, List<Double> rates) {}

  private static final List<Model> MODELS =
      List.of(
          new Model(
              "alexnet",
              List.of(8.0, 10.0, 12.0, 15.0, 20.0),
              List.of(200.0, 400.0, 500.0, 800.0, 1200.0)),
          new Model(
              "resnet50", List.of(20.0, 25.0, 30.0, 40.0), List.of(100.0, 200.0, 400.0, 600.0)),
          new Model(
              "vgg19", List.of(20.0, 30.0, 40.0, 60.0), List.of(50.0, 100.0, 200.0, 300.0, 400.0)),
          new Model(
              "ssd", List.of(25.0, 40.0, 55.0, 80.0), List.of(20.0, 50.0, 100.0, 150.0, 300.0)));

  private RandomFleets() {}

  /** Each model, objective and rate drawn alike, so that many are the same. */
  public static Fleet published(int count, long seed) {
    return fleet(count, seed, (values, random) -> values.get(random.nextInt(values.size())));
  }

  /** Objectives and rates anywhere between, so that hardly two are the same. */
  public static Fleet continuous(int count, long seed) {
    return fleet(count, seed, RandomFleets::between);
  }

  private static Fleet fleet(int count, long seed, BiFunction<List<Double>, Random, Double> drawn) {
    DeviceType type = Fleets.v100(Math.max(1, count));
    Random random = new Random(seed);
    List<Service> services = new ArrayList<>();
    while (services.size() < count) {
      Model model = MODELS.get(random.nextInt(MODELS.size()));
      Service service =
          Fleets.service(
              "w" + services.size(),
              model.name(),
              drawn.apply(model.objectives(), random),
              drawn.apply(model.rates(), random));
      if (TranscribedIgniter.fits(type, service)) {
        services.add(service);
      }
    }
    return Fleets.of(List.of(type), services);
  }

  private static double between(List<Double> values, Random random) {
    double first = values.getFirst();
    return first * Math.pow(values.getLast() / first, random.nextDouble());
  }
}
