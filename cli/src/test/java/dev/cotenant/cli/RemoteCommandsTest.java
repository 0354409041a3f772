package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code explain}, {@code gpus} and {@code queue} against a service that says what it is told. */
class RemoteCommandsTest {
  private static final String WAITING =
      """
      {"pod":"team-a/train","state":"WAITING","rank":3,"since":"2026-11-21T16:20:00Z",
       "waiting_seconds":42,"fallback_in_seconds":558,"policy":"default","policy_mode":"Enforce",
       "requested":{"gpus":1,"container":"main","model":"resnet50","batch_size":64,"mode":"training"},
       "prediction":{"device":"a100-40gb","utilization_percent":{"mean":60,"lower":50,"upper":71.26},
         "peak_memory_bytes":{"mean":1,"lower":1,"upper":7516192768}},
       "decision":{"workload":"team-a/train","verdict":"Held","grants":[],"reasons":[
         {"number":1,"code":"UtilizationExceeded","message":"GPU-1 on gpu-1: sums to 134.7 %",
          "numbers":{}},
         {"number":2,"code":"NoMetrics","message":"GPU-2 on gpu-2: has no memory samples",
          "numbers":{}}]},
       "reason_count":14,
       "largest_fitting_batch":{"batch_size":24,"gpu":"GPU-1","node":"gpu-1"},
       "candidates":[{"gpu":"GPU-1","node":"gpu-1","device":"a100-40gb","tenants":["team-b/x"],
         "summed_utilization_percent":63.4,"observed_utilization_percent":70.0,
         "unattributed_utilization_percent":6.6,"utilization_limit_percent":100.0,
         "summed_memory_bytes":1073741824,"used_memory_bytes":2147483648,
         "forecast_memory_bytes":3221225472,"unattributed_memory_bytes":1073741824,
         "memory_limit_bytes":40000000000,"metrics":"fresh"}]}
      """;

  @TempDir private Path folder = Path.of("");

  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
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
    asked.add(exchange.getRequestURI().toString());
    bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    boolean refused = wantsToken && !"Bearer secret-token-0123".equals(authorization);
    String body = answers.getOrDefault(exchange.getRequestURI().getPath(), "<html>not here</html>");
    byte[] bytes = (refused ? "" : body).getBytes(StandardCharsets.UTF_8);
    if (status == 503) {
      exchange.getResponseHeaders().add("Retry-After", "5");
    }
    exchange.sendResponseHeaders(refused ? 401 : status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private CommandRun run(String... arguments) {
    List<Object> all = new ArrayList<>(List.of((Object[]) arguments));
    all.add("--url");
    all.add("http://127.0.0.1:" + server.getAddress().getPort());
    return CommandRun.of(all.toArray());
  }

  @Test
  void uploadsAPredictorAndSaysHowItIsPromoted() throws IOException {
    Path file = Files.writeString(folder.resolve("mine.zip"), "PK and so on");
    answers.put("/v1/predictors", "{\"version\":\"mine-1f0c\",\"kind\":\"regressor\"}");

    CommandRun run = run("upload", file.toString());

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .isEqualTo(
            "mine-1f0c (regressor): promote it with POST /v1/predictors/mine-1f0c/promotion.\n");
    assertThat(bodies).containsExactly("PK and so on");
  }

  @Test
  void explainsAPodThatWaits() {
    answers.put("/v1/explain/team-a/train", WAITING);
    CommandRun run = run("explain", "pod/train", "-n", "team-a");

    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines())
        .startsWith(
            "team-a/train: queue position 3, waiting for 42 s, 9 m 18 s left (policy default, mode"
                + " Enforce)",
            "  asks for 1 GPU(s), model resnet50, batch 64, training",
            "  predicted on a100-40gb: utilization at most 71.3 %, peak memory at most 7 GiB",
            "  1. UtilizationExceeded: GPU-1 on gpu-1: sums to 134.7 %",
            "  2. NoMetrics: GPU-2 on gpu-2: has no memory samples",
            "  and 12 more",
            "  What would fit: batch 24, on GPU-1 of node gpu-1");
    assertThat(run.out()).contains("team-b/x", "63.4 %", "6.6 %", "2 GiB");
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void saysOnWhichRunsAPredictionRests() {
    String measured =
        "},'measured_here':{'targets':['utilization','peak_memory'],'runs':3,"
            + "'last_at':'2026-11-20T14:07:31Z'}},";
    answers.put(
        "/v1/explain/team-a/train", WAITING.replace("}},\n", measured.replace('\'', '"') + "\n"));

    assertThat(run("explain", "pod/train", "-n", "team-a").out())
        .contains(
            "  utilization and peak memory measured here in 3 run(s) of the same,"
                + " the last until 2026-11-20T14:07:31Z");
  }

  @Test
  void looksInTheDefaultNamespaceAndEscapesNames() {
    run("explain", "train");
    run("explain", "pod/a b", "-n", "x?y");
    assertThat(asked).containsExactly("/v1/explain/default/train", "/v1/explain/x%3Fy/a%20b");
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
  void listsWhatWaits() {
    answers.put("/v1/queue", "{\"controller\":true,\"waiting\":[" + WAITING + "]}");
    CommandRun run = run("queue", "--limit", "7");
    assertThat(asked).containsExactly("/v1/queue?limit=7");
    assertThat(run.out().lines().toList().getLast())
        .contains(
            "team-a/train", "42 s", "9 m 18 s", "resnet50", "UtilizationExceeded and 13 more");
    answers.put("/v1/queue", "{\"controller\":false,\"waiting\":[]}");
    assertThat(run("queue").out()).contains("mode Immediate");
  }

  @Test
  void listsGpusWithTheirTenants() {
    answers.put(
        "/v1/gpus",
        """
        {"source":"recorded","description":"Two.","utilization_limit_percent":100.0,"gpus":[
          {"uuid":"GPU-1","node":"gpu-1","device":"a100-40gb","capacity_bytes":42949672960,
           "tenancy":"shared","tenants":[{"name":"team-b/x"}],"summed_utilization_percent":34.7,
           "metrics":"fresh","used_bytes":6442450944,"age_seconds":12},
          {"uuid":"GPU-2","node":"gpu-2","device":"a100-40gb","capacity_bytes":42949672960,
           "tenancy":"exclusive","holder":"team-b/big","tenants":[],
           "summed_utilization_percent":0,"metrics":"missing"}]}
        """);
    assertThat(run("gpus").out())
        .contains("fresh, 12 s", "team-b/x", "34.7 %", "6 GiB", "team-b/big (whole)", "missing");
  }

  @Test
  void looksAtOneNamespaceWhereToldTo() {
    answers.put("/v1/gpus", "{\"gpus\":[]}");
    answers.put("/v1/queue", "{\"controller\":true,\"waiting\":[]}");

    assertThat(run("gpus", "-n", "team-a").exitCode()).isZero();
    assertThat(run("queue", "--namespace", "x&y").exitCode()).isZero();
    assertThat(asked)
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
    answers.put("/v1/gpus", "{\"gpus\":[]}");
    Path file = Files.writeString(folder.resolve("token"), "secret-token-0123\n");

    assertThat(run("gpus", "--token-file", file.toString()).exitCode()).isZero();
    assertThat(run("gpus", "--token", "secret-token-0123").exitCode()).isZero();
    assertThat(run("gpus").err()).contains("wants a token: give one with --token-file");
    assertThat(run("gpus", "--token", "wrong").err()).contains("does not accept this token");
  }

  static List<Arguments> answersThatAreNone() {
    return List.of(
        Arguments.of(200, "<html>Welcome</html>", "answered no answer of Cotenant"),
        Arguments.of(200, "", "answered no answer of Cotenant"),
        Arguments.of(200, "[]", "answered no answer of Cotenant"),
        Arguments.of(200, "{\"items\":[]}", "answered no answer of Cotenant"),
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
    assertThat(run.errorLines()).singleElement().asString().contains("port-forward", "--url");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void wantsACertificateOfHttps() {
    CommandRun run = CommandRun.of("gpus", "--url", "https://127.0.0.1:" + port());
    assertThat(run.errorLines()).singleElement().asString().contains("127.0.0.1");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  private int port() {
    return server.getAddress().getPort();
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
      })
  void isBadUsageInOneLine(String line) {
    CommandRun run = CommandRun.of((Object[]) line.split(" "));
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.exitCode()).isEqualTo(2);
  }
}
