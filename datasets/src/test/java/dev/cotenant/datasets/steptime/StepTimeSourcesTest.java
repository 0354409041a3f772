package dev.cotenant.datasets.steptime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StepTimeSourcesTest {
  private static final String INFERENCE =
      "model,infer_img_size,infer_samples_per_sec,infer_step_time,infer_batch_size,param_count,"
          + "infer_gmacs,infer_macts\n";
  private static final String TRAINING =
      "model,train_samples_per_sec,train_step_time,train_batch_size,train_img_size,param_count\n";

  @TempDir private Path folder;

  private Path file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content);
  }

  @Test
  void readsTimmWithDeviceAndStackOfTheFileName() throws IOException {
    file(
        "benchmark-infer-amp-nchw-pt291-cu130-5090.csv",
        INFERENCE + "resnet50,224,2000,512,1024,25.56,4.11,11.11\n");
    StepTimeRun run = new TimmSource(folder).read().runs().getFirst();
    assertThat(run.part().device().id().value()).isEqualTo("rtx-5090");
    assertThat(run.stack()).isEqualTo("pt291-nchw");
    assertThat(run.settings().precision()).isEqualTo(Precision.AMP);
    assertThat(run.network()).isEqualTo(new StepTimeRun.Network("resnet50", "resnet", 224));
    assertThat(run.seconds()).isCloseTo(0.512, within(1e-9));
    assertThat(run.work().macs()).isCloseTo(4.11e9, within(1.0));
  }

  @Test
  void findsDevicesThatAreNamedInOtherWays() throws IOException {
    for (String name : new String[] {"rtx-pro-6000", "pro6000", "rtxpro6000", "rtx6000pro"}) {
      file(
          "benchmark-infer-amp-nchw-pt291-cu130-" + name + ".csv",
          INFERENCE + "resnet50,224,2000,512,1024,25.56,4.11,11.11\n");
    }
    assertThat(new TimmSource(folder).read().runs())
        .hasSize(4)
        .allSatisfy(run -> assertThat(run.part().device().id().value()).isEqualTo("rtx-pro-6000"));
  }

  /** 448 pixels have four times the multiply-accumulates of 224. */
  @Test
  void joinsTrainingWithInferenceByModelAndSize() throws IOException {
    file(
        "benchmark-infer-amp-nchw-pt240-cu124-rtx3090.csv",
        INFERENCE + "a,224,2000,512,1024,25.56,4,11\n");
    file(
        "benchmark-train-amp-nhwc-pt112-cu113-rtx3090.csv",
        TRAINING + "a,500,1000,512,224,25.56\na,100,1000,100,448,25.56\nb,1,1,1,224,1\n");
    StepTimeSource.Result read = new TimmSource(folder).read();
    assertThat(read.runs())
        .filteredOn(run -> run.settings().mode() == ExecutionMode.TRAINING)
        .extracting(run -> run.work().macs())
        .containsExactly(4e9, 16e9);
    assertThat(read.rejected()).singleElement().asString().contains(".csv:4: model 'b'");
  }

  @Test
  void readsSlicesAndCopiesOfParvaGpu() throws IOException {
    Path file =
        file(
            "profile.csv",
            """
            model,gpu,mig_gpcs,batch,mps_processes,throughput,latency_s
            inceptionv3,A100-80GB,3,8,2,400,0.02
            resnet50,A100-80GB,1,256,5,0,0
            nonet,A100-80GB,1,1,1,10,0.1
            resnet50,A100-80GB,9,1,1,10,0.1
            resnet50,G200,1,1,1,10,0.1
            """);
    StepTimeSource.Result read = new ParvaGpuSource(file).read();
    StepTimeRun run = read.runs().getFirst();
    assertThat(read.runs()).hasSize(1);
    assertThat(run.seconds()).isCloseTo(0.02, within(1e-12));
    assertThat(run.copies()).isEqualTo(2);
    assertThat(run.part().device().bandwidthGigabytesPerSecond()).isEqualTo(2039);
    assertThat(run.part().memoryShare()).isEqualTo(0.5);
    assertThat(read.rejected())
        .satisfiesExactly(
            line -> assertThat(line).contains("profile.csv:3: throughput is 0"),
            line -> assertThat(line).contains("profile.csv:4: model 'nonet' has no graph"),
            line -> assertThat(line).contains("profile.csv:5: mig_gpcs '9'"),
            line -> assertThat(line).contains("profile.csv:6: gpu 'G200' is not a device"));
  }

  /** BERT has its vocabulary head in training alone. */
  @Test
  void countsOneTransformerLayer() throws IOException {
    Path file =
        file(
            "labels.csv",
            """
            device,model,mode,seq,batch,variant,ops,sum_op_ms
            NVIDIA_L4,bert_large,inf,512,16,,79,30
            Tesla_T4,bert_large,train,512,2,,82,16
            Tesla_T4,mystery,inf,512,2,,82,16
            Tesla_T4,bert_large,inf,512,2,fused,82,16
            """);
    StepTimeSource.Result read = new NeuSightSource(file).read();
    assertThat(read.runs()).hasSize(2);
    assertThat(read.runs().get(0).part().device().id().value()).isEqualTo("l4");
    assertThat(read.runs().get(0).work().batch()).isEqualTo(8192);
    assertThat(read.runs().get(0).work().macs())
        .isEqualTo(4.0 * 1024 * 1024 + 2.0 * 1024 * 4096 + 2.0 * 512 * 1024);
    assertThat(read.runs().get(1).work().macs() - read.runs().get(0).work().macs())
        .isEqualTo(1024.0 * 30_522);
    assertThat(read.rejected()).hasSize(2);
  }

  @Test
  void readsSharesOfTensorRt() throws IOException {
    Path file = file("solo.csv", "model,batch,mps_pct,latency_ms\nvgg19,8,40,33.2\nssd,8,40,51\n");
    StepTimeSource.Result read = new IgniterStepTimeSource(file).read();
    assertThat(read.runs()).hasSize(1);
    assertThat(read.runs().getFirst().settings().framework()).isEqualTo(Framework.TENSORRT);
    assertThat(read.runs().getFirst().part().smShare()).isEqualTo(0.4);
    assertThat(read.rejected()).singleElement().asString().contains("ssd");
  }

  @Test
  void namesFileLineAndColumnOfHostileCells() throws IOException {
    Path file =
        file(
            "benchmark-infer-amp-nchw-pt291-cu130-5090.csv",
            INFERENCE
                + "a,224,-1,5,1024,25,4,11\n"
                + "b,224,NaN,5,1024,25,4,11\n"
                + "c,224,10,5,1024,25,1e999,11\n"
                + "d,99999999,10,5,1024,25,4,11\n"
                + "e,224\n");
    assertThat(new TimmSource(file).read().rejected())
        .hasSize(5)
        .allSatisfy(line -> assertThat(line).contains("5090.csv:"))
        .satisfies(lines -> assertThat(lines.getFirst()).contains("infer_samples_per_sec '-1'"));
  }

  @Test
  void refusesWhatIsNoSuchSet() throws IOException {
    assertThatThrownBy(() -> new TimmSource(folder).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("has no file benchmark-");
    Path other = file("results.csv", INFERENCE);
    assertThatThrownBy(() -> new TimmSource(other).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("results.csv: the name must be");
    assertThatThrownBy(() -> new ParvaGpuSource(other).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("columns are missing: gpu");
    assertThatThrownBy(() -> new NeuSightSource(folder.resolve("none.csv")).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("does not exist");
  }
}
