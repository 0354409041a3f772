// Decisions and their parts, as several views show them.

import { link, make, table, tag } from "./dom.js";
import { clock } from "./charts.js";
import { bytes, cause, counts, duration, grouped, percent, plural, podAddress, remedy, time } from "./format.js";
import { gpuLink } from "./names.js";

const KINDS = { Admitted: "good", Held: "wait", Denied: "bad" };

// Why a pod waits, where its numbers say more than the cause: " … : it needs …".
export function inNumbers({ cause_text: text, cause: code, requested }) {
  return text ? ": " + text : code === "ExclusiveRequested" && requested?.gpus > 1 ? ": it needs " + grouped(requested.gpus) + " whole GPUs of one node" : "";
}

export function result(decision) {
  return tag(decision.result, KINDS[decision.result] ?? "plain");
}

export function reasonList(reasons) {
  return make("ol", "reasons", ...reasons.map((reason) => {
    const item = make("li", "", named(reason), " ", reason.numbers?.gpu ? [gpuLink(reason.numbers.gpu, reason.numbers.node), ": "] : null, make("span", "", withoutGpu(reason)));
    item.value = reason.number;
    return item;
  }));
}

// A cause in words; its code, by which documents and metrics know it, is the title.
export function named({ code }) {
  const name = make("strong", "", cause(code));
  name.title = code;
  return name;
}

// The message begins with the GPU, which is a link beside it, and names an estimator by its code.
export function withoutGpu({ message, numbers }) {
  const gpu = numbers?.gpu + " on " + numbers?.node + ": ";
  const numbered = message.startsWith(gpu) ? message.slice(gpu.length) : message;
  return numbered.replace(" by " + numbers?.estimator, "");
}

// Actions after a pod has waited for max-wait.
const FALLBACKS = {
  Exclusive: "a whole free GPU or a share",
  Unmanaged: "ungated without a grant, and its scheduler places it",
};

// Of a waiting pod: the time of its fallback and its action, or since when it is in force.
export function fallback(entry) {
  const late = entry.decision?.reasons.find(({ code }) => code === "WaitTimeout")?.numbers;
  const then = FALLBACKS[entry.fallback] ?? "";
  if (late) {
    const began = Date.parse(entry.since) + (entry.waiting_seconds - late.waited_seconds + late.limit_seconds) * 1000;
    return "since " + clock(began, 0) + " also waits for a whole free GPU";
  }
  return entry.fallback_in_seconds === undefined ? (then ? "" : "waits without a fallback")
    : "fallback in " + duration(entry.fallback_in_seconds) + (then ? ": then " + then : "");
}

// [code, "2 GPUs"], the most frequent first; of reasons that are not of a GPU, nodes or nothing.
function byCause(reasons) {
  const groups = Map.groupBy(reasons, ({ code }) => code);
  return counts(reasons.map(({ code }) => code)).map(([code]) => [code, places(groups.get(code))]);
}

function places(reasons) {
  const [gpus, nodes] = ["gpu", "node"].map((key) => new Set(reasons.map(({ numbers }) => numbers?.[key]).filter(Boolean)).size);
  return gpus > 0 ? plural(gpus, "GPU") : nodes > 0 ? plural(nodes, "node") : "";
}

// The same of all reasons of a decision, of which it may list the first only.
function allByCause({ causes, decision }) {
  return causes?.map(({ code, gpus, nodes }) => [code, gpus > 0 ? plural(gpus, "GPU") : nodes > 0 ? plural(nodes, "node") : ""])
    ?? byCause(decision.reasons);
}

// "too busy: 6 GPUs; memory too full: 1 GPU".
export function causesText(reasons) {
  return byCause(reasons).map(([code, where]) => cause(code) + (where ? ": " + where : "")).join("; ");
}

// Grants with their numbers, or the reasons: counted by cause, then the first of them.
export function outcome(decision) {
  const parts = decision.grants.map((grant) => make("div", "", gpuLink(grant.gpu, grant.node)));
  if (decision.evidence) {
    const numbers = decision.evidence;
    parts.push(make("div", "quiet",
      (numbers.tenants > 1 ? "shared, tenant " : "alone so far, tenant ") + numbers.tenants + " of " + numbers.tenant_limit
      + "; utilization " + percent(numbers.summed_utilization_percent) + " of " + percent(numbers.utilization_limit_percent)
      + ", memory " + bytes(numbers.forecast_memory_bytes + numbers.predicted_peak_upper_bytes) + " of the limit of " + bytes(numbers.memory_limit_bytes)
      + ", slowdown " + numbers.slowdown_ratio.toFixed(2) + "×"));
  }
  if (decision.reasons.length > 0) {
    const summary = make("summary", "", causesText(decision.reasons));
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

// What would let a pod run that has this cause.
export function remedyOf(code, requested) {
  return code === "ExclusiveRequested" && requested?.gpus > 1
    ? "wait until " + grouped(requested.gpus) + " whole GPUs of one node are free, or request fewer"
    : remedy(code);
}

// "too busy, 6 GPUs: wait for …", the leading cause first. Of a pod that is too large for every GPU
// nothing else matters; that it waited too long is no cause.
export function whatWouldHelp(answer) {
  const { cause: leading, requested } = answer;
  const found = leading === "TooLarge" ? [[leading, ""]]
    : allByCause(answer).filter(([code]) => code !== "WaitTimeout").sort(([one], [other]) => (other === leading) - (one === leading));
  return make("ul", "plain", ...found.map(([code, where]) =>
    make("li", "", named({ code }), where ? ", " + where : "", ": " + remedyOf(code, requested))));
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
