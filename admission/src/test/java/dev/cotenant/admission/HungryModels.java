package dev.cotenant.admission;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.interference.Answer;
import dev.cotenant.interference.Colocation;
import dev.cotenant.interference.InterferenceModel;
import dev.cotenant.interference.Interval;
import dev.cotenant.interference.WorkloadProfileSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The models of {@link FakePredictor}, each with a hunger that its graph says: where several share
 * a GPU, all are slowed down by the sum of it. Whoever leaves only makes it better for the others.
 */
public final class HungryModels implements WorkloadPredictor, InterferenceModel {
  private static final String NAME = "hungry";
  private static final Map<String, Double> PERCENT =
      Map.of("densenet121", 7.0, "resnet50", 2.0, "vgg19", 1.0);

  private final FakePredictor estimates = new FakePredictor();

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    return switch (estimates.predict(workload, devices, level)) {
      case Outcome.UnknownModel unknown -> unknown;
      case Outcome.Predicted predicted -> {
        double percent = PERCENT.getOrDefault(workload.model(), 0.0);
        Map<DeviceId, Prediction> byDevice = new HashMap<>();
        predicted
            .byDevice()
            .forEach((device, estimate) -> byDevice.put(device, estimate.withWork(work(percent))));
        yield new Outcome.Predicted(byDevice);
      }
    };
  }

  private static GraphWork work(double percent) {
    return new GraphWork(0, percent, 0, 0);
  }

  /** What one of them adds to everybody's slowdown, in percent. */
  public static double percent(GraphWork work) {
    return work.activationBytesPerSample();
  }

  @Override
  public Answer answer(Colocation colocation) {
    double percent = 0;
    for (Colocation.Member member : colocation.members()) {
      if (!(member.source() instanceof WorkloadProfileSource.FromGraph(GraphWork work, double _))) {
        return new Answer.Unavailable(NAME, "the graph of " + member.name() + " is not known");
      }
      percent += percent(work);
    }
    double ratio = 1 + percent / 100;
    Interval slowdown = new Interval(ratio, ratio, ratio);
    List<Answer.Effect> effects =
        colocation.members().stream().map(_ -> new Answer.Effect(slowdown, null)).toList();
    return new Answer.Estimated(NAME, effects);
  }
}
