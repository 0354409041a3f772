package dev.cotenant.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
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
          Arrival arrival; Truth truth;
          @Override public Placement place(JobView job, View view) {
            GpuView gpu = view.gpus().getFirst();
            Object seen = %s;
            return Placement.on(gpu);
          }
        }
        """
            .formatted(expression);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(output));
      StringWriter messages = new StringWriter();
      return compiler
          .getTask(
              messages,
              files,
              null,
              List.of("-proc:none", "-classpath", System.getProperty("java.class.path")),
              null,
              List.of(new Source(source)))
          .call();
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(
          URI.create("string:///dev/cotenant/elsewhere/Peeking.java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "job.job",
        "job.truth()",
        "gpu.gpu",
        "view.gpus().getFirst().gpu.jobs()",
        "new Job(0, arrival, null)",
        "truth.phase(0)",
        "truth.work()",
        "truth.phases",
        "arrival.truth().peak()",
        "World.of(null, this)",
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
