package dev.cotenant.lab.inss;

import dev.cotenant.lab.inss.InssServer.Model;
import dev.cotenant.lab.reinforcement.Environment.Shape;
import dev.cotenant.lab.requests.Observation;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.inss.PlacementPolicy;
import dev.cotenant.predictor.plugin.NetworkLoader;
import dev.cotenant.predictor.plugin.NetworkLoader.Network;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/**
 * InSS's learned placement for what was observed [InSS, section 5.2]: for each model the GPU and
 * share of which the trained actor is surest. See docs/placement-policies.md.
 *
 * @param server whose models are placed
 * @param network of the actor
 * @param seen queues and the plan that runs
 */
record LearnedPlacement(InssServer server, Network network, Observation seen)
    implements PlacementPolicy {
  /** How many trained policies there are, each from a seed of its own. */
  static final int TRAINED = 3;

  /**
   * The actor that was trained with a seed, 1 to {@link #TRAINED}.
   *
   * @throws dev.cotenant.domain.InputException ({@code networks-not-installed})
   */
  static Network trained(int seed) {
    String name = "inss-placement-" + seed + ".onnx";
    try (InputStream in =
        Objects.requireNonNull(LearnedPlacement.class.getResourceAsStream(name), name)) {
      return NetworkLoader.installed().open(in.readAllBytes(), name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public FleetPlan propose(Fleet fleet) {
    InssSpace space = new InssSpace(server);
    List<Model> models = server.models();
    double[] rates = new double[models.size()];
    double[] queued = new double[rates.length];
    for (int i = 0; i < rates.length; i++) {
      String name = models.get(i).name();
      rates[i] =
          fleet.services().stream()
              .filter(service -> service.name().equals(name))
              .mapToDouble(Service::requestsPerSecond)
              .sum();
      Observation.Seen own = seen.services().get(name);
      queued[i] = own == null ? 0 : own.queued();
    }
    int[] choices = surest(space.shape(), network.run(space.state(used(space), rates, queued)));
    List<FixedShare> shares =
        space.shares(choices).stream()
            .filter(share ->
                fleet.services().stream().anyMatch(each -> each.name().equals(share.service())))
            .toList();
    return PlacementPolicy.given(fleet, shares);
  }

  /** Used bytes by GPU; GPUs of a kind in plan order. */
  private double[] used(InssSpace space) {
    double[] used = new double[space.gpus()];
    List<FixedShare> shares = BatchesByBda.shares(server.fleet(seen.rates()), seen.current());
    List<Turn> turns =
        seen.current().gpus().stream()
            .flatMap(gpu -> gpu.partitions().stream())
            .map(Partition::turns)
            .map(List::getFirst)
            .toList();
    for (int i = 0; i < turns.size(); i++) {
      used[shares.get(i).gpu()] += server.memory(turns.get(i).service(), turns.get(i).batch());
    }
    return used;
  }

  private static int[] surest(Shape shape, float[] chances) {
    int[] choices = new int[shape.heads()];
    for (int head = 0; head < choices.length; head++) {
      int from = head * shape.options();
      for (int option = 1; option < shape.options(); option++) {
        if (chances[from + option] > chances[from + choices[head]]) {
          choices[head] = option;
        }
      }
    }
    return choices;
  }
}
