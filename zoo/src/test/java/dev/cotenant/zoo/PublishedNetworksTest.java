package dev.cotenant.zoo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What zoo graphs cost, to the unit, against what others publish or count of the same networks.
 *
 * <p>Parameters are those of the modules before anything is folded.
 */
class PublishedNetworksTest {
  /**
   * Multiply-accumulates as counted on torchvision's own modules (0.14, one hook on every
   * convolution and linear layer); its documentation has them rounded to a million, and the
   * parameters as here.
   */
  @ParameterizedTest
  @CsvSource({
    "alexnet, 714188480, 61100840",
    "convnext_tiny, 4455531264, 28589128",
    "densenet161, 7727907072, 28681000",
    "densenet169, 3359843328, 14149480",
    "densenet201, 4291365888, 20013928",
    "resnet101, 7801405440, 44549160",
    "resnet152, 11513626624, 60192808",
    "efficientnet_v2_s, 8365617152, 21458488",
    "mobilenet_v3_small, 56510400, 2542856",
  })
  void costWhatTorchvisionPublishes(String name, long multiplyAccumulates, long parameters) {
    assertCosts(name, multiplyAccumulates, parameters);
  }

  /**
   * Counted likewise on the modules of kuangliu/pytorch-cifar, written anew. Parameters are those
   * that its users report (ResNet-18 11,173,962, MobileNetV2 2,296,922).
   */
  @ParameterizedTest
  @CsvSource({
    "resnet18_cifar, 555422720, 11173962",
    "mobilenet_v2_cifar, 91154944, 2296922",
    "efficientnet_b0_cifar, 26977792, 2912089",
  })
  void costWhatNetworksForSmallImagesDo(String name, long multiplyAccumulates, long parameters) {
    assertCosts(name, multiplyAccumulates, parameters);
  }

  /**
   * MobileNet: 569 million and 4.2 million [Howard et al., Table 4]. Xception: 22,855,952
   * parameters [Chollet, Table 3]; 8.4 billion at 299 pixels by timm's table of results. U-Net:
   * 24,436,369 parameters with one class, and 20 more add 20 · (16 · 9 + 1). LeNet-5: 61,706
   * parameters. DCGAN's modules print 3,576,704 and 2,765,568. SSD as counted on modules written
   * anew.
   */
  @ParameterizedTest
  @CsvSource({
    "mobilenet_v1, 568740352, 4231976",
    "xception, 8357403496, 22855952",
    "ssd_mobilenet_v1, 1526679488, 9161796",
    "unet_resnet34, 32010928128, 24439269",
    "lenet, 416520, 61706",
  })
  void costWhatTheirAuthorsState(String name, long multiplyAccumulates, long parameters) {
    assertCosts(name, multiplyAccumulates, parameters);
  }

  /**
   * Where a convolution has a bias of its own, the normalisation's two numbers a channel vanish in
   * it. VGG as kuangliu has it (9,231,114 parameters), fxia22's PointNet (counted on modules
   * written anew).
   */
  @ParameterizedTest
  @CsvSource({
    "pointnet, 698619620, 1607961",
    "vgg11_cifar, 152769536, 9231114",
  })
  void costWhatNetworksWithBiasBesideNormalisationDo(
      String name, long multiplyAccumulates, long parameters) {
    CountedGraph graph = new CountedGraph(ModelZoo.build(name));

    assertThat(graph.multiplyAccumulates()).isEqualTo(multiplyAccumulates);
    assertThat(graph.trainableParameters() + graph.foldedChannels()).isEqualTo(parameters);
  }

  /**
   * Parameters as Hugging Face's modules have them: BERT 4.4, 11.2 and 28.8 million [Turc et al.,
   * Table 1, less the head]; GPT-2 774 million; XLNet 116,718,336, less 12 layers' segments (3 ·
   * 768) and the mask's vector of 768.
   *
   * <p>Multiply-accumulates by hand, n tokens, d features, l layers: BERT l · (12 d² n + 2 n² d) +
   * d²; GPT-2 the same without the last term and with 50,257 d n for the words' scores; XLNet l ·
   * (14 d² n + 4 n² d), as twice as many places as words have keys of their own.
   */
  @ParameterizedTest
  @CsvSource({
    "bert_tiny, 58736640, 4385920",
    "bert_mini, 436273152, 11170560",
    "bert_small, 1677983744, 28763648",
    "bert_large, 39461060608, 335141888",
    "gpt2_large, 887285350400, 774030080",
    "xlnet_base, 60397977600, 116689920",
  })
  void costWhatTransformersDo(String name, long multiplyAccumulates, long parameters) {
    assertCosts(name, multiplyAccumulates, parameters);
  }

  /**
   * A layer of LSTM has 4 · 200 · (200 + 200) weights and twice 800 biases, each used for 35 words;
   * the words' scores take 200 · 33,278.
   */
  @Test
  void unrollsALanguageModel() {
    long layer = 4 * 200 * 400;
    assertCosts(
        "lstm_wikitext2",
        35 * (2 * layer + 200 * 33_278),
        33_278 * 200 + 2 * (layer + 1600) + 201 * 33_278);
  }

  /**
   * An encoder layer takes 12 d² n + 2 n² d, a decoder layer 16 d² n + 4 n² d, the scores d n
   * words. Weights [Vaswani et al., Table 3, base: 63.1 million with one table of 37,000 words]
   * with three tables of 3,000 words instead.
   */
  @Test
  void translatesAsThePaperDoes() {
    long n = 32;
    long d = 512;
    long layers = 6 * (28 * d * d * n + 6 * n * n * d);
    assertCosts(
        "transformer_multi30k",
        layers + d * n * 3_000,
        63_082_496 - 37_000 * 512 + 3 * 3_000 * 512);
  }

  /** Masked words cost what BERT does, d² for each token and the scores of 28,996 words. */
  @Test
  void scoresWordsWhenBertIsTrainedFromScratch() {
    long n = 512;
    long d = 768;
    long layers = 12 * (12 * d * d * n + 2 * n * n * d);
    CountedGraph graph = new CountedGraph(ModelZoo.build("bert_base_pretraining"));

    assertThat(graph.multiplyAccumulates()).isEqualTo(layers + n * d * (d + 28_996));
    assertThat(graph.parameters()).isEqualTo(108_340_804); // as BertForMaskedLM has them
  }

  /** 256·128 + 128·64 + 64·32 and 64 for the score; the tables are (32 + 128) wide. */
  @Test
  void factorsUsersAndItems() {
    assertCosts("neumf", 32_768 + 8192 + 2048 + 64, (6040 + 3706) * 160 + 43_008 + 224 + 64 + 1);
  }

  /** Noise through both networks and an image through one: 104,628,224 + 2 · 103,817,216. */
  @Test
  void runsBothNetworksInAStepOfAdversarialTraining() {
    CountedGraph step = new CountedGraph(ModelZoo.build("dcgan"));

    assertThat(step.multiplyAccumulates()).isEqualTo(312_262_656);
    assertThat(step.trainableParameters()).isEqualTo(3_576_704 + 2_765_568);
    assertThat(new CountedGraph(ModelZoo.build("dcgan_mnist")).trainableParameters())
        .isEqualTo(2_305_472 - 2 * 12_544 - 2 * 192 + 2 * 12_736 + 212_865);
  }

  private static void assertCosts(String name, long multiplyAccumulates, long parameters) {
    CountedGraph graph = new CountedGraph(ModelZoo.build(name));
    assertThat(graph.multiplyAccumulates()).isEqualTo(multiplyAccumulates);
    assertThat(graph.trainableParameters()).isEqualTo(parameters);
  }
}
