package dev.cotenant.datasets.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.llm.MeasuredRuns;
import dev.cotenant.llm.tuning.TuningRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanguageModelSourceTest {
  private static final String HEADER =
      "model,method,lora_r,lora_targets,quantization,seq_tokens,micro_batch,config_devices,"
          + "fsdp_activation_checkpointing,gpu,trainable_params,exclude,peak_allocated_gb,status\n";

  private static final String CONFIG =
      """
      {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
       "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 100}
      """;

  @TempDir private Path folder = Path.of("");

  private LanguageModelSource.Result litgpt(String row) throws IOException {
    Path model = Files.createDirectories(folder.resolve("models").resolve("litgpt--tiny-llama"));
    Files.writeString(model.resolve("config.json"), CONFIG);
    Files.writeString(folder.resolve("litgpt.csv"), HEADER + row + "\n");
    return new LanguageModelSource(folder).read(List.of());
  }

  @Test
  void readsJobsAndThoseOutOfMemory() throws IOException {
    TuningRun ran =
        litgpt("litgpt/tiny-llama,lora,8,query;value,bnb.nf4,512,2,1,false,A10G-24GB,,,1.5,ok")
            .runs()
            .tuning()
            .getFirst();
    assertThat(ran.bytes()).isEqualTo(1.5e9);
    assertThat(ran.family()).isEqualTo("tiny");
    assertThat(ran.model().quantization().method()).isEqualTo("nf4");
    TuningRun out =
        litgpt("litgpt/tiny-llama,full,,,,512,4,4,true,A10G-24GB,,,,oom")
            .runs()
            .tuning()
            .getFirst();
    assertThat(out.ranOut()).isTrue();
    assertThat(out.limitBytes()).isBetween(25e9, 26e9);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "litgpt/gone,full,,,,512,4,1,false,A10G-24GB,,,5,ok | has no config.json",
        "../../etc,full,,,,512,4,1,false,A10G-24GB,,,5,ok | not the name of a model",
        "litgpt/tiny-llama,full,,,,512,4,1,false,GTX,,,5,ok | gpu 'GTX'",
        "litgpt/tiny-llama,full,,,,-1,4,1,false,A10G-24GB,,,5,ok | seq_tokens '-1'",
        "litgpt/tiny-llama,full,,,magic,512,4,1,false,A10G-24GB,,,5,ok | quantization 'magic'",
        "litgpt/tiny-llama,full,,,,512,4,1,false,A10G-24GB,,,NaN,ok | peak_allocated_gb 'NaN'",
        "litgpt/tiny-llama,full,,,,512,4,1,false,A10G-24GB,,,5,lost | status 'lost'",
        "litgpt/tiny-llama,full,,,,512,4,1,false,A10G-24GB,,misprint,5,ok | misprint",
        "litgpt/tiny-llama,full | ends before column"
      })
  void rejectsRowsWithTheReason(String row, String reason) throws IOException {
    LanguageModelSource.Result read = litgpt(row);
    assertThat(read.runs().size()).isZero();
    assertThat(read.rejected()).singleElement().asString().contains("litgpt.csv:2", reason);
  }

  @Test
  void findsModelsInFoldersReadBefore() throws IOException {
    litgpt("litgpt/tiny-llama,full,,,,512,4,1,false,A10G-24GB,,,5,ok");
    Path other = Files.createDirectories(folder.resolve("other"));
    Files.copy(folder.resolve("litgpt.csv"), other.resolve("litgpt.csv"));
    LanguageModelSource source = new LanguageModelSource(other);
    assertThat(source.read(List.of()).runs().size()).isZero();
    assertThat(source.read(List.of(folder)).runs().size()).isEqualTo(1);
  }

  @Test
  void namesAFolderWithoutAnyFile() {
    assertThatThrownBy(() -> new LanguageModelSource(folder).read(List.of()))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("holds none of");
  }

  @Test
  void readsThePublishedRows() {
    LanguageModelSource.Result read =
        new LanguageModelSource(OutsideData.require("data/llm")).read(List.of());
    MeasuredRuns runs = read.runs();
    assertThat(runs.serving()).hasSize(44);
    assertThat(runs.tuning()).hasSize(187);
    assertThat(runs.generation()).hasSize(184);
    assertThat(read.rejected()).hasSize(35);
  }
}
