package dev.cotenant.service.rest.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.service.rest.decision.DecisionViews.WhatIfView;
import dev.cotenant.service.rest.decision.ExplanationView.QueueView;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sentences and tables of answers, whose JSON the tests name. */
class TextResponsesTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static final String WAITING =
      """
      {"pod":"team-a/train","state":"WAITING","rank":3,"since":"2026-11-21T16:20:00Z",
       "waiting_seconds":42,"fallback_in_seconds":558,"policy":"default","policy_mode":"Enforce",
       "requested":{"gpus":1,"container":"main","model":"resnet50","batch_size":64,
         "mode":"training"},
       "prediction":{"device":"a100-40gb","mode":"training","precision":"fp32","batch_size":64,
         "model_version":"v","warnings":[],
         "utilization_percent":{"mean":60,"lower":50,"upper":71.26,"coverage":0.9,
           "calibration":{"group":"cnn on a100-40gb","rows":1543}},
         "peak_memory_bytes":{"mean":1,"lower":1,"upper":7516192768},
         "measured_here":{"targets":["utilization","peak_memory"],"runs":3,
           "last_at":"2026-11-20T14:07:31Z"}},
       "decision":{"workload":"team-a/train","result":"Held","grants":[],"reasons":[
         {"number":1,"code":"UtilizationExceeded","message":"GPU-1 on gpu-1: sums to 134.7 %",
          "numbers":{}},
         {"number":2,"code":"NoMetrics","message":"GPU-2 on gpu-2:\\n\\u001b[2Jno samples",
          "numbers":{}}]},
       "reason_count":14,
       "largest_fitting_batch":{"batch_size":24,"gpu":"GPU-1","node":"gpu-1"},
       "considered":[],
       "candidates":[{"gpu":"GPU-1","node":"gpu-1","device":"a100-40gb","tenants":["team-b/x"],
         "summed_utilization_percent":63.4,"observed_utilization_percent":70.0,
         "unattributed_utilization_percent":6.6,"utilization_limit_percent":100.0,
         "summed_memory_bytes":1073741824,"used_memory_bytes":2147483648,
         "forecast_memory_bytes":3221225472,"unattributed_memory_bytes":1073741824,
         "memory_limit_bytes":40000000000,"metrics":"fresh"}]}
      """;

  private static <T> T read(String json, Class<T> type) {
    try {
      return MAPPER.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static List<String> lines(String json, Class<?> type) {
    String text = TextResponses.of(read(json, type), Integer.MAX_VALUE).orElseThrow();
    assertThat(text).endsWith("\n");
    return text.lines().toList();
  }

  @Test
  void explainsAPodThatWaits() {
    List<String> lines = lines(WAITING, ExplanationView.class);

    assertThat(lines)
        .startsWith(
            "team-a/train: queue position 3, waiting for 42 s, 9 m 18 s left (policy default, mode"
                + " Enforce)",
            "  requests 1 GPU(s), model resnet50, batch 64, training",
            "  predicted on a100-40gb: utilization at most 71.3 % (in 90 % of cases; 1,543 rows:"
                + " cnn on a100-40gb), peak memory at most 7 GiB (assumed)",
            "  utilization and peak memory measured here in 3 run(s) of the same, the last until"
                + " 2026-11-20T14:07:31Z",
            "  1. UtilizationExceeded: GPU-1 on gpu-1: sums to 134.7 %",
            "  2. NoMetrics: GPU-2 on gpu-2:  [2Jno samples",
            "  and 12 more",
            "  What would fit now: batch 24, on GPU-1 of node gpu-1",
            "",
            "GPUs as of now:");
    assertThat(lines.getLast()).contains("team-b/x", "63.4 %", "6.6 %", "2 GiB");
  }

  /** Others have left since: the reasons are those of the decision, the rest is as of now. */
  @Test
  void tellsReasonsOfAnEarlierDecisionFromWhatFitsNow() {
    String past =
        """
        {"pod":"a/b","state":"PAST","since":"2026-11-20T14:00:00Z","policy":"default",
         "policy_mode":"Immediate","requested":{"gpus":1,"container":"main","model":"resnet50",
           "batch_size":64,"mode":"training"},
         "decision":{"workload":"a/b","result":"Held","grants":[],"reasons":[
           {"number":1,"code":"NoMetrics","message":"GPU-1: no samples","numbers":{}}]},
         "largest_fitting_batch":{"batch_size":64,"gpu":"GPU-1","node":"gpu-1"},
         "reason_count":1,"candidates":[],"considered":[]}
        """;
    assertThat(lines(past, ExplanationView.class))
        .containsExactly(
            "a/b: Held at 2026-11-20T14:00:00Z, holds nothing (policy default, mode Immediate)",
            "  requests 1 GPU(s), model resnet50, batch 64, training",
            "  reasons at 2026-11-20T14:00:00Z:",
            "  1. NoMetrics: GPU-1: no samples",
            "  What would fit now: batch 64, on GPU-1 of node gpu-1");
  }

  @Test
  void saysWhetherAStandingGrantWouldBeGrantedNow() {
    String granted =
        """
        {"pod":"a/b","state":"BOUND","since":"now","policy":"default","policy_mode":"Enforce",
         "review":{"would_be_granted":false,"reasons":["sums to 120.0 %, limit 100.0 %"],
           "prediction":{"device":"a100-40gb","mode":"training","precision":"fp32",
             "batch_size":64,"model_version":"v2","warnings":[],
             "utilization_percent":{"mean":50,"lower":40,"upper":60},
             "peak_memory_bytes":{"mean":1,"lower":1,"upper":7516192768}}},
         "reason_count":0,"candidates":[],"considered":[]}
        """;
    assertThat(lines(granted, ExplanationView.class))
        .contains("  predictor v2 would not grant this: sums to 120.0 %, limit 100.0 %");
  }

  @Test
  void listsWhatWaits() {
    String one = "{\"at\":\"now\",\"controller\":true,\"waiting\":[" + WAITING + "]}";
    assertThat(lines(one, QueueView.class).getLast())
        .contains(
            "team-a/train", "42 s", "9 m 18 s", "resnet50", "UtilizationExceeded and 13 more");
    assertThat(lines("{\"at\":\"now\",\"controller\":true,\"waiting\":[]}", QueueView.class))
        .containsExactly("No pod waits.");
    assertThat(
            lines("{\"at\":\"now\",\"controller\":false,\"waiting\":[]}", QueueView.class)
                .getLast())
        .contains("mode Immediate");
  }

  @Test
  void listsAPodOfWhichNothingIsKnownYet() {
    String bare =
        """
        {"at":"now","controller":true,"waiting":[{"pod":"a/b","state":"WAITING","rank":1,
          "since":"now","waiting_seconds":7201,"policy":"default","policy_mode":"Enforce",
          "reason_count":0,"candidates":[],"considered":[]}]}
        """;
    assertThat(lines(bare, QueueView.class).getLast())
        .contains("a/b", "2 h 0 m", "-", "no decision yet");
  }

  @Test
  void listsGpusWithTheirTenants() {
    String gpus =
        """
        {"source":"recorded","description":"Two.","utilization_limit_percent":100.0,
         "memory_headroom_percent":5,"tenant_limit":3,"gpus":[
          {"uuid":"GPU-1","node":"gpu-1","device":"a100-40gb","capacity_bytes":42949672960,
           "tenancy":"shared","tenants":[{"name":"team-b/x"}],"summed_utilization_percent":34.7,
           "metrics":"fresh","used_bytes":6442450944,"age_seconds":12,"forecasts":[],
           "review":{"predictor":"v2","within_limits":false,"summed_utilization_percent":120,
             "reasons":["sums to 120.0 %, limit 100.0 %"]}},
          {"uuid":"GPU-2","node":"gpu-2","device":"a100-40gb","capacity_bytes":42949672960,
           "tenancy":"exclusive","holder":"team-b/big","tenants":[],
           "summed_utilization_percent":0,"metrics":"missing","forecasts":[]},
          {"uuid":"GPU-3","node":"gpu-2","device":"a100-40gb","capacity_bytes":42949672960,
           "tenancy":"mig","tenants":[],
           "summed_utilization_percent":0,"metrics":"missing","forecasts":[]}]}
        """;
    List<String> lines = lines(gpus, GpusView.class);

    assertThat(lines.get(1)).contains("fresh, 12 s", "team-b/x", "34.7 %", "6 GiB");
    assertThat(lines.get(1)).contains("outside limits: sums to 120.0 %, limit 100.0 %");
    assertThat(lines.get(2)).contains("missing", "team-b/big (whole)");
    assertThat(lines.get(3)).endsWith("split by MIG");
    assertThat(lines.getLast())
        .isEqualTo("granted: predicted upper bounds of all tenants, limit 100.0 %; recorded: Two.");
  }

  @Test
  void statesADryRunWithItsReasons() {
    String held =
        """
        {"decision":{"workload":"a/b","result":"Held","grants":[],"reasons":[
           {"number":1,"code":"NoMetrics","message":"GPU-1: no samples","numbers":{}}]},
         "predictions":[],
         "largest_fitting_batch":{"batch_size":24,"gpu":"GPU-1","node":"gpu-1"}}
        """;
    assertThat(lines(held, WhatIfView.class))
        .containsExactly(
            "a/b: held, it fits on no GPU now",
            "  1. NoMetrics: GPU-1: no samples",
            "  What would fit now: batch 24, on GPU-1 of node gpu-1");
    String admitted =
        """
        {"decision":{"workload":"a/b","result":"Admitted","reasons":[],
           "grants":[{"gpu":"GPU-1","node":"gpu-1"}],
           "whole_gpu_reason":"a whole GPU: no model is named"},"predictions":[]}
        """;
    assertThat(lines(admitted, WhatIfView.class))
        .containsExactly(
            "a/b: admitted", "  on GPU-1 of node gpu-1", "  a whole GPU: no model is named");
  }

  /** Sentences are the terminal's to wrap; a table that it wraps cannot be read. */
  @Test
  void tablesFitANarrowTerminal() {
    String waiting = "{\"at\":\"now\",\"controller\":true,\"waiting\":[" + WAITING + "]}";
    String queue = TextResponses.of(read(waiting, QueueView.class), 60).orElseThrow();
    assertThat(queue.lines()).allMatch(line -> line.length() <= 60);
    assertThat(queue).contains("team-a/train", "resnet50", "UtilizationExceeded and 13 more");

    String pod = TextResponses.of(read(WAITING, ExplanationView.class), 60).orElseThrow();
    assertThat(pod.lines().dropWhile(line -> !line.isEmpty()))
        .hasSizeGreaterThan(3)
        .allMatch(line -> line.length() <= 60);
  }

  @Test
  void hasNoTextForOtherAnswers() {
    assertThat(TextResponses.of(List.of(), 80)).isEmpty();
  }
}
