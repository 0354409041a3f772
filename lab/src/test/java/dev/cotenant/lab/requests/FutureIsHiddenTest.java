package dev.cotenant.lab.requests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.simulator.testing.Compilation;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A policy outside of this package that reads future rates does not compile. */
class FutureIsHiddenTest {
  @TempDir private Path output = Path.of("");

  private boolean compiles(String expression) throws IOException {
    String source =
        """
        package dev.cotenant.elsewhere;
        import dev.cotenant.placement.fleet.*;
        import dev.cotenant.lab.requests.*;
        class Peeking implements ServingPolicy {
          RequestStream stream; ServingSettings settings;
          @Override public FleetPlan plan(Observation seen) {
            Object read = %s;
            return seen.current();
          }
        }
        """
            .formatted(expression);
    return Compilation.succeeds(source, output);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stream.rates().at(60)",
        "stream.rates().perSecondAt(0)",
        "stream.rates().points()",
        "new ArrivalProcess(stream.rates(), settings.traffic().arrivals(), null).next()",
        "seen.services().get(\"m\").rates()",
        "seen.streams()",
        "new ServingGpu(null, settings.durations())"
      })
  void aPolicyThatPeeksDoesNotCompile(String expression) throws IOException {
    assertThat(compiles(expression)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "seen.rates()",
        "seen.now()",
        "seen.services().get(\"m\").queued()",
        "stream.rates()"
      })
  void whatAMonitorSeesDoes(String expression) throws IOException {
    assertThat(compiles(expression)).isTrue();
  }

  @Test
  void aCurvePrintsNothing() {
    assertThat(RateCurve.constant(42)).hasToString("RateCurve");
  }
}
