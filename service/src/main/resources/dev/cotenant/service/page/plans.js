// GPU, share and batch of every workload of a fleet, and the cost, by any strategy.

import { call, get } from "./api.js";
import { button, choice, labelled, make, panel, slot, table, tag } from "./dom.js";
import { stamp } from "./decisions.js";
import { bytes, grouped, percent, plural } from "./format.js";

const EXAMPLE = {
  devices: [{ id: "v100", price_per_hour: 3.06 }],
  arrivals: "poisson",
  workloads: [
    { name: "search", profile: "resnet50", slo_latency_ms: 40, request_rate_per_second: 200 },
    { name: "photos", profile: "vgg19", slo_latency_ms: 60, request_rate_per_second: 100 },
    { name: "tags", profile: "alexnet", slo_latency_ms: 20, request_rate_per_second: 400 },
  ],
};

// The first of each kind is what plans where none is chosen.
export const STRATEGIES = [
  ["", "best, or most-throughput of a given number"],
  ["all", "all, side by side"],
  ...["best", "igniter", "ffd+", "ffd++", "gslice+", "gpulets+", "gpulets", "gpulets-nointerference", "sbp", "self-tuning", "inss-bda", "ideal", "most-throughput"]
    .map((name) => [name, name + ", of services"]),
  ...["utilpred-ffd", "slot", "reactive", "gpushare", "resaware"].map((name) => [name, name + ", of jobs"]),
];

// Longer documents are not in the address.
const MAX_ADDRESS = 6000;

export function show(root, parameters, query) {
  const fleet = make("textarea");
  fleet.id = "fleet";
  fleet.rows = 14;
  fleet.spellcheck = false;
  fleet.value = query.get("fleet") ?? JSON.stringify(EXAMPLE, null, 2);
  const strategy = choice(STRATEGIES, query.get("strategy") ?? "", () => remember());
  const gpus = make("input");
  Object.assign(gpus, { type: "number", min: 1, max: 256, value: query.get("gpus") ?? "" });
  const failed = make("p", "failed");
  failed.setAttribute("role", "alert");
  const said = make("p", "quiet");
  said.setAttribute("role", "status");
  const plans = slot("");
  const profiles = slot("");
  let isOpen = true;

  function remember() {
    const address = new URLSearchParams();
    for (const [key, value] of [["strategy", strategy.value], ["gpus", gpus.value], ["fleet", fleet.value]]) {
      if (value && value.length <= MAX_ADDRESS && value !== JSON.stringify(EXAMPLE, null, 2)) {
        address.set(key, value);
      }
    }
    const asText = address.toString();
    history.replaceState(null, "", "#/plans" + (asText ? "?" + asText : ""));
  }

  const run = button("Plan", async () => {
    failed.textContent = "";
    run.disabled = true;
    said.textContent = "Planning…";
    try {
      const settings = new URLSearchParams();
      for (const [key, value] of [["strategy", strategy.value], ["gpus", gpus.value]]) {
        if (value) {
          settings.set(key, value);
        }
      }
      const answer = await call("v1/plans?" + settings, "POST", JSON.parse(fleet.value));
      if (isOpen) {
        said.textContent = plural(answer.plans.length, "plan") + ".";
        plans.draw(answer, drawPlans);
      }
    } catch (error) {
      said.textContent = "";
      failed.textContent = error instanceof SyntaxError ? "The fleet is not valid JSON: " + error.message : error.message;
    }
    run.disabled = false;
  });
  [fleet, gpus].forEach((input) => input.addEventListener("input", remember));
  root.append(make("h1", "", "Plans of fleets"),
    make("p", "", "A plan changes nothing. Workloads have a built-in profile (alexnet, resnet50, vgg19, ssd on v100), a stored profile, or the model of a registered graph. With a number of GPUs the plan maximizes throughput on them. Prices come from the fleet; without prices a GPU hour costs 1."),
    make("div", "columns", panel("Fleet", labelled("Devices, workloads and jobs, as JSON", fleet),
      make("div", "tools", labelled("Strategy", strategy), labelled("Number of GPUs", gpus), run), failed, said),
    panel("Stored service profiles", profiles.element)),
    plans.element);
  get("v1/service-profiles?limit=200").then((answer) => isOpen && profiles.draw(answer.profiles, drawProfiles),
    (error) => isOpen && profiles.draw(error.message, (message) => make("p", "failed", message)));
  return {
    close() {
      isOpen = false;
    },
  };
}

function drawProfiles(found) {
  return table("Stored service profiles", [
    ["profile", (one) => [one.name, make("small", "", one.kind)]],
    ["namespace", (one) => one.namespace ?? "all"],
    ["device", (one) => one.device],
    ["stored", (one) => [stamp(one.at), make("small", "", "by " + one.by)]],
  ], found, "None: POST /v1/service-profiles stores measured ones.");
}

function drawPlans(answer) {
  const [best] = answer.plans;
  return [
    answer.plans.length > 1 ? panel("Strategies", table("Strategies", [
      ["strategy", (one) => one.strategy],
      ["GPUs", (one) => grouped(one.gpus.length), "number"],
      ["cost an hour", (one) => grouped(one.cost_per_hour, 2), "number"],
      ["objectives missed", (one) => grouped(one.violations), "number"],
      ["unplaced", (one) => grouped(one.unplaced.length), "number"],
    ], answer.plans, "")) : "",
    ...(answer.plans.length > 1 ? [] : [drawPlan(best)]),
  ];
}

function drawPlan(plan) {
  const placed = plan.gpus.flatMap((gpu) => [
    ...gpu.workloads.map((one) => ({ gpu, ...one })), ...(gpu.jobs ?? []).map((one) => ({ gpu, job: true, ...one }))]);
  return panel("Plan by " + plan.strategy,
    make("p", "answer", plural(plan.gpus.length, "GPU"), " for ", make("strong", "", grouped(plan.cost_per_hour, 2)), " an hour, in the unit of the fleet's prices",
      plan.lower_bound_gpus === null ? "" : "; no plan needs fewer than " + grouped(plan.lower_bound_gpus),
      plan.violations > 0 ? make("span", "failed", "; " + plural(plan.violations, "workload") + " would miss an objective") : "; every objective is met"),
    table("Placements", [
      ["GPU", (one) => grouped(one.gpu.index) + " · " + one.gpu.device],
      ["workload", (one) => one.name],
      ["share", (one) => one.job ? "in turns" : percent(one.share_percent), "number"],
      ["batch", (one) => one.job ? "–" : grouped(one.batch_size), "number"],
      ["rate", (one) => one.job ? "–" : grouped(one.request_rate_per_second) + " of " + grouped(one.predicted_throughput_per_second) + " /s", "number"],
      ["99th percentile", (one) => one.predicted_p99_ms === undefined ? "–" : grouped(one.predicted_p99_ms, 1) + " ms", "number"],
      ["", (one) => one.job ? percent(one.utilization_percent) + ", " + bytes(one.peak_memory_bytes) : tag(one.meets_objective ? "met" : "missed", one.meets_objective ? "good" : "bad")],
    ], placed, "Nothing is placed."),
    plan.unplaced.length > 0 ? table("Without a place", [
      ["workload", (one) => one.name],
      ["why", (one) => one.reasons.map((reason) => make("div", "", reason)), "sentence"],
    ], plan.unplaced, "") : "",
    make("ul", "quiet", ...plan.notes.map((note) => make("li", "", note))));
}
