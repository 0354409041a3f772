package dev.cotenant.service.rest;

/** Examples of the OpenAPI document about the life cycle; see {@link Examples}. */
final class LifeCycleExamples {
  static final String PREDICTOR_FILE =
      "predictor/src/main/resources/dev/cotenant/predictor/predictor.model";

  static final String TRAINING_ID = "0b0ff1ce-0000-4000-8000-000000000001";
  static final String CORRECTED = "corrected-1-5f3a00010000";

  static final String PROFILES_REQUEST =
      """
      {
        "rows": [
          {"model": "resnet18", "device": "a100-40gb", "batch_size": 64, "utilization_percent": 81.5},
          {
            "family": "our-cnn",
            "device": "t4",
            "batch_size": 32,
            "mode": "training",
            "precision": "fp32",
            "convolution_layers": 20,
            "linear_layers": 1,
            "activation_layers": 17,
            "other_layers": 22,
            "normalization_layers": 20,
            "parameters": 11689512,
            "model_size_bytes": 46758048,
            "multiply_accumulates": 58060800000,
            "activation_bytes": 1500000000,
            "input_bytes": 19267584,
            "utilization_percent": 97.0,
            "peak_memory_bytes": 5368709120
          },
          {"model": "resnet18", "device": "gtx-1", "batch_size": 8, "utilization_percent": 40}
        ]
      }
      """;

  static final String PROFILES_CSV =
      """
      model,device,batch_size,utilization_percent,peak_memory_bytes
      resnet18,a100-40gb,128,90.25,9663676416
      resnet18,gtx-1,128,90.25,9663676416
      """;

  static final String ADDED =
      """
      {
        "received": 3,
        "added": 2,
        "duplicates": 0,
        "rejected": [
          {
            "line": 3,
            "reason": "Unknown device 'gtx-1': use one of k80, t4, a100-40gb."
          }
        ]
      }
      """;

  static final String PROFILES =
      """
      {
        "count": 1,
        "profiles": [
          {
            "number": 1,
            "content_hash": "1038d63a522607bfe87084a4e9f26fcb175d9aef6d83b6b603e10f058d359bd6",
            "received_at": "2026-11-21T10:15:30Z",
            "held_out": false,
            "fields": {"device": "a100-40gb", "batch_size": "64", "utilization_percent": "81.5"}
          }
        ],
        "next": 1
      }
      """;

  static final String QUEUED =
      """
      {
        "id": "0b0ff1ce-0000-4000-8000-000000000001",
        "state": "queued",
        "step": "",
        "done": 0,
        "total": 0,
        "queued_at": "2026-11-21T10:15:30Z",
        "updated_at": "2026-11-21T10:15:30Z",
        "message": ""
      }
      """;

  static final String TRAINING =
      """
      {
        "id": "0b0ff1ce-0000-4000-8000-000000000001",
        "state": "running",
        "step": "utilization",
        "done": 2,
        "total": 3,
        "queued_at": "2026-11-21T10:15:30Z",
        "updated_at": "2026-11-21T10:15:31Z",
        "message": ""
      }
      """;

  static final String TRAININGS =
      """
      {
        "trainings": [
          {
            "id": "0b0ff1ce-0000-4000-8000-000000000001",
            "state": "finished",
            "step": "memory",
            "done": 3,
            "total": 3,
            "queued_at": "2026-11-21T10:15:30Z",
            "updated_at": "2026-11-21T10:15:32Z",
            "replica": "cotenant-7d9f/4711",
            "version": "1038d63a522607bfe87084a4e9f26fcb175d9aef6d83b6b603e10f058d359bd6",
            "message": "corrected-1-5f3a00010000 learned from 31 rows."
          }
        ]
      }
      """;

  static final String VERSION =
      """
      {
        "version": "forest-1-9d8a1b23459a",
        "sha256": "9d8a1b23459a07bfe87084a4e9f26fcb175d9aef6d83b6b603e10f058d359bd6",
        "kind": "base",
        "origin": "shipped",
        "created_at": "2026-11-21T10:00:00Z",
        "promoted": true,
        "metrics": {},
        "provenance": ["trained_at: 2026-11-21T00:00:00Z", "seed: 1"],
        "card": "# forest-1-9d8a1b23459a"
      }
      """;

  static final String PREDICTORS =
      """
      {
        "serving": {
          "version": "corrected-1-5f3a00010000",
          "sha256": "5f3a00010000d63a522607bfe87084a4e9f26fcb175d9aef6d83b6b603e10f05"
        },
        "store": "reachable",
        "read_at": "2026-11-21T10:20:00Z",
        "predictors": [
          {
            "version": "corrected-1-5f3a00010000",
            "sha256": "5f3a00010000d63a522607bfe87084a4e9f26fcb175d9aef6d83b6b603e10f05",
            "kind": "correction",
            "origin": "trained",
            "parent": "9d8a1b23459a07bfe87084a4e9f26fcb175d9aef6d83b6b603e10f058d359bd6",
            "created_at": "2026-11-21T10:15:32Z",
            "promoted": true,
            "metrics": {"held_out_rmsle": 0.0712, "held_out_values": 18.0, "held_out_below_upper": 0.94},
            "provenance": ["base: forest-1-9d8a1b23459a"],
            "card": "# corrected-1-5f3a00010000"
          }
        ],
        "promotions": [
          {
            "number": 2,
            "sha256": "5f3a00010000d63a522607bfe87084a4e9f26fcb175d9aef6d83b6b603e10f05",
            "at": "2026-11-21T10:16:00Z",
            "by": "alice",
            "grounds": "better",
            "reason": "Held-out rows: RMSLE 0.0712 against 0.1523."
          }
        ]
      }
      """;

  static final String PROMOTION_REQUEST =
      """
      {"override_reason": "The held-out rows are all of one model; see ticket 7."}
      """;

  static final String PROMOTION =
      """
      {
        "number": 2,
        "sha256": "5f3a00010000d63a522607bfe87084a4e9f26fcb175d9aef6d83b6b603e10f05",
        "at": "2026-11-21T10:16:00Z",
        "by": "alice",
        "grounds": "override",
        "reason": "The held-out rows are all of one model; see ticket 7."
      }
      """;

  static final String ROLLBACK_REQUEST =
      """
      {"reason": "Pods ran out of memory."}
      """;

  static final String ROLLBACK =
      """
      {
        "number": 3,
        "sha256": "9d8a1b23459a07bfe87084a4e9f26fcb175d9aef6d83b6b603e10f058d359bd6",
        "at": "2026-11-21T10:17:00Z",
        "by": "bob",
        "grounds": "rollback",
        "reason": "Pods ran out of memory."
      }
      """;

  private LifeCycleExamples() {}
}
