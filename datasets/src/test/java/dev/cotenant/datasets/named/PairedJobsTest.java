package dev.cotenant.datasets.named;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.workload.Precision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PairedJobsTest {
  private static final DeviceId DEVICE = new DeviceId("v100-16gb");

  private static TrainingPair.Job job(String model, String configuration) {
    return new TrainingPair.Job(model, configuration, null);
  }

  @Test
  void buildsTheGraphThatALucidNameStandsFor() {
    ProfileRow row =
        PairedJobs.ofLucid().profile(job("ResNet18", "CIFAR-10 b64 amp1"), DEVICE).orElseThrow();

    assertThat(row.features().batchSize()).isEqualTo(64);
    assertThat(row.settings().precision()).isEqualTo(Precision.AMP);
    assertThat(row.topology()).isEqualTo("resnet18_cifar");
  }

  @Test
  void buildsTheGraphThatAGavelNameStandsFor() {
    ProfileRow row =
        PairedJobs.ofGavel().profile(job("ResNet-18", "(batch size 16)"), DEVICE).orElseThrow();

    assertThat(row.features().batchSize()).isEqualTo(16);
    assertThat(row.settings().precision()).isEqualTo(Precision.FP32);
  }

  @ParameterizedTest
  @CsvSource({
    "PPO, LunarLander b64 amp0",
    "ResNet18, CIFAR-10",
    "ResNet18, CIFAR-10 b9999999999 amp0",
    "Nobody, CIFAR-10 b1 amp0"
  })
  void saysNothingOfALucidNameThatLeavesThingsOpen(String model, String configuration) {
    assertThat(PairedJobs.ofLucid().profile(job(model, configuration), DEVICE)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"A3C, ''", "Recommendation, (batch size 512)", "ResNet-18, batch 4"})
  void saysNothingOfAGavelNameThatLeavesThingsOpen(String model, String configuration) {
    assertThat(PairedJobs.ofGavel().profile(job(model, configuration), DEVICE)).isEmpty();
  }
}
