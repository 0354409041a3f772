package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.memory.KvCache;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.StoredWeights;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Any bytes as a safetensors header, a GGUF header and a configuration. */
public final class HeaderFuzzTarget {
  /** Processor time that one input may take. */
  private static final long LIMIT_NANOS = 2_000_000_000L;

  private static final String NAME = "upload";
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private HeaderFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] content) {
    check(() -> safetensors(content));
    check(() -> arithmetic(gguf(content)));
    check(() ->
        arithmetic(
            ModelReader.standard().read(Json.read(content, NAME, SourceLimits.DEFAULT), NAME)));
  }

  private static void check(Runnable reading) {
    long start = THREADS.getCurrentThreadCpuTime();
    refusing(reading);
    long taken = THREADS.getCurrentThreadCpuTime() - start;
    require(taken <= LIMIT_NANOS, "took " + taken / 1_000_000 + " ms of processor time");
  }

  private static void refusing(Runnable reading) {
    try {
      reading.run();
    } catch (InputException refusal) {
      String message = refusal.getMessage();
      require(message.startsWith(NAME), "names no file: " + message);
      require(message.indexOf('\n') < 0 && message.length() < 1000, "not one line: " + message);
    }
  }

  private static void safetensors(byte[] content) {
    try {
      StoredWeights stored =
          SafetensorsHeader.read(
              new ByteArrayInputStream(content), content.length, NAME, SourceLimits.DEFAULT);
      require(stored.bytes() >= 0 && stored.bytes() <= content.length, "bytes " + stored.bytes());
      require(stored.parameters() >= 0, "negative parameters");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static LanguageModel gguf(byte[] content) {
    try {
      return GgufReader.read(
          new ByteArrayInputStream(content), content.length, NAME, SourceLimits.DEFAULT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void arithmetic(LanguageModel model) {
    double weights = new Weights(model).bytesPerGpu(1, 1);
    double token = new KvCache(model, 1, 1, 2).pooledBytesPerToken();
    require(weights > 0 && Double.isFinite(weights), "weights of " + weights + " bytes");
    require(token >= 0 && Double.isFinite(token), "a token of " + token + " bytes");
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
