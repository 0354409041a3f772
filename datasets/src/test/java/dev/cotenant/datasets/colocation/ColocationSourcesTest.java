package dev.cotenant.datasets.colocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.PairLatency;
import dev.cotenant.domain.colocation.ProfilingRuns;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ColocationSourcesTest {
  @TempDir private Path folder = Path.of("");

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  @Test
  void readsSoloLatenciesWithAndWithoutUtilizations() throws IOException {
    Path file =
        file(
            "solo.csv",
            """
            model,batch,mps_pct,latency_ms,l2_pct,dram_pct
            alexnet,1,10,3.5,,
            alexnet,2,20,2.5,5.5,10.25
            """);
    ColocationRows rows = new IgniterSoloSource(file).read();
    assertThat(rows.solo()).hasSize(2);
    assertThat(rows.solo().get(0).l2Percent()).isNull();
    assertThat(rows.solo().get(1).bandwidthPercent()).isEqualTo(10.25);
    assertThat(rows.solo().get(1).source()).isEqualTo("igniter-solo/solo.csv:3");
  }

  private static final String HARDWARE =
      """
      {"hardware": {"idlepower": 50, "maxGPUpower": 300, "maxGPUfrequency": 1500}}
      {"hardware": {"unit": 2.5, "bandwidth": 10000000}}
      {"hardware": {"power": [100, 150], "frequency": [1500, 1400], "idletime": [0.001, 0.002]}}
      """;

  private static String workload(String name, String latencies) {
    return """
    {"NAME": {"kernel": 20, "inputdata": 600, "outputdata": 4, "idletime_1": 0.03}}
    {"NAME": {"activetime_1": 3.5, "activetime_2": 3.85, "frequency_2": 1450, "l2cache": 16}}
    {"NAME": {"gpulatency": LATENCIES}}
    {"NAME": {"power": [[1,2,3],[4,5,6],[7,8,9]], "frequency": [[9,9,9],[9,9,9],[9,9,8]]}}
    {"NAME": {"l2caches": [2, 16, 30]}}
    """
        .replace("NAME", name)
        .replace("LATENCIES", latencies);
  }

  @Test
  void readsProfilingRunsOfADeviceAndItsWorkloads() throws IOException {
    Path file = file("config.jsonl", HARDWARE + workload("a", "[[1,2,3],[4,5,6],[7,8,9]]"));
    ProfilingRuns runs = new IgniterConfigSource(file).read().profiling().getFirst();
    assertThat(runs.source()).isEqualTo("igniter-config/config.jsonl");
    assertThat(runs.limits()).isEqualTo(new ProfilingRuns.Limits(50, 300, 1500, 10_000_000, 2.5));
    assertThat(runs.crowds()).contains(new ProfilingRuns.Crowd(2, 150, 1400, 0.002));
    ProfilingRuns.Workload workload = runs.workloads().getFirst();
    assertThat(workload.kernels()).isEqualTo(20);
    assertThat(workload.beside().growth()).isEqualTo(1.1);
    // Row by row: batch 16 is the second row, 50 % the second column.
    assertThat(workload.alone())
        .hasSize(9)
        .contains(new ProfilingRuns.Run(16, 50, 5, 5, 9, 16.0))
        .contains(new ProfilingRuns.Run(32, 100, 9, 9, 8, null));
  }

  @Test
  void rejectsWorkloadsWhoseProfilingIsNotComplete() throws IOException {
    Path file = file("config.jsonl", HARDWARE + workload("a", "[[1,2,3],[4,-5,6],[7,8]]"));
    ColocationRows rows = new IgniterConfigSource(file).read();
    assertThat(rows.profiling().getFirst().workloads()).isEmpty();
    assertThat(rows.rejected())
        .singleElement()
        .asString()
        .startsWith(file + ": a.gpulatency must be 9 numbers of at least 0, is [1.0,");
  }

  @Test
  void saysWhichProfilingFileIsNone() throws IOException {
    assertThatThrownBy(() -> new IgniterConfigSource(folder.resolve("none")).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("does not exist");
    Path text = file("text.jsonl", "{\"a\": {\"kernel\": 1}}\nkernel 2\n");
    assertThatThrownBy(() -> new IgniterConfigSource(text).read())
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith(text + ":2: is not valid JSON");
    Path device = file("device.jsonl", "{\"a\": {\"kernel\": 1}}\n");
    assertThatThrownBy(() -> new IgniterConfigSource(device).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("no line is about 'hardware'");
    Path part = file("part.jsonl", "{\"hardware\": {\"idlepower\": 50}}\n");
    assertThatThrownBy(() -> new IgniterConfigSource(part).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("hardware.maxGPUpower must be 1 numbers");
  }

  @Test
  void listsRowsThatCannotBeUsedWithFileAndLine() throws IOException {
    Path file =
        file(
            "pairs.csv",
            """
            model,batch,mps_pct,co_model,co_batch,co_mps_pct,solo_ms,colocated_ms
            a,2,20,b,2,80,2.5,2.7
            a,2,60,b,2,80,2.5,2.7
            a,2,20,b,2,80,-1,2.7
            a,1.5,20,b,2,80,1,2.7
            a,2,20,b,2,120,1,2.7
            a,2,20,b,2,80,NaN,2.7
            a,2,20
            """);
    ColocationRows rows = new IgniterPairsSource(file).read();
    assertThat(rows.pairs()).hasSize(1);
    assertThat(rows.pairs().getFirst().own()).isEqualTo(new PairLatency.Side("a", 2, 20));
    assertThat(rows.rejected())
        .hasSize(6)
        .first()
        .asString()
        .isEqualTo(file + ":3: the shares add up to 140.0 %, more than 100");
    assertThat(rows.rejected().get(1)).startsWith(file + ":4: solo_ms '-1'");
    assertThat(rows.rejected().getLast())
        .isEqualTo(file + ":8: the row ends before column co_model");
  }

  @Test
  void dropsPairsWithADeadJobAndPairsWithoutSoloRun() throws IOException {
    file(
        "single_data.csv",
        """
        model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem
        A,X,32,0,10,50,20,2000
        B,X,64,1,10,90,60,4000
        """);
    file(
        "colocate_info.csv",
        """
        model1,dataset1,batchsize1,amp1,speed1,model2,dataset2,batchsize2,amp2,speed2,gmem
        A,X,32,0,0.9,B,X,64,1,0.8,6000
        A,X,32,0,0.9,B,X,64,1,1.0,3500
        A,X,32,0,0.9,C,X,64,1,1.0,6500
        """);
    ColocationRows rows = new LucidPairsSource(folder).read();
    assertThat(rows.training()).extracting(TrainingPair::normalisedSpeed).containsExactly(0.9, 0.8);
    assertThat(rows.rejected()).hasSize(2);
    assertThat(rows.rejected().get(0)).contains(":3: the pair uses less memory");
    assertThat(rows.rejected().get(1)).contains(":4: there is no solo run of C X b64 amp1");
  }

  @Test
  void readsThroughputsAsSpeedsOverSolo() throws IOException {
    Path file =
        file(
            "gavel.csv",
            """
            gpu,job_a,job_b,solo_a,solo_b,coloc_a,coloc_b
            v100,LM (batch size 5),A3C,10,20,5,15
            v100,LM (batch size 5),A3C,10,20,0,15
            """);
    ColocationRows rows = new GavelPairsSource(file).read();
    assertThat(rows.training())
        .extracting(TrainingPair::normalisedSpeed)
        .containsExactly(0.5, 0.75);
    assertThat(rows.training().getFirst().own().model()).isEqualTo("LM");
    assertThat(rows.rejected()).singleElement().asString().contains(":3: job_a ran at 0.0");
  }

  @Test
  void namesMissingFilesAndColumns() throws IOException {
    Path missing = folder.resolve("none.csv");
    assertThatThrownBy(() -> new IgniterSoloSource(missing).read())
        .isInstanceOf(InputException.class)
        .hasMessage(missing + " does not exist.");
    Path other = file("other.csv", "a,b\n1,2\n");
    assertThatThrownBy(() -> new GpuLetsSource(other).read())
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith(other + ":1: these columns are missing: bench, batch");
    Path empty = file("empty.csv", "");
    assertThatThrownBy(() -> new GavelPairsSource(empty).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining(":1:");
  }

  @Test
  void readsThePublishedSets() {
    Path data = OutsideData.require("data");
    assertThat(new IgniterSoloSource(data.resolve("igniter/v100_solo_latency.csv")).read().solo())
        .hasSize(648);
    assertThat(new IgniterPairsSource(data.resolve("igniter/v100_pair_latency.csv")).read().pairs())
        .hasSize(1500);
    assertThat(new GpuLetsSource(data.resolve("glet/2080ti")).read().cells()).hasSize(90);
    ColocationRows lucid = new LucidPairsSource(data.resolve("lucid")).read();
    assertThat(lucid.training()).hasSize(2 * 813);
    assertThat(lucid.rejected()).hasSize(17);
    assertThat(new GavelPairsSource(data.resolve("gavel/pair_throughput.csv")).read().rejected())
        .isEmpty();
  }
}
