// One pod: its request, its prediction, the decision on every GPU, and measurements.

import { get } from "./api.js";
import { plot } from "./charts.js";
import { bar, link, make, panel, slot, table, tag } from "./dom.js";
import { causesText, decisionTable, engineMemory, fallback, inNumbers, named, outcome, remedyOf, result, stamp, whatWouldHelp, withoutGpu } from "./decisions.js";
import { bytes, cause, duration, grouped, percent, plural } from "./format.js";
import { live } from "./live.js";
import { gpuLink } from "./names.js";

const REFRESH_MILLISECONDS = 15000;
const MIN_MILLISECONDS = 3000;
const DECISIONS = 20;
const UNFOLDED = 10;
const HOURS = 168;

export function show(root, [namespace, name]) {
  const pod = namespace + "/" + name;
  const path = [namespace, name].map(encodeURIComponent).join("/");
  const failed = make("p", "quiet", "Reading…");
  failed.setAttribute("role", "status");
  const body = slot("");
  const measured = slot("");
  const earlier = slot("");
  root.append(make("p", "", link("#/pods", "Workloads")), make("h1", "wrap", pod), failed, body.element, measured.element, earlier.element);
  const latest = { at: 0, seen: null, isOpen: true };

  async function read() {
    latest.at = Date.now();
    const [explained, decisions] = await Promise.allSettled([
      get("v1/explain/" + path), get("v1/decisions?limit=" + DECISIONS + "&pod=" + encodeURIComponent(pod))]);
    if (!latest.isOpen) {
      return;
    }
    const stored = decisions.value?.decisions ?? [];
    const answer = explained.value;
    failed.className = answer || stored.length > 0 ? "quiet" : "failed";
    failed.textContent = answer ? "" : stored.length > 0 ? "The service has no current decision about this pod: it has ended, or the service has restarted since. Stored data:" : explained.reason.message;
    if (answer) {
      body.draw([answer, live.event !== null], () => draw(answer));
      await usage(answer);
    }
    earlier.draw([stored, Boolean(answer)], () => stored.length > 0 ? panel("Decisions about this pod", decisionTable(stored, "")) : "");
  }

  async function usage(answer) {
    const gpu = answer.decision?.grants[0]?.gpu;
    if (gpu) {
      const history = await get("v1/gpus/" + encodeURIComponent(gpu) + "/history?hours=" + HOURS).catch((error) => ({ failure: error.message }));
      if (latest.isOpen) {
        measured.draw([history, answer.prediction ?? null], () => panel("Measured on its GPU", history.failure
          ? make("p", "failed", history.failure) : whileThere(history.points, pod, answer)));
      }
    }
  }
  read();
  const timer = setInterval(read, REFRESH_MILLISECONDS);
  return {
    // A decision about this pod may be among those that are new.
    update() {
      const key = live.event === null ? null : JSON.stringify([live.event.decisions, live.event.waiting]);
      if (key !== latest.seen && Date.now() - latest.at > MIN_MILLISECONDS) {
        latest.seen = key;
        read();
      }
    },
    close() {
      latest.isOpen = false;
      clearInterval(timer);
    },
  };
}

function draw(answer) {
  return [
    state(answer),
    panel("Decision", decision(answer)),
    make("div", "columns", panel("Request", read(answer)), panel("Prediction", prediction(answer))),
    answer.candidates.length > 0 ? panel(answer.decision?.grants.length > 0 ? "Its GPU, as of now" : "Closest GPUs, as of now", candidates(answer)) : "",
    answer.considered.length > 0 ? panel("The other GPUs, as of now", considered(answer.considered)) : "",
  ];
}

const STATES = {
  WAITING: "waits", PAST: "has a past decision", NOMINATED: "is nominated: its scheduler chooses the node",
  ALLOCATED: "has a grant and no node yet", BOUND: "is bound to its node", OBSERVED: "runs, its memory is in the metrics",
};

function state(answer) {
  const words = STATES[answer.state] ?? answer.state;
  return make("p", "answer", "This pod " + words + ". ", make("span", "quiet", "Since "), stamp(answer.since),
    make("span", "quiet", ", policy " + answer.policy + " in mode " + answer.policy_mode.toLowerCase()
      + (answer.state === "WAITING" ? "; " + fallback(answer) : "") + "."));
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
    return make("p", "quiet", "None: the pod names no model.");
  }
  const known = ["gpus", "container", "model", "batch_size", "mode"];
  const others = Object.entries(requested).filter(([key]) => !known.includes(key))
    .map(([key, value]) => [key.replaceAll("_", " "), typeof value === "object" ? JSON.stringify(value) : String(value)]);
  return facts([["model", requested.model], ["batch", requested.batch_size], ["mode", requested.mode], ["GPUs", requested.gpus],
    ["container", requested.container], ...others]);
}

function span(bounds, format) {
  return bounds && format(bounds.mean) + ", between " + format(bounds.lower) + " and " + format(bounds.upper)
    + (bounds.coverage ? ": each end holds in " + percent(bounds.coverage * 100) + " of cases" : "")
    + (bounds.calibration ? ", by " + grouped(bounds.calibration.rows) + " held-out runs (" + bounds.calibration.group + ")" : "");
}

function prediction(answer) {
  const found = answer.prediction;
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
    answer.grounds?.memory_parts ? memoryParts(answer.grounds.memory_parts, found) : "",
    answer.grounds ? neighbours(answer.grounds.neighbours) : "",
    ...(found.warnings ?? []).map((warning) => make("p", "notice", warning)));
}

const PARTS = [
  ["process_bytes", "driver context and libraries"],
  ["weights_bytes", "weights, with the optimizer's moments"],
  ["gradients_bytes", "gradients and temporaries of the step"],
  ["activations_bytes", "activations"],
  ["workspaces_bytes", "workspaces of convolutions"],
];

// The parts of the formula, and the rest, by which measured runs differ from it.
function memoryParts(parts, found) {
  const sum = PARTS.reduce((total, [key]) => total + parts[key], 0);
  const rest = found.peak_memory_bytes.mean - sum;
  const rows = [...PARTS.map(([key, name]) => [name, parts[key]]), ["correction by measured runs", rest]];
  const most = Math.max(...rows.map(([, value]) => Math.abs(value)));
  return make("div", "", make("h3", "", "Peak memory by its parts"),
    table("Parts of the peak memory", [
      ["part", ([name]) => name],
      ["", ([name, value]) => bar(name + " " + bytes(value), [[value < 0 ? "over" : "used", Math.abs(value) / most]])],
      ["", ([, value]) => (value < 0 ? "−" : "") + bytes(Math.abs(value)), "number"],
    ], rows, ""));
}

function neighbours(runs) {
  return make("div", "", make("h3", "", "Nearest measured runs of this cluster"), runs
    ? table("Nearest measured runs", [
      ["run", (one) => [one.model + ", batch " + grouped(one.batch_size), make("small", "", "row " + one.number + (one.held_out ? ", held out" : ""))]],
      ["distance", (one) => grouped(one.distance, 2), "number"],
      ["utilization", (one) => one.utilization_percent === undefined ? "–" : percent(one.utilization_percent), "number"],
      ["peak memory", (one) => one.peak_memory_bytes === undefined ? "–" : bytes(one.peak_memory_bytes), "number"],
    ], runs, "None on this product: the prediction rests on the runs that the shipped predictor was trained on, in the groups named above.")
    : make("p", "quiet", "Not known: the database cannot be reached."));
}

function considered(gpus) {
  const refused = gpus.filter((one) => !one.fits);
  if (refused.length === gpus.length && new Set(gpus.map((one) => one.message)).size === 1) {
    return make("p", "", "None of " + grouped(gpus.length) + " fits: " + gpus[0].message + ".");
  }
  return [
    make("p", "", grouped(gpus.length - refused.length) + (gpus.length - refused.length === 1 ? " also fits" : " also fit") + (refused.length > 0 ? ", " + causesText(refused.map(({ code, gpu }) => ({ code, numbers: { gpu } }))) : "") + "."),
    table("The other GPUs", [
      ["GPU", (one) => gpuLink(one.gpu, one.node)],
      ["product", (one) => one.device],
      ["", (one) => one.fits ? tag("fits", "good") : tag(cause(one.code), "wait")],
      ["numbers", (one) => one.message ?? "within every limit; the chosen one is fuller", "sentence"],
    ], gpus, "", (one) => one.gpu),
  ];
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
      answer.cause ? make("p", "answer", make("strong", "", cause(answer.cause)), inNumbers(answer) + ". Remedy: "
        + (answer.cause === "TooLarge" && fits ? "a batch of at most " + grouped(fits.batch_size) + ", or a larger product; waiting will not" : remedyOf(answer.cause, answer.requested)) + ".") : "",
      fits ? make("p", "answer", "A batch of " + grouped(fits.batch_size) + " would be admitted now, on ", gpuLink(fits.gpu, fits.node), ".") : "",
      make("h3", "", "Remedy"), whatWouldHelp(answer),
      make("h3", "", "Every GPU"), ...perGpu(answer));
  } else {
    parts.push(outcome(found));
  }
  if (answer.review && !answer.review.would_be_granted) {
    parts.push(make("p", "failed", "The active predictor would not grant this: "), make("ul", "", ...answer.review.reasons.map((reason) => make("li", "", reason))));
  }
  return make("div", "", ...parts);
}

// A row for each GPU with all its reasons, the nearest first; those beyond the first are folded.
function perGpu({ decision: { reasons }, reason_count: all, decided_at: at }) {
  const places = [...Map.groupBy(reasons, ({ numbers }) => numbers?.gpu ?? numbers?.node ?? "")];
  const more = places.slice(UNFOLDED);
  return [
    make("p", "quiet", "GPUs with the smallest limit violation first",
      all > reasons.length ? "; " + grouped(reasons.length) + " of " + plural(all, "reason") + " shown" : "",
      at ? ["; as of ", stamp(at), ", the time of the decision: a refusal holds until there are new samples or free capacity"] : null, "."),
    reasonTable("Reasons by GPU", places.slice(0, UNFOLDED)),
    more.length > 0 ? make("details", "", make("summary", "", plural(more.length, "more GPU")), reasonTable("Reasons of more GPUs", more)) : "",
  ];
}

function withoutPlace(reason) {
  return withoutGpu(reason).replace("node " + reason.numbers?.node + ": ", "");
}

function reasonTable(caption, places) {
  return table(caption, [
    ["GPU", ([, [{ numbers }]]) => numbers?.gpu ? gpuLink(numbers.gpu, numbers.node) : numbers?.node ? "node " + numbers.node : "any"],
    ["reasons", ([, reasons]) => reasons.map((reason) => make("div", "", named(reason), ": ", withoutPlace(reason))), "sentence"],
  ], places, "", ([place]) => place);
}

function candidates(answer) {
  return [table("Closest GPUs", [
    ["GPU", (one) => gpuLink(one.gpu, one.node)],
    ["product", (one) => one.device],
    ["tenants", (one) => one.holder ? "whole GPU, granted to " + (one.holder.includes(", ") ? "one of " : "") + one.holder : one.tenants.map((name) => make("div", "", name))],
    ["utilization granted, observed, limit", (one) => [one.summed_utilization_percent, one.observed_utilization_percent, one.utilization_limit_percent].map(percent).join(", "), "number"],
    ["memory granted, used, forecast, limit", (one) => [one.summed_memory_bytes, one.used_memory_bytes, one.forecast_memory_bytes, one.memory_limit_bytes].map(bytes).join(", "), "number"],
    ["metrics", (one) => one.metrics],
  ], answer.candidates, ""),
  make("p", "quiet", "Grants are upper bounds; the forecast is an upper bound of used memory in the next minutes. Decisions add the grants of new tenants, whose memory the samples may not show yet.")];
}

// The minutes of the pod on the GPU; measurements are of the GPU, so those of a pod alone
// are its own.
function whileThere(points, pod, answer) {
  const there = points.filter((point) => point.tenants.includes(pod)).map((point) => ({ ...point, at: Date.parse(point.at) }));
  if (there.length === 0) {
    return make("p", "quiet", "No data of its time on the GPU yet; a point is stored every minute.");
  }
  const alone = there.filter((point) => point.tenants.length === 1);
  const bounds = answer.prediction;
  const span = { from: there[0].at, to: Math.max(there.at(-1).at, there[0].at + 600e3) };
  const limits = bounds && alone.length === there.length ? [{ name: "bound on this pod", value: bounds.peak_memory_bytes.upper }] : [];
  return [
    make("p", "", "On the GPU for " + duration((there.at(-1).at - there[0].at) / 1000) + " of the stored time"
      + (alone.length === 0 ? ", colocated all the time: measurements are of all tenants." : alone.length === there.length ? ", alone." : ", alone for " + grouped(100 * alone.length / there.length) + " % of it.")),
    alone.length > 0 && bounds ? facts([
      ["alone, most memory", bytes(Math.max(...alone.map((point) => point.used_bytes ?? 0))) + ", bound " + bytes(bounds.peak_memory_bytes.upper)],
      ["alone, mean utilization", percent(mean(alone.map((point) => point.utilization_percent).filter((value) => value !== undefined))) + ", bound " + percent(bounds.utilization_percent.upper)],
    ]) : "",
    make("div", "plots",
      plot({ ...span, title: limits.length > 0 ? "Memory" : "Memory of the GPU, all tenants", format: bytes, unit: 2 ** 30, limits,
        series: [{ name: "granted to all", kind: "granted", value: (point) => point.granted_bytes }, { name: "used", kind: "used", value: (point) => point.used_bytes }] }, there),
      plot({ ...span, title: "Utilization of the GPU, all tenants", format: percent, most: 100,
        series: [{ name: "predicted", kind: "predicted", value: (point) => point.predicted_percent }, { name: "measured", kind: "used", value: (point) => point.utilization_percent }] }, there)),
  ];
}

function mean(values) {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
