package dev.cotenant.llm.source;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What an architecture's name says and no field of its files.
 *
 * @param known whether it is a decoder with the usual matrices
 * @param traits where it differs from most
 * @param windowPattern one layer in so many attends to everything where a window is stated; 0 where
 *     none does
 */
record Architecture(boolean known, Set<Trait> traits, int windowPattern) {
  /** Differences. */
  enum Trait {
    /** The head is the embedding unless the file says otherwise. */
    TIED,
    /** A feed-forward layer has two matrices. */
    PLAIN,
    /** Query, key and value projections always have biases. */
    BIASED,
    /** Each position has a learned vector. */
    LEARNED_POSITIONS
  }

  private static final List<String> USUAL =
      List.of(
          "llama",
          "mistral",
          "mistral3",
          "mixtral",
          "qwen2_vl",
          "qwen2_5_vl",
          "qwen3",
          "qwen3_moe",
          "phi3",
          "deepseek_v2",
          "deepseek_v3",
          "olmo",
          "olmo2",
          "stablelm",
          "granite",
          "internlm2",
          "chatglm",
          "baichuan",
          "smollm3",
          "glm4",
          "glm4_moe",
          "exaone",
          "minicpm",
          "yi");

  private static final Map<String, Architecture> TABLE = new HashMap<>();

  /** Names in GGUF files that differ from those of Hugging Face. */
  private static final Map<String, String> OF_GGUF =
      Map.of(
          "gptneox", "gpt_neox",
          "phi2", "phi",
          "gpt-oss", "gpt_oss",
          "starcoder", "gpt_bigcode",
          "command-r", "cohere",
          "qwen2moe", "qwen2_moe",
          "qwen3moe", "qwen3_moe",
          "deepseek2", "deepseek_v2",
          "glm4moe", "glm4_moe");

  static {
    add("gemma", 0, Trait.TIED);
    add("gemma2", 2, Trait.TIED);
    add("gemma3", 6, Trait.TIED);
    add("gemma3_text", 6, Trait.TIED);
    add("cohere", 0, Trait.TIED);
    add("cohere2", 4, Trait.TIED);
    add("falcon", 0, Trait.TIED, Trait.PLAIN);
    add("bloom", 0, Trait.TIED, Trait.PLAIN);
    add("mpt", 0, Trait.TIED, Trait.PLAIN);
    add("starcoder2", 0, Trait.TIED, Trait.PLAIN);
    add("opt", 0, Trait.TIED, Trait.PLAIN, Trait.LEARNED_POSITIONS);
    add("gpt_bigcode", 0, Trait.TIED, Trait.PLAIN, Trait.LEARNED_POSITIONS);
    add("gpt2", 0, Trait.TIED, Trait.PLAIN, Trait.BIASED, Trait.LEARNED_POSITIONS);
    add("gpt_neox", 0, Trait.PLAIN, Trait.BIASED);
    add("phi", 0, Trait.PLAIN);
    add("gptj", 0, Trait.PLAIN);
    add("nemotron", 0, Trait.PLAIN);
    add("qwen", 0, Trait.BIASED);
    add("qwen2", 0, Trait.BIASED);
    add("qwen2_moe", 0, Trait.BIASED);
    add("llama4", 4);
    add("llama4_text", 4);
    add("gpt_oss", 2);
    for (String name : List.of("gemma3n", "gemma3n_text")) { // embeddings of layers are not counted
      TABLE.put(name, new Architecture(false, EnumSet.of(Trait.TIED), 5));
    }
    for (String usual : USUAL) {
      add(usual, 0);
    }
  }

  private static void add(String name, int pattern, Trait... traits) {
    EnumSet<Trait> set = EnumSet.noneOf(Trait.class);
    set.addAll(java.util.Arrays.asList(traits));
    TABLE.put(name, new Architecture(true, set, pattern));
  }

  /** The name that {@code config.json} has for one in a GGUF file. */
  static String named(String gguf) {
    return OF_GGUF.getOrDefault(gguf, gguf);
  }

  /** Of a name in {@code config.json} or in a GGUF file. */
  static Architecture of(String name) {
    return TABLE.getOrDefault(named(name), new Architecture(false, Set.of(), 0));
  }

  boolean is(Trait trait) {
    return traits.contains(trait);
  }

  /** One line about a name that {@link #of} does not know. */
  static String unknown(String name) {
    return "unknown architecture " + name + ": taken as a decoder with the usual matrices";
  }
}
