package dev.cotenant.lab.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.simulator.replay.RecordedJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobsCsvTest {
  private static final Instant NOW = Instant.ofEpochSecond(2_000_000_000L);
  private static final String HEADER =
      "submit_seconds,start_seconds,end_seconds,gpus,device,requested_memory_bytes,"
          + "peak_memory_bytes,utilization_percent,model,namespace,name\n";

  @TempDir private Path folder;

  private JobsCsv.Result read(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("jobs.csv"), text);
    return new JobsCsv(file, DeviceCatalogue.builtIn(), NOW).read();
  }

  @Test
  void readsEveryColumn() throws IOException {
    JobsCsv.Result result =
        read(
            HEADER + "100,160,3760,1,a100-40gb,8000000000,6000000000,42.5,resnet50,team-a,train\n");
    assertThat(result.rejected()).isEmpty();
    assertThat(result.recording().jobs())
        .containsExactly(
            new RecordedJob(
                new RecordedJob.Origin("team-a", "train", "resnet50"),
                new RecordedJob.Times(
                    Instant.ofEpochSecond(100),
                    Instant.ofEpochSecond(160),
                    Instant.ofEpochSecond(3_760),
                    RecordedJob.Extent.WHOLE),
                new RecordedJob.Allocation(1, new DeviceId("a100-40gb")),
                new RecordedJob.Usage(
                    MemorySize.ofBytes(8_000_000_000L),
                    MemorySize.ofBytes(6_000_000_000L),
                    Utilization.ofPercent(42.5))));
  }

  @Test
  void needsFourColumnsAndKnowsProductsByTheirDriverNames() throws IOException {
    JobsCsv.Result result =
        read("submit_seconds,end_seconds,gpus,device\n5,10,2,NVIDIA A100-SXM4-80GB\n");
    RecordedJob job = result.recording().jobs().getFirst();
    assertThat(job.times().started()).isEqualTo(job.times().submitted());
    assertThat(job.allocation())
        .isEqualTo(new RecordedJob.Allocation(2, new DeviceId("a100-80gb")));
    assertThat(job.usage()).isEqualTo(RecordedJob.Usage.UNKNOWN);
  }

  @Test
  void listsRowsThatItCannotUseAndReadsTheOthers() throws IOException {
    JobsCsv.Result result =
        read(
            HEADER
                + "100,,50,1,a100-40gb,,,,,,\n"
                + "100,90,500,1,a100-40gb,,,,,,\n"
                + "NaN,,500,1,a100-40gb,,,,,,\n"
                + "-5,,500,1,a100-40gb,,,,,,\n"
                + "100,,9999999999,1,a100-40gb,,,,,,\n"
                + "100,,500,0,a100-40gb,,,,,,\n"
                + "100,,500,1,abacus,,,,,,\n"
                + "100,,500,1,a100-40gb,,-1,,,,\n"
                + "100,,500,1,a100-40gb,,,101,,,\n"
                + "100,,500\n"
                + "100,,500,1,a100-40gb,,,,\"unclosed,,\n"
                + "100,,500,1,a100-40gb,,,50,,,\n");
    assertThat(result.recording().jobs()).hasSize(1);
    assertThat(result.rejected())
        .hasSize(11)
        .anyMatch(line -> line.endsWith("jobs.csv:2: end_seconds is not after the start"))
        .anyMatch(line -> line.endsWith("jobs.csv:3: start_seconds is before submit_seconds"))
        .anyMatch(line -> line.contains("jobs.csv:8: device 'abacus' is not a device of"));
    assertThat(result.recording().findings().getFirst().count()).isEqualTo(11);
  }

  @Test
  void namesMissingColumns() {
    assertThatThrownBy(() -> read("submit_seconds,gpus\n1,1\n"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("end_seconds, device");
  }
}
