package dev.cotenant.lab.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.datasets.Importers;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.replay.PolicyOutcome;
import dev.cotenant.simulator.replay.RecordedJob;
import dev.cotenant.simulator.replay.Recording;
import dev.cotenant.simulator.replay.RecordingReplay;
import dev.cotenant.simulator.replay.ReplayReport;
import dev.cotenant.simulator.replay.ReplaySettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimedTracesTest {
  private static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();

  private static List<Recording> read(String format, String path) {
    String trace = format + ":" + OutsideData.require("data/" + path);
    return new TimedTraces(DEVICES).of(Importers.TRACES.open(trace).get());
  }

  private static ReplayReport replay(Recording recording, String... policies) {
    return new RecordingReplay(
            recording,
            new ReplaySettings(
                List.of(policies),
                new SharingDecider(FallbackInterferenceModel.builtIn()),
                SharingLimits.DEFAULT,
                3),
            DEVICES)
        .run(_ -> {});
  }

  private static List<String> findings(Recording recording) {
    return recording.findings().stream().map(Recording.Finding::toString).toList();
  }

  @Test
  void usesTheTimesOfAlibabasPods() {
    Recording recording = read("alibaba-v2023", "alibaba/gpu-v2023").getFirst();
    RecordedJob first =
        recording.jobs().stream()
            .filter(job -> job.origin().name().equals("openb-pod-0001"))
            .findFirst()
            .orElseThrow();
    assertThat(first.times().started().getEpochSecond()).isEqualTo(427_061);
    assertThat(first.times().ended().getEpochSecond()).isEqualTo(12_902_960);
    assertThat(first.usage().requestedMemory()).isNotNull();
    assertThat(recording.fleet().values()).containsExactly(6_212);
    assertThat(findings(recording))
        .anyMatch(text -> text.contains("pods never scheduled, or deleted at once: left out"))
        .anyMatch(text -> text.contains("jobs on a stand-in product, t4"));
    ReplayReport report = replay(recording, "exclusive", "gpushare");
    assertThat(report.saved(report.outcomes().getLast()).mean()).isPositive();
  }

  @Test
  void usesTheTimesAndDutyCyclesOfAlibabasSeries() {
    Recording recording = read("alibaba-genai", "alibaba/genai-v2026").getFirst();
    assertThat(recording.jobs())
        .hasSize(88)
        .allMatch(job -> job.times().run().compareTo(Duration.ofHours(23)) < 0)
        .allMatch(job -> job.usage().utilization() != null);
    assertThat(findings(recording)).contains("88 pods from first to last sample, on l40s GPUs");
  }

  @Test
  void drawsTimesForMeasuredPairsAndSaysSo() {
    Recording recording = read("lucid-pairs", "lucid").getFirst();
    assertThat(findings(recording))
        .anyMatch(text -> text.startsWith("1,000 jobs with drawn times, since the set has none:"));
    assertThat(read("lucid-pairs", "lucid").getFirst().jobs()).isEqualTo(recording.jobs());
    ReplayReport report = replay(recording, "exclusive", "gpushare", "oracle");
    assertThat(report.recorded().slowdowns()).startsWith("measured in pairs");
    PolicyOutcome share = report.outcomes().get(1);
    assertThat(share.harm().slowed().mean()).isPositive();
    assertThat(share.harm().slowed().lowest()).isEqualTo(share.harm().slowed().highest());
    assertThat(report.outcomes().getLast().harm().slowed().mean()).isZero();
  }

  @Test
  void replaysGavelsPairsOnEachDeviceWithPredictedUse() {
    List<Recording> recordings = read("gavel-pairs", "gavel/pair_throughput.csv");
    assertThat(recordings)
        .extracting(Recording::source)
        .containsExactly("gavel-pairs on p100-16gb", "gavel-pairs on v100-16gb");
    assertThat(findings(recordings.getFirst()))
        .anyMatch(text -> text.contains("configurations not measured alone: predicted"));
    assertThat(recordings.getFirst().jobs()).noneMatch(job -> job.usage().isMeasured());
  }

  @Test
  void replaysTheCollectorsPairsWithTheUseThatItMeasured(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("solo.csv"),
        """
        job,status,utilization_mean_percent,memory_utilization_mean_percent,peak_memory_bytes
        resnet50/64/training/tf32,ok,60,40,8589934592
        lstm/32/training/fp16,ok,20,10,4294967296
        """);
    Files.writeString(
        folder.resolve("pairs.csv"),
        """
        session,device,group,tenants,job,share_percent,status,message,solo_step_mean_seconds,step_mean_seconds
        s1,h200-141gb,g,2,resnet50/64/training/tf32,,ok,,0.1,0.125
        s1,h200-141gb,g,2,lstm/32/training/fp16,,ok,,0.02,0.021
        """);
    Recording recording =
        new TimedTraces(DEVICES)
            .of(Importers.TRACES.open("collector-pairs:" + folder).get())
            .getFirst();
    assertThat(recording.source()).isEqualTo("collector-pairs on h200-141gb");
    assertThat(recording.jobs())
        .hasSize(1_000)
        .allMatch(job -> job.usage().isMeasured())
        .extracting(job -> job.usage().utilization())
        .containsOnly(Utilization.ofPercent(60), Utilization.ofPercent(20));
    // 1.25 times as long, which is harm
    PolicyOutcome share = replay(recording, "exclusive", "gpushare").outcomes().getLast();
    assertThat(share.harm().slowed().mean()).isPositive();
  }

  @Test
  void replaysTheCollectorsSeriesOnTheirDevice(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("solo.csv"),
        """
        job,status,utilization_mean_percent,memory_utilization_mean_percent,peak_memory_bytes
        bert/8/training/fp16,ok,70,40,9
        """);
    Files.writeString(
        folder.resolve("memory.csv"),
        """
        session,device,job,status,message,series
        s1,h200-141gb,bert/8/training/fp16,ok,,bert.csv
        s1,h200-141gb,lstm/8/training/fp16,ok,,bert.csv
        """);
    StringBuilder series =
        new StringBuilder("timestamp_seconds,used_memory_bytes,capacity_bytes\n");
    for (int i = 0; i < 20; i++) {
      series.append(1_000 + i).append(',').append(100 * i).append(",150000000000\n");
    }
    Files.writeString(folder.resolve("bert.csv"), series);
    Recording recording =
        new TimedTraces(DEVICES)
            .of(Importers.TRACES.open("collector-series:" + folder).get())
            .getFirst();
    assertThat(findings(recording))
        .contains(
            "2 pods from first to last sample, on h200-141gb GPUs",
            "1 pod without utilization: whole under every policy");
    RecordedJob.Usage first = recording.jobs().getFirst().usage();
    assertThat(first.utilization()).isEqualTo(Utilization.ofPercent(70));
    assertThat(first.peakMemory()).isEqualTo(MemorySize.ofBytes(1_900));
    assertThat(recording.jobs().getFirst().times().run()).isEqualTo(Duration.ofSeconds(19));
  }
}
