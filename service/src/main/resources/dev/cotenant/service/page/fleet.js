// All GPUs: a heat map of nodes × GPUs, and a table of those that a filter lets through.

import { choice, labelled, liveTable, make, slot, tag } from "./dom.js";
import { bytes, counts, grouped, percent } from "./format.js";
import { describe, expectedText, heatMap, isBeyond, SHADES } from "./heat-map.js";
import { expectedBytes, live, rows } from "./live.js";
import { gpuLink, podLink, shortUuid } from "./names.js";

const SHOWN = 50;
const MAX_TENANTS = 3;
const HINT = "Point at a tile or tap it, or use the arrow keys.";

const ORDERS = {
  node: ["node", null],
  memory: ["expected memory", (one, other) => (expectedShare(other) ?? -1) - (expectedShare(one) ?? -1)],
  utilization: ["measured utilization", (one, other) => (other.utilization_percent ?? -1) - (one.utilization_percent ?? -1)],
  granted: ["granted utilization", (one, other) => other.granted_percent - one.granted_percent],
  slowdown: ["predicted slowdown", (one, other) => other.worst_slowdown - one.worst_slowdown],
};

const [, expectedShare] = SHADES.expected;

export function show(root, parameters, query) {
  const settings = { words: query.get("filter") ?? "", order: query.get("order") ?? "node", shade: query.get("shade") ?? "expected", shown: SHOWN };
  const input = make("input");
  input.type = "search";
  input.size = 28;
  input.value = settings.words;
  input.placeholder = "a100 shared team-a/";
  const count = make("p", "quiet");
  count.setAttribute("role", "status");
  const hovered = make("p", "hovered", HINT);
  hovered.setAttribute("aria-live", "polite");
  const map = heatMap((row) => {
    hovered.textContent = row === null ? HINT : describe(row);
  });
  const list = gpuTable();
  const states = slot("chips");
  const more = make("button", "", "Show more");
  more.type = "button";

  // The address is that of what is shown, without an entry in the history for every letter.
  function set(key, value) {
    settings[key] = value;
    const address = new URLSearchParams();
    for (const [name, standard, text] of [["filter", "", settings.words], ["order", "node", settings.order], ["shade", "expected", settings.shade]]) {
      if (text !== standard) {
        address.set(name, text);
      }
    }
    const asText = address.toString();
    history.replaceState(null, "", "#/gpus" + (asText ? "?" + asText : ""));
    draw(true);
  }

  input.addEventListener("input", () => set("words", input.value));
  more.addEventListener("click", () => set("shown", settings.shown + 4 * SHOWN));
  const known = (options, key) => Object.hasOwn(options, settings[key]) ? settings[key] : (settings[key] = Object.keys(options)[0]);
  const order = choice(Object.entries(ORDERS).map(([key, [name]]) => [key, name]), known(ORDERS, "order"), (value) => set("order", value));
  const shade = choice(Object.entries(SHADES).map(([key, [name]]) => [key, name]), known(SHADES, "shade"), (value) => set("shade", value));
  const area = make("div", "map", map.element);
  root.append(
    make("h1", "", "Fleet"),
    make("div", "tools", labelled("Filter by node, product, pod or state", input), labelled("Order", order), labelled("Shade", shade)),
    states.element, count, ramp(), area, hovered, list.element, more);

  let drawn = -1;
  function draw(isForced) {
    if (live.event === null || (!isForced && drawn === live.revision)) {
      return;
    }
    drawn = live.revision;
    const began = performance.now();
    const all = rows();
    const words = settings.words.toLowerCase().split(/\s+/).filter((word) => word);
    const found = words.length === 0 ? all : all.filter((row) => matches(row, words));
    const [, compare] = ORDERS[settings.order];
    if (compare !== null) {
      found.sort(compare); // those of one value stay by node
    }
    map.draw(found, settings.shade, settings.order === "node");
    say(count, grouped(found.length) + " of " + grouped(all.length) + " GPUs");
    states.draw(counts(all.map((row) => row.state)), (states) => states.map(([state, number]) => chip(state, number, () => {
      input.value = state;
      set("words", state);
    })));
    list.draw(found.slice(0, settings.shown));
    more.hidden = found.length <= settings.shown;
    root.dataset.drawMilliseconds = (performance.now() - began).toFixed(1);
    root.dataset.firstDrawnMilliseconds ??= performance.now().toFixed(0);
  }

  const resized = () => draw(true);
  addEventListener("resize", resized);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", resized);
  return {
    update: () => draw(false),
    close() {
      removeEventListener("resize", resized);
      scheme.removeEventListener("change", resized);
    },
  };
}

// Text that stays is not laid out again.
function say(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

function chip(state, number, onClick) {
  const element = make("button", "chip", grouped(number) + " " + state);
  element.type = "button";
  element.addEventListener("click", onClick);
  return element;
}

function ramp() {
  return make("p", "legend quiet",
    make("span", "key", "0 %", make("span", "ramp", ...Array.from({ length: 10 }, (_, i) => make("i", "swatch ramp-" + i))), "100 %"),
    make("span", "key", make("i", "swatch unmeasured"), "not measured"),
    make("span", "key", make("i", "swatch crossed"), "its node accepts no new pods"),
    make("span", "key", make("i", "swatch over"), "expected beyond the memory limit, or closed by the guard"));
}

// Words, each of which is part of a GPU's names, its state or its tenants.
function matches(row, words) {
  const text = [row.node, row.device, row.uuid, row.state, row.unschedulable, ...row.tenants].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function usage(row) {
  return row.used_bytes === undefined && expectedBytes(row) === undefined
    ? "not measured, of " + bytes(row.capacity_bytes)
    : bytes(row.used_bytes) + " → " + expectedText(row) + " of " + bytes(row.capacity_bytes);
}

function gpuTable() {
  return liveTable("GPUs", [
    ["GPU", (row) => [gpuLink(row.uuid, row.node), row.index === undefined ? "" : make("small", "", shortUuid(row.uuid, row.node))]],
    ["product", (row) => row.device, "whole-word"],
    ["state", (row) => [row.state, " ", row.unschedulable === undefined ? "" : tag("node " + row.unschedulable, "wait"), row.guarded ? tag("guarded", "bad") : "", isBeyond(row) ? tag("memory", "bad") : ""]],
    ["expected memory", (row) => expectedShare(row) === undefined ? "–" : percent(100 * expectedShare(row)), "number"],
    ["memory used → expected", (row) => usage(row), "number"],
    ["utilization measured / granted", (row) => (row.utilization_percent === undefined ? "–" : percent(row.utilization_percent)) + " / " + percent(row.granted_percent), "number"],
    ["predicted slowdown", (row) => row.worst_slowdown > 1 ? grouped(row.worst_slowdown, 2) + "×" : "–", "number"],
    ["tenants", (row) => [...row.tenants.slice(0, MAX_TENANTS).map((name) => make("div", "", podLink(name))),
      row.tenants.length > MAX_TENANTS ? "and " + (row.tenants.length - MAX_TENANTS) + " more" : ""]],
  ], "No GPU matches the filter.", (row) => row.uuid);
}
