package dev.cotenant.service.rest;

/**
 * Examples of the OpenAPI document; tests send the requests and compare the keys of the answers.
 */
final class Examples {
  static final String GPU_UUID = "GPU-11111111-1111-4111-8111-111111111111";
  static final String MODEL_FILE = "examples/models/resnet50.onnx";
  static final String PREDICTION_REQUEST = "{}";
  static final String PREDICTION = "{}";
  static final String MODELS = "{}";
  static final String MODEL = "{}";
  static final String GPUS = "{}";
  static final String FORECAST = "{}";
  static final String PREDICTORS = "{}";
  static final String DEVICES = "{}";
  static final String WHAT_IF_POD = "{}";
  static final String WHAT_IF_WORKLOAD = "{}";
  static final String WHAT_IF = "{}";
  static final String DECISIONS = "{}";

  private Examples() {}
}
