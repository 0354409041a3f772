package dev.cotenant.llm.source;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/** Small model folders and headers for tests; weights are holes in sparse files. */
public final class ModelFolder {
  private ModelFolder() {}

  /** A dense decoder like Llama-3.1-8B. */
  public static final String LLAMA =
      """
      {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
       "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
       "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
       "tie_word_embeddings": false, "torch_dtype": "bfloat16"}
      """;

  /** Writes a configuration into a folder. */
  public static Path write(Path folder, String config) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("config.json"), config);
    return folder;
  }

  /** The bytes of a safetensors file with this header and no weights. */
  public static byte[] safetensors(String header) {
    byte[] json = header.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(8 + json.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(json.length)
        .put(json)
        .array();
  }

  /** A file with this header and a hole of so many bytes. */
  public static Path writeSafetensors(Path file, String header, long dataBytes) throws IOException {
    byte[] begin = safetensors(header);
    Files.write(file, begin);
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(begin.length + dataBytes);
    }
    return file;
  }

  /** A file of one tensor, whose weights are a hole. */
  public static Path writeTensor(Path file, String type, long elements, long bytes)
      throws IOException {
    return writeSafetensors(file, tensor(type, elements, bytes), bytes);
  }

  /** The header of a file of one tensor. */
  public static String tensor(String type, long elements, long bytes) {
    return "{\"__metadata__\": {\"format\": \"pt\"}, \"w\": {\"dtype\": \"%s\", \"shape\": [%d], \"data_offsets\": [0, %d]}}  "
        .formatted(type, elements, bytes);
  }

  /** Writes GGUF headers. */
  public static final class Gguf {
    private final ByteArrayOutputStream pairs = new ByteArrayOutputStream();
    private final ByteArrayOutputStream tensors = new ByteArrayOutputStream();
    private int pairCount;
    private int tensorCount;

    /** A string. */
    public Gguf text(String key, String value) {
      key(key, 8);
      string(pairs, value);
      return this;
    }

    /** An unsigned 32-bit number. */
    public Gguf number(String key, int value) {
      key(key, 4);
      raw(pairs, value, 4);
      return this;
    }

    /** An array of strings of one letter. */
    public Gguf tokens(String key, int count) {
      key(key, 9);
      raw(pairs, 8, 4);
      raw(pairs, count, 8);
      for (int i = 0; i < count; i++) {
        string(pairs, "t");
      }
      return this;
    }

    /** Of Q4_K and Q6_K. */
    private static final Map<Integer, Integer> BYTES_OF_256 = Map.of(12, 144, 14, 210);

    private long offset;

    /** An array of truths. */
    public Gguf truths(String key, boolean... values) {
      key(key, 9);
      raw(pairs, 7, 4);
      raw(pairs, values.length, 8);
      for (boolean value : values) {
        raw(pairs, value ? 1 : 0, 1);
      }
      return this;
    }

    /** A tensor of a type by its number. */
    public Gguf tensor(String name, int type, long... extents) {
      string(tensors, name);
      raw(tensors, extents.length, 4);
      Arrays.stream(extents).forEach(extent -> raw(tensors, extent, 8));
      raw(tensors, type, 4);
      raw(tensors, offset, 8);
      long elements = Arrays.stream(extents).reduce(1, (left, right) -> left * right);
      offset += elements / 256 * BYTES_OF_256.getOrDefault(type, 8 * 256);
      tensorCount++;
      return this;
    }

    /** The next tensor begins where another one does. */
    public Gguf at(long start) {
      offset = start;
      return this;
    }

    private void key(String key, int type) {
      string(pairs, key);
      raw(pairs, type, 4);
      pairCount++;
    }

    /** The header. */
    public byte[] bytes() {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.writeBytes("GGUF".getBytes(StandardCharsets.US_ASCII));
      raw(out, 3, 4);
      raw(out, tensorCount, 8);
      raw(out, pairCount, 8);
      out.writeBytes(pairs.toByteArray());
      out.writeBytes(tensors.toByteArray());
      return out.toByteArray();
    }

    private static void string(ByteArrayOutputStream out, String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      raw(out, bytes.length, 8);
      out.writeBytes(bytes);
    }

    private static void raw(ByteArrayOutputStream out, long value, int bytes) {
      for (int i = 0; i < bytes; i++) {
        out.write((int) (value >>> (8 * i)) & 0xff);
      }
    }
  }

  /** A small decoder in 4 bits. */
  public static Gguf gguf() {
    return new Gguf()
        .text("general.architecture", "llama")
        .number("llama.block_count", 2)
        .number("llama.embedding_length", 256)
        .number("llama.feed_forward_length", 512)
        .number("llama.context_length", 4096)
        .number("llama.attention.head_count", 8)
        .number("llama.attention.head_count_kv", 2)
        .tokens("tokenizer.ggml.tokens", 1000)
        .tensor("token_embd.weight", 12, 256, 1000)
        .tensor("output.weight", 14, 256, 1000);
  }

  /** Its file, with a hole for the weights. */
  public static Path writeGguf(Path file) throws IOException {
    byte[] header = gguf().bytes();
    Files.write(file, header);
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(header.length + (1 << 20));
    }
    return file;
  }
}
