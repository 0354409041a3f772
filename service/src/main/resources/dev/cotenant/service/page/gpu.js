// One GPU: its tenants over time, its memory with the forecast and the limit, its utilization.

import { get } from "./api.js";
import { plot, timeline } from "./charts.js";
import { bar, choice, labelled, link, make, panel, slot, table, tag } from "./dom.js";
import { decisionTable, stamp } from "./decisions.js";
import { bytes, duration, grouped, percent, plural } from "./format.js";
import { expectedBytes, live } from "./live.js";
import { gpuName, podLink } from "./names.js";

const RANGES = [["1", "last hour"], ["6", "last 6 hours"], ["24", "last day"], ["168", "last week"]];
const REFRESH_MILLISECONDS = 15000;
const DECISIONS = 100;
const GAP_MILLISECONDS = 16 * 60000;

export function show(root, [uuid], query) {
  const hours = RANGES.some(([value]) => value === query.get("hours")) ? query.get("hours") : "6";
  const path = "v1/gpus/" + encodeURIComponent(uuid);
  const head = slot("");
  const now = slot("");
  const past = slot("");
  const forecasts = slot("");
  const decided = slot("");
  const title = make("h1", "wrap", gpuName(uuid));
  const failed = make("p", "failed");
  failed.setAttribute("role", "alert");
  const range = choice(RANGES, hours, (value) => {
    location.hash = "#/gpus/" + encodeURIComponent(uuid) + "?hours=" + value;
  });
  const known = make("div", "",
    panel("Tenants", now.element),
    panel("Over time", labelled("Range", range), past.element),
    panel("Forecasts of used memory", forecasts.element),
    panel("Decisions about this GPU", decided.element));
  root.append(make("p", "", link("#/gpus", "Fleet")), title, failed, head.element, known);

  let isOpen = true;
  let drawPast = () => {};
  let isLimitKnown = false;
  let horizon;
  function drawTop() {
    const row = live.gpus.get(uuid);
    if (row) {
      head.draw([row, horizon], drawHead);
    }
  }

  async function read() {
    const answers = await Promise.allSettled([get(path), get(path + "/history?hours=" + hours), get(path + "/forecast"),
      get("v1/decisions?limit=" + DECISIONS + "&gpu=" + encodeURIComponent(uuid))]);
    if (!isOpen) {
      return;
    }
    const [gpu, history, forecast, decisions] = answers.map((answer) => answer.value ?? null);
    const error = answers.find((answer) => answer.status === "rejected")?.reason;
    const isStored = history?.points.length > 0 || decisions?.decisions.length > 0;
    const isUnknown = answers[0].reason?.status === 404;
    known.hidden = isUnknown && !isStored;
    failed.textContent = error === undefined ? ""
      : (isUnknown ? "There is no GPU '" + uuid + "' in this cluster." : error.message) + (isStored ? " Its stored history is below." : "");
    if (gpu) {
      now.draw(gpu, drawTenants);
    }
    if (history) {
      drawPast = () => past.draw([history, forecast, gpu?.capacity_bytes, Math.floor(Date.now() / 60000), live.event === null], () => drawHistory(history, forecast, gpu, Number(hours)));
      drawPast();
    }
    if (forecast) {
      horizon = servingForecast(forecast)?.horizon_seconds;
      drawTop();
      forecasts.draw([forecast, isWithoutHistory(live.gpus.get(uuid))], drawForecasts);
    }
    if (decisions) {
      decided.draw(decisions, drawDecisions);
    }
  }
  read();
  const timer = setInterval(read, REFRESH_MILLISECONDS);
  return {
    update() {
      if (live.event !== null && !isLimitKnown) {
        isLimitKnown = true;
        drawPast();
      }
      const row = live.gpus.get(uuid);
      if (row) {
        title.textContent = gpuName(uuid);
        document.title = gpuName(uuid) + " · Cotenant";
      }
      drawTop();
    },
    close() {
      isOpen = false;
      clearInterval(timer);
    },
  };
}

function drawDecisions(found) {
  return [
    decisionTable(found.decisions, "No stored decision grants this GPU or names it in a reason."),
    found.continue ? make("p", "quiet", "The newest " + grouped(found.decisions.length) + "; older ones: GET /v1/decisions?gpu=…") : "",
  ];
}

function drawHead([row, horizon]) {
  const limit = 1 - live.event.cluster.memory_headroom_percent / 100;
  const most = live.event.cluster.utilization_limit_percent;
  const expected = expectedBytes(row);
  const scale = Math.max(100, most);
  return make("div", "tiles",
    make("div", "tile", make("p", "title", row.device), make("p", "big", row.state), row.unschedulable === undefined ? null : tag("node " + row.unschedulable, "wait"), make("p", "quiet wrap", row.uuid), row.state === "used by others" ? make("p", "quiet", "by processes without a grant: find them on the node with nvidia-smi, and end them or run them in pods that Cotenant places") : null, row.guarded ? tag("closed by the guard", "bad") : null,
      row.worst_slowdown > 1 ? make("p", "quiet", "largest predicted slowdown " + grouped(row.worst_slowdown, 2) + "×") : null),
    make("div", "tile", make("p", "title", "Memory used"), make("p", "big", row.used_bytes === undefined ? "not measured" : bytes(row.used_bytes)),
      bar("memory", [["ahead", (expected ?? 0) / row.capacity_bytes], ["used", (row.used_bytes ?? 0) / row.capacity_bytes]], [limit]),
      make("ul", "plain quiet", ...memoryLines(row, horizon, expected).map((text) => make("li", "", text)),
        make("li", "", "limit " + bytes(row.capacity_bytes * limit) + " of " + bytes(row.capacity_bytes) + ": the rest stays free"))),
    make("div", "tile", make("p", "title", "Utilization measured"), make("p", "big", row.utilization_percent === undefined ? "not measured" : percent(row.utilization_percent)),
      bar("utilization", [["ahead", row.granted_percent / scale], ["used", (row.utilization_percent ?? 0) / scale]], [most / scale]),
      make("p", "quiet", "predicted " + percent(row.predicted_percent) + ", granted " + percent(row.granted_percent) + ", limit " + percent(most))));
}

// What each amount of memory is, beside what is used now.
function memoryLines(row, horizon, expected) {
  const within = horizon === undefined ? "" : " within " + duration(horizon);
  return [
    "granted " + bytes(row.granted_bytes) + ": sum of the tenants' upper bounds",
    isWithoutHistory(row)
      ? "forecast: none, too few samples; decisions count " + bytes(row.assumed_upper_bytes) + " instead, a fixed share of its memory, in addition to the grants of new tenants"
      : "forecast " + bytes(row.forecast_upper_bytes) + ": upper bound of the use" + within + "; decisions add the grants of new tenants",
    "expected " + bytes(expected) + ": the largest of used, granted" + (isWithoutHistory(row) ? "" : " and forecast"),
  ];
}

function servingForecast(forecast) {
  return forecast?.forecasts.find((one) => one.applies);
}

function isWithoutHistory(row) {
  return row?.assumed_upper_bytes !== undefined;
}

function drawTenants(gpu) {
  const parts = [];
  if (gpu.holder) {
    const holders = gpu.holder.split(", ");
    parts.push(make("p", "", holders.length > 1 ? "Whole GPU, granted to one of " : "Whole GPU, granted to ",
      ...holders.flatMap((name, i) => [i > 0 ? ", " : "", podLink(name)])));
  }
  parts.push(table("Tenants", [
    ["pod", (tenant) => podLink(tenant.name)],
    ["since", (tenant) => Number.isNaN(Date.parse(tenant.since)) ? "not started" : stamp(tenant.since)],
    ["utilization predicted, granted", (tenant) => percent(tenant.utilization_percent.mean) + ", ≤ " + percent(tenant.utilization_percent.upper), "number"],
    ["memory predicted, granted", (tenant) => bytes(tenant.peak_memory_bytes.mean) + ", ≤ " + bytes(tenant.peak_memory_bytes.upper), "number"],
    ["", (tenant) => [tenant.guarded_since ? tag("guarded", "bad") : "", tenant.profiled_until ? tag("being profiled", "wait") : ""]],
  ], gpu.tenants, gpu.holder ? "No shares." : "No pod has a grant here."));
  if (gpu.review && !gpu.review.within_limits) {
    parts.push(make("p", "failed", "Outside limits by " + gpu.review.predictor + ": " + gpu.review.reasons.join("; ")));
  }
  return parts;
}

function drawHistory(history, forecast, gpu, hours) {
  const now = Date.now();
  const serving = isWithoutHistory(live.gpus.get(gpu?.uuid)) ? undefined : servingForecast(forecast);
  // Of a day or a week the horizon is narrower than a line.
  const ahead = gpu && serving && hours <= 6 ? serving.horizon_seconds * 1000 : 0;
  const span = { from: now - hours * 3600e3, to: now + ahead, now };
  const points = history.points.map((point) => ({ ...point, at: Date.parse(point.at) }));
  const headroom = live.event?.cluster.memory_headroom_percent;
  const limits = gpu && headroom !== undefined ? [{ name: "limit", value: gpu.capacity_bytes * (1 - headroom / 100) }] : [];
  const band = ahead === 0 || gpu.used_bytes === undefined ? [] : [
    { at: now, low: gpu.used_bytes, high: gpu.used_bytes },
    { at: now + ahead, low: Math.min(gpu.used_bytes, serving.next_bytes), high: serving.peak_upper_bytes }];
  return make("div", "plots",
    plot({ ...span, title: "Memory", format: bytes, unit: 2 ** 30, series: [
      ...(band.length === 0 ? [] : [{ name: "forecast until " + duration(ahead / 1000) + " ahead", kind: "ahead", value: (point) => point.high, low: (point) => point.low }]),
      { name: "forecast made then", kind: "predicted", value: (point) => point.forecast_upper_bytes },
      { name: "granted", kind: "granted", value: (point) => point.granted_bytes },
      { name: "used", kind: "used", value: (point) => point.used_bytes },
    ], limits }, [...points, ...band]),
    plot({ ...span, title: "Utilization", format: percent, most: 100, series: [
      { name: "predicted, all tenants", kind: "predicted", value: (point) => point.predicted_percent },
      { name: "measured", kind: "used", value: (point) => point.utilization_percent ?? undefined },
    ] }, points),
    lanes(points).length > 0 ? timeline("Tenants", span.from, span.to, lanes(points)) : make("p", "quiet", "No tenants in this time."));
}

// Stretches of minutes in which a pod was there.
function lanes(points) {
  const found = new Map();
  for (const { at, tenants } of points) {
    for (const name of tenants) {
      const stretches = found.get(name) ?? [];
      const last = stretches.at(-1);
      if (last && at - last[1] <= GAP_MILLISECONDS) {
        last[1] = at + 60000;
      } else {
        stretches.push([at, at + 60000]);
      }
      found.set(name, stretches);
    }
  }
  return [...found];
}

const ESTIMATORS = {
  "peak-bound": "upper bound of the largest sample, learned from increases of earlier samples",
  agnostic: "the sum of the grants",
  cbp: "80th percentile of the samples, where they are steady",
  pp: "each sample from the one before, where they are correlated",
  persistence: "the last sample",
  mean: "the mean of the samples",
  p80: "80th percentile of the samples",
  ar1: "each sample from the one before",
  "ar1-clamped": "each sample from the one before, within what was sampled",
  holt: "smoothed level and trend",
  max: "the largest sample",
  "max-1.1": "1.1 times the largest sample",
};

function drawForecasts([forecast, isWithout]) {
  const serving = servingForecast(forecast);
  const within = serving ? "most within " + duration(serving.horizon_seconds) : "most";
  const isAssumed = (one) => isWithout && one === serving;
  const columns = [
    ["estimator", (one) => [one.estimator, make("small", "", ESTIMATORS[one.estimator] ?? "")], "sentence"],
    ["next sample", (one) => one.applies ? bytes(one.next_bytes) : "–", "number"],
    [within, (one) => one.applies ? bytes(one.peak_bytes) : "–", "number"],
    ["bound on it", (one) => isAssumed(one) ? "no history yet" : one.applies ? bytes(one.peak_upper_bytes) : "–", "number"],
    ["holds in", (one) => isAssumed(one) || one.coverage === null || one.coverage === undefined ? "–" : percent(one.coverage * 100), "number"],
    ["why", (one) => one.reason, "sentence"],
  ];
  const others = forecast.forecasts.filter((one) => one !== serving);
  return [
    table("Forecast that decisions count with", columns, serving ? [serving] : [], "No forecast: there are no fresh samples."),
    others.length > 0 ? make("details", "", make("summary", "", plural(others.length, "other estimator")), table("Other forecasts", columns, others, "")) : "",
  ];
}
