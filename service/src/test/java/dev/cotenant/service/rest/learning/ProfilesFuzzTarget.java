package dev.cotenant.service.rest.learning;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.testing.FuzzOracle;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.FolderDescriptions;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.profile.ProfileRowReader;
import dev.cotenant.engine.serving.ServingMemory;
import dev.cotenant.engine.serving.ServingStart;
import dev.cotenant.engine.testing.FakeServingStore;
import dev.cotenant.engine.testing.MeasuredServers;
import dev.cotenant.llm.serving.LearnedServing;
import dev.cotenant.llm.serving.LearnedServingFile;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.serving.ServingReports;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Measured rows and starts of servers as JSON, and what is learned of the starts that are taken;
 * see {@link FuzzOracle}.
 */
public final class ProfilesFuzzTarget {
  private static final String NAMESPACE = "team-a";
  private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);
  private static final ProfileRowReader ROWS =
      new ProfileRowReader(DeviceCatalogue.builtIn(), (_, _) -> Optional.empty());
  private static final LanguageModelRuns MODELS = models();

  private ProfilesFuzzTarget() {}

  private static LanguageModelRuns models() {
    ModelRegistry registry = ModelRegistry.of(Engine.standard());
    Path description = Path.of("target", "fuzz", "llama.json");
    try {
      registry.put(
          registry.read("llama", Files.writeString(description, MeasuredServers.DESCRIPTION)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new LanguageModelRuns(
        registry,
        new FolderDescriptions(
            FolderDescriptions.Folders.NONE, FolderDescriptions.Bounds.DEFAULT, CLOCK));
  }

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] body) {
    FuzzOracle.check(() -> {
      ProfilesDocument document =
          JsonBody.read(new ByteArrayInputStream(body), ProfilesDocument.class);
      if (document.starts() == null) {
        ProfileBody.json(document)
            .lines()
            .forEach(line -> FuzzOracle.check(() -> ROWS.read(line.fields())));
      } else {
        starts(document.starts());
      }
    });
  }

  private static void starts(List<StartsDocument> starts) {
    FakeServingStore store = new FakeServingStore();
    ServingReports servers = new ServingReports(MODELS, DeviceCatalogue::builtIn, store, CLOCK);
    for (StartsDocument start : starts) {
      FuzzOracle.check(() -> {
        ServingReports.Reported reported = Required.of(start, "starts[]").reported();
        servers.add(NAMESPACE, "a caller", List.of(reported));
        ServingReports.isComplete(reported);
      });
    }
    new ServingMemory(store, CLOCK).refresh();
    for (ServingStart start : store.starts(NAMESPACE)) {
      LearnedServing learned =
          LearnedServingFile.read(start.document().getBytes(StandardCharsets.UTF_8), "stored");
      if (learned.size() != 1) {
        throw new AssertionError("is read as " + learned.size() + " starts: " + start.document());
      }
    }
  }
}
