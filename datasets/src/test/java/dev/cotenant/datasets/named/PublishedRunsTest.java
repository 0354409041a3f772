package dev.cotenant.datasets.named;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The importers of single published sets of named models. */
class PublishedRunsTest {
  private static final String LUCID = "model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem\n";
  private static final String SPREAD =
      "set,model,batch,mps_pct,world_size,workers,median_iter_ms,util_mean_steady,util_max,"
          + "mem_peak_mib,timestamp\n";
  private static final String CARMA = "Model,Max memory.used [MB],Run folder\n";
  private static final String ALNAIR = "ID,Model,BS,MGUP\n";

  @TempDir Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  /** 64 samples at 640 a second take 0.1 s. */
  @Test
  void readsLucidWithItsStepTime() throws IOException {
    file("single_data.csv", LUCID + "ResNet18,CIFAR-10,64,1,640,62.0,40,3642\n");
    ProfileRow row = new LucidSource(folder, LicenceScope.ANY).read().rows().getFirst();

    assertThat(row.source()).isEqualTo("lucid:2");
    assertThat(row.topology()).isEqualTo("resnet18_cifar");
    assertThat(row.features().multiplyAccumulates()).isEqualTo(64 * 555_422_720L);
    assertThat(row.settings().precision()).isEqualTo(Precision.AMP);
    assertThat(row.licence()).isEqualTo(Licence.S_LAB_1);
    assertThat(row.measurement())
        .isEqualTo(
            Measurement.NONE
                .withUtilization(Utilization.ofPercent(62))
                .withPeakMemory(MemorySize.ofMiB(3642))
                .withStepTime(Duration.ofMillis(100)));
    assertThat(new LucidSource(folder, LicenceScope.COMMERCIAL).read().rejected())
        .singleElement()
        .asString()
        .contains("single_data.csv:2: the licence of Lucid is non-commercial");
  }

  @Test
  void readsSpreadWithDateAndStepTime() throws IOException {
    Path table =
        file(
            "runs.csv",
            SPREAD + "m,MobileNet,32,100,1,1,70.7,76.36,80,3812.0,2022-08-24-10-00-00\n");
    ProfileRow row = new SpreadSource(table).read().rows().getFirst();

    assertThat(row.source()).isEqualTo("spread/2022-08-24:2");
    assertThat(row.topology()).isEqualTo("mobilenet_v2");
    assertThat(row.measurement())
        .isEqualTo(
            Measurement.NONE
                .withUtilization(Utilization.ofPercent(76.36))
                .withMaximumUtilization(Utilization.ofPercent(80))
                .withPeakMemory(MemorySize.ofMiB(3812))
                .withStepTime(Duration.ofNanos(70_700_000)));
  }

  @ParameterizedTest
  @CsvSource({"MobileNet, INFERRED_FROM_MEMORY", "ResNet18, STATED", "InceptionV3, STATED"})
  void marksNetworksOfSpreadThatFollowFromTheirMemory(String model, ProfileRow.Identity identity)
      throws IOException {
    Path table =
        file(
            "runs.csv",
            SPREAD + "m," + model + ",32,100,1,1,70.7,76.36,80,3812.0,2022-08-24-10-00-00\n");
    ProfileRow row = new SpreadSource(table).read().rows().getFirst();

    assertThat(row.identity()).isEqualTo(identity);
    assertThat(row.judgesMemory()).isEqualTo(identity == ProfileRow.Identity.STATED);
    assertThat(row.withSource("other").identity()).isEqualTo(identity);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      value = {
        "32,100,1,1 -> 32,30,1,1 -> MPS capped it at 30 %",
        "32,100,1,1 -> 32,100,2,2 -> 2 workers ran together",
        "32,100,1,1 -> 32,100,1,0 -> world_size and workers differ",
        "32,100,1,1 -> 0,100,1,1 -> batch '0' is not a number from 1",
        "70.7 -> 0 -> median_iter_ms '0' is not a number from above 0",
        "76.36 -> 176 -> util_mean_steady '176' is not a number from 0 to 100",
        "MobileNet -> SqueezeNet -> measure alike",
      })
  void saysWhyARunOfSpreadIsLeftOut(String from, String to, String reason) throws IOException {
    String good = "m,MobileNet,32,100,1,1,70.7,76.36,80,3812.0,2022-08-24-10-00-00\n";
    Path table = file("runs.csv", SPREAD + good.replace(from, to));

    assertThat(new SpreadSource(table).read().rejected())
        .singleElement()
        .asString()
        .startsWith(table + ":2: ")
        .contains(reason);
  }

  @Test
  void readsTheBatchOfCarmaFromTheCommandOrTheScript() throws IOException {
    Path table =
        file(
            "summary.csv",
            CARMA
                + "vgg,6684.0,2025_vgg.py_--batch_size_64_--num_epochs_1\n"
                + "BERT_base_on_wiki,19828.0,2025_BERT_base_on_wiki.py\n"
                + "resnet50_cifar100,666.0,2025_resnet50_cifar100.py_--batch_size_32_--epochs_1\n"
                + "x_dlrm_s_pytorch,1468.0,2025_dlrm\n"
                + "maskrcnn,28606.0,2025_train.py\n");
    ProfileSource.Result read = new CarmaSource(table).read();

    assertThat(read.rows())
        .extracting(row -> row.features().batchSize())
        .containsExactly(64, 32, 32);
    assertThat(read.rows())
        .extracting(ProfileRow::topology)
        .containsExactly("vgg16", "bert_base_pretraining", "efficientnet_b0");
    assertThat(read.rows().getFirst().measurement())
        .isEqualTo(Measurement.NONE.withPeakMemory(MemorySize.ofMiB(6684)));
    assertThat(read.rejected()).hasSize(2);
    assertThat(read.rejected().getFirst()).contains(":5: the sizes of its embedding tables");
    assertThat(read.rejected().getLast()).contains(":6: the zoo has no graph for 'maskrcnn'");
  }

  @Test
  void readsTheLargestUtilizationOfAlnair() throws IOException {
    Path table =
        file(
            "Dataset.csv",
            ALNAIR
                + "1,small_bert/ bert_en_uncased_L-2_H-128_A-2,256,21.13\n"
                + "2,Nasnet_Mobile,2,24.73\n3,DCGAN,32,36.6\n");
    ProfileSource.Result read = new AlnairSource(table).read();

    assertThat(read.rows())
        .extracting(ProfileRow::topology)
        .containsExactly("bert_tiny", "dcgan_mnist");
    assertThat(read.rows().getFirst().measurement())
        .isEqualTo(Measurement.NONE.withMaximumUtilization(Utilization.ofPercent(21.13)));
    assertThat(read.rows().getFirst().settings().mode()).isEqualTo(ExecutionMode.TRAINING);
    assertThat(read.rejected()).singleElement().asString().contains("Nasnet_Mobile");
  }

  @Test
  void refusesOtherFiles() throws IOException {
    Path other = file("other.csv", "a,b\n1,2\n");
    for (ProfileSource source :
        new ProfileSource[] {
          new LucidSource(other, LicenceScope.ANY),
          new SpreadSource(other),
          new CarmaSource(other),
          new AlnairSource(other)
        }) {
      assertThatThrownBy(source::read)
          .isInstanceOfSatisfying(
              InputException.class, e -> assertThat(e.code()).isEqualTo("data-columns"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "lucid, lucid, 48, 6",
    "spread, spread, 136, 14646",
    "carma, carma, 39, 2",
    "alnair, alnair, 31, 18",
  })
  void accountsForEveryRowOfAPublishedSet(String format, String place, int rows, int rejected) {
    Path path = OutsideData.require("data/" + place);
    ProfileSource source =
        switch (format) {
          case "lucid" -> new LucidSource(path, LicenceScope.ANY);
          case "spread" -> new SpreadSource(path);
          case "carma" -> new CarmaSource(path);
          default -> new AlnairSource(path);
        };
    ProfileSource.Result read = source.read();

    assertThat(read.rows()).hasSize(rows);
    assertThat(read.rejected()).hasSize(rejected);
  }
}
