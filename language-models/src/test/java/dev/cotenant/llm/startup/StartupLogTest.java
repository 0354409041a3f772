package dev.cotenant.llm.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.llm.startup.EngineStart.Measured;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartupLogTest {
  private static final double GIB = 1L << 30;

  private static final String LOG =
      """
      Using Python version 3.12.3
      (APIServer pid=1) INFO 04-22 00:23:30 [entrypoints/utils.py:299]   \u2584  version 0.19.0
      (APIServer pid=1) INFO [entrypoints/utils.py:233] non-default args: {'model_tag': 'a/b', \
      'model': 'a/b', 'max_model_len': 8192, 'gpu_memory_utilization': 0.95, 'hf_overrides': \
      {'x': [1, (2,)]}, 'enable_prefix_caching': False, 'revision': None}
      (APIServer pid=1) DEBUG Defaulting max_num_batched_tokens to 8192 for OPENAI_API_SERVER.
      (APIServer pid=1) DEBUG Defaulting max_num_seqs to 1024 for OPENAI_API_SERVER.
      (EngineCore pid=2) INFO Initializing a V1 LLM engine (v0.19.0) with config: model='a/b', \
      dtype=torch.bfloat16, max_seq_len=8192, tensor_parallel_size=2, quantization=None, \
      enforce_eager=False, kv_cache_dtype=fp8, device_config=cuda
      (Worker pid=4) DEBUG worker init memory snapshot: free_memory=77.66GiB, \
      total_memory=79.19GiB, cuda_memory=1.53GiB, torch_memory=0.02GiB
      (Worker pid=5) DEBUG worker init memory snapshot: free_memory=77.61GiB, \
      total_memory=79.19GiB, cuda_memory=1.58GiB, torch_memory=0.02GiB
      \u001b[32m(Worker_TP0 pid=4)\u001b[0m INFO Model loading took 7.51 GiB memory and 6.9 seconds
      (Worker_TP1 pid=5) INFO Model loading took 7.61 GiB memory and 6.9 seconds
      (Worker_TP0 pid=4) DEBUG Memory profiling takes 18.33 seconds. Total non KV cache memory: \
      11.5GiB; torch peak memory increase: 1.89GiB; non-torch forward increase memory: 2.10GiB; \
      weights memory: 7.51GiB.
      (Worker_TP0 pid=4) INFO Available KV cache memory: 63.73 GiB
      (EngineCore pid=2) INFO GPU KV cache size: 2,088,288 tokens
      (Worker_TP0 pid=4) INFO Graph capturing finished in 3 secs, took 0.91 GiB
      """;

  private static StartupLog read(String text) throws IOException {
    return StartupLog.read(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "engine.log");
  }

  private static double gib(@org.jspecify.annotations.Nullable Double bytes) {
    return Objects.requireNonNull(bytes) / GIB;
  }

  @Test
  void readsWhatOneStartStates() throws IOException {
    StartupLog log = read(LOG);
    assertThat(log.rejected()).isEmpty();
    EngineStart start = log.starts().getFirst();
    assertThat(log.starts()).hasSize(1);
    assertThat(start.place()).isEqualTo("engine.log:2");
    assertThat(start.version()).hasToString("0.19");
    assertThat(start.model()).isEqualTo("a/b");
    assertThat(start.flags().keySet())
        .contains("tensor-parallel-size", "max-num-seqs", "max-num-batched-tokens")
        .doesNotContain("revision", "hf-overrides", "quantization");
    assertThat(Objects.requireNonNull(start.flags().get("kv-cache-dtype")).text()).isEqualTo("fp8");
    Measured measured = start.measured();
    assertThat(gib(measured.total())).isCloseTo(79.19, within(1e-9));
    assertThat(gib(measured.context())).isCloseTo(1.53, within(1e-9));
    assertThat(gib(measured.weights())).isCloseTo(7.51, within(1e-9));
    assertThat(gib(measured.activation())).isCloseTo(1.89, within(1e-9));
    assertThat(gib(measured.nonTorch())).isCloseTo(2.10, within(1e-9));
    assertThat(gib(measured.graphs())).isCloseTo(0.91, within(1e-9));
    assertThat(measured.kvTokens()).isEqualTo(2_088_288.0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-04-22T00:23:30.123456789Z stdout F ",
        "vllm-1  | ",
        "[2026-04-22 00:23:30] "
      })
  void workersOfOtherRanksAreSkippedBehindPrefixes(String prefix) throws IOException {
    StartupLog log =
        read(LOG.replaceAll("(?m)^", java.util.regex.Matcher.quoteReplacement(prefix)));
    assertThat(log.rejected()).isEmpty();
    assertThat(gib(log.starts().getFirst().measured().weights())).isCloseTo(7.51, within(1e-9));
  }

  @Test
  void aLineEndsWithLfOrCrLf() throws IOException {
    StartupLog log = read(LOG.replace("\n", "\r\n"));
    assertThat(log.rejected()).isEmpty();
    assertThat(log.starts().getFirst().place()).isEqualTo("engine.log:2");
    assertThat(read("10 %\r20 %\r\n\r\n" + LOG).starts().getFirst().place())
        .isEqualTo("engine.log:4");
  }

  @Test
  void startsAfterOneAnotherAreReadEach() throws IOException {
    StartupLog log = read(LOG + LOG.replace("0.91 GiB", "0.80 GiB") + LOG);
    assertThat(log.starts()).hasSize(3);
    assertThat(gib(log.starts().get(1).measured().graphs())).isCloseTo(0.80, within(1e-9));
  }

  /** Lines of two engines in turn: neither is learned from. */
  @Test
  void mixedEnginesAreRejected() throws IOException {
    String[] one = LOG.split("\n", -1);
    String[] other = LOG.replace("'a/b'", "'c/d'").replace("7.51 GiB", "14.99 GiB").split("\n", -1);
    StringBuilder mixed = new StringBuilder();
    for (int i = 0; i < one.length; i++) {
      mixed.append(one[i]).append('\n').append(other[i]).append('\n');
    }
    StartupLog log = read(mixed.toString());
    assertThat(log.starts()).isEmpty();
    assertThat(log.rejected()).hasSize(1);
    assertThat(log.rejected().getFirst()).contains("engine.log:3", "read one log for each");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "took 7.51 GiB | took 9999.99 GiB | is not an amount of GPU memory",
        "took 7.51 GiB | took -7.51 GiB | is not an amount of GPU memory",
        "KV cache memory: 63.73 | KV cache memory: 73.73 | sum to",
        "KV cache memory: 63.73 | KV cache memory: NaN | before the KV cache",
        "Graph capturing | EngineCore failed to start; Graph capturing | did not start"
      })
  void liesAreRejected(String line, String lie, String problem) throws IOException {
    StartupLog log = read(LOG.replace(line, lie));
    assertThat(log.starts()).isEmpty();
    assertThat(log.rejected()).hasSize(1);
    assertThat(log.rejected().getFirst()).startsWith("engine.log:2: ").contains(problem);
  }

  @Test
  void bytesThatAreNoLogAreSkipped() throws IOException {
    byte[] noise = new byte[1 << 20];
    new Random(7).nextBytes(noise);
    StartupLog log = StartupLog.read(new ByteArrayInputStream(noise), "x");
    assertThat(log.starts()).isEmpty();
    assertThat(log.rejected()).isEmpty();
    assertThat(read("(APIServer pid=1) non-default args: " + "{'a': [".repeat(5000)).starts())
        .isEmpty();
  }

  /** 100 MB in one line and in many, in a bounded buffer. */
  @Test
  void longLogsAreReadInABoundedBuffer() throws IOException {
    InputStream endless = new Repeated(LOG, 100L << 20, false);
    assertThat(StartupLog.read(endless, "x").rejected().getLast()).contains("more than 1000");
    assertThat(StartupLog.read(new Repeated("vLLM ", 100L << 20, true), "x").starts()).isEmpty();
  }

  /** A text over and over. */
  private static final class Repeated extends InputStream {
    private final byte[] text;
    private long left;
    private int at;

    Repeated(String text, long bytes, boolean oneLine) {
      String block = text.repeat(1 + (1 << 16) / text.length());
      this.text = (oneLine ? block.replace('\n', ' ') : block).getBytes(StandardCharsets.UTF_8);
      this.left = bytes;
    }

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int from, int length) {
      if (left <= 0) {
        return -1;
      }
      int count = (int) Math.min(Math.min(length, text.length - at), left);
      System.arraycopy(text, at, buffer, from, count);
      at = (at + count) % text.length;
      left -= count;
      return count;
    }
  }

  @Test
  void dictionariesAreParsedAndNeverEvaluated() {
    assertThat(
            PythonDict.read("{'a': 1, \"b\": 'x\\'y', 'c': None, 'd': P('q', [1]), 'e': True}", 0))
        .containsEntry("a", "1")
        .containsEntry("b", "x'y")
        .containsEntry("e", "True")
        .doesNotContainKey("c");
    for (String broken : new String[] {"{", "{'a'", "{'a':", "{'a': [", "{'a': 'b", "{1: 2}"}) {
      assertThat(PythonDict.read(broken, 0)).isEmpty();
    }
  }
}
