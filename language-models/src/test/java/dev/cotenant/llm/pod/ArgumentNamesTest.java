package dev.cotenant.llm.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.source.ModelFolder;
import dev.cotenant.llm.source.ModelReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The published names of flags are those that readers look for. */
class ArgumentNamesTest {
  @TempDir private Path folder = Path.of("");

  /** Flags that note which are looked for. */
  private static final class Noted extends AbstractMap<String, Value> {
    private final Set<String> names = new TreeSet<>();
    private final Map<String, Value> held;

    Noted(Map<String, Value> held) {
      this.held = held;
    }

    @Override
    public @Nullable Value get(@Nullable Object name) {
      names.add(String.valueOf(name));
      return held.get(name);
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
      names.add(String.valueOf(name));
      return held.containsKey(name);
    }

    @Override
    public Set<Entry<String, Value>> entrySet() {
      return held.entrySet();
    }
  }

  @Test
  void ofTraining() {
    Noted full = new Noted(Map.of());
    Noted lora = new Noted(Map.of("use-peft", new Value("true", "args")));
    for (Noted flags : List.of(full, lora)) {
      TrainingArguments.of(new Workload.Training("torchrun", null, null, flags, List.of()), null);
    }
    full.names.addAll(lora.names);
    assertThat(full.names).containsExactlyInAnyOrderElementsOf(TrainingArguments.NAMES);
  }

  @Test
  void ofServing() throws IOException {
    LanguageModel model = ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA));
    Noted flags = new Noted(Map.of());
    VllmArguments.of(VllmVersion.MEASURED, flags);
    VllmArguments.modelAsRun(model, flags);
    assertThat(flags.names).containsExactlyInAnyOrderElementsOf(VllmArguments.NAMES);
  }

  @Test
  void ofOtherServersAndOfGeneration() throws IOException {
    LanguageModel model = ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA));
    Noted others = new Noted(Map.of());
    for (String engine : OtherArguments.ENGINES) {
      OtherArguments.of(engine, model, others);
    }
    OtherArguments.modelAsRun(model, others);
    assertThat(others.names).containsExactlyInAnyOrderElementsOf(OtherArguments.NAMES);
    Noted generation = new Noted(Map.of());
    GenerationArguments.of(model, null, generation);
    assertThat(GenerationArguments.NAMES).containsAll(generation.names);
  }
}
