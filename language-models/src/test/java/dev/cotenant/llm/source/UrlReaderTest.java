package dev.cotenant.llm.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.source.FakeModelHost.Script;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlReaderTest {
  private static final String TENSOR =
      "{\"w\": {\"dtype\": \"BF16\", \"shape\": [500], \"data_offsets\": [0, 1000]}}";
  private static final String INDEX =
      "{\"weight_map\": {\"a\": \"a.safetensors\", \"b\": \"b.safetensors\"}}";
  private static final byte[] SHARD = withWeights(ModelFolder.safetensors(TENSOR), 1000);

  /** More than any host takes that ends by itself, also on a loaded machine. */
  private static final Duration AMPLE = Duration.ofSeconds(60);

  /** Of the hosts that never end. */
  private static final Duration SHORT = Duration.ofMillis(1500);

  @TempDir private static Path folder = Path.of("");

  private static FakeModelHost host;

  @BeforeAll
  static void start() throws IOException, GeneralSecurityException, InterruptedException {
    host = new FakeModelHost(folder);
    for (String model : List.of("/org/llama/", "/org/sharded/", "/org/lacking/", "/org/far/")) {
      host.file(model + "config.json", bytes(ModelFolder.LLAMA));
    }
    host.file("/org/llama/model.safetensors", SHARD);
    for (String model : List.of("/org/sharded/", "/org/lacking/")) {
      host.file(model + "model.safetensors.index.json", bytes(INDEX));
      host.file(model + "a.safetensors", SHARD);
    }
    host.file("/org/sharded/b.safetensors", SHARD);
    host.file("/org/small.gguf", withWeights(ModelFolder.gguf().bytes(), 1 << 20));
    host.script("/org/far/model.safetensors", to("/cdn/blob?Signature=secret"));
    host.file("/cdn/blob", SHARD);
    host.script("/org/away/config.json", to("https://elsewhere.example/config.json?t=secret"));
    host.script("/org/aside/config.json", to("/private/config.json"));
    host.script("/org/upward/config.json", to("/cdn/%2e%2e/private/config.json"));
    host.script("/org/plain/config.json", to("http://localhost/org/config.json"));
    host.script("/org/circle/config.json", to("/org/circle/config.json"));
    host.script("/org/nowhere/config.json", to("::"));
    host.script("/org/deep/config.json", to("/org" + "/a".repeat(3_000)));
  }

  @AfterAll
  static void stop() {
    host.close();
  }

  private static UrlReader reader(Duration time, long most) {
    AllowedUrls allowed = AllowedUrls.of(List.of(), List.of(host.url("/org/"), host.url("/cdn/")));
    return new UrlReader(allowed, SourceLimits.DEFAULT, time, most, host.tls());
  }

  private static LanguageModel read(String path) {
    return reader(AMPLE, 1 << 20).read(host.url(path));
  }

  private static void assertRefused(String path, String why) {
    assertRefused(reader(AMPLE, 1 << 20), path, why);
  }

  private static void assertRefused(UrlReader reader, String path, String why) {
    assertThatThrownBy(() -> reader.read(host.url(path)))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(host.url(path))
        .hasMessageContaining(why)
        .message()
        .doesNotContain("secret");
  }

  @Test
  void asksOnceForTheBeginOfAFile() {
    LanguageModel model = read("/org/llama/");

    assertThat(Objects.requireNonNull(model.stored()).bytes()).isEqualTo(1000);
    assertThat(host.asked())
        .filteredOn(request -> request.startsWith("/org/llama/model.safetensors "))
        .containsOnly("/org/llama/model.safetensors bytes=0-65535");
  }

  @Test
  void asksOnceMoreForTheRestOfALongHeader() {
    String padded = TENSOR + " ".repeat(100_000);
    host.file("/org/long/config.json", bytes(ModelFolder.LLAMA));
    host.file("/org/long/model.safetensors", withWeights(ModelFolder.safetensors(padded), 1000));

    assertThat(Objects.requireNonNull(read("/org/long/").stored()).bytes()).isEqualTo(1000);
    assertThat(host.asked())
        .filteredOn(request -> request.startsWith("/org/long/model.safetensors "))
        .containsExactly(
            "/org/long/model.safetensors bytes=0-65535",
            "/org/long/model.safetensors bytes=65536-" + (7 + padded.length()));
  }

  @Test
  void aFileThatIsShorterThanAnyHeaderIsNamed() {
    host.file("/org/tiny/config.json", bytes(ModelFolder.LLAMA));
    host.file("/org/tiny/model.safetensors", new byte[4]);

    assertRefused("/org/tiny/", "it is shorter than 8 bytes");
  }

  @Test
  void readsWhatAFolderHoldsWhereverItLies() {
    assertThat(Objects.requireNonNull(read("/org/sharded").stored()).bytes()).isEqualTo(2000);
    LanguageModel lacking = read("/org/lacking/");
    assertThat(lacking.stored()).isNull();
    assertThat(lacking.warnings())
        .contains("1 of 2 shards are missing: weights are counted from config.json");
    assertThat(read("/org/llama/config.json").stored()).isNull();
    assertThat(read("/org/small.gguf").vocabulary()).isEqualTo(1000);
  }

  @Test
  void followsRedirectsBelowTheAllowedUrlsAlone() {
    assertThat(Objects.requireNonNull(read("/org/far/").stored()).bytes()).isEqualTo(1000);
    assertRefused("/org/away/", "elsewhere.example/config.json, which is not allowed");
    assertRefused("/org/aside/", "/private/config.json, which is not allowed");
    assertRefused("/org/upward/", "which is not allowed");
    assertRefused("/org/plain/", "which is not allowed");
    assertRefused("/org/circle/", "redirects more than 3 times");
    assertRefused("/org/nowhere/", "redirects to an invalid URL");
    assertRefused("/org/deep/", "redirects to a URL of more than 4096 characters");
    assertThat(host.asked()).noneMatch(request -> request.startsWith("/private"));
  }

  private static Stream<Arguments> hostileShards() {
    return Stream.of(
        Arguments.of("whole", answering(200, null, SHARD), "status 200 in place of 206"),
        Arguments.of("error", answering(500, null, bytes("x")), "status 500"),
        Arguments.of("shifted", answering(206, "bytes 1-8/1080", new byte[8]), "other bytes"),
        Arguments.of("unnamed", answering(206, null, new byte[8]), "other bytes"),
        Arguments.of("endless-size", answering(206, "bytes 0-7/*", new byte[8]), "other bytes"),
        Arguments.of("short", answering(206, "bytes 0-7/1080", new byte[4]), "other bytes"),
        Arguments.of(
            "long", answering(206, "bytes 0-7/1080", new byte[70_000]), "no answer within"),
        Arguments.of("longer", answering(206, "bytes 0-7/1080", new byte[1080]), "other bytes"),
        Arguments.of("endless", endless(206), "no answer within"),
        Arguments.of("endless-error", endless(500), "status 500"),
        Arguments.of("big-headers", bigHeaders(), "no answer within"),
        Arguments.of("claims-much", claiming(90_000_000, 100_000_000), "larger than a model's"),
        Arguments.of("claims-more", claiming(1L << 40, 1L << 41), "is above 100000000"),
        Arguments.of("claims-beyond", claiming(1L << 40, 1000), "is not in the file"));
  }

  @ParameterizedTest
  @MethodSource("hostileShards")
  void aHostileHostEndsWithAReason(String name, Script script, String why) {
    host.file("/org/" + name + "/config.json", bytes(ModelFolder.LLAMA));
    host.script("/org/" + name + "/model.safetensors", script);

    assertRefused("/org/" + name + "/", why);
  }

  private static Stream<Arguments> endlessShards() {
    return Stream.of(
        Arguments.of("slow", slow()),
        Arguments.of("silent", (Script) _ -> Thread.sleep(Duration.ofMinutes(1))));
  }

  @ParameterizedTest
  @MethodSource("endlessShards")
  void aHostThatTakesTooLongIsLeft(String name, Script script) {
    host.file("/org/" + name + "/config.json", bytes(ModelFolder.LLAMA));
    host.script("/org/" + name + "/model.safetensors", script);

    assertRefused(
        reader(SHORT, 1 << 20), "/org/" + name + "/", "its server took more than 1500 ms");
  }

  @Test
  void aDocumentIsBounded() {
    host.script("/org/endless-config/config.json", endless(200));

    assertRefused("/org/endless-config/", "no answer within the limits");
    assertThatThrownBy(() -> read("/org/none/"))
        .hasMessageContaining("/org/none/config.json does not exist");
  }

  @Test
  void theBytesOfAModelAreBoundedInAll() {
    int documents = ModelFolder.LLAMA.length() + INDEX.length();

    assertRefused(reader(AMPLE, documents + 20), "/org/sharded/", "larger than a model's may be");
  }

  @Test
  void aHostThatIsNotTrustedIsNotRead() throws GeneralSecurityException {
    UrlReader reader = UrlReader.of(AllowedUrls.of(List.of(), List.of(host.url("/org/"))));

    assertRefused(reader, "/org/llama/", "is not trusted");
  }

  @Test
  void privateAddressesMustBeListedAsSuch() {
    UrlReader reader =
        new UrlReader(
            AllowedUrls.of(List.of(host.url("/org/")), List.of()),
            SourceLimits.DEFAULT,
            AMPLE,
            1 << 20,
            host.tls());

    assertRefused(reader, "/org/llama/", "its host has a private address");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.0.0.8",
        "192.168.1.1",
        "198.19.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "2001::1",
        "fc00::1",
        "fd12::1",
        "fe80::1",
        "ff02::1"
      })
  void knowsPrivateAddresses(String address) throws IOException {
    assertThat(PublicAddresses.hold(InetAddress.getByName(address))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.1.1.1", "18.164.174.1", "100.128.0.1", "2600:9000:2000::1"})
  void knowsPublicAddresses(String address) throws IOException {
    assertThat(PublicAddresses.hold(InetAddress.getByName(address))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "https://models.example/org/llama/, true",
    "https://MODELS.example:443/org/llama, true",
    "https://models.example/organisation/llama, false",
    "https://models.example/org, false",
    "https://models.example/, false",
    "https://models.example:8443/org/llama, false",
    "https://models.example.evil.example/org/llama, false",
    "https://evil.example/https://models.example/org/, false",
    "http://models.example/org/llama, false",
    "https://user:secret@models.example/org/llama, false",
    "https://models.example/org/llama?token=secret, false",
    "https://models.example/org/llama#a, false",
    "https://models.example/org/../secret, false",
    "https://models.example/org/%2e%2e/secret, false",
    "https://models.example/org//llama, false",
    "https://models.example\\@evil.example/org/, false",
    "https:/models.example/org/llama, false",
    "https://[models.example/org/, false",
    "file:///org/llama, false",
    "'', false",
  })
  void allowsWhatLiesBelowAPrefix(String url, boolean isAllowed) {
    UrlReader reader =
        UrlReader.of(AllowedUrls.of(List.of("https://models.example/org/"), List.of()));

    assertThat(reader.mayRead(url)).isEqualTo(isAllowed);
    assertThat(UrlReader.of(AllowedUrls.NONE).mayRead(url)).isFalse();
    if (!isAllowed) {
      assertThatThrownBy(() -> reader.read(url))
          .isInstanceOf(InputException.class)
          .message()
          .doesNotContain("secret@", "=secret");
    }
  }

  @Test
  void boundsTheLengthOfAUrlBeforeItReadsIt() throws URISyntaxException {
    AllowedUrls allowed = AllowedUrls.of(List.of("https://models.example/org/"), List.of());
    URI from = new URI("https://models.example/org/llama");
    String segments = "/org" + "/a".repeat(100_000);

    assertThat(allowed.redirected(from, "/org" + "/a".repeat(2_000)).getRawPath())
        .hasSize(4 + 4_000);
    assertThatThrownBy(() -> allowed.redirected(from, segments))
        .hasMessageContaining("more than 4096 characters");
    assertThatThrownBy(() -> allowed.require("https://models.example" + segments))
        .hasMessageContaining("more than 512 characters");
  }

  @Test
  void anOriginIsOneHoweverItIsWritten() {
    assertThat(AllowedUrls.origin("https://MODELS.example/org/a"))
        .isEqualTo(AllowedUrls.origin("https://models.example:443/org/b"))
        .isNotEqualTo(AllowedUrls.origin("https://models.example:8443/org/b"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "models.example/",
        "http://models.example/",
        "https://models.example",
        "https:///org/",
        "https://models.example/org",
        "https://u@models.example/",
        "https://models.example/?a=b/",
        "https://*/",
        ""
      })
  void aPrefixIsAnHttpsAddressWithASlash(String prefix) {
    assertThatThrownBy(() -> AllowedUrls.of(List.of(prefix), List.of()))
        .isInstanceOf(InputException.class);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] withWeights(byte[] header, int count) {
    return Arrays.copyOf(header, header.length + count);
  }

  private static Script to(String location) {
    return exchange -> {
      exchange.getResponseHeaders().set("Location", location);
      exchange.sendResponseHeaders(302, -1);
    };
  }

  private static Script answering(int status, @Nullable String range, byte[] content) {
    return exchange -> {
      if (range != null) {
        exchange.getResponseHeaders().set("Content-Range", range);
      }
      FakeModelHost.send(exchange, status, content);
    };
  }

  private static Script endless(int status) {
    return exchange -> {
      exchange.getResponseHeaders().set("Content-Range", "bytes 0-7/1000000");
      exchange.sendResponseHeaders(status, 0);
      byte[] junk = new byte[1 << 16];
      while (true) {
        exchange.getResponseBody().write(junk);
      }
    };
  }

  private static Script slow() {
    return exchange -> {
      exchange.getResponseHeaders().set("Content-Range", "bytes 0-7/1000000");
      exchange.sendResponseHeaders(206, 8);
      for (int i = 0; i < 8; i++) {
        exchange.getResponseBody().write(0);
        exchange.getResponseBody().flush();
        Thread.sleep(Duration.ofSeconds(5));
      }
    };
  }

  private static Script bigHeaders() {
    return exchange -> {
      for (int i = 0; i < 1000; i++) {
        exchange.getResponseHeaders().set("X-" + i, "x".repeat(1000));
      }
      exchange.sendResponseHeaders(206, 8);
    };
  }

  /** The first eight bytes state a header of so many. */
  private static Script claiming(long header, long file) {
    byte[] begin =
        ByteBuffer.allocate((int) Math.min(file, 1 << 16))
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(header)
            .array();
    return answering(206, "bytes 0-" + (begin.length - 1) + "/" + file, begin);
  }
}
