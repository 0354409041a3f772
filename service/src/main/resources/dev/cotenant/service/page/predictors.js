// Versions of the predictor with their errors on held-out rows, promotion, drift, and models.

import { call, get } from "./api.js";
import { ask, bar, button, make, panel, slot, table, tag } from "./dom.js";
import { versionPlot } from "./charts.js";
import { stamp } from "./decisions.js";
import { grouped, percent } from "./format.js";
import { measuredRuns } from "./runs.js";

const REFRESH_MILLISECONDS = 15000;
const TARGETS = [["utilization", "utilization"], ["memory", "peak memory"]];

export function show(root) {
  const versions = slot("");
  const promotions = slot("");
  const forecasts = slot("");
  const drift = slot("");
  const models = slot("");
  const runs = measuredRuns(act);
  const said = make("p", "");
  said.setAttribute("role", "status");
  root.append(make("h1", "", "Models and predictors"), said,
    panel("Predictor versions", versions.element),
    panel("Drift", drift.element),
    panel("Promotions", promotions.element),
    panel("Forecasts of used memory", forecasts.element),
    panel("Measured runs", runs.element),
    panel("Registered models", models.element));
  let isOpen = true;

  async function act(method, path, body, done) {
    try {
      const answer = await call(path, method, body);
      said.className = "good";
      said.textContent = done(answer);
      await read();
    } catch (error) {
      said.className = "failed";
      said.textContent = error.message;
    }
    said.scrollIntoView({ block: "nearest" });
  }

  async function read() {
    try {
      const [answer, registered] = await Promise.all([get("v1/predictors"), get("v1/models"), runs.read()]);
      if (!isOpen) {
        return;
      }
      versions.draw([answer.serving, answer.predictors, answer.promotions.length, answer.store], () => drawVersions(answer, act));
      promotions.draw([answer.promotions, answer.predictors.length], () => drawPromotions(answer, act));
      forecasts.draw(answer.forecasts ?? null, drawForecasts);
      drift.draw(answer.drift ?? [], drawDrift);
      models.draw(registered.models, drawModels);
    } catch (error) {
      said.className = "failed";
      said.textContent = error.message;
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

function drawVersions(answer, act) {
  return [
    answer.store === "unreachable" ? make("p", "failed", "The database cannot be reached: these are the versions as they were last read.") : "",
    versionPlot(answer.predictors.filter((one) => one.metrics.utilization_rmsle_after !== undefined), answer.serving.sha256),
    table("Predictor versions", [
      ["version", (one) => [make("strong", "", one.version), make("small", "", one.kind + ", " + one.origin)]],
      ["made", (one) => stamp(one.created_at)],
      ["error on held-out rows (RMSLE), before → after", (one) => errors(one.metrics)],
      ["provenance", (one) => make("details", "", make("summary", "", grouped(one.provenance.length) + " facts"), make("ul", "plain", ...one.provenance.map((fact) => make("li", "", fact))))],
      ["", (one) => one.sha256 === answer.serving.sha256 ? tag("serves", "good") : [
        button("Promote", () => promote(one, act)),
        answer.promotions.some(({ sha256 }) => sha256 === one.sha256) ? "" : button("Delete", () => remove(one, act))]],
    ], answer.predictors, "No version."),
  ];
}

function address(version) {
  return "v1/predictors/" + encodeURIComponent(version.version);
}

async function promote(version, act) {
  const reason = await ask("Promote " + version.version + "? It must be better than the active version on the held-out rows, unless you override this with a reason.",
    "Promote", { label: "Reason for the override (empty: promote only if it is better)" });
  if (reason !== null) {
    act("POST", address(version) + "/promotion", reason ? { override_reason: reason } : {}, () => version.version + " serves.");
  }
}

async function remove(version, act) {
  if (await ask("Delete " + version.version + "? It was never promoted. Deletion is permanent.", "Delete") !== null) {
    act("DELETE", address(version), undefined, () => version.version + " is deleted.");
  }
}

// Bars of the errors before and after, where a version was compared with the one before it.
function errors(metrics) {
  const parts = [];
  for (const [key, name] of TARGETS) {
    const [before, after] = [metrics[key + "_rmsle_before"], metrics[key + "_rmsle_after"]];
    if (before !== undefined && after !== undefined) {
      const most = Math.max(before, after, 1e-9);
      parts.push(make("div", "before-after", make("span", "", name + " " + before.toFixed(3) + " → " + after.toFixed(3)),
        bar(name + " before", [["ahead", before / most]]), bar(name + " after", [[after < before ? "used" : "over", after / most]])));
    }
  }
  return parts.length > 0 ? parts : make("span", "quiet", "not compared");
}

function drawPromotions(answer, act) {
  const names = new Map(answer.predictors.map((one) => [one.sha256, one.version]));
  return [
    table("Promotions", [
      ["", (one) => grouped(one.number), "number"],
      ["time", (one) => stamp(one.at)],
      ["version", (one) => names.get(one.sha256) ?? one.sha256.slice(0, 12)],
      ["by", (one) => one.by],
      ["why", (one) => one.grounds + ": " + one.reason, "sentence"],
    ], [...answer.promotions].reverse(), "None."),
    answer.promotions.length > 1 ? button("Roll back to the previous version", async () => {
      const reason = await ask("Make the previous version active again?", "Roll back", { label: "Reason, which is recorded", required: true });
      if (reason) {
        act("POST", "v1/predictors/rollback", { reason }, (promotion) => "Rolled back: " + (names.get(promotion.sha256) ?? promotion.sha256.slice(0, 12)) + " serves.");
      }
    }) : "",
  ];
}

function drawForecasts(forecasts) {
  return forecasts === null ? make("p", "quiet", "Not known.") : table("Versions of the forecast", [
    ["version", (one) => one.version],
    ["made", (one) => stamp(one.created_at)],
    ["", (one) => one.sha256 === forecasts.serving.sha256 ? tag("serves", "good") : ""],
  ], forecasts.versions, "The shipped one serves: " + forecasts.serving.version);
}

function drawDrift(devices) {
  return table("Drift by device", [
    ["device", (one) => one.device],
    ["measured against predicted utilization", (one) => (one.bias > 0 ? "+" : "") + percent(100 * (Math.exp(one.bias) - 1)), "number"],
    ["runs above their upper bound", (one) => percent(one.above_upper * 100), "number"],
    ["of runs", (one) => grouped(one.runs), "number"],
    ["from, to", (one) => [stamp(one.first_at), ", ", stamp(one.last_at)]],
    ["", (one) => Math.abs(one.bias) > 0.1 || one.above_upper > 0.2 ? tag("train on this cluster's runs", "wait") : tag("nominal", "good")],
  ], devices, "No drift data: no pod has been measured solo yet. Drift counts pods measured alone on a GPU; the view Evidence counts runs of profiling and uploaded runs too.");
}

function drawModels(models) {
  return table("Models", [
    ["name", (one) => one.name],
    ["kind", (one) => one.kind],
    ["SHA-256", (one) => make("code", "", one.sha256.slice(0, 16) + "…")],
    ["named by containers as", (one) => (one.references ?? []).join(", ") || "–"],
  ], models, "No model is registered: PUT /v1/models/{name} registers one.");
}
