package dev.cotenant.service.rest;

/** Examples of the OpenAPI document about GPUs; see {@link Examples}. */
final class GpuExamples {
  static final String GPU_UUID = "GPU-5f3a0001-0000-4000-8000-000000000001";

  private static final String FORECASTS =
      """
      [
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
            "forecasts":
      """
          + FORECASTS
          + """
              }
            ]
          }
          """;

  static final String FORECAST =
      """
      {
        "uuid": "GPU-5f3a0001-0000-4000-8000-000000000001",
        "capacity_bytes": 42284875776,
        "forecasts":
      """
          + FORECASTS
          + """
          }
          """;

  private GpuExamples() {}
}
