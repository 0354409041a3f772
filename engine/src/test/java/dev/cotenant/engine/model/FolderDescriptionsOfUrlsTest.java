package dev.cotenant.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.source.AllowedUrls;
import dev.cotenant.llm.source.ModelReader;
import dev.cotenant.llm.source.SourceLimits;
import dev.cotenant.llm.source.UrlReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FolderDescriptionsOfUrlsTest {
  private static final String MODEL = "https://models.example/org/llama";
  private static final Duration AMPLE = Duration.ofSeconds(30);

  @TempDir Path folder;

  private Instant now = Instant.parse("2026-11-24T12:00:00Z");
  private final List<RuntimeException> failures = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();

  @BeforeEach
  void writeModel() throws IOException {
    Files.writeString(folder.resolve("config.json"), LlamaRuns.CONFIG);
  }

  /** A host that answers unless a failure is set. */
  private LanguageModel answer(String url) {
    asked.add(url);
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
    return ModelReader.standard().read(folder);
  }

  private void fails(RuntimeException with) {
    failures.clear();
    failures.add(with);
  }

  private FolderDescriptions descriptions() {
    InstantSource clock = () -> now;
    AllowedUrls allowed =
        AllowedUrls.of(
            List.of("https://models.example/", "https://models.example:8443/"), List.of());
    return new FolderDescriptions(
        FolderDescriptions.Folders.NONE,
        UrlReader.of(allowed),
        new UrlModels(this::answer, clock, Duration.ofSeconds(30)),
        FolderDescriptions.Bounds.DEFAULT,
        clock);
  }

  private FolderDescriptions reading(int port, Duration time) {
    AllowedUrls allowed = AllowedUrls.of(List.of(), List.of("https://localhost:" + port + "/org/"));
    return new FolderDescriptions(
        FolderDescriptions.Folders.NONE,
        new UrlReader(allowed, SourceLimits.DEFAULT, time, 1 << 20, null),
        FolderDescriptions.Bounds.DEFAULT,
        () -> now);
  }

  private static boolean read(FolderDescriptions descriptions, String url)
      throws InterruptedException {
    descriptions.find("team-a", url);
    return descriptions.readNextUrl(Duration.ofMillis(1));
  }

  private static String why(FolderDescriptions descriptions, String reference) {
    return ((Described.Missing) descriptions.find("team-a", reference)).why();
  }

  @Test
  void allowedUrlsAreReadByAnotherThreadThanFolders() throws InterruptedException {
    FolderDescriptions descriptions = reading(1, AMPLE);
    String model = "https://localhost:1/org/llama/";

    assertThat(descriptions.find("team-a", model)).isInstanceOf(Described.BeingRead.class);
    assertThat(descriptions.readNext(Duration.ofMillis(1))).isFalse();
    assertThat(descriptions.readNextUrl(Duration.ofMillis(1))).isTrue();
    assertThat(why(descriptions, model)).startsWith(model + ": its host cannot be reached");
    assertThat(why(descriptions, "https://localhost:1/other/llama/"))
        .contains("below an allowed URL");
  }

  @Test
  void aSlowHostHoldsUpItsModelsOnce() throws IOException, InterruptedException {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      FolderDescriptions descriptions = reading(silent.getLocalPort(), Duration.ofMillis(300));
      String models = "https://localhost:" + silent.getLocalPort() + "/org/";
      read(descriptions, models + "first");
      read(descriptions, models + "second");

      assertThat(why(descriptions, models + "first")).contains("took more than 300 ms");
      assertThat(why(descriptions, models + "second")).contains("did not respond in time");
    }
  }

  @Test
  void aSlowHostIsOneHoweverItIsWritten() throws InterruptedException {
    FolderDescriptions descriptions = descriptions();
    fails(InputException.malformed(UrlReader.TOO_SLOW, "too slow."));
    read(descriptions, MODEL);
    failures.clear();

    read(descriptions, "https://MODELS.example/org/other");
    read(descriptions, "https://models.example:443/org/other");
    assertThat(asked).containsExactly(MODEL);
    read(descriptions, "https://models.example:8443/org/other");
    assertThat(asked).hasSize(2);
    now = now.plusSeconds(31);
    read(descriptions, "https://MODELS.example/org/other");
    assertThat(asked).hasSize(3);
    assertThat(descriptions.find("team-a", "https://MODELS.example/org/other"))
        .isInstanceOf(Described.Known.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {UrlReader.UNREADABLE, UrlReader.TOO_SLOW})
  void whatIsKnownOutlastsAHostThatFailsForADay(String code) throws InterruptedException {
    FolderDescriptions descriptions = descriptions();
    read(descriptions, MODEL);
    fails(InputException.malformed(code, "status 503 in place of 200."));

    for (Duration later : List.of(Duration.ofMinutes(11), Duration.ofHours(23))) {
      now = now.plus(later);
      assertThat(read(descriptions, MODEL)).isFalse();
      assertThat(descriptions.find("team-a", MODEL)).isInstanceOf(Described.Known.class);
    }
    now = now.plus(Duration.ofHours(1));
    assertThat(read(descriptions, MODEL)).isTrue();
    assertThat(why(descriptions, MODEL)).isEqualTo("status 503 in place of 200");
    failures.clear();
    now = now.plusSeconds(31);
    assertThat(read(descriptions, MODEL)).isTrue();
    assertThat(descriptions.find("team-a", MODEL)).isInstanceOf(Described.Known.class);
  }

  @Test
  void aHostThatFailsIsAskedAgainSoon() throws InterruptedException {
    FolderDescriptions descriptions = descriptions();
    read(descriptions, MODEL);
    fails(InputException.malformed(UrlReader.UNREADABLE, "status 503."));
    now = now.plus(Duration.ofMinutes(11));
    read(descriptions, MODEL);

    read(descriptions, MODEL);
    assertThat(asked).hasSize(2);
    now = now.plusSeconds(31);
    read(descriptions, MODEL);
    assertThat(asked).hasSize(3);
  }

  @Test
  void aModelThatIsGoneIsMissingAtOnce() throws InterruptedException {
    FolderDescriptions descriptions = descriptions();
    read(descriptions, MODEL);
    fails(InputException.notFound("model-not-found", "config.json does not exist."));
    now = now.plus(Duration.ofMinutes(11));

    assertThat(read(descriptions, MODEL)).isTrue();
    assertThat(why(descriptions, MODEL)).isEqualTo("config.json does not exist");
  }

  @Test
  void whyAHostIsNotReachedIsForTheLogAlone() throws InterruptedException {
    FolderDescriptions descriptions = descriptions();
    List<String> lines = new ArrayList<>();
    Logger logger = Logger.getLogger(UrlModels.class.getName());
    Handler handler = new Lines(lines);
    logger.addHandler(handler);
    try {
      for (String problem : List.of("its host is unknown", "its server is not trusted")) {
        fails(
            new InputException(
                InputException.Kind.MALFORMED,
                UrlReader.UNREADABLE,
                MODEL + "/config.json: cannot be read: " + problem + ".",
                new IOException(problem)));
        read(descriptions, MODEL);
        read(descriptions, MODEL + "2");
        assertThat(why(descriptions, MODEL))
            .isEqualTo(
                MODEL
                    + ": its host cannot be reached, is not trusted or does not answer;"
                    + " the log of the reader says which");
        now = now.plusSeconds(31);
      }
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst()).contains("its host is unknown");
    assertThat(lines.getLast()).contains("its server is not trusted");
  }

  private static final class Lines extends Handler {
    private final List<String> lines;

    private Lines(List<String> lines) {
      this.lines = lines;
    }

    @Override
    public void publish(LogRecord line) {
      lines.add(line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
