package dev.cotenant.benchmarks.llm;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A folder like that of a model of 405 billion parameters; weights are holes of sparse files. */
final class ShardedModel {
  private static final int LAYERS = 126;
  private static final int HIDDEN = 16_384;
  private static final int INNER = 53_248;
  private static final int KEYS = 1_024;
  private static final int VOCABULARY = 128_256;

  private static final String CONFIG =
      """
      {"model_type": "llama", "hidden_size": 16384, "intermediate_size": 53248,
       "num_hidden_layers": 126, "num_attention_heads": 128, "num_key_value_heads": 8,
       "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": false,
       "torch_dtype": "bfloat16"}
      """;

  private final int shards;
  private final StringBuilder[] headers;
  private final long[] ends;
  private final StringBuilder index = new StringBuilder("{\"weight_map\": {");
  private int next;

  private ShardedModel(int shards) {
    this.shards = shards;
    headers = new StringBuilder[shards];
    ends = new long[shards];
    for (int i = 0; i < shards; i++) {
      headers[i] = new StringBuilder("{\"__metadata__\": {\"format\": \"pt\"}");
    }
  }

  /** Writes it into a new folder. */
  static Path write(int shards) {
    try {
      Path folder = Files.createTempDirectory("cotenant-llm");
      new ShardedModel(shards).tensors().into(folder);
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ShardedModel tensors() {
    tensor("model.embed_tokens.weight", VOCABULARY, HIDDEN);
    for (int i = 0; i < LAYERS; i++) {
      String layer = "model.layers." + i + ".";
      tensor(layer + "self_attn.q_proj.weight", HIDDEN, HIDDEN);
      tensor(layer + "self_attn.k_proj.weight", KEYS, HIDDEN);
      tensor(layer + "self_attn.v_proj.weight", KEYS, HIDDEN);
      tensor(layer + "self_attn.o_proj.weight", HIDDEN, HIDDEN);
      tensor(layer + "mlp.gate_proj.weight", INNER, HIDDEN);
      tensor(layer + "mlp.up_proj.weight", INNER, HIDDEN);
      tensor(layer + "mlp.down_proj.weight", HIDDEN, INNER);
      tensor(layer + "input_layernorm.weight", 1, HIDDEN);
      tensor(layer + "post_attention_layernorm.weight", 1, HIDDEN);
    }
    tensor("model.norm.weight", 1, HIDDEN);
    tensor("lm_head.weight", VOCABULARY, HIDDEN);
    return this;
  }

  private void tensor(String name, long rows, long columns) {
    int shard = next++ % shards;
    long start = ends[shard];
    ends[shard] += 2 * rows * columns;
    headers[shard]
        .append(", \"")
        .append(name)
        .append("\": {\"dtype\": \"BF16\", \"shape\": [")
        .append(rows)
        .append(", ")
        .append(columns)
        .append("], \"data_offsets\": [")
        .append(start)
        .append(", ")
        .append(ends[shard])
        .append("]}");
    index
        .append(next == 1 ? "" : ", ")
        .append("\"")
        .append(name)
        .append("\": \"")
        .append(file(shard))
        .append("\"");
  }

  private String file(int shard) {
    return String.format("model-%05d-of-%05d.safetensors", shard + 1, shards);
  }

  private void into(Path folder) throws IOException {
    Files.writeString(folder.resolve("config.json"), CONFIG);
    Files.writeString(folder.resolve("model.safetensors.index.json"), index.append("}}"));
    for (int i = 0; i < shards; i++) {
      byte[] header = headers[i].append('}').toString().getBytes(StandardCharsets.UTF_8);
      Path file = folder.resolve(file(i));
      Files.write(
          file,
          ByteBuffer.allocate(Long.BYTES + header.length)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putLong(header.length)
              .put(header)
              .array());
      try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
        sparse.setLength(Long.BYTES + header.length + ends[i]);
      }
    }
  }

  /** Removes the folder. */
  static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : List.copyOf(files.toList())) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
