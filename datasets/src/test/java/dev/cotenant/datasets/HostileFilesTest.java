package dev.cotenant.datasets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.datasets.colocation.GavelPairsSource;
import dev.cotenant.datasets.colocation.GpuLetsSource;
import dev.cotenant.datasets.colocation.IgniterPairsSource;
import dev.cotenant.datasets.colocation.IgniterSoloSource;
import dev.cotenant.datasets.gpumemnet.GpuMemNetSource;
import dev.cotenant.datasets.named.AlnairSource;
import dev.cotenant.datasets.named.CarmaSource;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.datasets.named.LucidSource;
import dev.cotenant.datasets.named.NamedModelsSource;
import dev.cotenant.datasets.named.SpreadSource;
import dev.cotenant.datasets.series.AlibabaGenAiSource;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that somebody damaged: every importer reads them or says what is wrong, in one line. */
class HostileFilesTest {
  private static final int VARIANTS = 300;

  /** Cells that have fooled readers of numbers. */
  private static final List<String> CELLS =
      List.of(
          "",
          "NaN",
          "-1",
          "0",
          "1e400",
          "99999999999999999999",
          "0x1F",
          "1,5",
          "\"",
          "\u0000",
          "٣",
          "a\nb",
          "-0",
          ".",
          "=1+1",
          "resnet50",
          "100.0000001",
          "1e-320");

  private static final Map<String, String> SAMPLES =
      new TreeMap<>(
          Map.of(
              "named",
              """
              source,gpu,mode,model,dataset,batch,precision,util_pct,util_definition,peak_mem_mib,note
              SPREAD,RTX2080Ti,train,ResNet18,,16,fp32,69.0,nvidia-smi gpu_util mean,1817.5,
              """,
              "lucid",
              """
              model,dataset,batchsize,amp,speed,gpu_util,gmem
              VGG,CIFAR-10,64,1,640,62.0,3642
              """,
              "spread",
              """
              model,batch,mps_pct,world_size,workers,median_iter_ms,util_mean_steady,util_max,\
              mem_peak_mib,timestamp
              MobileNet,32,100,1,1,70.7,76.36,80,3812.0,2022-08-24
              """,
              "carma",
              """
              Model,Max memory.used [MB],Run folder
              vgg,6684.0,x_--batch_size_64_--num
              """,
              "alnair",
              """
              Model,BS,MGUP
              DCGAN,32,36.6
              """,
              "gpumemnet",
              """
              source,topology,convolution_layers,linear_layers,activation_layers,batchnorm_layers,\
              dropout_layers,other_layers,parameters,input_elements,macs_per_sample,\
              activation_elements,batch_size,suspected_crash,gpu_utilization_percent,\
              peak_memory_mib,sm_active
              mlp2,u,0,3,2,2,1,1,1000,12,900,50,8,0,36.5,1475,0.2
              """,
              "gavel",
              """
              gpu,job_a,job_b,solo_a,solo_b,coloc_a,coloc_b
              v100,LM,A3C,10,20,5,15
              """,
              "igniter-pairs",
              """
              model,batch,mps_pct,co_model,co_batch,co_mps_pct,solo_ms,colocated_ms
              a,2,20,b,2,80,2.5,2.7
              """,
              "igniter-solo",
              """
              model,batch,mps_pct,latency_ms,l2_pct,dram_pct
              alexnet,2,20,2.5,5.5,10.25
              """,
              "glet",
              """
              bench,batch,l2_util(%),mem_util(%)
              bert,4,14.0,30.3
              """));

  @TempDir Path folder;

  private static Function<Path, Integer> reader(String format) {
    return switch (format) {
      case "named" -> path -> new NamedModelsSource(path, LicenceScope.ANY).read().rows().size();
      case "lucid" -> path -> new LucidSource(path, LicenceScope.ANY).read().rows().size();
      case "spread" -> path -> new SpreadSource(path).read().rows().size();
      case "carma" -> path -> new CarmaSource(path).read().rows().size();
      case "alnair" -> path -> new AlnairSource(path).read().rows().size();
      case "gpumemnet" -> path -> new GpuMemNetSource(path).read().rows().size();
      case "gavel" -> path -> new GavelPairsSource(path).read().size();
      case "igniter-pairs" -> path -> new IgniterPairsSource(path).read().size();
      case "igniter-solo" -> path -> new IgniterSoloSource(path).read().size();
      case "glet" -> path -> new GpuLetsSource(path).read().size();
      default -> path -> new AlibabaGenAiSource(path).read().devices().size();
    };
  }

  @Test
  void readsEverySample() throws IOException {
    for (Map.Entry<String, String> sample : SAMPLES.entrySet()) {
      Path file = Files.writeString(folder.resolve("f"), sample.getValue());
      assertThat(reader(sample.getKey()).apply(file)).as(sample.getKey()).isPositive();
    }
  }

  @Test
  void readsOrRefusesWhateverACellHolds() throws IOException {
    Random random = new Random(1);
    for (Map.Entry<String, String> sample : SAMPLES.entrySet()) {
      String[] lines = sample.getValue().split("\n", -1);
      String[] cells = lines[1].split(",", -1);
      for (int column = 0; column < cells.length; column++) {
        for (String cell : CELLS) {
          String[] changed = cells.clone();
          changed[column] = cell;
          read(sample.getKey(), lines[0] + "\n" + String.join(",", changed) + "\n");
        }
      }
      for (int variant = 0; variant < VARIANTS; variant++) {
        byte[] bytes = sample.getValue().getBytes(StandardCharsets.UTF_8);
        for (int change = 0; change <= variant % 4; change++) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        read(sample.getKey(), bytes);
      }
    }
  }

  private void read(String format, String text) throws IOException {
    read(format, text.getBytes(StandardCharsets.UTF_8));
  }

  private void read(String format, byte[] bytes) throws IOException {
    Path file = Files.write(folder.resolve("f"), bytes);
    try {
      assertThat(reader(format).apply(file)).isNotNegative();
    } catch (InputException e) {
      assertThat(e.getMessage()).startsWith(file.toString()).doesNotContain("\n");
    }
  }
}
