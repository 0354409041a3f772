package dev.cotenant.simulator.replay.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.datasets.Importers;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.replay.PolicyOutcome;
import dev.cotenant.simulator.replay.RecordedJob;
import dev.cotenant.simulator.replay.Recording;
import dev.cotenant.simulator.replay.RecordingReplay;
import dev.cotenant.simulator.replay.ReplayReport;
import dev.cotenant.simulator.replay.ReplaySettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

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
  }
}
