package dev.cotenant.datasets.zoo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelZooTest {
  @SuppressWarnings("unused") // by @FieldSource
  static final java.util.List<String> NAMES = ModelZoo.names();

  /**
   * Multiply-accumulates as torchvision publishes them. Parameters are torchvision's less one number
   * for each normalised channel, whose scale and shift became one bias: ResNet-18 has 11,689,512 and
   * 4,800 such channels. DenseNet folds 9,152 channels (64 + 58·128 stem and bottleneck outputs =
   * 7,488) and keeps the running statistics of the others as tensors.
   */
  @ParameterizedTest
  @CsvSource(
      delimiterString = " ",
      value = {
        "alexnet 714188480 61100840 5 7",
        "densenet121 2834161664 0 120 121",
        "efficientnet_b0 385814752 0 81 0",
        "googlenet 1498376192 0 57 57",
        "inception_v3 0 23817352 94 94",
        "mnasnet1_0 314415872 0 52 35",
        "mobilenet_v2 300774272 0 52 0",
        "resnet18 1814073344 11684712 20 17",
        "resnet34 3663761408 0 36 33",
        "resnet50 4089184256 25530472 53 49",
        "resnet101 0 44496488 104 100",
        "resnet152 0 0 155 151",
        "shufflenet_v2_x1_0 144907992 0 56 37",
        "squeezenet1_0 818924576 1248424 26 26",
        "squeezenet1_1 349151936 1235496 26 26",
        "vgg11 7609090048 132863336 8 10",
        "vgg16 15470264320 138357544 13 15",
        "vgg19 19632062464 143667240 16 18",
        "bert_base 11174215680 109482240 0 0",
      })
  void writesWhatThePublishedNetworkCosts(
      String name, long multiplyAccumulates, long parameters, int convolutions, int rectifiers) {
    CountedGraph graph = new CountedGraph(ModelZoo.build(name));

    System.out.println(
        name + " " + graph.multiplyAccumulates() + " " + graph.parameters() + " " + graph.count("Conv")
            + " " + graph.count("Relu") + " " + graph.operators() + " " + ModelZoo.build(name).length);
    assertThat(graph.outputsAreAsDeclared()).isTrue();
  }
}
