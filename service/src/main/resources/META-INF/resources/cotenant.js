"use strict";

// Everything from the service is text from outside (pod names are chosen by users): it is only ever
// set as textContent, never as markup.

const REFRESH_MILLISECONDS = 2000;
const SHOWN_DECISIONS = 50;
const SHOWN_REASONS = 3;
const SHOWN_WAITING = 20;
const SHOWN_CARDS = 48;
const MANY_TILES = 2000;

// Off the service's machine: open the page as /#token=…; a fragment is not sent to the server.
const TOKEN = new URLSearchParams(location.hash.slice(1)).get("token");

const shown = new Map();

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) {
    element.className = className;
  }
  if (text !== undefined) {
    element.textContent = text;
  }
  return element;
}

function withChildren(element, ...children) {
  element.append(...children);
  return element;
}

function inGibibytes(bytes) {
  return (bytes / 2 ** 30).toFixed(1);
}

function gibibytes(bytes) {
  return inGibibytes(bytes) + " GiB";
}

function ofMany(bytes) {
  return bytes < 2 ** 40 ? gibibytes(bytes) : grouped(bytes / 2 ** 40, 1) + " TiB";
}

function percent(value) {
  return value.toFixed(0) + " %";
}

function part(className, share) {
  const element = make("i", className);
  element.style.width = Math.max(0, Math.min(100, share * 100)) + "%";
  return element;
}

function mark(share) {
  const element = make("i", "limit");
  element.style.left = Math.max(0, Math.min(100, share * 100)) + "%";
  return element;
}

function measure(label, value, ...bars) {
  const bar = withChildren(make("div", "bar"), ...bars);
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", label + ": " + value);
  return withChildren(make("div", "measure"), make("span", "", label), make("span", "value", value), bar);
}

function utilization(gpu, limit) {
  const scale = Math.max(limit, 100);
  const summed = gpu.summed_utilization_percent;
  const observed = gpu.observed_utilization_percent;
  const seen = observed === undefined ? "" : ", " + percent(observed) + " observed";
  return measure(
    "Utilization",
    percent(summed) + " of " + percent(limit) + seen,
    part("ahead", Math.max(summed, observed ?? 0) / scale),
    part(summed > limit ? "over" : "used", summed / scale),
    mark(limit / scale));
}

// The most of use, forecasts and grants, in bytes, of a GPU with metrics.
function expectedMemory(gpu) {
  const ahead = gpu.forecasts
    .filter((forecast) => forecast.applies)
    .reduce((most, forecast) => Math.max(most, forecast.peak_upper_bytes), gpu.used_bytes);
  return Math.max(ahead, sum(gpu.tenants.map((tenant) => tenant.peak_memory_bytes.upper)));
}

function memory(gpu, headroomPercent) {
  if (gpu.used_bytes === undefined) {
    return measure("Memory", "unknown of " + gibibytes(gpu.capacity_bytes));
  }
  const expected = expectedMemory(gpu);
  return measure(
    "Memory",
    inGibibytes(gpu.used_bytes) + " → " + inGibibytes(expected) + " of " + gibibytes(gpu.capacity_bytes),
    part("ahead", expected / gpu.capacity_bytes),
    part("used", gpu.used_bytes / gpu.capacity_bytes),
    mark(1 - headroomPercent / 100));
}

function freshness(gpu) {
  switch (gpu.metrics) {
    case "fresh":
      return make("span", "tag good", gpu.age_seconds + " s old");
    case "stale":
      return make("span", "tag wait", "stale, " + gpu.age_seconds + " s");
    default:
      return make("span", "tag bad", "no metrics");
  }
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
function engineMemory(memory) {
  const needs = memory.least_bytes === undefined ? "" : ", needs " + gibibytes(memory.least_bytes);
  const list = make("ul", "quiet");
  for (const [key, name] of ENGINE_PARTS) {
    if (memory.parts[key] > 0) {
      list.append(make("li", "", name + " " + gibibytes(memory.parts[key])));
    }
  }
  if (memory.parts.kv_cache_tokens > 0) {
    list.append(make("li", "", "KV cache of " + grouped(memory.parts.kv_cache_tokens, 0) + " tokens"));
  }
  if (memory.advice) {
    list.append(make("li", "", memory.advice));
  }
  const summary = make("summary", "", memory.engine + " takes " + gibibytes(memory.takes_bytes) + needs);
  return withChildren(make("details"), summary, list);
}

// The memory of engines with a language model by pod, from the explanation of each; null for others.
const explained = new Map();
const EXPLAINED_MILLIS = 60000;

async function engines(cluster, queue) {
  const tenantNames = cluster.gpus.flatMap((gpu) => [...gpu.tenants.map((tenant) => tenant.name), gpu.holder ?? ""]);
  const states = new Map(tenantNames.map((name) => [name, "running"]));
  for (const entry of queue.waiting) {
    states.set(entry.pod, entry.since + (entry.decision ? " decided" : ""));
  }
  const now = Date.now();
  for (const [name, found] of explained) {
    if (states.get(name) !== found.state || now - found.at > EXPLAINED_MILLIS) {
      explained.delete(name);
    }
  }
  const names = [...states.keys()].filter((name) => name.includes("/"));
  const unknown = names.filter((name) => !explained.has(name)).slice(0, SHOWN_WAITING);
  await Promise.all(unknown.map(async (name) => {
    const answer = await get("v1/explain/" + name.split("/").map(encodeURIComponent).join("/")).catch(() => null);
    if (answer !== null) {
      explained.set(name, { at: now, state: states.get(name), memory: answer.prediction?.engine_memory ?? null });
    }
  }));
  return Object.fromEntries([...explained].map(([name, found]) => [name, found.memory]));
}

// A process keeps some hundred MiB, and samples of utilization have noise.
const IDLE_BYTES = 2 ** 30;
const IDLE_PERCENT = 5;

// What a GPU is used for, in one word or two.
function state(gpu) {
  if (gpu.tenancy === "mig") {
    return "split by MIG";
  }
  if (gpu.tenancy === "exclusive") {
    return "whole";
  }
  if (gpu.tenants.length > 0) {
    return gpu.tenants.length > 1 ? "shared" : "one tenant";
  }
  if (gpu.metrics !== "fresh") {
    return "without metrics";
  }
  const isUsed = gpu.used_bytes > IDLE_BYTES || (gpu.observed_utilization_percent ?? 0) > IDLE_PERCENT;
  return isUsed ? "used by others" : "free";
}

function withoutGrants(gpu, limit) {
  switch (state(gpu)) {
    case "without metrics":
      return "no grants, and none without fresh metrics";
    case "used by others":
      return "no grants, used by others";
    default:
      return "free, room for " + limit + " tenants";
  }
}

// How often each value occurs, the most frequent first.
function counts(values) {
  const found = new Map();
  for (const value of values) {
    found.set(value, (found.get(value) ?? 0) + 1);
  }
  return [...found].sort((one, other) => other[1] - one[1]);
}

function countsText(values) {
  return counts(values).map(([value, count]) => grouped(count, 0) + " " + value).join(", ");
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function total(value, label, detail) {
  return withChildren(make("li"), make("strong", "", value), " " + label, make("small", "", detail));
}

function totals(cluster, queue) {
  const gpus = cluster.gpus;
  const granted = gpus.filter((gpu) => gpu.tenants.length > 0);
  const pods = sum(granted.map((gpu) => gpu.tenants.length));
  const measured = gpus.filter((gpu) => gpu.used_bytes !== undefined);
  const observed = gpus.filter((gpu) => gpu.observed_utilization_percent !== undefined);
  const items = [
    total(grouped(gpus.length, 0), gpus.length === 1 ? "GPU" : "GPUs", countsText(gpus.map(state))),
    total(grouped(pods - granted.length, 0), "GPUs saved", grouped(pods, 0) + " pods with a share on " + grouped(granted.length, 0) + " GPUs"),
    total(
      ofMany(sum(measured.map((gpu) => gpu.used_bytes))), "of memory used",
      "of " + ofMany(sum(measured.map((gpu) => gpu.capacity_bytes))) + " on " + grouped(measured.length, 0) + " GPUs with metrics"),
  ];
  if (observed.length > 0) {
    const mean = sum(observed.map((gpu) => gpu.observed_utilization_percent)) / observed.length;
    items.push(total(percent(mean), "mean utilization", "measured on " + grouped(observed.length, 0) + " GPUs"));
  }
  if (queue.controller) {
    const causes = queue.waiting.map((entry) => entry.decision?.reasons[0]?.code ?? "not decided on yet");
    items.push(total(grouped(queue.waiting.length, 0), "pods wait", countsText(causes)));
  }
  return items;
}

function tenants(gpu, limit, known) {
  const list = make("ul", "tenants");
  if (gpu.tenancy === "mig") {
    list.append(make("li", "none", "split by MIG, not shared"));
  } else if (gpu.tenancy === "exclusive") {
    list.append(withChildren(make("li"), make("span", "name", gpu.holder), make("span", "share", "whole GPU")));
    if (known[gpu.holder]) {
      list.append(withChildren(make("li"), engineMemory(known[gpu.holder])));
    }
  } else if (gpu.tenants.length === 0) {
    list.append(make("li", "none", withoutGrants(gpu, limit)));
  }
  for (const tenant of gpu.tenants) {
    const name = make("span", "name", tenant.name);
    name.title = tenant.name;
    const share =
      "≤ " + percent(tenant.utilization_percent.upper) + ", " + gibibytes(tenant.peak_memory_bytes.upper);
    list.append(withChildren(make("li"), name, make("span", "share", share)));
    if (known[tenant.name]) {
      list.append(withChildren(make("li"), engineMemory(known[tenant.name])));
    }
  }
  return list;
}

function gpuCard(gpu, cluster, known) {
  const title = make("strong", "", gpu.node + " · " + gpu.device);
  const parts = [withChildren(make("div", "card-head"), title, freshness(gpu)), make("div", "uuid", gpu.uuid)];
  if (gpu.tenancy === "shared") {
    parts.push(utilization(gpu, cluster.utilization_limit_percent));
  }
  parts.push(memory(gpu, cluster.memory_headroom_percent), tenants(gpu, cluster.tenant_limit, known));
  if (gpu.review && !gpu.review.within_limits) {
    const text = "outside limits by " + gpu.review.predictor + ": " + gpu.review.reasons.join("; ");
    parts.push(make("div", "quiet", text));
  }
  return withChildren(make("article", "card"), ...parts);
}

function reasonItem(reason) {
  const item = make("li");
  item.value = reason.number;
  return withChildren(item, make("code", "", reason.code), " " + reason.message);
}

function reasonList(reasons) {
  return withChildren(make("ol"), ...reasons.map(reasonItem));
}

function outcome(decision) {
  const cell = make("div", "outcome");
  for (const grant of decision.grants) {
    cell.append(withChildren(make("div"), make("strong", "", grant.node), " " + grant.gpu));
  }
  if (decision.evidence) {
    const numbers = decision.evidence;
    cell.append(make("div", "quiet",
      "utilization " + percent(numbers.summed_utilization_percent) + " of " + percent(numbers.utilization_limit_percent)
      + ", memory " + gibibytes(numbers.forecast_memory_bytes + numbers.predicted_peak_upper_bytes) + " of " + gibibytes(numbers.memory_limit_bytes)
      + ", slowdown " + numbers.slowdown_ratio.toFixed(2) + "×, tenant " + numbers.tenants + " of " + numbers.tenant_limit));
  }
  if (decision.reasons.length > 0) {
    cell.append(reasonList(decision.reasons.slice(0, SHOWN_REASONS)));
  }
  if (decision.reasons.length > SHOWN_REASONS) {
    const rest = decision.reasons.slice(SHOWN_REASONS);
    cell.append(withChildren(make("details"), make("summary", "", rest.length + " more: " + countsText(rest.map((reason) => reason.code))), reasonList(rest)));
  }
  return cell;
}

function result(entry) {
  const kind = { Admitted: "good", Held: "wait", Denied: "bad" }[entry.decision.result];
  return withChildren(make("div", "result"), make("span", "tag " + kind, entry.decision.result));
}

function figures(entry) {
  const cell = make("div", "figures");
  if (!entry.prediction) {
    cell.append(make("span", "quiet", "model unknown"));
    return cell;
  }
  const utilizationUpper = entry.prediction.utilization_percent.upper;
  const memoryUpper = entry.prediction.peak_memory_bytes.upper;
  cell.append(make("span", "", "≤ " + percent(utilizationUpper)), make("span", "", "≤ " + gibibytes(memoryUpper)));
  return cell;
}

function decisionRow(entry) {
  const when = make("time", "when", new Date(entry.at).toLocaleTimeString());
  when.dateTime = entry.at;
  when.title = entry.at;
  const pod = make("div", "pod", entry.pod);
  if (entry.dry_run) {
    pod.append(make("small", "", "dry run"));
  }
  const shownResult = outcome(entry.decision);
  if (entry.prediction && entry.prediction.engine_memory) {
    shownResult.append(engineMemory(entry.prediction.engine_memory));
  }
  return withChildren(make("article", "decision"), when, pod, figures(entry), result(entry), shownResult);
}

function decisionHead() {
  const titles = ["Time", "Pod", "Predicted", "Result", "GPU or reasons"];
  return withChildren(make("div", "decision head"), ...titles.map((title) => make("div", "", title)));
}

function duration(seconds) {
  if (seconds < 60) {
    return seconds + " s";
  }
  return seconds < 3600
    ? Math.floor(seconds / 60) + " m " + (seconds % 60) + " s"
    : Math.floor(seconds / 3600) + " h " + Math.floor((seconds % 3600) / 60) + " m";
}

function waitingRow(entry, memory) {
  const pod = make("div", "pod", entry.pod);
  if (entry.requested) {
    const model = entry.requested.model ?? "no model named";
    pod.append(make("small", "", model + ", batch " + entry.requested.batch_size));
  }
  const times = make("div", "figures");
  const left = entry.fallback_in_seconds === undefined ? "without end" : duration(entry.fallback_in_seconds) + " left";
  times.append(make("span", "", "for " + duration(entry.waiting_seconds)), make("span", "quiet", left));
  const judged = entry.decision ? result(entry) : make("div", "result");
  const why = entry.decision ? outcome(entry.decision) : make("div", "outcome quiet", "not decided on yet");
  const more = entry.reason_count - (entry.decision ? entry.decision.reasons.length : 0);
  if (more > 0) {
    why.append(make("div", "quiet", "and " + more + " more"));
  }
  if (memory) {
    why.append(engineMemory(memory));
  }
  return withChildren(make("article", "decision"), make("div", "when", String(entry.rank)), pod, times, judged, why);
}

function waitingHead() {
  const titles = ["Place", "Pod", "Waiting", "Result", "Reasons"];
  return withChildren(make("div", "decision head"), ...titles.map((title) => make("div", "", title)));
}

// Redraws only what changed, so that text stays selected and open details stay open.
function draw(id, data, render) {
  const key = JSON.stringify(data);
  if (shown.get(id) !== key) {
    shown.set(id, key);
    document.getElementById(id).replaceChildren(...render(data));
  }
}

// Words of the filter, each of which a GPU has in its names, its state or its tenants.
function filterWords() {
  return document.getElementById("gpu-filter").value.toLowerCase().split(/\s+/).filter((word) => word);
}

function matches(gpu, words) {
  const names = gpu.tenants.map((tenant) => tenant.name);
  const text = [gpu.node, gpu.device, gpu.uuid, state(gpu), gpu.holder ?? "", ...names].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function tileClass(gpu) {
  return gpu.used_bytes === undefined
    ? "tile unknown"
    : "tile share-" + Math.min(4, Math.floor((5 * expectedMemory(gpu)) / gpu.capacity_bytes));
}

// One tile for each GPU, by the memory that it is expected to use; a large cluster fits a window.
function tiles(gpus) {
  return gpus.map((gpu) => {
    const tile = make("i", tileClass(gpu));
    tile.title = gpu.node + " " + gpu.uuid + ": " + state(gpu);
    tile.dataset.gpu = gpu.uuid;
    return tile;
  });
}

function drawCluster(cluster, known) {
  const words = filterWords();
  const found = words.length === 0 ? cluster.gpus : cluster.gpus.filter((gpu) => matches(gpu, words));
  const cards = found.slice(0, SHOWN_CARDS);
  draw("gpus", { cards, limits: [cluster.utilization_limit_percent, cluster.tenant_limit], known },
    () => cards.map((gpu) => gpuCard(gpu, cluster, known)));
  const isLarge = cluster.gpus.length > SHOWN_CARDS;
  document.getElementById("gpu-tools").hidden = !isLarge;
  if (isLarge) {
    const map = document.getElementById("heat-map");
    map.classList.toggle("dense", found.length > MANY_TILES);
    map.setAttribute("aria-label", grouped(found.length, 0) + " GPUs by expected memory: " + countsText(found.map(state)));
    draw("heat-map", found.map((gpu) => gpu.uuid + tileClass(gpu) + state(gpu)), () => tiles(found));
    document.getElementById("gpu-count").textContent =
      grouped(found.length, 0) + " of " + grouped(cluster.gpus.length, 0) + " GPUs"
      + (found.length > cards.length ? ", the first " + cards.length + " below" : "");
  }
  const notice = document.getElementById("recording");
  const when = cluster.recorded_at ? new Date(cluster.recorded_at).toLocaleString() : "never";
  notice.textContent = cluster.source === "recorded"
    ? "This is a recorded cluster, not a live one: its GPUs are shown as they were at " + when
      + "; only the grants of this service are added. " + cluster.description
    : cluster.description + ", read at " + when;
  notice.hidden = false;
}

function drawTotals(cluster, queue) {
  draw("totals", { cluster, queue }, () => totals(cluster, queue));
}

function drawDecisions(history) {
  draw("decisions", history.decisions, (all) => all.length === 0 ? [] : [decisionHead(), ...all.map(decisionRow)]);
  document.getElementById("no-decisions").hidden = history.decisions.length > 0;
}

function drawQueue(queue, known) {
  document.getElementById("waiting").hidden = !queue.controller;
  draw("queue", { waiting: queue.waiting, known }, ({ waiting }) =>
    waiting.length === 0 ? [] : [waitingHead(), ...waiting.map((entry) => waitingRow(entry, known[entry.pod]))]);
  document.getElementById("no-queue").hidden = queue.waiting.length > 0;
}

function drawPredictors(answer) {
  const serving = answer.predictors.find((one) => one.sha256 === answer.serving.sha256);
  document.getElementById("predictor").textContent =
    "model " + answer.serving.version
    + (serving && serving.kind === "correction" ? ", corrected with this cluster's own runs" : "")
    + (answer.store === "unreachable" ? "; the database cannot be reached" : "");
}

function grouped(value, digits) {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

// A mean, and below it the range over the draws of slowdown errors.
function range(row, key, digits) {
  const [mean, lowest, highest] = ["", "_lowest", "_highest"].map((end) => grouped(row[key + end], digits));
  return lowest === highest ? [mean] : [mean, make("small", "", lowest + "–" + highest)];
}

const REPLAY_COLUMNS = [
  ["policy", (row) => [row.policy]],
  ["GPUs needed", (row) => range(row, "gpus_needed", 0)],
  ["GPU hours saved", (row) => range(row, "gpu_hours_saved", 0)],
  ["money saved", (row) => range(row, "money_saved", 0)],
  ["waiting", (row) => [grouped(row.waiting_jobs, 0)]],
  ["mean wait", (row) => [duration(Math.round(row.mean_wait_seconds))]],
  ["longest", (row) => [duration(Math.round(row.longest_wait_seconds))]],
  ["out of memory", (row) => range(row, "out_of_memory_jobs", 0)],
  ["slowed > 1.15", (row) => range(row, "slowed_jobs", 0)],
  ["mean slowdown", (row) => range(row, "mean_slowdown", 2)],
  ["95th perc.", (row) => range(row, "slowdown_p95", 2)],
];

function replayRows(policies) {
  if (policies.length === 0) {
    return [];
  }
  const columns = REPLAY_COLUMNS.filter(([title]) => title !== "money saved" || "money_saved" in policies[0]);
  const head = withChildren(make("tr"), ...columns.map(([title]) => make("th", "", title)));
  const rows = policies.map((row) =>
    withChildren(make("tr"), ...columns.map(([, cell]) => withChildren(make("td"), ...cell(row)))));
  return [head, ...rows];
}

function mostHarmed(recording) {
  const harmed = recording.most_harmed.map((one) =>
    one.configuration + " (" + grouped(one.harmed_jobs, 0) + " of " + grouped(one.jobs, 0) + ")");
  return harmed.length === 0 ? "" : "Most harmed: " + harmed.join(", ") + ". ";
}

function replayText(replay) {
  const recording = replay.recording;
  if (!recording) {
    return replay.state === "none" ? "" : replay.state + ": " + replay.message;
  }
  return grouped(recording.jobs, 0) + " jobs, " + grouped(recording.recorded_gpu_hours, 0) + " GPU hours on "
    + grouped(recording.gpus, 0) + " GPUs; measured: utilization of " + percent(recording.utilization_measured_percent) + " of jobs, memory of "
    + percent(recording.memory_measured_percent) + ", duration of " + percent(recording.duration_measured_percent)
    + "; " + percent(recording.shareable_gpu_hours_percent) + " of GPU hours may be shared. Recorded: "
    + grouped(recording.recorded_waiting_jobs, 0) + " jobs waited for more than a minute, at most "
    + duration(Math.round(recording.recorded_longest_wait_seconds)) + ". " + mostHarmed(recording) + "Slowdown: " + recording.slowdown_model
    + "; ranges are over its draws.";
}

function drawReplay(replay) {
  document.getElementById("replay-answer").textContent = replay.recording ? replay.recording.answer : "";
  const state = document.getElementById("replay-state");
  state.textContent = replayText(replay);
  state.classList.toggle("failed", replay.state === "failed");
  document.getElementById("replay-start").disabled = replay.state === "running";
  draw("replay-table", replay.policies ?? [], replayRows);
  draw("replay-rules", replay.recording ? Object.entries(replay.recording.rules) : [],
    (all) => all.map(([policy, rule]) => make("li", "", policy + ": " + rule)));
  draw("replay-findings", replay.recording ? replay.recording.findings : [],
    (all) => all.map((finding) => make("li", "", finding.count.toLocaleString("en") + " " + finding.text)));
}

async function startReplay() {
  const value = (id) => Number(document.getElementById(id).value);
  const error = document.getElementById("replay-error");
  error.textContent = "";
  try {
    drawReplay(await call("v1/what-if", "POST", { hours: value("replay-hours"), price_per_gpu_hour: value("replay-price") }));
  } catch (failure) {
    error.textContent = failure.message;
  }
}

function get(path) {
  return call(path, "GET");
}

async function call(path, method, body) {
  const headers = { Accept: "application/json" };
  if (TOKEN) {
    headers.Authorization = "Bearer " + TOKEN;
  }
  const request = { headers, method };
  if (body) {
    headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  const response = await fetch(path, request);
  if (response.status === 401) {
    throw new Error("it wants a token with the cluster-wide role viewer, add #token=… to this page's address");
  }
  if ([400, 403, 409, 429, 503].includes(response.status)) {
    const problem = await response.json().catch(() => ({}));
    throw new Error(problem.detail ?? path + " answered " + response.status);
  }
  if (!response.ok) {
    throw new Error(path + " answered " + response.status);
  }
  return response.json();
}

function say(text, failed) {
  const line = document.getElementById("connection");
  line.textContent = text;
  line.classList.toggle("failed", failed);
}

let latest = null;

function redraw() {
  if (latest !== null) {
    drawCluster(latest.cluster, latest.known);
  }
}

async function refresh() {
  try {
    const [cluster, history, predictors, queue] = await Promise.all([
      get("v1/gpus"),
      get("v1/decisions?limit=" + SHOWN_DECISIONS),
      get("v1/predictors"),
      get("v1/queue?limit=" + SHOWN_WAITING),
    ]);
    const known = await engines(cluster, queue);
    latest = { cluster, known };
    drawTotals(cluster, queue);
    drawCluster(cluster, known);
    drawDecisions(history);
    drawQueue(queue, known);
    drawPredictors(predictors);
    drawReplay(await get("v1/what-if"));
    say("updated " + new Date().toLocaleTimeString(), false);
  } catch (failure) {
    say("No data: " + failure.message, true);
  } finally {
    setTimeout(refresh, REFRESH_MILLISECONDS);
  }
}

document.getElementById("replay-start").addEventListener("click", startReplay);
document.getElementById("gpu-filter").addEventListener("input", redraw);
document.getElementById("heat-map").addEventListener("click", (event) => {
  if (event.target.dataset.gpu) {
    document.getElementById("gpu-filter").value = event.target.dataset.gpu;
    redraw();
  }
});
refresh();
