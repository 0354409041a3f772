package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LearnCommandTest {
  private static final String CONFIG =
      """
      {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
       "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
       "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": false,
       "torch_dtype": "bfloat16"}
      """;

  @TempDir private Path folder = Path.of("");

  private Path model() throws IOException {
    Path model = Files.createDirectories(folder.resolve("llama"));
    Files.writeString(model.resolve("config.json"), CONFIG);
    return model;
  }

  /** A start of vLLM 0.24 whose CUDA graphs take so much. */
  private Path log(int number, double graphs) throws IOException {
    return Files.writeString(
        folder.resolve("engine" + number + ".log"),
        String.format(
            Locale.ROOT,
            """
            INFO [entrypoints/utils.py:299] version 0.24.0
            INFO non-default args: {'model': 'a/llama', 'max_model_len': 8192}
            DEBUG Defaulting max_num_batched_tokens to 8192 for OPENAI_API_SERVER usage context.
            DEBUG Defaulting max_num_seqs to 1024 for OPENAI_API_SERVER usage context.
            DEBUG snapshot: total_memory=79.19GiB, cuda_memory=0.51GiB, torch_memory=0.0GiB
            INFO Model loading took 14.99 GiB memory and 6.9 seconds
            DEBUG torch peak memory increase: 1.89GiB; non-torch forward increase memory: 0.25GiB; w
            INFO Available KV cache memory: 54.%d GiB
            INFO GPU KV cache size: 440,032 tokens
            INFO Graph capturing finished in 3 secs, took %.2f GiB
            """,
            10 + number,
            graphs));
  }

  private CommandRun learn(Object... logs) throws IOException {
    List<Object> arguments =
        new ArrayList<>(
            List.of(
                "learn",
                "vllm-log",
                "--volume",
                "a/llama=" + model(),
                "--constants",
                folder.resolve("constants.json"),
                "--json"));
    arguments.addAll(List.of(logs));
    return CommandRun.of(arguments.toArray());
  }

  private long graphs(String... more) throws IOException {
    List<Object> arguments =
        new ArrayList<>(
            List.of(
                "predict",
                model(),
                "--engine-version",
                "0.24",
                "--max-model-len",
                "8192",
                "--device",
                "h100-80gb",
                "--json"));
    arguments.addAll(List.of(more));
    return CommandRun.of(arguments.toArray())
        .only()
        .path("parts")
        .path("cuda_graph_bytes")
        .asLong();
  }

  @Test
  void predictionsFollowTheLogsOfARelease() throws IOException {
    long before = graphs();
    for (int i = 0; i < 4; i++) {
      CommandRun run = learn(log(i, 2.0));
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.only().path("in_force").asText()).isEqualTo(i < 3 ? "shipped" : "learnt");
    }
    String constants = folder.resolve("constants.json").toString();
    double gib = 1L << 30;
    double shipped = before / gib;
    assertThat(graphs("--constants", constants) / gib)
        .isCloseTo(shipped + (2.0 - shipped) * 4 / 6, within(0.02));
    assertThat(graphs()).isEqualTo(before);
    JsonNode again = learn(log(0, 2.0)).only();
    assertThat(again.path("starts").asInt()).isEqualTo(4);
  }

  @Test
  void namesWhatItCannotLearnFrom() throws IOException {
    Path binary = Files.write(folder.resolve("binary"), new byte[] {0, 1, (byte) 0xff, 27, '['});
    CommandRun nothing = learn(binary);
    assertThat(nothing.exitCode()).isEqualTo(1);
    assertThat(nothing.err()).contains("binary: holds no start of vLLM");
    CommandRun unknown =
        CommandRun.of("learn", "vllm-log", "--constants", folder.resolve("c.json"), log(1, 2.0));
    assertThat(unknown.err()).contains("--volume a/llama=DIR");
    Path broken = Files.writeString(folder.resolve("broken.json"), "{\"format\": 7}");
    CommandRun refused = CommandRun.of("learn", "vllm-log", "--constants", broken, log(1, 2.0));
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.errorLines()).hasSize(1);
    assertThat(refused.err()).contains("broken.json", "write it with 'learn vllm-log'");
    assertThat(
            CommandRun.of(
                    "predict", model(), "--device", "l4", "--constants", folder.resolve("gone"))
                .err())
        .contains("gone cannot be read");
    assertThat(CommandRun.of("learn").err()).contains("vllm-log, vllm-metrics");
  }

  @Test
  void aStartWithARefusedArgumentIsSkipped() throws IOException {
    Path bad = log(9, 1.0);
    Files.writeString(
        bad, Files.readString(bad).replace("'max_model_len': 8192", "'max_model_len': 'many'"));
    CommandRun run = learn(bad, log(1, 2.0));
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.only().path("starts").asInt()).isEqualTo(1);
    assertThat(run.err()).contains("skipped: ", "engine9.log:1: --max-model-len many");
    assertThat(learn(bad).exitCode()).isEqualTo(1);
  }

  /** Answers range queries about one server whose used share repeats from 0.2 to 0.6. */
  private static HttpServer metrics(boolean exports) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/api/v1/query_range",
        exchange -> {
          String form =
              URLDecoder.decode(
                  new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
                  StandardCharsets.UTF_8);
          boolean info = form.contains("cache_config_info");
          long start = number(form, "start");
          long end = number(form, "end");
          long step = number(form, "step");
          StringBuilder values = new StringBuilder();
          for (long t = start; t <= end; t += step) {
            double share =
                form.contains("num_requests_running")
                    ? 8
                    : form.contains("num_requests_waiting")
                        ? 0
                        : 0.2 + 0.4 * (t / 3600 % 5) / 5 + 0.001 * (t / step % 7);
            values
                .append(values.isEmpty() ? "" : ",")
                .append("[" + t + ",\"" + (info ? 1 : share) + "\"]");
          }
          String labels =
              "\"pod\":\"p-1\",\"instance\":\"10.0.0.1:8000\",\"engine\":\"0\""
                  + (info
                      ? ",\"num_gpu_blocks\":\"1000\",\"block_size\":\"16\""
                      : ",\"model_name\":\"llama\"");
          String young = labels.replace("p-1", "p-2");
          String last = "[" + (end - end % step) + ",\"" + (info ? 1 : 0.5) + "\"]";
          byte[] answer =
              ("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":["
                      + (exports
                          ? "{\"metric\":{"
                              + labels
                              + "},\"values\":["
                              + values
                              + "]},"
                              + "{\"metric\":{"
                              + young
                              + "},\"values\":["
                              + last
                              + "]}"
                          : "")
                      + "]}}")
                  .getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static long number(String form, String name) {
    Matcher matcher = Pattern.compile("(?:^|&)" + name + "=([0-9]+)").matcher(form);
    return matcher.find() ? Long.parseLong(Objects.requireNonNull(matcher.group(1))) : 0;
  }

  private CommandRun demand(HttpServer server, Object... more) throws IOException {
    List<Object> arguments =
        new ArrayList<>(
            List.of(
                "learn",
                "vllm-metrics",
                "--prometheus",
                "http://127.0.0.1:" + server.getAddress().getPort(),
                "--model",
                model()));
    arguments.addAll(List.of(more));
    if (!arguments.contains("--days")) {
      arguments.addAll(List.of("--days", "2"));
    }
    return CommandRun.of(arguments.toArray());
  }

  @Test
  void recommendsTheKvCacheThatRequestsUsed() throws IOException {
    HttpServer server = metrics(true);
    try {
      CommandRun run = demand(server, "--max-model-len", "8000", "--json");
      assertThat(run.exitCode()).as(run.err()).isZero();
      JsonNode row = run.only();
      assertThat(row.path("server").asText()).isEqualTo("p-1 10.0.0.1:8000 0 llama");
      assertThat(row.path("kv_cache_tokens").asLong()).isBetween(8_000L, 9_000L);
      assertThat(row.path("most_sequences").asInt()).isEqualTo(8);
      assertThat(row.path("cut_windows").asInt()).isZero();
      assertThat(row.path("kv_cache_memory_bytes").asLong())
          .isEqualTo(row.path("kv_cache_tokens").asLong() * 131_072);
      assertThat(row.path("probability").asDouble()).isBetween(0.95, 0.99);
      assertThat(row.path("held").asDouble()).isGreaterThan(0.9);
      assertThat(row.path("pool_bytes").asLong()).isEqualTo(16_000 * 131_072L);
      CommandRun longest = demand(server, "--max-model-len", "12000");
      assertThat(longest.out()).contains("12,000", "1572864000", "1.95 GiB");
      assertThat(longest.err()).contains("one sequence of the longest length takes 1.46 GiB");
      assertThat(demand(server).out()).contains("16,000", "2097152000");
      assertThat(demand(server, "--window", "0").err()).contains("--window shorter");
      assertThat(run.err()).contains("skipped: p-2 10.0.0.1:8000 0 llama: There are samples of 0");
      CommandRun none = demand(server, "--window", "2000");
      assertThat(none.exitCode()).isEqualTo(1);
      assertThat(none.out()).isEmpty();
      assertThat(none.err()).contains("skipped: p-1", "skipped: p-2");
    } finally {
      server.stop(0);
    }
  }

  /** Samples are too far apart over so long a time; the shortest window that is named works. */
  @Test
  void namesTheShortestWindowOfALongTime() throws IOException {
    HttpServer server = metrics(true);
    try {
      CommandRun refused = demand(server, "--days", "120");
      assertThat(refused.err()).contains("--window 87 or longer");
      CommandRun run = demand(server, "--days", "120", "--window", "87", "--json");
      assertThat(run.exitCode()).as(run.err()).isZero();
    } finally {
      server.stop(0);
    }
  }

  @Test
  void namesAServerWithoutEngines() throws IOException {
    HttpServer server = metrics(false);
    try {
      CommandRun run = demand(server);
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.errorLines()).hasSize(1);
      assertThat(run.err()).contains("vllm:cache_config_info", "--matchers");
    } finally {
      server.stop(0);
    }
  }
}
