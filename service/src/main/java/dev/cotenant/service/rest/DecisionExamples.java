package dev.cotenant.service.rest;

/** Examples of the OpenAPI document about decisions; see {@link Examples}. */
final class DecisionExamples {
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

  private static final String PREDICTION =
      """
      {
        "model": "team-a/train",
      """
          + Examples.PREDICTED;

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
              "prediction":
      """
          + PREDICTION
          + """
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
          """
          + PREDICTION
          + """
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
            "prediction":
      """
          + PREDICTION
          + """
                ,
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

  private DecisionExamples() {}
}
