package dev.cotenant.placement.igniter;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.List;

/**
 * Work of {@link IgniterPlanner#IGNITER} on one kind of device, in runs of algorithm 2, each of
 * which raises the shares of one GPU for one workload.
 *
 * @param gpus of the plan
 * @param evaluations runs of algorithm 2 here
 * @param publishedEvaluations runs in the published loop, which tries every workload on every GPU
 *     in use: quadratic in the number of workloads [iGniter, section 4.1]
 */
public record PlanningCost(int gpus, long evaluations, long publishedEvaluations) {
  /** Plans services on a kind of device and counts. */
  public static PlanningCost of(DeviceType type, List<Service> services) {
    Counter counter = new Counter();
    int gpus = TypePlanning.plan(type, services, counter).gpus().size();
    long evaluations = counter.placers.stream().mapToLong(LeastIncrease::evaluations).sum();
    return new PlanningCost(gpus, evaluations, counter.published);
  }

  /** iGniter's rules with counts. */
  private static final class Counter implements Rules {
    private final List<LeastIncrease> placers = new ArrayList<>();
    private long published;

    @Override
    public Placer placer(DeviceProfile device, OpenGpus gpus, List<List<Need>> needs) {
      LeastIncrease placer = new LeastIncrease(device, gpus, needs);
      placers.add(placer);
      return new Placer() {
        @Override
        public boolean place(Need need) {
          published += gpus.size();
          return placer.place(need);
        }

        @Override
        public void changed(int gpu) {
          placer.changed(gpu);
        }
      };
    }
  }
}
