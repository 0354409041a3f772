// One pod: what was read of it, its prediction, the decision on every GPU, and what was measured.

import { get } from "./api.js";
import { plot } from "./charts.js";
import { link, make, panel, table } from "./dom.js";
import { engineMemory, outcome, result, stamp, whatWouldHelp } from "./decisions.js";
import { bytes, duration, gpuAddress, grouped, percent } from "./format.js";

export function show(root, [namespace, name]) {
  root.append(make("p", "", link("#/pods", "Workloads")), make("h1", "wrap", namespace + "/" + name));
  const body = make("div", "", make("p", "quiet", "Reading…"));
  root.append(body);
  let isOpen = true;
  get("v1/explain/" + encodeURIComponent(namespace) + "/" + encodeURIComponent(name)).then(
    (answer) => isOpen && draw(body, answer),
    (error) => isOpen && body.replaceChildren(make("p", "failed", error.message)));
  return {
    close() {
      isOpen = false;
    },
  };
}

function draw(body, answer) {
  body.replaceChildren(
    state(answer),
    make("div", "columns", panel("What was read", read(answer)), panel("Prediction", prediction(answer.prediction))),
    panel("Decision", decision(answer)),
    answer.candidates?.length > 0 ? panel("Closest GPUs", candidates(answer)) : "");
  const gpu = answer.decision?.grants[0]?.gpu;
  if (gpu) {
    const measured = make("div");
    body.append(panel("Measured on its GPU", measured));
    get("v1/gpus/" + encodeURIComponent(gpu) + "/history?hours=24").then(
      (history) => measured.replaceChildren(usage(history, answer)),
      (error) => measured.replaceChildren(make("p", "failed", error.message)));
  }
}

const STATES = {
  WAITING: "waits", PAST: "was decided about", NOMINATED: "is nominated: its scheduler chooses the node",
  ALLOCATED: "has a grant and no node yet", BOUND: "is bound to its node", OBSERVED: "runs, its memory is in the metrics",
};

function state(answer) {
  const words = STATES[answer.state] ?? answer.state;
  return make("p", "answer", "This pod " + words + ". ", make("span", "quiet", "Since "), stamp(answer.since),
    make("span", "quiet", ", policy " + answer.policy + " in mode " + answer.policy_mode
      + (answer.fallback_in_seconds === undefined ? "" : ", fallback in " + duration(answer.fallback_in_seconds))));
}

// A list of terms and values, of whichever are there.
function facts(entries) {
  const list = make("dl", "facts");
  for (const [term, value] of entries) {
    if (value !== undefined && value !== null && value !== "") {
      list.append(make("dt", "", term), make("dd", "", value));
    }
  }
  return list;
}

function read(answer) {
  const { requested } = answer;
  if (!requested) {
    return make("p", "quiet", "Nothing: the pod names no model.");
  }
  const known = ["gpus", "container", "model", "batch_size", "mode"];
  const others = Object.entries(requested).filter(([key]) => !known.includes(key))
    .map(([key, value]) => [key.replaceAll("_", " "), typeof value === "object" ? JSON.stringify(value) : String(value)]);
  return facts([["model", requested.model], ["batch", requested.batch_size], ["mode", requested.mode], ["GPUs", requested.gpus],
    ["container", requested.container], ...others]);
}

function span(bounds, format) {
  return bounds && format(bounds.mean) + ", between " + format(bounds.lower) + " and " + format(bounds.upper)
    + (bounds.coverage ? " in " + percent(bounds.coverage * 100) + " of cases each" : "")
    + (bounds.calibration ? ", by " + grouped(bounds.calibration.rows) + " held-out runs (" + bounds.calibration.group + ")" : "");
}

function prediction(found) {
  if (!found) {
    return make("p", "quiet", "None: the model is unknown. Register it, see ", link("#/predictors", "Predictors"), ".");
  }
  const here = found.measured_here;
  return make("div", "",
    facts([
      ["device", found.device],
      ["precision", found.precision],
      ["utilization", span(found.utilization_percent, percent)],
      ["peak memory", span(found.peak_memory_bytes, bytes)],
      ["step time", span(found.step_time_seconds, (seconds) => grouped(seconds * 1000, 1) + " ms")],
      ["samples a second", span(found.capacity_per_second, (value) => grouped(value))],
      ["measured here", here && here.targets.join(" and ").replaceAll("_", " ") + " by " + grouped(here.runs) + " runs"],
      ["by", found.model_version],
    ]),
    found.engine_memory ? engineMemory(found.engine_memory) : "",
    ...(found.warnings ?? []).map((warning) => make("p", "notice", warning)));
}

function decision(answer) {
  const found = answer.decision;
  if (!found) {
    return make("p", "quiet", "Not decided yet.");
  }
  const fits = answer.largest_fitting_batch;
  const parts = [result(found)];
  if (found.reasons.length > 0) {
    parts.push(
      fits ? make("p", "answer", "A batch of " + grouped(fits.batch_size) + " would be admitted now, on ", link(gpuAddress(fits.gpu), fits.node + " " + fits.gpu.slice(0, 12)), ".") : "",
      make("h3", "", "What would let it run"), whatWouldHelp(found.reasons),
      make("h3", "", "Every GPU"), perGpu(found.reasons));
  } else {
    parts.push(outcome(found));
  }
  if (answer.review && !answer.review.would_be_granted) {
    parts.push(make("p", "failed", "The predictor that serves now would not grant this: "), make("ul", "", ...answer.review.reasons.map((reason) => make("li", "", reason))));
  }
  return make("div", "", ...parts);
}

function perGpu(reasons) {
  return table("Reasons by GPU", [
    ["", (reason) => grouped(reason.number), "number"],
    ["GPU", (reason) => reason.numbers?.gpu ? link(gpuAddress(reason.numbers.gpu), (reason.numbers.node ?? "") + " " + reason.numbers.gpu.slice(0, 12)) : "–"],
    ["cause", (reason) => reason.code],
    ["numbers", (reason) => reason.message],
  ], reasons, "");
}

function candidates(answer) {
  return table("Closest GPUs", [
    ["GPU", (one) => link(gpuAddress(one.gpu), one.node + " " + one.gpu.slice(0, 12))],
    ["product", (one) => one.device],
    ["tenants", (one) => one.holder ? one.holder + " holds it whole" : one.tenants.map((name) => make("div", "", name))],
    ["utilization granted, observed, limit", (one) => [one.summed_utilization_percent, one.observed_utilization_percent, one.utilization_limit_percent].map(percent).join(", "), "number"],
    ["memory granted, used, forecast, limit", (one) => [one.summed_memory_bytes, one.used_memory_bytes, one.forecast_memory_bytes, one.memory_limit_bytes].map(bytes).join(", "), "number"],
    ["metrics", (one) => one.metrics],
  ], answer.candidates, "");
}

function usage(history, answer) {
  const now = Date.now();
  const points = history.points.map((point) => ({ ...point, at: Date.parse(point.at) }));
  const upper = answer.prediction?.peak_memory_bytes.upper;
  return make("div", "plots",
    plot({ from: now - 86400e3, to: now, title: "Memory of the GPU, all tenants", format: bytes, unit: 2 ** 30,
      series: [{ name: "used", kind: "used", value: (point) => point.used_bytes }],
      limits: upper ? [{ name: "bound on this pod", value: upper }] : [] }, points),
    plot({ from: now - 86400e3, to: now, title: "Utilization of the GPU, all tenants", format: percent, most: 100,
      series: [{ name: "predicted", kind: "predicted", value: (point) => point.predicted_percent }, { name: "measured", kind: "used", value: (point) => point.utilization_percent }] }, points));
}
