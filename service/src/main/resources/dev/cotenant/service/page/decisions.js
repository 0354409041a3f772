// Decisions and their parts, as several views show them.

import { link, make, table, tag } from "./dom.js";
import { bytes, cause, causesText, counts, grouped, percent, plural, podAddress, remedy, time } from "./format.js";
import { gpuLink } from "./names.js";

const KINDS = { Admitted: "good", Held: "wait", Denied: "bad" };
const SHOWN_REASONS = 3;
const IN_USE = new Set(["ExclusiveRequested", "TenantLimit", "ProfilingInProgress", "GpuGuarded", "PairAvoided", "QueuedBehind"]);

// Why a pod waits, where its numbers say more than the cause: " … : it needs …".
export function inNumbers({ cause_text: text, cause: code, requested }) {
  return text ? ": " + text : code === "ExclusiveRequested" && requested?.gpus > 1 ? ": it needs " + grouped(requested.gpus) + " whole GPUs of one node" : "";
}

export function result(decision) {
  return tag(decision.result, KINDS[decision.result] ?? "plain");
}

export function reasonList(reasons) {
  return make("ol", "reasons", ...reasons.map((reason) => {
    const item = make("li", "", make("strong", "", cause(reason.code)), " ", make("span", "", reason.message));
    item.value = reason.number;
    return item;
  }));
}

// Grants with their numbers, or the reasons: counted by cause, then the first of them.
export function outcome(decision) {
  const parts = decision.grants.map((grant) => make("div", "", gpuLink(grant.gpu, grant.node)));
  if (decision.evidence) {
    const numbers = decision.evidence;
    parts.push(make("div", "quiet",
      (numbers.tenants > 1 ? "shared, tenant " : "alone so far, tenant ") + numbers.tenants + " of " + numbers.tenant_limit
      + "; utilization " + percent(numbers.summed_utilization_percent) + " of " + percent(numbers.utilization_limit_percent)
      + ", memory " + bytes(numbers.forecast_memory_bytes + numbers.predicted_peak_upper_bytes) + " of " + bytes(numbers.memory_limit_bytes)
      + ", slowdown " + numbers.slowdown_ratio.toFixed(2) + "×"));
  }
  if (decision.reasons.length > 0) {
    const summary = make("summary", "", causesText(decision.reasons.map((reason) => reason.code)));
    parts.push(make("details", "", summary, reasonList(decision.reasons)));
  }
  return make("div", "outcome", ...parts);
}

export function bounds(prediction) {
  if (!prediction) {
    return make("span", "quiet", "model unknown");
  }
  return make("span", "", "≤ " + percent(prediction.utilization_percent.upper), make("br"), "≤ " + bytes(prediction.peak_memory_bytes.upper));
}

export function decisionTable(decisions, nothing) {
  return table("Decisions", [
    ["time", (entry) => stamp(entry.at)],
    ["pod", (entry) => [link(podAddress(entry.pod), entry.pod), entry.dry_run ? make("small", "", "dry run") : ""]],
    ["result", (entry) => result(entry.decision)],
    ["predicted", (entry) => bounds(entry.prediction)],
    ["GPU or reasons", (entry) => outcome(entry.decision), "sentence"],
  ], decisions, nothing, (entry) => entry.at + " " + entry.pod);
}

export function stamp(at) {
  const shown = make("time", "", time(at));
  shown.dateTime = at;
  shown.title = at;
  return shown;
}

// "7 GPUs too small, 6 too busy: a smaller batch …".
// Of a pod that is too large for every GPU, those that are in use say nothing.
export function whatWouldHelp(reasons, leading) {
  const counted = counts(reasons.map((reason) => reason.code));
  const found = (leading === "TooLarge" ? counted.filter(([code]) => !IN_USE.has(code)) : counted).slice(0, SHOWN_REASONS);
  return make("ul", "plain", ...found.map(([code, count]) =>
    make("li", "", make("strong", "", plural(count, "GPU") + ", " + cause(code)), ": " + remedy(code))));
}

const ENGINE_PARTS = [
  ["weights_bytes", "weights"],
  ["kv_cache_bytes", "KV cache"],
  ["state_bytes", "states"],
  ["activation_bytes", "activations"],
  ["non_torch_bytes", "outside of PyTorch"],
  ["cuda_graph_bytes", "CUDA graphs"],
  ["context_bytes", "context"],
];

// The memory of an engine with a language model, by its parts.
export function engineMemory(memory) {
  const needs = memory.least_bytes === undefined ? "" : ", needs " + bytes(memory.least_bytes);
  const list = make("ul", "plain");
  for (const [key, name] of ENGINE_PARTS) {
    if (memory.parts[key] > 0) {
      list.append(make("li", "", name + " " + bytes(memory.parts[key])));
    }
  }
  if (memory.parts.kv_cache_tokens > 0) {
    list.append(make("li", "", "KV cache of " + grouped(memory.parts.kv_cache_tokens) + " tokens"));
  }
  if (memory.advice) {
    list.append(make("li", "", memory.advice));
  }
  return make("div", "engine", make("p", "", memory.engine + " takes " + bytes(memory.takes_bytes) + needs), list);
}
