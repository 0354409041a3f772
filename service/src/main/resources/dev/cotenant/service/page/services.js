// Watched fleets of services: targets, changes with reasons, and drift.

import { get } from "./api.js";
import { bar, make, panel, slot, table, tag } from "./dom.js";
import { stamp } from "./decisions.js";
import { grouped, percent, plural } from "./format.js";

const REFRESH_MILLISECONDS = 10000;

// A log ratio of measured to predicted beyond this is worth a look.
const MAX_DRIFT = 0.2;

export function show(root) {
  const found = slot("");
  let isOpen = true;
  root.append(make("h1", "", "Services"),
    make("p", "", "Fleets watched in shadow: their targets at the measured rates. Nothing is applied."),
    found.element);
  async function read() {
    const answer = await all().catch((error) => ({ failure: error.message }));
    if (isOpen) {
      found.draw(answer, (shown) => shown.failure ? make("p", "failed", shown.failure) : draw(shown));
    }
  }
  read();
  const timer = setInterval(read, REFRESH_MILLISECONDS);
  return {
    close() {
      isOpen = false;
      clearInterval(timer);
    },
  };
}

async function all() {
  const { fleets } = await get("v1/fleets");
  return Promise.all(fleets.map((fleet) => get("v1/fleets/" + encodeURIComponent(fleet.name))));
}

function draw(fleets) {
  return fleets.length === 0
    ? make("p", "quiet", "No fleet is watched: POST /v1/fleets watches one.")
    : fleets.map((fleet) => panel("Fleet " + fleet.name, ...drawFleet(fleet)));
}

function drawFleet(fleet) {
  const last = fleet.last;
  if (!last) {
    return [make("p", "quiet", fleet.waiting ?? "No decision yet.")];
  }
  return [
    make("p", "", plural(last.gpus.length, "GPU") + ", decided ", stamp(last.at), last.deferred ? ". Further changes wait: this period has no moves left." : "."),
    ...last.shortfalls.map((short) => make("p", "failed", short.sentence)),
    table("Workloads of " + fleet.name, [
      ["workload", (one) => one.name],
      ["measured rate", (one) => grouped(one.observed_rate_per_second, 1) + " requests/s", "number"],
      ["planned for, with headroom", (one) => grouped(one.planned_rate_per_second, 1) + " requests/s", "number"],
      ["objective of p99", (one) => milliseconds(one.slo_latency_ms), "number"],
      ["predicted p99", (one) => milliseconds(one.predicted_p99_ms), "number"],
      ["measured p99", (one) => milliseconds(one.measured_p99_ms), "number"],
      ["measured p99 / predicted", drift, "number"],
      ["measured rate is", (one) => one.held ? [tag("not used", "wait"), make("div", "quiet", one.held)] : tag("used", "good")],
    ], last.workloads, "No workload."),
    make("h3", "", "Changes"),
    table("Changes of " + fleet.name, [
      ["change", (one) => one.kind],
      ["workload", (one) => one.workload],
      ["GPU", (one) => one.gpu],
      ["what", (one) => one.what, "sentence"],
      ["why", (one) => one.why, "sentence"],
    ], last.changes, "Nothing changes."),
    make("h3", "", "Partitions"),
    table("Partitions of " + fleet.name, [
      ["GPU", (one) => [one.name, make("small", "", one.device)]],
      ["shares", shares],
    ], last.gpus, "No GPU is used."),
  ];
}

function milliseconds(value) {
  return value === null ? "–" : grouped(value, 1) + " ms";
}

function drift(one) {
  if (one.drift === null) {
    return "–";
  }
  const [kind, words] = one.drift > MAX_DRIFT ? ["bad", "slower than predicted"]
    : one.drift < -MAX_DRIFT ? ["wait", "faster than predicted"] : ["good", "as predicted"];
  return [tag(grouped(Math.exp(one.drift), 2), kind), make("small", "", words)];
}

function shares(gpu) {
  const used = gpu.partitions.reduce((sum, one) => sum + one.share_percent, 0);
  const words = gpu.partitions.map((one) => one.workload + " " + grouped(one.share_percent, 1) + " %, batch " + grouped(one.batch_size)).join("; ");
  return [make("div", "", words), bar(percent(used) + " of " + gpu.name + " are used", [["used", used / 100]])];
}
