package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.steptime.StepTimeSource;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.evaluation.steptime.StepTimeEvaluation;
import dev.cotenant.evaluation.steptime.StepTimeFigures;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The bars of docs/step-time.md, on the published measurements. */
@Tag("long")
class StepTimeBarsTest {
  private static final int BARS = 51;

  @Test
  void reachesEveryBar() {
    Map<String, List<StepTimeRun>> data = new LinkedHashMap<>();
    for (String set : Importers.STEP_TIMES.publishedIn(OutsideData.require("data"))) {
      StepTimeSource.Result read = Importers.STEP_TIMES.open(set).read();
      data.put(read.format(), read.runs());
    }
    List<StepTimeFigures> figures =
        new StepTimeEvaluation(data, Map.of())
            .evaluate().stream().filter(line -> !line.result().isEmpty()).toList();
    assertThat(figures).hasSizeGreaterThanOrEqualTo(BARS);
    assertThat(figures)
        .allSatisfy(line ->
            assertThat(line.result())
                .as(line.protocol() + " " + line.values() + " " + line.barText())
                .isEqualTo("reached"));
  }
}
