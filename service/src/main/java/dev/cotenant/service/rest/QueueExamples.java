package dev.cotenant.service.rest;

/** Examples of the OpenAPI document about held pods and reservations; see {@link Examples}. */
final class QueueExamples {
  static final String POD = "train-0";
  static final String KEY = "2f1c8a52-7a0e-4b53-9d47-0f5d3a6a9c11";
  static final String ID = "b7a0c2d4e6f8";

  static final String QUEUE =
      """
      {
        "at": "2026-11-21T16:20:00Z",
        "controller": false,
        "waiting": []
      }
      """;

  static final String RESERVE =
      """
      {
        "workload": {
          "namespace": "team-a",
          "name": "train-0",
          "model": "resnet18",
          "batch_size": 4,
          "mode": "training",
          "max_slowdown": 1.15
        }
      }
      """;

  static final String RESERVE_POD =
      """
      {
        "pod": {
          "metadata": {
            "name": "train-1",
            "namespace": "team-a"
          },
          "spec": {"containers": [
            {"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
          ]}
        }
      }
      """;

  private static final String ASKED =
      """
        "asked": {
          "gpus": 1,
          "container": "workload",
          "batch_size": 4,
          "mode": "training"
        },
        "decision": {
          "workload": "team-a/train-0",
          "verdict": "Admitted",
          "grants": [
            {
              "gpu": "GPU-5f3a0002-0000-4000-8000-000000000001",
              "node": "gpu-2"
            }
          ],
          "reasons": []
        }
      """;

  static final String RESERVED =
      """
      {
        "id": "b7a0c2d4e6f8",
        "state": "HELD",
        "version": 1,
        "node": "gpu-2",
        "gpus": ["GPU-5f3a0002-0000-4000-8000-000000000001"],
        "created_at": "2026-11-21T16:20:00Z",
        "expires_at": "2026-11-21T16:22:00Z",
      """
          + ASKED
          + "}";

  static final String CONFIRM =
      """
      {
        "namespace": "team-a",
        "name": "train-0",
        "uid": "0b5f7f0a-58c5-4f0a-8b5a-5f4f0f6f7a10"
      }
      """;

  static final String BOUND =
      """
      {
        "id": "b7a0c2d4e6f8",
        "state": "BOUND",
        "version": 2,
        "node": "gpu-2",
        "gpus": ["GPU-5f3a0002-0000-4000-8000-000000000001"],
        "created_at": "2026-11-21T16:20:00Z",
        "pod": {
          "namespace": "team-a",
          "name": "train-0",
          "uid": "0b5f7f0a-58c5-4f0a-8b5a-5f4f0f6f7a10"
        },
      """
          + ASKED
          + "}";

  static final String EXPLANATION =
      """
      {
        "pod": "team-a/train-0",
        "state": "HELD",
        "since": "2026-11-21T16:20:00Z",
        "policy": "default",
        "policy_mode": "Immediate",
        "reasons_in_all": 0,
      """
          + ASKED
          + """
            ,
            "candidates": [
              {
                "gpu": "GPU-5f3a0002-0000-4000-8000-000000000001",
                "node": "gpu-2",
                "device": "a100-40gb",
                "tenants": ["team-a/train-0"],
                "allocated_utilization_percent": 60.203,
                "utilization_limit_percent": 100.0,
                "allocated_memory_bytes": 2608341917,
                "used_memory_bytes": 1073741824,
                "forecast_memory_bytes": 1073741824,
                "unattributed_memory_bytes": 0,
                "memory_limit_bytes": 40170631987,
                "metrics": "fresh"
              }
            ]
          }
          """;

  private QueueExamples() {}
}
