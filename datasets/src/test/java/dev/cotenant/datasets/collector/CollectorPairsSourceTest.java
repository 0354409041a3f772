package dev.cotenant.datasets.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.PairLatency;
import dev.cotenant.domain.colocation.TrainingPair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollectorPairsSourceTest {
  private static final String HEADER = String.join(",", CollectedMember.COLUMNS);
  private static final String A = "s1,h200-141gb,g,2,resnet50/64/training/tf32,,ok,,0.1,0.125";
  private static final String B = "s1,h200-141gb,g,2,lstm/32/training/fp16,,ok,,0.02,0.04";

  @TempDir Path folder;

  @Test
  void twoTrainingJobsOnTheWholeDeviceBecomeBothSidesOfAPair() throws IOException {
    ColocationRows rows = read(A, B);

    assertThat(rows.rejected()).isEmpty();
    assertThat(rows.training()).hasSize(2);
    TrainingPair first = rows.training().getFirst();
    assertThat(first.source()).isEqualTo("collector-pairs/s1:2");
    assertThat(first.device()).isEqualTo("h200-141gb");
    assertThat(first.own().name()).isEqualTo("resnet50 b64 training tf32");
    assertThat(first.other().name()).isEqualTo("lstm b32 training amp");
    // 0.1 s alone, 0.125 s together
    assertThat(first.normalisedSpeed()).isCloseTo(0.8, within(1e-12));
    assertThat(rows.training().getLast().normalisedSpeed()).isCloseTo(0.5, within(1e-12));
  }

  @Test
  void takesWhatAJobUsesAloneFromTheRunsBesideIt() throws IOException {
    Files.writeString(
        folder.resolve("solo.csv"),
        """
        job,status,utilization_mean_percent,memory_utilization_mean_percent,peak_memory_bytes
        resnet50/64/training/tf32,ok,91.5,40,1048576
        lstm/32/training/fp16,out-of-memory,,,
        """);

    TrainingPair pair = read(A, B).training().getFirst();

    assertThat(pair.own().usage()).isEqualTo(new TrainingPair.Usage(91.5, 40, 1));
    assertThat(pair.other().usage()).as("its run failed").isNull();
  }

  @Test
  void twoInferenceJobsInPartitionsBecomeLatencies() throws IOException {
    ColocationRows rows =
        read(
            "s1,a10,g,2,resnet50/8/inference/fp32,40,ok,,0.01,0.0125",
            "s1,a10,g,2,vgg19/4/inference/fp32,60,ok,,0.02,0.021");

    assertThat(rows.rejected()).isEmpty();
    PairLatency first = rows.pairs().getFirst();
    assertThat(first.own()).isEqualTo(new PairLatency.Side("resnet50", 8, 40));
    assertThat(first.other()).isEqualTo(new PairLatency.Side("vgg19", 4, 60));
    assertThat(first.soloMillis()).isCloseTo(10, within(1e-9));
    assertThat(first.colocatedMillis()).isCloseTo(12.5, within(1e-9));
    assertThat(rows.pairs()).hasSize(2);
  }

  @Test
  void groupsOfOneNameInTwoSessionsAreTwo() throws IOException {
    assertThat(read(A, B, A.replace("s1", "s2"), B.replace("s1", "s2")).training()).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ",ok,,0.1,0.125|,timeout,no answer,,|timeout: no answer",
        ",ok,,0.1,0.125|,ok,,0,0.125|solo_step_mean_seconds '0' is not a number",
        ",ok,,0.1,0.125|,ok,,0.1,|step_mean_seconds is empty",
        "/tf32|/int8|Unknown precision 'int8'",
        "/64/|/0/|is not MODEL/BATCH/MODE/PRECISION",
        "resnet50/64/training/tf32|resnet50/64/inference/tf32/poisson:0.5|has arrivals",
        "training|inference|an inference job without a partition",
        "tf32,,ok|tf32,50,ok|only one of the two has a share",
        "tf32,,ok|tf32,150,ok|share_percent '150' is not a number from 1 to 100",
        "g,2,|g,1,|tenants '1' is not a whole number from 2",
        "g,2,|h,2,|its group has 1 usable rows and 2 members",
      })
  void saysWhyAPairIsNotUsed(String from, String to, String reason) throws IOException {
    ColocationRows rows = read(A.replace(from, to), B);

    assertThat(rows.size()).isZero();
    assertThat(rows.rejected())
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).startsWith(folder.resolve("pairs.csv") + ":"))
        .anySatisfy(line -> assertThat(line).contains(reason));
  }

  @Test
  void threeJobsAreListedNotUsed() throws IOException {
    ColocationRows rows =
        read(A.replace("g,2", "g,3"), B.replace("g,2", "g,3"), A.replace("g,2", "g,3"));

    assertThat(rows.size()).isZero();
    assertThat(rows.rejected())
        .hasSize(3)
        .allSatisfy(
            line -> assertThat(line).contains("3 jobs side by side: models learn from two"));
  }

  @Test
  void namesTheColumnsThatAreMissing() throws IOException {
    Files.writeString(folder.resolve("pairs.csv"), "session,device\n");

    assertThatThrownBy(() -> new CollectorPairsSource(folder).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("pairs.csv:1: these columns are missing: group");
  }

  private ColocationRows read(String... rows) throws IOException {
    Files.writeString(folder.resolve("pairs.csv"), HEADER + "\n" + String.join("\n", rows) + "\n");
    return new CollectorPairsSource(folder).read();
  }
}
