package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.engine.model.Described;
import dev.cotenant.engine.model.FolderDescriptions;
import dev.cotenant.llm.source.AllowedUrls;
import dev.cotenant.llm.source.UrlReader;
import dev.cotenant.service.supervision.LoopFaults;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ModelReadingTest {
  /** Of reading one model. */
  private static final Duration MAX_SILENCE = Duration.ofSeconds(61);

  /** Nothing listens there. */
  private static final String NOWHERE = "https://127.0.0.1:1/";

  @TempDir private Path hub = Path.of("");

  private static FolderDescriptions descriptions(FolderDescriptions.Folders folders) {
    return new FolderDescriptions(
        folders, FolderDescriptions.Bounds.DEFAULT, InstantSource.system());
  }

  private static FolderDescriptions urls() {
    return new FolderDescriptions(
        FolderDescriptions.Folders.NONE,
        UrlReader.of(AllowedUrls.of(List.of(), List.of(NOWHERE))),
        FolderDescriptions.Bounds.DEFAULT,
        InstantSource.system());
  }

  @ParameterizedTest
  @EnumSource
  void theReaderOfFoldersIsHealedOrEndsTheProcess(Fault.Kind kind) {
    heals(
        new LoopFaults("model-descriptions", kind),
        descriptions(new FolderDescriptions.Folders(hub, Map.of())),
        "org/");
  }

  @ParameterizedTest
  @EnumSource
  void theReaderOfUrlsIsHealedOrEndsTheProcess(Fault.Kind kind) {
    heals(new LoopFaults("model-urls", kind), urls(), NOWHERE);
  }

  /**
   * Strikes when the first model was read.
   *
   * @param where no model is
   */
  private static void heals(LoopFaults faults, FolderDescriptions descriptions, String where) {
    Polling polling = new Polling(faults.process().supervisor);
    polling.onRefresh(faults::strike);
    ModelReading reading =
        new ModelReading(
            descriptions, faults.process().supervisor, polling, new SimpleMeterRegistry());
    reading.start();
    descriptions.find("team-a", where + "first");

    faults.assertHealed(MAX_SILENCE);
    if (faults.isSurvived()) {
      Eventually.holds(
          "it reads again",
          () -> descriptions.find("team-a", where + "second") instanceof Described.Missing);
    }
    reading.stop();
  }

  @Test
  void readsUrlsInALoopOfTheirOwn() {
    LoopFaults faults = new LoopFaults("none", Fault.Kind.HANG);
    ModelReading reading =
        new ModelReading(
            urls(),
            faults.process().supervisor,
            new Polling(faults.process().supervisor),
            new SimpleMeterRegistry());

    reading.start();

    assertThat(faults.process().supervisor.loops()).hasSize(1);
    reading.stop();
  }

  @Test
  void readsNothingWithoutFolders() {
    LoopFaults faults = new LoopFaults("none", Fault.Kind.HANG);
    ModelReading reading =
        new ModelReading(
            descriptions(FolderDescriptions.Folders.NONE),
            faults.process().supervisor,
            new Polling(faults.process().supervisor),
            new SimpleMeterRegistry());

    reading.start();

    assertThat(faults.process().supervisor.loops()).isEmpty();
    reading.stop();
  }
}
