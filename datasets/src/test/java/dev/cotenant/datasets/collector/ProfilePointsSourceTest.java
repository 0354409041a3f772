package dev.cotenant.datasets.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.datasets.collector.ProfilePointsSource.ProfilePoints;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ProfilingRuns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfilePointsSourceTest {
  private static final String HEADER =
      "device,model,precision,batch_size,share_percent,neighbours,mps,status,active_seconds,"
          + "kernels,kernel_pause_mean_seconds,input_bytes,output_bytes,power_mean_watts,"
          + "sm_clock_mean_megahertz,l2_utilization_percent\n";
  private static final String SMALL =
      "t4,resnet50,fp32,1,100,0,shares,ok,0.004,80,0.000001,600000,4000,60,,10\n";
  private static final String LARGE =
      "t4,resnet50,fp32,16,50,0,shares,ok,0.020,80,0.000001,9600000,64000,65,1500,20\n";
  private static final String BESIDE =
      "t4,resnet50,fp32,16,50,1,shares,ok,0.021,80,0.000002,9600000,64000,69,1400,20\n";

  @TempDir Path directory;

  private ProfilePoints read(String rows) throws IOException {
    Path file = Files.writeString(directory.resolve("points.csv"), HEADER + rows);
    return new ProfilePointsSource(file).read(device -> 1590);
  }

  @Test
  void readsWhatTheCoefficientsNeed() throws IOException {
    ProfilePoints points = read(SMALL + LARGE + BESIDE);

    assertThat(points.device()).isEqualTo("t4");
    assertThat(points.rejected()).isEmpty();
    ProfilingRuns.Workload workload = points.workloads().getFirst();
    assertThat(workload.name()).isEqualTo("resnet50");
    assertThat(workload.kernels()).isEqualTo(80);
    assertThat(workload.inputBytes()).isEqualTo(600_000);
    assertThat(workload.schedulingMillis()).isCloseTo(0.08, within(1e-12));
    ProfilingRuns.Run run = workload.alone().get(1);
    assertThat(run.gpuMillis()).isCloseTo(20.08, within(1e-9));
    assertThat(run.megahertz()).isEqualTo(1500);
    assertThat(workload.alone().getFirst().megahertz()).isEqualTo(1590); // not stated
    assertThat(workload.beside()).isEqualTo(new ProfilingRuns.Beside(20, 21, 1400, 20));
  }

  @Test
  void tellsPrecisionsApartWhereThereAreSeveral() throws IOException {
    String others = (SMALL + LARGE + BESIDE).replace("fp32", "fp16").replace("0.0", "0.01");

    assertThat(read(SMALL + LARGE + BESIDE + others).workloads())
        .extracting(ProfilingRuns.Workload::name)
        .containsExactly("resnet50-fp16", "resnet50-fp32");
  }

  @Test
  void skipsRowsThatSayNothing() throws IOException {
    String failed = LARGE.replace(",ok,", ",timeout,");
    String unlimited = LARGE.replace(",shares,", ",off,");

    ProfilePoints points = read(SMALL + LARGE + BESIDE + failed + unlimited + "t4,x\n");

    assertThat(points.workloads().getFirst().alone()).hasSize(2);
    assertThat(points.rejected())
        .hasSize(3)
        .anySatisfy(line -> assertThat(line).contains(":5").contains("timeout"))
        .anySatisfy(line -> assertThat(line).contains(":6").contains("without MPS shares"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "no usable row|",
        "several devices, t4, v100|v100,resnet50,fp32,1,100,0,shares,ok,0.004,,,,,,,",
        "no run beside one copy|t4,other,fp32,1,100,0,shares,ok,0.004,80,1e-6,6,4,60,,10",
        "other has no power_mean_watts|t4,other,fp32,1,100,0,shares,ok,0.004,80,1e-6,6,4,,,10",
        "other has no run alone with its kernels|t4,other,fp32,1,100,0,shares,ok,0.004,,,,,,,",
      })
  void saysWhatIsMissing(String words, String row) {
    String rows = row == null ? "" : SMALL + LARGE + BESIDE + row + "\n";

    assertThatThrownBy(() -> read(rows))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("points.csv")
        .hasMessageContaining(words);
  }

  @Test
  void namesMissingColumns() throws IOException {
    Path file = Files.writeString(directory.resolve("runs.csv"), "device,model\nt4,x\n");

    assertThatThrownBy(() -> new ProfilePointsSource(file).read(device -> 1))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("columns are missing")
        .hasMessageContaining("active_seconds");
  }
}
