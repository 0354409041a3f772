package dev.cotenant.zoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.ModelGraph;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
import dev.cotenant.zoo.layers.InputShape;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelZooTest {
  /**
   * Multiply-accumulates as torchvision publishes them, to the unit.
   *
   * <p>Parameters are torchvision's less one for each channel whose normalisation is folded, as
   * scale and shift become one bias: ResNet-18 has 11,689,512 and 4,800 such channels; ResNet-50
   * 25,557,032 and 26,560; MobileNetV2 3,504,872 and 17,056; GoogLeNet 6,624,904 and 7,280;
   * Inception v3 without its auxiliary head 23,834,568 and 17,216. DenseNet-121 has 7,978,856 and
   * folds 64 + 58 · 128 = 7,488; the other 34,336 channels keep running mean and variance as
   * tensors: 7,978,856 − 7,488 + 2 · 34,336 = 8,040,040.
   */
  @ParameterizedTest
  @CsvSource({
    "bert_base, 11174215680, 109482240, 0, 0",
    "densenet121, 2834161664, 8040040, 120, 121",
    "efficientnet_b0, 385814752, 5267540, 81, 0",
    "googlenet, 1498376192, 6617624, 57, 57",
    "inception_v3, 5713216096, 23817352, 94, 94",
    "mnasnet1_0, 314415872, 4364352, 52, 35",
    "mobilenet_v2, 300774272, 3487816, 52, 0",
    "resnet18, 1814073344, 11684712, 20, 17",
    "resnet34, 3663761408, 21789160, 36, 33",
    "resnet50, 4089184256, 25530472, 53, 49",
    "shufflenet_v2_x1_0, 144907992, 2270514, 56, 37",
    "vgg16, 15470264320, 138357544, 13, 15",
    "vgg19, 19632062464, 143667240, 16, 18",
  })
  void writesWhatThePublishedNetworkCosts(
      String name, long multiplyAccumulates, long parameters, int convolutions, int rectifiers) {
    CountedGraph graph = new CountedGraph(ModelZoo.build(name));

    assertThat(graph.multiplyAccumulates()).isEqualTo(multiplyAccumulates);
    assertThat(graph.parameters()).isEqualTo(parameters);
    assertThat(graph.count("Conv")).isEqualTo(convolutions);
    assertThat(graph.count("Relu")).isEqualTo(rectifiers);
  }

  @ParameterizedTest
  @MethodSource("dev.cotenant.zoo.ModelZoo#names")
  void declaresTheOutputsThatItsOperatorsGive(String name) {
    assertThat(new CountedGraph(ModelZoo.build(name)).outputsAreAsDeclared()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("dev.cotenant.zoo.ModelZoo#names")
  void isReadAlikeByTheFeatureExtractorAtAnyBatch(String name) {
    CountedGraph counted = new CountedGraph(ModelZoo.build(name));
    ModelGraph graph = new OnnxGraphReader(ReaderLimits.DEFAULT).read(ModelZoo.build(name), name);
    GraphFeatures features = new FeatureExtractor().extract(graph, new GraphBinding(32, Map.of()));

    assertThat(features.warnings()).isEmpty();
    assertThat(features.shapeCoverage()).isEqualTo(1);
    assertThat(features.model().multiplyAccumulates())
        .isEqualTo(32 * counted.multiplyAccumulates());
    assertThat(features.model().parameters())
        .isEqualTo(counted.parameters() + counted.storedNumbers());
    assertThat(features.model().layers().convolution())
        .isEqualTo(counted.count("Conv") + counted.count("ConvTranspose"));
  }

  @ParameterizedTest
  @MethodSource("dev.cotenant.zoo.ModelZoo#names")
  void writesTheSameBytesEachTimeAndNoWeights(String name) {
    byte[] onnx = ModelZoo.build(name);

    assertThat(onnx).isEqualTo(ModelZoo.build(name)).hasSizeLessThan(200_000);
  }

  /** A convolution's work follows its output area; 32×32 has 49 times fewer pixels than 224×224. */
  @Test
  void buildsAResNetForCifarImages() {
    CountedGraph large = new CountedGraph(ModelZoo.build("resnet18"));
    CountedGraph small = new CountedGraph(ModelZoo.build("resnet18", InputShape.Image.square(32)));

    long classifier = 512 * 1000;
    assertThat((small.multiplyAccumulates() - classifier) * 49)
        .isEqualTo(large.multiplyAccumulates() - classifier);
    assertThat(small.parameters()).isEqualTo(large.parameters());
  }

  /** Height and width are not confused: 128 is 2/3 of 192, and areas multiply. */
  @Test
  void followsHeightAndWidthSeparately() {
    CountedGraph tall =
        new CountedGraph(ModelZoo.build("resnet50", new InputShape.Image(192, 128)));
    CountedGraph wide =
        new CountedGraph(ModelZoo.build("resnet50", new InputShape.Image(128, 192)));

    assertThat(tall.multiplyAccumulates()).isEqualTo(wide.multiplyAccumulates());
    assertThat(tall.outputsAreAsDeclared()).isTrue();
  }

  /**
   * Of a layer's multiply-accumulates, linear ones grow with the tokens and attention with their
   * square: 12 · (12 · 768² · n + 2 · n² · 768) + 768² for the pooler.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 64, 128, 384, 512})
  void buildsBertForAnySequenceItHasPositionsFor(long tokens) {
    CountedGraph graph =
        new CountedGraph(ModelZoo.build("bert_base", new InputShape.Tokens((int) tokens)));

    long perLayer = 12 * 768 * 768 * tokens + 2 * tokens * tokens * 768;
    assertThat(graph.multiplyAccumulates()).isEqualTo(12 * perLayer + 768 * 768);
  }

  @Test
  void namesTheKnownModelsWhenAskedForAnother() {
    assertThatThrownBy(() -> ModelZoo.build("resnet51"))
        .isInstanceOfSatisfying(
            InputException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(InputException.Kind.INVALID_ARGUMENT);
              assertThat(e.code()).isEqualTo("unknown-zoo-model");
              assertThat(e).hasMessageContaining("'resnet51'").hasMessageContaining("resnet50");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "vgg19, 32, which does not divide it",
    "inception_v3, 32, too small",
  })
  void refusesImagesThatTheNetworkCannotTake(String name, int side, String reason) {
    assertThatThrownBy(() -> ModelZoo.build(name, InputShape.Image.square(side)))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("unsupported-input-shape"))
        .hasMessageContaining(reason);
  }

  @Test
  void refusesAnInputOfTheWrongKindOrLength() {
    assertThatThrownBy(() -> ModelZoo.build("resnet50", new InputShape.Tokens(128)))
        .hasMessage("The network takes an image, not a sequence of 128 tokens.");
    assertThatThrownBy(() -> ModelZoo.build("bert_base", InputShape.Image.square(224)))
        .hasMessage("The network takes a sequence of tokens, not a 224x224 image.");
    assertThatThrownBy(() -> ModelZoo.build("bert_base", new InputShape.Tokens(513)))
        .hasMessageContaining("512 positions");
    assertThatThrownBy(() -> ModelZoo.build("neumf", new InputShape.Tokens(8)))
        .hasMessage("The network takes only its own input, not a sequence of 8 tokens.");
    assertThatThrownBy(() -> ModelZoo.build("pointnet", new InputShape.Own()))
        .hasMessage("The network takes a cloud of points, not an input of the architecture's own.");
    assertThatThrownBy(() -> new InputShape.Points(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new InputShape.Image(0, 224))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new InputShape.Tokens(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
