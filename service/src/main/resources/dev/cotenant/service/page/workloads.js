// Pods that wait, have a grant, or were decided about.

import { get } from "./api.js";
import { button, labelled, link, make, panel, slot, table } from "./dom.js";
import { decisionTable, fallback, inNumbers, named, outcome, remedyOf, result } from "./decisions.js";
import { duration, grouped, plural, podAddress } from "./format.js";
import { live, rows } from "./live.js";
import { gpuLink, podLink } from "./names.js";

const SHOWN = 100;
const MAX_READ = 5000;
const MIN_MILLISECONDS = 4000;

export function show(root, parameters, query) {
  const input = make("input");
  input.type = "search";
  input.size = 28;
  input.placeholder = "team-a/";
  input.value = query.get("filter") ?? "";
  const waiting = slot("");
  const running = slot("");
  const decided = slot("");
  root.append(make("h1", "", "Workloads"), make("div", "tools", labelled("Filter by namespace or pod", input)),
    panel("Waiting", waiting.element), panel("With a grant", running.element), panel("Newest decisions", decided.element));
  const latest = { queue: null, decisions: null, at: 0, seen: null, isOpen: true };
  const shown = { waiting: SHOWN, running: SHOWN, decided: SHOWN };

  // The first of those that the filter lets through, how many there are, and a way to see more.
  function part(key, all, name) {
    const word = input.value.toLowerCase();
    const wanted = all.filter((one) => name(one).toLowerCase().includes(word));
    return { rows: wanted.slice(0, shown[key]), all: wanted.length, more: () => {
      shown[key] += SHOWN;
      draw();
    } };
  }

  function draw() {
    if (latest.queue) {
      const found = part("waiting", latest.queue.waiting, (entry) => entry.pod);
      waiting.draw([latest.queue.controller, found, latest.queue.at.slice(0, 18), latest.queue.isCut], () => [drawQueue([latest.queue.controller, found.rows]), rest(found, latest.queue.isCut)]);
    }
    if (latest.decisions) {
      const found = part("decided", latest.decisions.decisions, (entry) => entry.pod);
      decided.draw([found, latest.decisions.isCut], () => [decisionTable(found.rows, "No decision of the webhook. Decisions of the gate controller (mode enforce) are above and on the pages of the pods."), rest(found, latest.decisions.isCut)]);
    }
    const grants = part("running", rows().flatMap((row) => row.tenants.map((name) => ({ name, uuid: row.uuid, node: row.node, device: row.device, state: row.state }))), (one) => one.name);
    running.draw(grants, () => [drawRunning(grants.rows), rest(grants, false)]);
  }

  async function read(key) {
    latest.at = Date.now();
    try {
      const [queue, decisions] = await Promise.all([all("v1/queue", "waiting"), all("v1/decisions", "decisions", SHOWN * 3)]);
      latest.queue = queue;
      latest.decisions = decisions;
      latest.seen = key;
      if (latest.isOpen) {
        draw();
      }
    } catch (error) {
      waiting.draw(error.message, (message) => make("p", "failed", message));
    }
  }

  input.addEventListener("input", () => {
    history.replaceState(null, "", "#/pods" + (input.value ? "?" + new URLSearchParams({ filter: input.value }) : ""));
    draw();
  });
  return {
    update() {
      const key = live.event === null ? null : JSON.stringify([live.event.decisions, live.event.waiting]);
      const isGated = live.event?.waiting !== undefined;
      if (Date.now() - latest.at > MIN_MILLISECONDS && (key !== latest.seen || (isGated && live.event.waiting.length > 0))) {
        read(key);
      }
      draw();
    },
    close() {
      latest.isOpen = false;
    },
  };
}

// All pages of a list, up to a number.
async function all(path, key, most = MAX_READ) {
  let answer = await get(path + "?limit=" + Math.min(most, 1000));
  const entries = answer[key];
  while (answer.continue && entries.length < most) {
    answer = await get(path + "?limit=1000&continue=" + encodeURIComponent(answer.continue));
    entries.push(...answer[key]);
  }
  return { ...answer, [key]: entries, isCut: Boolean(answer.continue) };
}

function rest({ rows, all, more }, isCut) {
  const words = "The first " + grouped(rows.length) + " of " + grouped(all) + (isCut ? " loaded; there are more" : "") + ". ";
  return rows.length < all ? make("p", "quiet", words, button("Show more", more)) : isCut ? make("p", "quiet", words) : "";
}

function drawQueue([isGated, waiting]) {
  if (!isGated) {
    return make("p", "quiet", "Pods do not wait in this mode: the webhook decides while they are created.");
  }
  return table("Waiting pods", [
    ["place", (entry) => grouped(entry.rank), "number"],
    ["pod", (entry) => [link(podAddress(entry.pod), entry.pod), make("small", "", entry.requested ? (entry.requested.model ?? "no model named") + ", batch " + entry.requested.batch_size : "")]],
    ["waiting", (entry) => [duration(entry.waiting_seconds), make("small", "", fallback(entry))]],
    ["result", (entry) => entry.decision ? result(entry.decision) : ""],
    ["why", (entry) => entry.decision ? [entry.cause ? leading(entry) : outcome(entry.decision), more(entry)] : "not decided yet", "sentence"],
  ], waiting, "No pod waits.", (entry) => entry.pod);
}

// What the overview counts the pod under.
function leading(entry) {
  return make("p", "", named({ code: entry.cause }), inNumbers(entry), make("small", "", remedyOf(entry.cause, entry.requested)));
}

function more(entry) {
  return entry.reason_count > 0 ? make("small", "", link(podAddress(entry.pod), plural(entry.reason_count, "reason") + ", by GPU")) : "";
}

function drawRunning(found) {
  return table("Pods with a grant", [
    ["pod", (one) => podLink(one.name)],
    ["GPU", (one) => gpuLink(one.uuid, one.node)],
    ["product", (one) => one.device],
    ["share", (one) => one.state === "whole" ? "whole GPU" : one.state],
  ], found, "No pod has a grant.", (one) => one.uuid + " " + one.name);
}
