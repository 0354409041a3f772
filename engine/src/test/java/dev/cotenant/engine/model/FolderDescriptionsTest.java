package dev.cotenant.engine.model;

import static dev.cotenant.engine.model.LlamaRuns.folders;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FolderDescriptionsTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "/models/../../etc, neither registered nor below",
    "/etc/passwd, neither registered nor below",
    "../secret, neither registered nor below",
    "org/../../etc, neither registered nor below",
    "https://host/model, neither registered nor below",
    "/models/a b, neither registered nor below",
    "/models/a\u0000b, neither registered nor below",
    "org/a\u0000b, neither registered nor below",
  })
  void readsNothingOutsideTheFolders(String reference, String reason) {
    FolderDescriptions folders =
        folders(new FolderDescriptions.Folders(folder, Map.of("/models", folder)));

    assertThat(folders.find("team-a", reference))
        .isInstanceOfSatisfying(
            Described.Missing.class, missing -> assertThat(missing.why()).contains(reason));
  }

  @Test
  void aFolderWithoutAModelIsMissingWithThePlaceThatWasLookedIn() throws InterruptedException {
    FolderDescriptions folders = folders(new FolderDescriptions.Folders(folder, Map.of()));

    folders.find("team-a", "org/none");
    folders.readNext(Duration.ofMillis(1));

    assertThat(folders.find("team-a", "org/none"))
        .isInstanceOfSatisfying(
            Described.Missing.class,
            missing ->
                assertThat(missing.why()).contains("it was looked for in " + folder, "org/none"));
  }

  @Test
  void aFolderThatIsNotReadKeepsNoPodWaiting() throws InterruptedException {
    Instant[] now = {Instant.parse("2026-11-23T12:00:00Z")};
    FolderDescriptions folders =
        new FolderDescriptions(
            new FolderDescriptions.Folders(folder, Map.of()),
            new FolderDescriptions.Bounds(100, 2, 1 << 20),
            () -> now[0]);
    assertThat(folders.find("team-a", "org/hangs")).isInstanceOf(Described.BeingRead.class);
    now[0] = now[0].plusSeconds(60);
    assertThat(folders.find("team-a", "org/hangs")).isInstanceOf(Described.BeingRead.class);
    now[0] = now[0].plusSeconds(1);

    for (String model : List.of("org/hangs", "org/beyond-the-queue")) {
      assertThat(folders.find("team-a", model))
          .isInstanceOfSatisfying(
              Described.Missing.class,
              missing -> assertThat(missing.why()).contains("not be read within 60 s"));
    }
    assertThat(folders.readNext(Duration.ofMillis(1))).isTrue();
    assertThat(folders.readNext(Duration.ofMillis(1))).isFalse();
  }

  @Test
  void anUnreadableFolderBlocksNoOther() throws IOException, InterruptedException {
    Path unreadable = Files.createDirectories(folder.resolve("org/unreadable"));
    Files.createDirectories(unreadable.resolve("config.json"));
    FolderDescriptions folders = folders(new FolderDescriptions.Folders(folder, Map.of()));
    folders.find("team-a", "org/unreadable");
    folders.find("team-a", "org/none");

    assertThat(folders.readNext(Duration.ofMillis(1))).isTrue();
    assertThat(folders.readNext(Duration.ofMillis(1))).isTrue();
    assertThat(folders.readNext(Duration.ofMillis(1))).isFalse();
    assertThat(folders.find("team-a", "org/unreadable"))
        .isInstanceOfSatisfying(
            Described.Missing.class,
            missing -> assertThat(missing.why()).contains("it was looked for in " + unreadable));
  }

  @Test
  void oneNamespaceNeitherFillsTheCacheNorTheQueue() throws InterruptedException {
    FolderDescriptions folders =
        new FolderDescriptions(
            new FolderDescriptions.Folders(folder, Map.of()),
            new FolderDescriptions.Bounds(100, 8, 1 << 20),
            InstantSource.system());
    folders.find("team-b", "org/kept");
    assertThat(folders.readNext(Duration.ofMillis(1))).isTrue();
    for (int i = 0; i < 1_000; i++) {
      assertThat(folders.find("team-a", "org/m" + i)).isInstanceOf(Described.BeingRead.class);
      if (i % 2 == 0) {
        folders.readNext(Duration.ofMillis(1));
      }
    }

    assertThat(folders.use()[0]).isLessThanOrEqualTo(8 + 1);
    assertThat(folders.find("team-b", "org/kept")).isInstanceOf(Described.Missing.class);
  }

  @Test
  void theBytesOfDescriptionsAreBounded() throws InterruptedException {
    FolderDescriptions folders =
        new FolderDescriptions(
            new FolderDescriptions.Folders(folder, Map.of()),
            new FolderDescriptions.Bounds(10_000, 10_000, 50_000),
            InstantSource.system());
    for (int i = 0; i < 200; i++) {
      folders.find("n" + i, "org/m" + i);
      folders.readNext(Duration.ofMillis(1));
    }

    assertThat(folders.use()[1]).isLessThanOrEqualTo(50_000);
  }
}
