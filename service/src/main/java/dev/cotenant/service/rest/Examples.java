package dev.cotenant.service.rest;

/**
 * Examples of the OpenAPI document; tests send the requests and compare the keys of the answers.
 */
final class Examples {
  static final String GPU_UUID = "GPU-5f3a0001-0000-4000-8000-000000000001";

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

  static final String PREDICTION =
      """
      {
        "model": "resnet18",
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

  static final String GPUS =
      """
      {
        "source": "recorded",
        "recorded_at": "2026-11-20T10:00:00Z",
        "description": "One of eight A100s on three nodes.",
        "utilization_limit_percent": 100.0,
        "memory_headroom_percent": 5.0,
        "tenant_limit": 3,
        "gpus": [
          {
            "uuid": "GPU-5f3a0001-0000-4000-8000-000000000001",
            "node": "gpu-1",
            "device": "a100-40gb",
            "capacity_bytes": 42284875776,
            "tenancy": "shared",
            "tenants": [
              {
                "name": "team-b/bert-serving",
                "utilization_percent": {"mean": 31, "lower": 27.3, "upper": 34.7, "coverage": 0.9},
                "peak_memory_bytes": {
                  "mean": 6501171200,
                  "lower": 5851054080,
                  "upper": 7151288320,
                  "coverage": 0.9
                },
                "since": "2026-11-20T06:12:00Z"
              }
            ],
            "summed_utilization_percent": 34.7,
            "metrics": "fresh",
            "used_bytes": 6442450944,
            "age_seconds": 0,
            "forecasts": [
              {
                "estimator": "cbp",
                "applies": true,
                "reason": "80th percentile: coefficient of variation 0.0000 is below 0.2000",
                "next_bytes": 6442450944,
                "peak_bytes": 6442450944,
                "peak_upper_bytes": 6442450944,
                "coverage": null,
                "horizon_seconds": 1,
                "free_bytes": 35842424832,
                "samples": 60,
                "age_seconds": 0
              }
            ]
          }
        ]
      }
      """;

  static final String FORECAST =
      """
      {
        "uuid": "GPU-5f3a0001-0000-4000-8000-000000000001",
        "capacity_bytes": 42284875776,
        "forecasts": [
          {
            "estimator": "cbp",
            "applies": true,
            "reason": "80th percentile: coefficient of variation 0.0000 is below 0.2000",
            "next_bytes": 6442450944,
            "peak_bytes": 6442450944,
            "peak_upper_bytes": 6442450944,
            "coverage": null,
            "horizon_seconds": 1,
            "free_bytes": 35842424832,
            "samples": 60,
            "age_seconds": 0
          }
        ]
      }
      """;

  static final String PREDICTORS =
      """
      {
        "predictors": [
          {
            "version": "forest-1-9d8a1b23459a",
            "trained_at": "2026-11-21T00:00:00Z",
            "seed": 1,
            "coverage": 0.9,
            "data_sets": [
              {
                "format": "gpumemnet",
                "sha256": "1038d63a522607bfe87084a4e9f26fcb175d9aef6d83b6b603e10f058d359bd6",
                "rows_read": 5355,
                "rows_used": 5311,
                "rows_rejected": 0
              }
            ],
            "devices": ["a100-40gb"],
            "families": ["cnn", "mlp"],
            "settings": [
              "memory: 64 trees, 100 % of the features a split, at least 3 rows a leaf, depth at most 24"
            ]
          }
        ]
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

  static final String WHAT_IF_POD =
      """
      {
        "pod": {
          "apiVersion": "v1",
          "kind": "Pod",
          "metadata": {
            "name": "train",
            "namespace": "team-a",
            "annotations": {
              "cotenant.dev/model": "resnet18",
              "cotenant.dev/batch-size": "4",
              "cotenant.dev/mode": "training"
            }
          },
          "spec": {
            "containers": [
              {
                "name": "main",
                "image": "train:1",
                "resources": {"limits": {"nvidia.com/gpu": "1"}}
              }
            ]
          }
        }
      }
      """;

  static final String WHAT_IF_WORKLOAD =
      """
      {
        "workload": {
          "name": "team-a/train",
          "model": "resnet18",
          "batch_size": 4,
          "mode": "training",
          "precision": "fp32",
          "max_slowdown": 1.15
        }
      }
      """;

  static final String WHAT_IF =
      """
      {
        "decision": {
          "workload": "team-a/train",
          "verdict": "Admitted",
          "grants": [
            {
              "gpu": "GPU-5f3a0001-0000-4000-8000-000000000001",
              "node": "gpu-1",
              "prediction": {
                "model": "team-a/train",
                "device": "a100-40gb",
                "mode": "training",
                "precision": "fp32",
                "batch_size": 4,
                "utilization_percent": {"mean": 49.565, "lower": 42.205, "upper": 60.203, "coverage": 0.9},
                "peak_memory_bytes": {
                  "mean": 2124030579,
                  "lower": 1894872672,
                  "upper": 2608341917,
                  "coverage": 0.9
                },
                "model_version": "forest-1-9d8a1b23459a",
                "warnings": []
              }
            }
          ],
          "evidence": {
            "summed_utilization_percent": 94.903,
            "utilization_limit_percent": 100.0,
            "memory_used_bytes": 6794772480,
            "memory_needed_bytes": 2608341917,
            "memory_limit_bytes": 40170631987,
            "estimator": "agnostic",
            "slowdown_ratio": 1.09,
            "slowdown_limit_ratio": 1.15,
            "tenants": 2,
            "tenant_limit": 3
          },
          "reasons": []
        },
        "predictions": [
          {
            "model": "team-a/train",
            "device": "a100-40gb",
            "mode": "training",
            "precision": "fp32",
            "batch_size": 4,
            "utilization_percent": {"mean": 49.565, "lower": 42.205, "upper": 60.203, "coverage": 0.9},
            "peak_memory_bytes": {"mean": 2124030579, "lower": 1894872672, "upper": 2608341917, "coverage": 0.9},
            "model_version": "forest-1-9d8a1b23459a",
            "warnings": []
          }
        ]
      }
      """;

  static final String DECISIONS =
      """
      {
        "decisions": [
          {
            "at": "2026-11-21T10:15:30Z",
            "pod": "team-a/train",
            "dry_run": false,
            "prediction": {
              "model": "team-a/train",
              "device": "a100-40gb",
              "mode": "training",
              "precision": "fp32",
              "batch_size": 4,
              "utilization_percent": {"mean": 49.565, "lower": 42.205, "upper": 60.203, "coverage": 0.9},
              "peak_memory_bytes": {"mean": 2124030579, "lower": 1894872672, "upper": 2608341917, "coverage": 0.9},
              "model_version": "forest-1-9d8a1b23459a",
              "warnings": []
            },
            "decision": {
              "workload": "team-a/train",
              "verdict": "Held",
              "grants": [],
              "reasons": [
                {
                  "number": 1,
                  "code": "UtilizationExceeded",
                  "message": "GPU-5f3a0001-0000-4000-8000-000000000001 on gpu-1: predicted utilization would sum to 134.7 % (tenants 34.7 % + this workload 100.0 %), limit 100.0 %",
                  "numbers": {
                    "gpu": "GPU-5f3a0001-0000-4000-8000-000000000001",
                    "node": "gpu-1",
                    "tenants_percent": 34.7,
                    "workload_upper_percent": 100.0,
                    "limit_percent": 100.0
                  }
                }
              ]
            }
          }
        ]
      }
      """;

  private Examples() {}
}
