package dev.cotenant.zoo.sequence;

import dev.cotenant.zoo.layers.Architecture;
import java.util.HashMap;
import java.util.Map;

/** Networks on text, points and tables. */
public final class OtherNetworks {
  /** Words of Multi30k that occur at least five times; the exact numbers are not published. */
  private static final int MULTI30K_WORDS = 3_000;

  private static final int MAX_TOKENS = 5_000;

  private final Map<String, Architecture> all = new HashMap<>();

  private OtherNetworks() {
    encoders();
    generators();
    translators();
    all.put("pointnet", new PointNet());
    all.put("neumf", Architecture.of(NeuMf::addTo));
  }

  public static Map<String, Architecture> all() {
    return new OtherNetworks().all;
  }

  private void encoders() {
    all.put("bert_tiny", Bert.of(2, 128));
    all.put("bert_mini", Bert.of(4, 256));
    all.put("bert_small", Bert.of(4, 512));
    all.put("bert_base", Bert.of(12, 768));
    all.put("bert_large", Bert.of(24, 1024));
    all.put("bert_l2_h256", Bert.of(2, 256));
    all.put("bert_l2_h512", Bert.of(2, 512));
    all.put("bert_l2_h768", Bert.of(2, 768));
    all.put("bert_l4_h128", Bert.of(4, 128));
    all.put("bert_base_pretraining", Bert.pretraining(12, 768));
    all.put("bert_large_pretraining", Bert.pretraining(24, 1024));
    all.put("xlnet_base", XlNet.of(12, 768));
    all.put("xlnet_large", XlNet.of(24, 1024));
  }

  private void generators() {
    all.put("gpt2_large", Gpt2.of(36, 1280));
    all.put(
        "lstm_wikitext2", new LstmLanguageModel(LstmLanguageModel.WIKITEXT_2, 200, 2).ofTokens(35));
  }

  private void translators() {
    all.put("transformer_multi30k", new Transformer(MULTI30K_WORDS).ofTokens(32, MAX_TOKENS));
  }
}
