package dev.cotenant.service.rest;

/** Examples of the OpenAPI document about plans; see {@link Examples}. */
final class PlanExamples {
  static final String FLEET =
      """
      {
        "devices": [{"id": "v100", "price_per_hour": 3.06, "max_count": 4}],
        "workloads": [
          {
            "name": "search",
            "profile": "resnet50",
            "slo_latency_ms": 40,
            "request_rate_per_second": 200
          },
          {
            "name": "tagging",
            "model": "mobilenet_v2",
            "slo_latency_ms": 60,
            "request_rate_per_second": 50,
            "memory_gib": 1.5
          },
          {
            "name": "video",
            "profile": "ssd",
            "slo_latency_ms": 2,
            "request_rate_per_second": 10
          }
        ],
        "jobs": [
          {
            "name": "nightly",
            "model": "resnet18",
            "batch_size": 32,
            "mode": "training",
            "duration_minutes": 40,
            "memory_gib": 6
          }
        ],
        "arrivals": "poisson"
      }
      """;

  static final String PLANS =
      """
      {
        "plans": [
          {
            "strategy": "best",
            "arrivals": "poisson",
            "gpus": [
              {
                "device": "v100",
                "index": 0,
                "workloads": [
                  {
                    "name": "search",
                    "partition": 0,
                    "share_percent": 20.0,
                    "batch_size": 4,
                    "request_rate_per_second": 200.0,
                    "predicted_latency_ms": 15.9,
                    "predicted_throughput_per_second": 254.1,
                    "predicted_p99_ms": 38.1,
                    "slack_ms": 1.9,
                    "meets_objective": true
                  }
                ]
              },
              {
                "device": "v100",
                "index": 1,
                "workloads": [],
                "jobs": [
                  {
                    "name": "nightly",
                    "utilization_percent": 91.2,
                    "peak_memory_bytes": 3221225472,
                    "requested_memory_bytes": 6442450944
                  }
                ]
              }
            ],
            "cost_per_hour": 6.12,
            "violations": 0,
            "lower_bound_gpus": null,
            "unplaced": [
              {
                "name": "video",
                "reasons": [
                  "v100: a batch of one takes 5.90 ms on a whole GPU, it may take 1.00 ms"
                ]
              }
            ],
            "notes": ["tagging was never profiled: its times are guessed from its graph"],
            "elapsed_ms": 812.4
          }
        ]
      }
      """;

  private PlanExamples() {}
}
