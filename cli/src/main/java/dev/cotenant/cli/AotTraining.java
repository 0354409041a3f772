package dev.cotenant.cli;

import dev.cotenant.cli.terminal.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The training run of the AOT caches, which the launcher makes after a build: loads the classes of
 * the commands that are called most, and those of the service in the demo.
 */
final class AotTraining {
  private static final String CONFIG =
      """
      {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "vocab_size": 128,
       "num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": 2048}
      """;

  private static final String HEADER =
      "{\"lm_head.weight\":{\"dtype\":\"BF16\",\"shape\":[1,1],\"data_offsets\":[0,2]}}";

  private static final int DATA_BYTES = 2;

  private AotTraining() {}

  /**
   * Inspects and predicts for a file and a language model, starts the demo if there is a second
   * argument, and says only what fails.
   *
   * @param arguments an ONNX file, and where the cache of the service is to be
   */
  public static void main(String[] arguments) throws IOException {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter(), false);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    Console console = Console.ofWriters(nowhere, err);
    String file = arguments[0];
    Main.run(new String[] {"features", file}, console);
    Main.run(new String[] {"features", "--json", file}, console);
    Main.run(new String[] {"predict", "--device", "a100-40gb", file}, console);
    Main.run(new String[] {"predict", "--device", "a100-40gb", "--json", file}, console);
    predictLanguageModel(console);
    if (arguments.length > 1) {
      startDemo(arguments[1], console);
    }
  }

  private static void startDemo(String serviceCache, Console console) throws IOException {
    String http;
    String https;
    try (ServerSocket free = new ServerSocket(0);
        ServerSocket other = new ServerSocket(0)) {
      http = String.valueOf(free.getLocalPort());
      https = String.valueOf(other.getLocalPort());
    }
    Main.run(
        new String[] {
          "demo", "--port", http, "--https-port", https, "--service-cache", serviceCache
        },
        console);
  }

  private static void predictLanguageModel(Console console) throws IOException {
    Path folder = Files.createTempDirectory("cotenant-model");
    Path config = folder.resolve("config.json");
    Path weights = folder.resolve("model.safetensors");
    try {
      Files.writeString(config, CONFIG);
      Files.write(weights, weights());
      String model = folder.toString();
      Main.run(new String[] {"predict", "--device", "a100-40gb", "--explain", model}, console);
      Main.run(new String[] {"predict", "--device", "a100-40gb", "--json", model}, console);
    } finally {
      Files.deleteIfExists(weights);
      Files.deleteIfExists(config);
      Files.deleteIfExists(folder);
    }
  }

  /** A safetensors file of one value. */
  private static byte[] weights() {
    byte[] header = HEADER.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Long.BYTES + header.length + DATA_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(header.length)
        .put(header)
        .array();
  }
}
