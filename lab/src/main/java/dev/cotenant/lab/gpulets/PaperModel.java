package dev.cotenant.lab.gpulets;

import java.util.Arrays;

/** The models of the paper with their objectives [gpu-lets, table 4], in the order of table 5. */
public enum PaperModel {
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

  public static PaperModel of(String key) {
    return Arrays.stream(values())
        .filter(model -> model.key.equals(key))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no model " + key));
  }

  /** As the authors' tables name it. */
  public String key() {
    return key;
  }

  /** Its objective. */
  public double sloMillis() {
    return sloMillis;
  }
}
