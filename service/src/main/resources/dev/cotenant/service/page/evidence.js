// Whether predictions hold, by namespace, and whether it is ready to enforce.

import { get } from "./api.js";
import { bar, link, make, slot, table, tag } from "./dom.js";
import { grouped, money, percent, plural } from "./format.js";
import { live } from "./live.js";

const REFRESH_MILLISECONDS = 30000;
const NAMED = 3;

// As many runs as the service asks for before a namespace is ready: fewer refute no bound.
const MIN_RUNS = 20;
const HOLD = "bounds hold";
const NOT = "bounds do not hold";
const FEW = "too few runs to tell";

export function show(root) {
  const found = slot("");
  let isOpen = true;
  root.append(make("h1", "", "Evidence"),
    make("p", "", "Measured runs of pods alone on a GPU are compared with the bounds of their earlier predictions, also in modes shadow and warn, in which decisions have no effect. Decisions of the webhook and of the gate controller are counted."),
    found.element);
  async function read() {
    const answer = await get("v1/evidence").catch((error) => ({ failure: error.message }));
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

function draw(answer) {
  return [
    table("Namespaces", [
      ["namespace", (one) => one.namespace || "(shared rows)"],
      ["mode; ready to enforce", (one) => [one.mode, make("small", "", one.in_force ? "in force" : one.ready ? "ready to enforce" : "not ready to enforce")]],
      ["do predictions hold", (one) => [verdict(one, answer.level), make("div", "quiet", one.because)], "sentence"],
      ["utilization bounds held", (one) => held(one.utilization, answer.level)],
      ["memory bounds held", (one) => held(one.peak_memory, answer.level)],
      ["would save", (one) => one.would_save_gpu_hours > 0
        ? [grouped(one.would_save_gpu_hours, 1) + " GPU hours", one.would_save_money === undefined ? "" : make("small", "", "worth " + money(one.would_save_money, live.event?.cluster))]
        : make("span", "quiet", "–"), "number"],
      ["would slow down", (one) => one.predicted_slowdown === undefined ? make("span", "quiet", "–")
        : [grouped(one.predicted_slowdown, 3) + "×" + (one.shared === 1 ? "" : " on average"), make("small", "", grouped(one.predicted_slowed) + " of " + plural(one.shared, "pod") + " by more than 5 %")], "number"],
      ["decisions", (one) => [grouped(one.decisions), make("small", "", results(one))], "number"],
    ], answer.namespaces, "No data: there is no decision and no measured run yet."),
    make("p", "quiet", "Stated level " + percent(answer.level * 100) + (answer.namespaces.some(hasBar) ? ", the line across a bar" : "") + ". Would save: hours that pods admitted to a share had a whole GPU alone, in modes shadow and warn; the overview has the savings of the other modes. "
      + "Would slow down: the largest predicted slowdown on a GPU, over admissions to a shared GPU. Counted since ", answer.since ?? "now", "."),
    make("p", "quiet", "A run is a pod measured alone on a GPU, or a row of POST /v1/profiles. Jobs of What-if replays and held-out rows of Predictors do not count: they had no bound before they ran."),
  ];
}

// Namespaces that are enforced although their bounds do not hold.
export function failing(answer) {
  return answer.namespaces.filter((one) => one.in_force && !one.ready && !isHeldSoFar(one, answer.level));
}

function isHeldSoFar(one, level) {
  return [one.utilization, one.peak_memory].every(({ held, checks }) => checks < MIN_RUNS || held >= level * checks);
}

// Whether predictions hold, in a sentence, by namespace.
export function summary({ namespaces, level }) {
  const found = new Map([[HOLD, []], [NOT, []], [FEW, []]]);
  for (const one of namespaces) {
    found.get(words(one, level)).push(one.namespace || "(shared rows)");
  }
  const parts = [...found].filter(([, names]) => names.length > 0)
    .map(([verdict, names]) => verdict + " in " + (names.length === namespaces.length ? "every namespace" : names.slice(0, NAMED).join(", ")
      + (names.length > NAMED ? " and " + grouped(names.length - NAMED) + " more" : "")));
  return make("p", "answer", parts.length === 0 ? "No prediction was compared with a measured run yet. " : "Predictions: " + parts.join("; ") + ". ",
    link("#/evidence", "Evidence by namespace"));
}

// Results of decisions, in modes shadow and warn without effect.
function results({ decisions, shared, held, denied }) {
  return [[shared, "beside others"], [decisions - shared - held - denied, "on a GPU alone"], [held, "held"], [denied, "denied"]]
    .filter(([count]) => count > 0).map(([count, name]) => grouped(count) + " " + name).join(", ");
}

function words(one, level) {
  return one.ready ? HOLD : isHeldSoFar(one, level) ? FEW : NOT;
}

function verdict(one, level) {
  return tag(words(one, level), one.ready ? "good" : isHeldSoFar(one, level) ? "wait" : "bad");
}

function hasBar({ utilization, peak_memory: memory }) {
  return utilization.checks >= MIN_RUNS || memory.checks >= MIN_RUNS;
}

function held(bounds, level) {
  if (bounds.checks === 0) {
    return make("span", "quiet", "none measured");
  }
  const share = bounds.held / bounds.checks;
  const text = percent(share * 100) + " of " + plural(bounds.checks, "run");
  return bounds.checks < MIN_RUNS ? make("span", "quiet", text + ", of at least " + MIN_RUNS) : make("div", "", text, bar("held " + percent(share * 100) + ", stated " + percent(level * 100), [["used", share]], [level]));
}
