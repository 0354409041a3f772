package dev.cotenant.evaluation.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NativeLibrariesTest {
  /** As XGBoost does where libgomp is missing: the loader's error, wrapped by its class. */
  private record Broken(LinkageError error) implements RegressionLearner {
    @Override
    public String name() {
      return "broken";
    }

    @Override
    public Regression fit(float[][] rows, double[] targets, long seed) {
      throw error;
    }
  }

  @Test
  void namesWhatIsMissingInOneLineAndGoesOn() {
    LinkageError missing =
        new ExceptionInInitializerError(
            new UnsatisfiedLinkError("libgomp.so.1: cannot open shared object file\nmore"));
    List<String> notes = new ArrayList<>();
    RegressionLearner constant = FeatureLine.constant();

    assertThat(NativeLibraries.usable(List.of(new Broken(missing), constant), notes::add))
        .containsExactly(constant);
    assertThat(notes)
        .containsExactly(
            "broken is left out: its native library does not load here (libgomp.so.1: cannot open"
                + " shared object file); XGBoost and LightGBM need libgomp (Debian: apt-get install"
                + " libgomp1).");
  }

  @Test
  void namesTheErrorItselfWhereItSaysNothing() {
    List<String> notes = new ArrayList<>();
    NativeLibraries.usable(List.of(new Broken(new NoClassDefFoundError())), notes::add);

    assertThat(notes).singleElement().asString().contains("(java.lang.NoClassDefFoundError)");
  }
}
