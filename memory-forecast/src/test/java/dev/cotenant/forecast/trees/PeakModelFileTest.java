package dev.cotenant.forecast.trees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.history.HistoryFeatures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeakModelFileTest {
  @TempDir private Path folder;

  @Test
  void givesBackWhatWasWritten() throws IOException {
    PeakModel shipped = PeakModelFile.shipped();
    Path first = folder.resolve("first.model");
    Path second = folder.resolve("second.model");
    PeakModelFile.write(shipped, first);
    PeakModel read = PeakModelFile.read(Files.readAllBytes(first), "first.model");
    PeakModelFile.write(read, second);
    assertThat(Files.readAllBytes(second)).isEqualTo(Files.readAllBytes(first));
    float[] features = new float[HistoryFeatures.NAMES.size()];
    Arrays.fill(features, 0.5f);
    assertThat(read.bound().predict(features)).isEqualTo(shipped.bound().predict(features));
    assertThat(read.provenance()).isEqualTo(shipped.provenance());
  }

  @Test
  void namesTheDataOfTheShippedModel() {
    PeakModel.Provenance provenance = PeakModelFile.shipped().provenance();
    assertThat(provenance.data()).matches("alibaba-genai sha256 [0-9a-f]{64}");
    assertThat(provenance.series()).isEqualTo(88);
    assertThat(provenance.seed()).isEqualTo(1);
  }

  @Test
  void refusesDamagedAndStrangeFiles() throws IOException {
    Path file = folder.resolve("damaged.model");
    PeakModelFile.write(PeakModelFile.shipped(), file);
    byte[] bytes = Files.readAllBytes(file);
    for (int at : new int[] {0, 10, 30, bytes.length / 2, bytes.length - 1}) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 0x55;
      refuses(damaged);
      refuses(Arrays.copyOf(bytes, at));
    }
  }

  private static void refuses(byte[] bytes) {
    assertThatThrownBy(() -> PeakModelFile.read(bytes, "damaged.model"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("damaged.model");
  }
}
