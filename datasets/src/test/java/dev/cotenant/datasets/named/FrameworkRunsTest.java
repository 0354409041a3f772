package dev.cotenant.datasets.named;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Framework;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FrameworkRunsTest {
  private static final String HEADER =
      "model,description,batch_size,device,framework,mode,utilization_percent,peak_memory_mib\n";

  @TempDir private Path folder;

  private ProfileSource.Result miso(String rows) throws IOException {
    Files.writeString(folder.resolve("runs.csv"), HEADER + rows);
    return new MisoSource(folder).read();
  }

  private ProfileSource.Result glet(String json) throws IOException {
    Path file = folder.resolve("mem-config.json");
    Files.writeString(file, json);
    return new GletMemorySource(file).read();
  }

  @Test
  void readTheFrameworkThatMisoStates() throws IOException {
    ProfileRow row =
        miso("resnet,\"ResNet-50, 32x32\",64,a100-40gb,tensorflow,training,41.56,9933\n")
            .rows()
            .getFirst();
    assertThat(row.settings().framework()).isEqualTo(Framework.TENSORFLOW);
    assertThat(row.features().batchSize()).isEqualTo(64);
    assertThat(row.peakMemory()).isEqualTo(MemorySize.ofMiB(9933));
    assertThat(row.topology()).isEqualTo("resnet50");
  }

  @Test
  void listWhatCannotBeUsed() throws IOException {
    ProfileSource.Result read =
        miso(
            """
            transformer,x,16,a100-40gb,tensorflow,training,84,3535
            resnet,x,16,abacus,tensorflow,training,84,3535
            resnet,x,16,a100-40gb,tensorflow,inference,84,3535
            """);
    assertThat(read.rows()).isEmpty();
    assertThat(read.rejected()).hasSize(3);
    assertThat(read.rejected().get(1)).contains("unknown device 'abacus'");
  }

  @Test
  void readMemoryOfInferenceOnceForEachNetwork() throws IOException {
    ProfileSource.Result read =
        glet(
            "{\"models\":[{\"name\":\"lenet1\",\"mem\":50},{\"name\":\"lenet2\",\"mem\":50},"
                + "{\"name\":\"vgg16\",\"mem\":2920},{\"name\":\"vgg16\",\"mem\":-1}]}");
    assertThat(read.rows()).extracting(ProfileRow::topology).containsExactly("lenet", "vgg16");
    ProfileRow vgg = read.rows().get(1);
    assertThat(vgg.settings().mode()).isEqualTo(ExecutionMode.INFERENCE);
    assertThat(vgg.features().batchSize()).isEqualTo(GletMemorySource.ASSUMED_BATCH);
    assertThat(vgg.peakMemory()).isEqualTo(MemorySize.ofMiB(2920));
    assertThat(read.rejected()).hasSize(2);
  }

  @Test
  void nameAFileThatIsNoMemoryConfiguration() {
    assertThatThrownBy(() -> glet("[]"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("needs an array 'models'");
    assertThatThrownBy(() -> glet("{")).hasMessageContaining("is not valid JSON");
  }
}
