package dev.cotenant.interference.risk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Load.RequestRate.Source;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import org.junit.jupiter.api.Test;

class GraphJobTest {
  private static final Device DEVICE = DeviceCatalogue.builtIn().require("v100-16gb");
  private static final GraphWork WORK = new GraphWork(8.2e9, 106e6, 102e6, 54);
  private static final RunSettings SERVING =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);

  private static String configuration(Load load) {
    return GraphJob.of(new GraphRun(WORK, 8, SERVING.withLoad(load)), DEVICE, 40).configuration();
  }

  private static Load rate(double perSecond, Source source) {
    return new Load.RequestRate(perSecond, source);
  }

  @Test
  void aMeasuredRateMakesNoOtherConfiguration() {
    String unstated = configuration(Load.UNSTATED);

    assertThat(configuration(rate(12, Source.MEASURED))).isEqualTo(unstated);
    assertThat(configuration(rate(13, Source.MEASURED))).isEqualTo(unstated);
    assertThat(configuration(rate(12, Source.STATED)))
        .isNotEqualTo(unstated)
        .isNotEqualTo(configuration(rate(13, Source.STATED)));
  }
}
