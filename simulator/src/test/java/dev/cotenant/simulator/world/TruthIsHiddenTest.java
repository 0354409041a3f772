package dev.cotenant.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.simulator.testing.Compilation;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A policy outside of this package that reads the truth does not compile. */
class TruthIsHiddenTest {
  @TempDir private Path output = Path.of("");

  private boolean compiles(String expression) throws IOException {
    String source =
        """
        package dev.cotenant.elsewhere;
        import dev.cotenant.simulator.world.*;
        class Peeking implements Policy {
          Arrival arrival; Truth truth; WorldSettings settings;
          @Override public Placement place(JobView job, View view) {
            GpuView gpu = view.gpus().getFirst();
            Object seen = %s;
            return Placement.on(gpu);
          }
        }
        """
            .formatted(expression);
    return Compilation.succeeds(source, output);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "job.job",
        "job.truth()",
        "gpu.gpu",
        "view.gpus().getFirst().gpu.jobs()",
        "new Job(0, arrival, null, null)",
        "truth.phase(0)",
        "truth.work()",
        "truth.phases",
        "arrival.truth().peak()",
        "new World(null, this, null)",
        "settings.speeds().model()",
        "settings.speeds().speed(null, null, null)",
        "settings.speed(null, null, null)",
        "view.mayShare",
        "view.now"
      })
  void aPolicyThatPeeksDoesNotCompile(String expression) throws IOException {
    assertThat(compiles(expression)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "job.submission().predictions()",
        "job.measured()",
        "job.measuredSpeed()",
        "gpu.usedMemory()",
        "settings.speeds()",
        "arrival.truth()"
      })
  void whatAMonitorSeesDoes(String expression) throws IOException {
    assertThat(compiles(expression)).isTrue();
  }

  @Test
  void aTruthPrintsNothing() {
    assertThat(Worlds.job("secret", 0, 1, 1, 1).truth()).hasToString("Truth");
  }
}
