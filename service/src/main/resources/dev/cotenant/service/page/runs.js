// Measured runs of this cluster by source, and their withdrawal.

import { get } from "./api.js";
import { ask, button, make, slot, table } from "./dom.js";
import { stamp } from "./decisions.js";
import { bytes, grouped, percent, plural } from "./format.js";

const READ = 1000;
const SHOWN = 20;

export function measuredRuns(act) {
  const found = slot("");
  return {
    element: found.element,
    async read() {
      const answer = await get("v1/profiles?limit=" + READ).catch((error) => ({ failure: error.message }));
      found.draw(answer, () => answer.failure ? make("p", "quiet", "Not known: " + answer.failure) : draw(answer, act));
    },
  };
}

function draw({ count, profiles }, act) {
  const sources = new Map();
  for (const run of profiles) {
    sources.set(run.fields.source, [...(sources.get(run.fields.source) ?? []), run]);
  }
  return [
    make("p", "quiet", "Predictions and trainings use them. Withdraw wrong runs here, such as runs in another unit or on a shared GPU. "
      + (count > profiles.length ? "The first " + grouped(profiles.length) + " of " + grouped(count) + "." : "")),
    table("Measured runs by source", [
      ["source", ([source]) => source],
      ["namespace", ([, runs]) => [...new Set(runs.map((run) => run.namespace || "all"))].join(", ")],
      ["newest", ([, runs]) => stamp(runs.at(-1).received_at)],
      ["runs", ([, runs]) => make("details", "", make("summary", "", plural(runs.length, "run")), ...rows(runs, act))],
      ["", ([source, runs]) => button("Withdraw all", async () => {
        if (await ask("Withdraw all runs of " + source + "? Predictions and trainings no longer use them.", "Withdraw") !== null) {
          act("DELETE", "v1/profiles?source=" + encodeURIComponent(source), undefined, ({ withdrawn }) => plural(withdrawn, "run") + " withdrawn.");
        }
      })],
    ], [...sources], "None: pods that run alone on a GPU are measured, and POST /v1/profiles adds runs.", ([source]) => source),
  ];
}

function rows(runs, act) {
  return [
    table("Runs", [
      ["", (run) => grouped(run.number), "number"],
      ["workload", ({ fields }) => [(fields.model ?? fields.topology ?? fields.family) + ", batch " + fields.batch_size, make("small", "", fields.device)]],
      ["utilization", ({ fields }) => fields.utilization_percent === undefined ? "–" : percent(Number(fields.utilization_percent)), "number"],
      ["peak memory", ({ fields }) => fields.peak_memory_bytes === undefined ? "–" : bytes(Number(fields.peak_memory_bytes)), "number"],
      ["", (run) => button("Withdraw", () => act("DELETE", "v1/profiles/" + run.number, undefined, () => "Run " + grouped(run.number) + " withdrawn."))],
    ], runs.slice(-SHOWN).reverse(), ""),
    runs.length > SHOWN ? make("p", "quiet", "The newest " + SHOWN + "; GET /v1/profiles has all.") : "",
  ];
}
