package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Days of generated history behind a server that speaks the Prometheus API. */
class RightSizeCommandTest {
  private static final int MIB_OF_CARD = 81_000;
  private static final long HOUR = 3_600;

  private final List<Pod> pods = new ArrayList<>();
  private HttpServer server = create();

  /**
   * A pod on a GPU of its own, unless another names the same.
   *
   * @param mebibytes of which each day has its own peak of up to a tenth more
   * @param gpumem request of HAMi; 0 for a whole GPU
   * @param agoHours when it ended; 0 where it runs
   */
  private record Pod(
      String namespace,
      String name,
      String owner,
      String gpu,
      int mebibytes,
      int gpumem,
      long agoHours) {
    long used(long time) {
      SplittableRandom random = new SplittableRandom(name.hashCode() + time / (24 * HOUR));
      double peak = mebibytes * (1 + 0.1 * random.nextDouble());
      return time / HOUR % 24 == 13 ? (long) peak : mebibytes;
    }

    String labels() {
      return "\"namespace\":\"%s\",\"pod\":\"%s\"".formatted(namespace, name);
    }
  }

  private static HttpServer create() {
    try {
      return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void start() {
    server.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          byte[] answer = answer(form(body)).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    for (int i = 0; i < 3; i++) {
      pods.add(new Pod("team-a", "web-5d9c-" + i, "ReplicaSet/web-5d9c", "GPU-" + i, 10_000, 0, 0));
    }
    pods.add(new Pod("team-a", "web-1f0a-x", "ReplicaSet/web-1f0a", "GPU-3", 9_000, 0, 100));
    pods.add(new Pod("team-b", "small-0", "StatefulSet/small", "GPU-4", 3_000, 6_000, 0));
    pods.add(new Pod("team-b", "short-0", "StatefulSet/short", "GPU-5", 9_000, 8_000, 0));
    pods.add(new Pod("team-b", "train-0-x", "Job/train-0", "GPU-8", 4_000, 5_500, 0));
    pods.add(new Pod("team-b", "one", "", "GPU-6", 2_000, 4_000, 0));
    pods.add(new Pod("team-b", "two", "", "GPU-6", 2_000, 4_000, 0));
    pods.add(new Pod("team-b", "llama-0", "StatefulSet/llama", "GPU-7", 72_000, 0, 0));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private static Map<String, String> form(String body) {
    Map<String, String> form = new HashMap<>();
    for (String pair : body.split("&", -1)) {
      int at = pair.indexOf('=');
      form.put(
          pair.substring(0, at), URLDecoder.decode(pair.substring(at + 1), StandardCharsets.UTF_8));
    }
    return form;
  }

  private String answer(Map<String, String> form) {
    String query = form.getOrDefault("query", "");
    long start = Long.parseLong(form.getOrDefault("start", "0"));
    long end = Long.parseLong(form.getOrDefault("end", "0"));
    long step = Long.parseLong(form.getOrDefault("step", "1"));
    long now = System.currentTimeMillis() / 1000;
    List<String> series = new ArrayList<>();
    for (Pod pod : pods) {
      StringBuilder values = new StringBuilder();
      for (long at = start; at <= end; at += step) {
        if (at <= now - pod.agoHours * HOUR) {
          values.append(values.isEmpty() ? "" : ",").append(sample(query, pod, at));
        }
      }
      String labels = labels(query, pod);
      if (!labels.isEmpty() && !values.isEmpty()) {
        series.add("{\"metric\":{" + labels + "},\"values\":[" + values + "]}");
      }
    }
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
        + String.join(",", series)
        + "]}}";
  }

  private static String sample(String query, Pod pod, long at) {
    long value = 1;
    if (query.contains("max_over_time")) {
      value = pod.used(at);
    } else if (query.contains("FB_FREE")) {
      value = MIB_OF_CARD;
    } else if (query.contains("resource_requests")) {
      value = pod.gpumem == 0 ? 1 : pod.gpumem;
    }
    return "[" + at + ",\"" + value + "\"]";
  }

  private static String labels(String query, Pod pod) {
    String gpu = "\"UUID\":\"" + pod.gpu + "\",\"modelName\":\"NVIDIA A100-SXM4-80GB\"";
    if (query.contains("max_over_time")) {
      return gpu + "," + pod.labels();
    }
    if (query.contains("FB_FREE")) {
      return gpu;
    }
    if (query.contains("resource_requests")) {
      return pod.labels()
          + ",\"resource\":\"nvidia_com_gpu"
          + (pod.gpumem == 0 ? "" : "mem")
          + "\"";
    }
    if (query.contains("kube_pod_annotations") && pod.name.equals("small-0")) {
      return pod.labels()
          + ",\"annotation_cotenant_dev_filled\":\"{\\\"dialect\\\":\\\"hami\\\",\\\"bytes\\\":6291456000,\\\"why\\\":\\\"x\\\"}\"";
    }
    if (query.contains("kube_job_owner") && pod.owner.startsWith("Job/")) {
      return "\"namespace\":\"team-b\",\"job_name\":\"%s\",\"owner_kind\":\"JobSet\",\"owner_name\":\"train\""
          .formatted(pod.owner.substring("Job/".length()));
    }
    if (query.contains("kube_pod_owner") && !pod.owner.isEmpty()) {
      String[] owner = pod.owner.split("/", -1);
      return pod.labels()
          + ",\"owner_kind\":\"%s\",\"owner_name\":\"%s\"".formatted(owner[0], owner[1]);
    }
    if (query.contains("kube_replicaset_owner") && pod.owner.startsWith("ReplicaSet/")) {
      return "\"namespace\":\"team-a\",\"replicaset\":\"%s\",\"owner_kind\":\"Deployment\",\"owner_name\":\"web\""
          .formatted(pod.owner.substring("ReplicaSet/".length()));
    }
    return query.contains("vllm:cache_config_info") && pod.name.equals("llama-0")
        ? pod.labels()
        : "";
  }

  private CommandRun run(String... more) {
    List<Object> arguments =
        new ArrayList<>(
            List.of(
                "right-size", "--prometheus", "http://127.0.0.1:" + server.getAddress().getPort()));
    if (!Arrays.asList(more).contains("--since")) {
      arguments.addAll(List.of("--since", "8d"));
    }
    arguments.addAll(Arrays.asList(more));
    return CommandRun.of(arguments.toArray());
  }

  @Test
  void recommendsByWorkloadAndSortsByWhatIsFreed() {
    CommandRun run = run("--json", "--price", "2", "--price", "NVIDIA A100-SXM4-80GB=4");

    assertThat(run.exitCode()).as(run.err()).isZero();
    List<JsonNode> rows = run.json();
    assertThat(rows)
        .extracting(row -> row.path("workload").asText())
        .containsExactly(
            "Deployment/web", "StatefulSet/small", "JobSet/train", "StatefulSet/short");
    JsonNode web = rows.getFirst();
    long mib = 1L << 20;
    assertThat(web.path("pods").asInt()).isEqualTo(3);
    assertThat(web.path("requested_bytes").asLong()).isEqualTo(MIB_OF_CARD * mib);
    assertThat(web.path("used_max_bytes").asLong() / mib).isBetween(10_000L, 11_000L);
    assertThat(web.path("recommended_bytes").asLong() / mib).isBetween(10_000L, 13_500L);
    assertThat(web.path("freed_bytes").asLong())
        .isEqualTo(3 * (MIB_OF_CARD * mib - web.path("recommended_bytes").asLong()));
    assertThat(web.path("money_per_hour").asDouble())
        .isEqualTo(4.0 * web.path("freed_bytes").asLong() / (MIB_OF_CARD * mib));
    assertThat(web.path("back_tested").asInt()).isGreaterThan(9);
    assertThat(web.path("exceeded").asInt())
        .isLessThanOrEqualTo(web.path("back_tested").asInt() / 4);
    assertThat(web.path("probability").asDouble()).isBetween(0.9, 0.95);
    JsonNode small = rows.get(1);
    assertThat(small.path("requested_bytes").asLong()).isEqualTo(6_000 * mib);
    assertThat(small.path("predicted_bytes").asLong()).isEqualTo(6_000 * mib);
    assertThat(web.path("predicted_bytes").isNull()).isTrue();
    // More than it requests.
    assertThat(rows.getLast().path("freed_bytes").asLong()).isNegative();
    assertThat(run.err())
        .contains(
            "team-b/Pod/one: ",
            "samples show other pods on its GPUs too",
            "team-b/StatefulSet/llama: a server of a language model allocates all memory that it"
                + " gets");
  }

  @Test
  void aNamespaceAlone() {
    CommandRun run = run("--namespace", "team-a");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("Deployment/web", "windows would have been out of memory");
    assertThat(run.out() + run.err()).doesNotContain("team-b");
  }

  @Test
  void csvHasTheNamesOfTheJson() {
    List<String> lines = run("--csv").out().lines().toList();

    assertThat(lines.getFirst())
        .startsWith("namespace,workload,product,pods,gpus,requested_bytes,predicted_bytes,");
    assertThat(lines).hasSize(5);
    assertThat(lines.get(1)).startsWith("\"team-a\",\"Deployment/web\",");
    assertThat(lines).allMatch(line -> line.split(",", -1).length == 17);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--since 1x | --since must be a number and s, m, h, d or w",
        "--since 1d | --window must be at least 10m and at most half of --since",
        "--window 5m | --window must be at least 10m",
        "--price free | --price must be money per GPU hour",
        "--coverage 1.5 | --coverage",
        "--request-timeout 0 | --request-timeout must be 1 to 3600 s",
        "--namespace nobody | no series DCGM_FI_DEV_FB_USED",
        "--used-metric a(b | is not a metric name",
      })
  void refusesWhatCannotBe(String options, String message) {
    CommandRun run = run(options.split(" ", -1));

    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err()).contains(message);
  }

  @Test
  void aServerThatIsNotThereIsNamed() {
    stop();

    CommandRun run = run();

    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err().toLowerCase(Locale.ROOT)).contains("cannot be connected to");
  }
}
