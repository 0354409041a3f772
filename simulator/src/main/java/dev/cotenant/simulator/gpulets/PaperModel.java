package dev.cotenant.simulator.gpulets;

/** The models of the paper with their objectives [gpu-lets, table 4], in the order of table 5. */
enum PaperModel {
  LENET("lenet", 5),
  GOOGLENET("googlenet", 44),
  RESNET50("resnet50", 95),
  SSD("ssd-mobilenetv1", 136),
  VGG16("vgg16", 130);

  private final String key;
  private final double sloMillis;

  PaperModel(String key, double sloMillis) {
    this.key = key;
    this.sloMillis = sloMillis;
  }

  /** As the authors' tables name it. */
  String key() {
    return key;
  }

  double sloMillis() {
    return sloMillis;
  }
}
