package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands about a running service, against one that says what it is told. */
class RemoteCommandsTest {
  private static final String WAITING =
      "{\"pod\":\"team-a/train\",\"state\":\"WAITING\",\"rank\":3}";

  private static final int NARROW = 60;
  private static final String PASSWORD = "test-only";

  @TempDir private Path folder = Path.of("");

  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final List<String> requested = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
  private volatile String type = "application/json";
  private volatile boolean wantsToken;
  private HttpServer server = create();

  private static HttpServer create() {
    try {
      return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @BeforeEach
  void start() {
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    requested.add(exchange.getRequestURI().toString());
    bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    boolean refused = wantsToken && !"Bearer secret-token-0123".equals(authorization);
    String body = answers.getOrDefault(exchange.getRequestURI().getPath(), "<html>not here</html>");
    byte[] bytes = (refused ? "" : body).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", type);
    if (status == 503) {
      exchange.getResponseHeaders().add("Retry-After", "5");
    }
    exchange.sendResponseHeaders(refused ? 401 : status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private CommandRun run(String... arguments) {
    return runOfWidth(Integer.MAX_VALUE, arguments);
  }

  private CommandRun runOfWidth(int characters, String... arguments) {
    List<Object> all = new ArrayList<>(List.of((Object[]) arguments));
    all.add("--url");
    all.add("http://127.0.0.1:" + server.getAddress().getPort());
    return CommandRun.ofWidth(characters, all.toArray());
  }

  @Test
  void uploadsAPredictorAndSaysHowItIsPromoted() throws IOException {
    Path file = Files.writeString(folder.resolve("mine.zip"), "PK and so on");
    answers.put("/v1/predictors", "{\"version\":\"mine-1f0c\",\"kind\":\"regressor\"}");

    CommandRun run = run("upload", file.toString());

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .isEqualTo("mine-1f0c (regressor): ./cotenant promote mine-1f0c activates it.\n");
    assertThat(bodies).containsExactly("PK and so on");
  }

  @Test
  void listsAndDeletesModels() {
    answers.put(
        "/v1/models",
        "{\"models\":[{\"name\":\"m\",\"sha256\":\"5f3a\",\"kind\":\"graph\",\"references\":[]}]}");
    answers.put("/v1/models/a b", "{\"name\":\"a b\"}");

    assertThat(run("models").out()).containsPattern("m +graph +5f3a");
    assertThat(run("models", "--json").json()).hasSize(1);
    assertThat(run("models", "--delete", "a b").out()).isEqualTo("Model a b is deleted.\n");
    assertThat(requested).containsExactly("/v1/models", "/v1/models", "/v1/models/a%20b");
  }

  @Test
  void registersAGraphAndReplacesIt() throws IOException {
    Path file = Files.writeString(folder.resolve("net.onnx"), "a graph");
    answers.put("/v1/models/net", "{\"name\":\"net\",\"sha256\":\"5f3a\"}");
    answers.put("/v1/models", "{\"models\":[{\"name\":\"net\",\"sha256\":\"1c0d\"}]}");

    assertThat(run("upload", file.toString()).out())
        .isEqualTo("net (sha256:5f3a) is registered.\n");
    assertThat(run("upload", file.toString(), "--replace").exitCode()).isZero();
    assertThat(requested).containsExactly("/v1/models/net", "/v1/models", "/v1/models/net");
    assertThat(bodies).containsExactly("a graph", "", "a graph");
    assertThat(run("upload", folder.resolve("none.onnx").toString()).err()).contains("none.onnx");
  }

  @Test
  void listsRowsPageByPage() {
    answers.put(
        "/v1/profiles",
        "{\"count\":1,\"next\":0,\"profiles\":[{\"number\":7,\"namespace\":\"team-a\",\"fields\":"
            + "{\"topology\":\"resnet18\",\"device\":\"t4\",\"batch_size\":\"8\","
            + "\"source\":\"user anna: lab\"}}]}");

    assertThat(run("rows", "list", "--source", "user anna: lab", "--device", "t4").out())
        .containsPattern("7 +resnet18 +t4 +- +8 +- +- +team-a +user anna: lab");
    assertThat(run("rows", "list", "--json").json()).hasSize(1);
    assertThat(requested)
        .containsExactly(
            "/v1/profiles?after=0&limit=1000&source=user%20anna%3A%20lab&device=t4",
            "/v1/profiles?after=0&limit=1000");
  }

  @Test
  void tablesFitANarrowTerminal() {
    answers.put(
        "/v1/profiles",
        "{\"count\":1,\"next\":0,\"profiles\":[{\"number\":123456,\"namespace\":\"team-a\","
            + "\"fields\":{\"family\":\"densenet121-big-batch\",\"device\":\"rtx-pro-6000\","
            + "\"mode\":\"inference\",\"batch_size\":\"8\",\"utilization_percent\":\"81.25\","
            + "\"peak_memory_bytes\":\"12345678901\",\"source\":\"user anna: lab\"}}]}");
    answers.put(
        "/v1/models",
        "{\"models\":[{\"name\":\"a-language-model-of-a-team-with-a-long-name\","
            + "\"sha256\":\"5f3a00060000\",\"kind\":\"language-model\"}]}");
    answers.put(
        "/v1/predictors",
        "{\"predictors\":[{\"version\":\"corrected-0123456789\",\"kind\":\"correction\","
            + "\"origin\":\"trained\",\"created_at\":\"2026-11-21T12:00:00Z\","
            + "\"promoted\":true}]}");

    assertThat(narrow("rows", "list"))
        .anyMatch(line -> line.contains("12345678901"))
        .allMatch(line -> line.length() <= NARROW);
    assertThat(narrow("models"))
        .anyMatch(line -> line.contains("language-model"))
        .allMatch(line -> line.length() <= NARROW);
    assertThat(narrow("versions"))
        .anyMatch(line -> line.contains("trained"))
        .allMatch(line -> line.length() <= NARROW);
  }

  private List<String> narrow(String... arguments) {
    return runOfWidth(NARROW, arguments).out().lines().toList();
  }

  @Test
  void addsRowsAndNamesThoseThatAreRejected() throws IOException {
    Path file = Files.writeString(folder.resolve("runs.csv"), "device,batch_size\nt4,8\nt4,x\n");
    answers.put(
        "/v1/profiles",
        "{\"received\":2,\"added\":1,\"duplicates\":0,\"ignored_columns\":[\"who\"],"
            + "\"rejected\":[{\"line\":3,\"reason\":\"batch_size is 'x'\"}]}");

    CommandRun run = run("rows", "add", file.toString(), "-n", "team-a");

    assertThat(run.out()).isEqualTo("1 added, 0 stored before, 1 rejected\n");
    assertThat(run.errorLines())
        .containsExactly(
            "note: column who means nothing", "cotenant: " + file + ":3: batch_size is 'x'");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(requested).containsExactly("/v1/profiles?namespace=team-a");
    assertThat(bodies.getFirst()).startsWith("device,batch_size\n");
  }

  @Test
  void withdrawsRowsByNumberOrSource() {
    answers.put("/v1/profiles", "{\"withdrawn\":40}");
    answers.put("/v1/profiles/7", "{\"withdrawn\":1}");

    assertThat(run("rows", "withdraw", "--source", "a b").out())
        .isEqualTo("40 rows are withdrawn.\n");
    assertThat(run("rows", "withdraw", "--row", "7").out()).isEqualTo("1 row is withdrawn.\n");
    assertThat(requested).containsExactly("/v1/profiles?source=a%20b", "/v1/profiles/7");
  }

  @Test
  void deletesVersionsAndCancelsTrainings() {
    answers.put("/v1/predictors/corrected-2", "{\"version\":\"corrected-2\"}");
    answers.put(
        "/v1/trainings", "{\"trainings\":[{\"id\":\"t-1\",\"state\":\"queued\",\"step\":\"\"}]}");
    answers.put("/v1/trainings/t-1", "{\"id\":\"t-1\",\"state\":\"cancelled\"}");

    assertThat(run("versions", "--delete", "corrected-2").out())
        .isEqualTo("Version corrected-2 is deleted.\n");
    assertThat(run("trainings").out()).containsPattern("t-1 +queued +- +-");
    assertThat(run("trainings", "--cancel", "t-1").out()).isEqualTo("Training t-1 is cancelled.\n");
  }

  @Test
  void promotesAVersionAndGoesBack() {
    String promotion = "{\"number\":2,\"sha256\":\"5f3a\",\"reason\":\"a drill\"}";
    answers.put("/v1/predictors/corrected-2/promotion", promotion);
    answers.put("/v1/predictors/rollback", promotion);
    answers.put(
        "/v1/predictors",
        "{\"predictors\":[{\"version\":\"corrected-2\",\"kind\":\"correction\",\"origin\":\"trained\","
            + "\"created_at\":\"2026-11-21T12:00:00Z\",\"promoted\":true}]}");

    assertThat(run("versions").out()).containsPattern("corrected-2 +correction +trained .* yes");
    assertThat(run("promote", "corrected-2", "--override", "a drill").out())
        .isEqualTo("Promotion 2: sha256:5f3a serves (a drill).\n");
    assertThat(run("rollback", "--reason", "worse").exitCode()).isZero();
    assertThat(run("rollback").exitCode()).isEqualTo(2);
    assertThat(bodies)
        .containsExactly("", "{\"override_reason\":\"a drill\"}", "{\"reason\":\"worse\"}");
  }

  @Test
  void trainsInTheService() {
    status = 202;
    answers.put("/v1/trainings", "{\"id\":\"t-1\",\"state\":\"queued\",\"step\":\"\"}");
    answers.put(
        "/v1/trainings/t-1",
        "{\"id\":\"t-1\",\"state\":\"finished\",\"version\":\"corrected-2\",\"message\":\"learned.\"}");
    CommandRun run = run("train", "--service");
    assertThat(run.out())
        .isEqualTo("queued\nfinished: learned.\n./cotenant promote corrected-2 activates it.\n");
    assertThat(run.exitCode()).isZero();

    answers.put(
        "/v1/trainings/t-1", "{\"id\":\"t-1\",\"state\":\"failed\",\"message\":\"too few rows\"}");
    assertThat(run("train", "--service").exitCode()).isEqualTo(1);
  }

  @Test
  void printsTheTextOfTheServiceWithoutControlCharacters() {
    answers.put("/v1/explain/team-a/train", "team-a/train: queue position 3\n  \u001b[2Jred\n");
    answers.put("/v1/queue", "No pod waits.\n");
    answers.put("/v1/gpus", "node  gpu\n");
    type = "text/plain;charset=UTF-8";

    assertThat(run("explain", "pod/train", "-n", "team-a").out())
        .isEqualTo("team-a/train: queue position 3\n   [2Jred\n");
    assertThat(run("queue", "--limit", "7").out()).isEqualTo("No pod waits.\n");
    assertThat(run("gpus").out()).isEqualTo("node  gpu\n");
    assertThat(requested)
        .containsExactly(
            "/v1/explain/team-a/train?output=text",
            "/v1/queue?limit=7&output=text",
            "/v1/gpus?output=text");
  }

  @Test
  void looksInTheDefaultNamespaceAndEscapesNames() {
    run("explain", "train");
    run("explain", "pod/a b", "-n", "x?y");
    assertThat(requested)
        .containsExactly(
            "/v1/explain/default/train?output=text", "/v1/explain/x%3Fy/a%20b?output=text");
  }

  @Test
  void passesAnswersOnAsJson() {
    answers.put("/v1/explain/team-a/train", WAITING);
    answers.put("/v1/queue", "{\"controller\":true,\"waiting\":[" + WAITING + "]}");
    answers.put("/v1/gpus", "{\"gpus\":[{\"uuid\":\"GPU-1\"},{\"uuid\":\"GPU-2\"}]}");

    assertThat(run("explain", "pod/train", "-n", "team-a", "--json").json())
        .singleElement()
        .satisfies(pod -> assertThat(pod.path("rank").asInt()).isEqualTo(3));
    assertThat(run("queue", "--json").json()).hasSize(1);
    assertThat(run("gpus", "--json").json()).hasSize(2);
  }

  @Test
  void looksAtOneNamespaceWhereToldTo() {
    answers.put("/v1/gpus", "{\"gpus\":[]}");
    answers.put("/v1/queue", "{\"controller\":true,\"waiting\":[]}");

    assertThat(run("gpus", "-n", "team-a", "--json").exitCode()).isZero();
    assertThat(run("queue", "--namespace", "x&y", "--json").exitCode()).isZero();
    assertThat(requested)
        .containsExactly("/v1/gpus?namespace=team-a", "/v1/queue?limit=100&namespace=x%26y");
  }

  @Test
  void passesOnWhichRightIsMissing() {
    status = 403;
    answers.put(
        "/v1/gpus",
        "{\"code\":\"forbidden\",\"detail\":\"user anna may not list gpus.cotenant.dev in the whole"
            + " cluster.\"}");
    CommandRun run = run("gpus");

    assertThat(run.errorLines()).singleElement().asString().contains("may not list gpus");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void presentsItsToken() throws IOException {
    wantsToken = true;
    answers.put("/v1/gpus", "node\n");
    type = "text/plain";
    Path file = Files.writeString(folder.resolve("token"), "secret-token-0123\n");

    assertThat(run("gpus", "--token-file", file.toString()).exitCode()).isZero();
    assertThat(run("gpus", "--token", "secret-token-0123").exitCode()).isZero();
    assertThat(run("gpus").err()).contains("requires a token: give one with --token-file");
    assertThat(run("gpus", "--token", "wrong").err()).contains("does not accept this token");
  }

  static List<Arguments> answersThatAreNone() {
    return List.of(
        Arguments.of(200, "<html>Welcome</html>", "answered no Cotenant response"),
        Arguments.of(200, "", "answered no Cotenant response"),
        Arguments.of(200, "[]", "answered no Cotenant response"),
        Arguments.of(200, "{\"items\":[]}", "answered no Cotenant response"),
        Arguments.of(404, "<html>", "answered status 404 without a word"),
        Arguments.of(500, "", "answered status 500 without a word"),
        Arguments.of(
            503,
            "{\"detail\":\"This replica does not lead: ask 'cotenant-1'.\"}",
            "ask 'cotenant-1'. Try again in 5 s."),
        Arguments.of(404, "{\"detail\":\"Nothing is known of pod 'a/b'\\nat all.\"}", "at all."));
  }

  @ParameterizedTest
  @MethodSource("answersThatAreNone")
  void saysInOneLineWhatIsNoAnswer(int code, String body, String says) {
    status = code;
    answers.put("/v1/gpus", body);
    CommandRun run = run("gpus");
    assertThat(run.err()).contains(says);
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void saysWhatToDoWhereNothingListens() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    CommandRun run = CommandRun.of("queue", "--url", "http://127.0.0.1:" + port);
    assertThat(run.errorLines())
        .singleElement()
        .asString()
        .contains("'./cotenant serve' starts", "--url", "'kubectl cotenant'");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void wantsACertificateOfHttps() throws Exception {
    SSLServerSocketFactory factory = selfSigned().getServerSocketFactory();
    try (ServerSocket own = factory.createServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      Thread.startVirtualThread(() -> shakeHands(own));
      CommandRun run = CommandRun.of("gpus", "--url", "https://127.0.0.1:" + own.getLocalPort());
      assertThat(run.errorLines())
          .singleElement()
          .asString()
          .contains("127.0.0.1", "unable to find valid certification path");
      assertThat(run.exitCode()).isEqualTo(1);
    }
  }

  private static void shakeHands(ServerSocket own) {
    while (!own.isClosed()) {
      try (Socket caller = own.accept()) {
        caller.getInputStream().read();
      } catch (IOException refused) {
        // by the caller
      }
    }
  }

  private SSLContext selfSigned() throws Exception {
    Path store = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                "EC",
                "-dname",
                "CN=own",
                "-ext",
                "san=ip:127.0.0.1",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray()), PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gpus --url nonsense",
        "gpus --url ftp://x",
        "gpus --url http://",
        "gpus --url http://x/?q=1",
        "gpus --token a --token-file b",
        "explain",
        "explain deploy/x/y",
        "explain pod/",
        "rows",
        "rows add",
        "rows withdraw",
        "rows withdraw --row 1 --source a",
        "rows withdraw --row one",
      })
  void isBadUsageInOneLine(String line) {
    CommandRun run = CommandRun.of((Object[]) line.split(" "));
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.exitCode()).isEqualTo(2);
  }
}
