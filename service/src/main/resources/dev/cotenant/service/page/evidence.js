// Whether predictions hold, by namespace, and whether it is ready to enforce.

import { get } from "./api.js";
import { bar, make, slot, table, tag } from "./dom.js";
import { stamp } from "./decisions.js";
import { grouped, percent } from "./format.js";

const REFRESH_MILLISECONDS = 30000;

export function show(root) {
  const found = slot("");
  let isOpen = true;
  root.append(make("h1", "", "Evidence"),
    make("p", "", "Every measured run is compared with the bounds that the predictor gave before; every decision is counted, also in modes shadow and warn, where it has no effect."),
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
      ["mode", (one) => one.mode],
      ["ready to enforce", (one) => [tag(one.ready ? "yes" : "no", one.ready ? "good" : "wait"), make("div", "quiet", one.because)]],
      ["utilization bounds held", (one) => held(one.utilization, answer.level)],
      ["memory bounds held", (one) => held(one.peak_memory, answer.level)],
      ["decisions", (one) => grouped(one.decisions), "number"],
      ["would share a GPU", (one) => grouped(one.shared), "number"],
      ["would wait", (one) => grouped(one.held), "number"],
      ["never fit", (one) => grouped(one.denied), "number"],
    ], answer.namespaces, "Nothing yet: no pod was decided about and no run was measured."),
    make("p", "quiet", "Stated level " + percent(answer.level * 100) + ". A pod that would share saves a GPU against one pod a GPU. Counted since ", answer.since ? stamp(answer.since) : "now", "."),
  ];
}

function held(bounds, level) {
  if (bounds.checks === 0) {
    return make("span", "quiet", "none measured");
  }
  const share = bounds.held / bounds.checks;
  return make("div", "", percent(share * 100) + " of " + grouped(bounds.checks), bar("held " + percent(share * 100) + ", stated " + percent(level * 100), [["used", share]], [level]));
}
