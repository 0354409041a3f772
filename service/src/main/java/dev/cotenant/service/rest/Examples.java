package dev.cotenant.service.rest;

/**
 * Names in the examples of the OpenAPI document. The examples themselves are components of
 * META-INF/openapi.json; a test sends the requests and compares the keys of the answers.
 */
public final class Examples {
  public static final String MODEL_FILE = "examples/models/resnet18.onnx";
  public static final String PREDICTOR_FILE =
      "predictor/src/main/resources/dev/cotenant/predictor/predictor.model";
  public static final String SERVICE_PROFILES = "examples/profiles/resnet50-serving.profiles";
  public static final String GPU = "GPU-5f3a0001-0000-4000-8000-000000000001";
  public static final String POD = "train-0";
  public static final String IDEMPOTENCY_KEY = "2f1c8a52-7a0e-4b53-9d47-0f5d3a6a9c11";
  public static final String RESERVATION = "b7a0c2d4e6f8";
  public static final String TRAINING = "0b0ff1ce-0000-4000-8000-000000000001";
  public static final String PREDICTOR = "corrected-2-5f3a00010000";

  private Examples() {}
}
