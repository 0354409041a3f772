package dev.cotenant.service.rest;

/**
 * Examples of the OpenAPI document; tests send the requests and compare the keys of the answers.
 */
final class Examples {
  static final String MODEL_FILE = "examples/models/resnet18.onnx";

  static final String PREDICTION_REQUEST =
      """
      {
        "model": "resnet18",
        "device": "a100-40gb",
        "batch_size": 4,
        "mode": "training",
        "precision": "fp32"
      }
      """;

  /** What follows the name of a model in the object that predicts it. */
  static final String PREDICTED =
      """
        "device": "a100-40gb",
        "mode": "training",
        "precision": "fp32",
        "batch_size": 4,
        "utilization_percent": {"mean": 49.565, "lower": 42.205, "upper": 60.203, "coverage": 0.9},
        "peak_memory_bytes": {"mean": 2124030579, "lower": 1894872672, "upper": 2608341917, "coverage": 0.9},
        "model_version": "forest-1-9d8a1b23459a",
        "warnings": []
      }
      """;

  static final String PREDICTION =
      """
      {
        "model": "resnet18",
      """
          + PREDICTED;

  static final String MODELS =
      """
      {
        "models": [
          {
            "name": "resnet18",
            "sha256": "25c15719efb59a889bfb8b71598992088ba3be84945d7dd398aa264b49bb6458"
          }
        ]
      }
      """;

  static final String MODEL =
      """
      {
        "name": "my-model",
        "sha256": "25c15719efb59a889bfb8b71598992088ba3be84945d7dd398aa264b49bb6458"
      }
      """;

  static final String DEVICES =
      """
      {
        "devices": [
          {
            "id": "b200",
            "product_name": "B200 SXM6 180 GB",
            "memory_bytes": 193273528320,
            "fp32_teraflops": 75.0,
            "tf32_teraflops": 1100.0,
            "fp16_teraflops": 2250.0,
            "bf16_teraflops": 2250.0,
            "bandwidth_gigabytes_per_second": 7700.0,
            "streaming_multiprocessors": 148,
            "l2_cache_bytes": 132120576,
            "board_power_watts": 1000.0,
            "source": "HGX B200 data sheet (sparse tensor rates halved)"
          }
        ]
      }
      """;

  private Examples() {}
}
