// The memory that suffices for workloads, from the used memory of their pods.

import { get } from "./api.js";
import { button, choice, labelled, make, panel, slot, table } from "./dom.js";
import { stamp } from "./decisions.js";
import { bytes, grouped, percent, plural, unit } from "./format.js";
import { live, meanPrice } from "./live.js";

const WORTH = "worth an hour";

// [title, sort key of a row or nothing, content, kind].
const COLUMNS = [
  ["workload", (one) => one.namespace + "/" + one.workload, (one, newest) => [make("strong", "", one.workload), make("small", "", one.namespace + ", " + plural(one.pods, "pod") + " on " + one.product),
    Date.parse(one.last_seen_at) < newest ? make("small", "", "not measured since ", stamp(one.last_seen_at), ": it may have ended") : null]],
  ["requested", (one) => one.requested_bytes, (one) => bytes(one.requested_bytes), "number"],
  ["predicted at most", (one) => one.predicted_bytes, (one) => bytes(one.predicted_bytes), "number"],
  ["used: median, p99, most", (one) => one.used_max_bytes, (one) => [one.used_p50_bytes, one.used_p99_bytes, one.used_max_bytes].map(bytes).join(", "), "number"],
  ["recommended", (one) => one.recommended_bytes, (one) => bytes(one.recommended_bytes), "number"],
  ["suffices with", (one) => one.probability, (one) => percent(one.probability * 100), "number"],
  ["frees", (one) => one.freed_bytes, (one) => freed(one.freed_bytes), "number"],
  [WORTH, (one) => one.money_per_hour, (one) => (isKnown(one.money_per_hour) ? grouped(one.money_per_hour, 2) : "no price"), "number"],
  ["out of memory in the back-test", (one) => one.exceeded / Math.max(1, one.back_tested), (one) => grouped(one.exceeded) + " of " + plural(one.back_tested, "window"), "number"],
];
const FREES = 6;
const CONFLICT = 409;
const AGAIN_MILLISECONDS = 2000;

export function show(root) {
  const wanted = { days: "14", coverage: "0.95", price: "" };
  const found = slot("");
  let isOpen = true;
  let order = FREES;
  let answer = null;
  let turns = 0;
  const price = make("input");
  const priceUnit = make("p", "quiet", "");
  price.inputMode = "decimal";
  price.size = 8;
  price.placeholder = "as configured";
  price.addEventListener("change", () => ask({ price: price.value.trim() }));
  const controls = make("div", "tools",
    labelled("history", choice([["3", "3 days"], ["7", "7 days"], ["14", "14 days"], ["31", "31 days"]], wanted.days, (days) => ask({ days }))),
    labelled("suffices with", choice([["0.9", "90 %"], ["0.95", "95 %"], ["0.99", "99 %"]], wanted.coverage, (coverage) => ask({ coverage }))),
    labelled("price of a GPU hour, of every product", price));
  root.append(make("h1", "", "Right-sizing"),
    make("p", "", "Memory that suffices for the next day of each running workload, learned from the used memory of its pods. Nothing is changed. Amounts are for one GPU of one pod; freed memory is for all."),
    controls, priceUnit, panel("Recommendations", found.element));

  function draw() {
    found.draw([answer, order], () => rendered(answer, order, (column) => {
      order = column;
      draw();
    }));
  }

  async function ask(change) {
    Object.assign(wanted, change);
    found.draw(["reading", wanted], () => make("p", "quiet", "Reading the history…"));
    const query = new URLSearchParams({ days: wanted.days, coverage: wanted.coverage });
    if (wanted.price) {
      query.set("price", wanted.price);
    }
    const turn = ++turns;
    const isCurrent = () => isOpen && turn === turns;
    let read = await recommendations(query);
    // One reader at a time: the one before may still be served.
    while (read.status === CONFLICT && isCurrent()) {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLISECONDS));
      read = await recommendations(query);
    }
    if (isCurrent()) {
      answer = read;
      draw();
    }
  }
  let isPriced = false;
  return {
    // Once, with the prices that are configured.
    update() {
      if (live.event !== null && !isPriced) {
        isPriced = true;
        priceUnit.textContent = "Prices " + unit(live.event.cluster) + (meanPrice() ? ", of each product, unless you enter one price for all." : ".");
        ask({});
      }
    },
    close() {
      isOpen = false;
    },
  };
}

function recommendations(query) {
  return get("v1/recommendations?" + query).catch((error) => ({ failure: error.message, status: error.status }));
}

function rendered(answer, order, sortBy) {
  if (answer.failure) {
    return make("p", "failed", answer.failure);
  }
  const key = COLUMNS[order][1];
  const rows = [...answer.workloads].sort((one, other) => compare(key(one), key(other)));
  const newest = Math.max(...rows.map((one) => Date.parse(one.last_seen_at)));
  const columns = COLUMNS.map(([title, , content, kind], i) => [
    button(titled(title) + (i !== order ? "" : i === 0 ? " ↑" : " ↓"), () => sortBy(i)), (one) => content(one, newest), kind]);
  return [
    table("Recommendations", columns, rows, "No workload has samples of two windows."),
    list("Servers of language models", answer.kv_caches.map((one) => one.server + ": --kv-cache-memory-bytes=" + one.bytes)),
    list("Without a recommendation", answer.skipped),
    list("Missing series of the metrics server", answer.missing),
  ];
}

function titled(title) {
  const currency = live.event?.cluster.currency;
  return title === WORTH && currency ? title + ", " + currency : title;
}

// Texts ascend; numbers descend, and what is not known is last.
function compare(one, other) {
  if (typeof one === "string") {
    return one < other ? -1 : Number(one > other);
  }
  return (other ?? -Infinity) - (one ?? -Infinity) || 0;
}

function freed(value) {
  return !isKnown(value) ? "unknown" : value < 0 ? "needs " + bytes(-value) + " more" : bytes(value);
}

function isKnown(value) {
  return value !== undefined && value !== null;
}

function list(title, lines) {
  return lines.length === 0 ? make("span", "") : make("details", "", make("summary", "", title + " (" + grouped(lines.length) + ")"), make("ul", "plain", ...lines.map((line) => make("li", "", line))));
}
