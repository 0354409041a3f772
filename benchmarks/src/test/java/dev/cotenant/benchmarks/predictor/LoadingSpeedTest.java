package dev.cotenant.benchmarks.predictor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LoadingSpeedTest {
  @Test
  void takesTheClassesBetweenTheMarksOfALog() {
    String marks = FirstLoad.class.getName();
    List<String> log =
        List.of(
            "java.lang.Object source: shared objects file",
            marks + "$Begun source: file:/x.jar",
            "dev.cotenant.predictor.Predictor source: file:/p.jar",
            "java.util.X$$Lambda/0x1 source: java.util.X",
            "java.lang.invoke.LambdaForm$MH/0x2 source: __JVM_LookupDefineClass__",
            "java.util.TreeMap$Values source: jrt:/java.base",
            marks + "$Ended source: file:/x.jar",
            "java.lang.Shutdown source: shared objects file");

    assertThat(LoadingSpeed.between(log))
        .containsExactly("dev.cotenant.predictor.Predictor", "java.util.TreeMap$Values");
  }
}
