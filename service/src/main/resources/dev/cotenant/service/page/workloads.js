// Pods that wait, have a grant, or were decided about.

import { get } from "./api.js";
import { labelled, link, make, panel, slot, table } from "./dom.js";
import { decisionTable, outcome, result, stamp } from "./decisions.js";
import { bytes, duration, gpuAddress, grouped, percent, podAddress } from "./format.js";
import { live, rows } from "./live.js";

const SHOWN = 100;
const LEAST_MILLISECONDS = 4000;

export function show(root) {
  const input = make("input");
  input.type = "search";
  input.size = 28;
  input.placeholder = "team-a/";
  const waiting = slot("");
  const running = slot("");
  const decided = slot("");
  root.append(make("h1", "", "Workloads"), make("div", "tools", labelled("Filter by namespace or pod", input)),
    panel("Waiting", waiting.element), panel("With a grant", running.element), panel("Newest decisions", decided.element));
  const latest = { queue: null, decisions: null, at: 0, seen: null, isOpen: true };

  function draw() {
    const word = input.value.toLowerCase();
    const wanted = (name) => name.toLowerCase().includes(word);
    if (latest.queue) {
      waiting.draw([latest.queue.controller, latest.queue.waiting.filter((entry) => wanted(entry.pod)), latest.queue.at.slice(0, 18)], drawQueue);
    }
    if (latest.decisions) {
      decided.draw(latest.decisions.filter((entry) => wanted(entry.pod)), (found) => decisionTable(found, "No decision yet."));
    }
    running.draw(rows().flatMap((row) => row.tenants.filter(wanted).map((name) => ({ name, uuid: row.uuid, node: row.node, device: row.device, state: row.state }))).slice(0, SHOWN), drawRunning);
  }

  async function read(key) {
    latest.at = Date.now();
    try {
      const [queue, decisions] = await Promise.all([get("v1/queue?limit=" + SHOWN), get("v1/decisions?limit=" + SHOWN)]);
      latest.queue = queue;
      latest.decisions = decisions.decisions;
      latest.seen = key;
      if (latest.isOpen) {
        draw();
      }
    } catch (error) {
      waiting.draw(error.message, (message) => make("p", "failed", message));
    }
  }

  input.addEventListener("input", draw);
  return {
    update() {
      const key = live.event === null ? null : JSON.stringify([live.event.decisions, live.event.waiting]);
      const isGated = live.event?.waiting !== undefined;
      if (Date.now() - latest.at > LEAST_MILLISECONDS && (key !== latest.seen || (isGated && live.event.waiting.length > 0))) {
        read(key);
      }
      draw();
    },
    close() {
      latest.isOpen = false;
    },
  };
}

function drawQueue([isGated, waiting]) {
  if (!isGated) {
    return make("p", "quiet", "Pods do not wait in this mode: the webhook decides while they are created.");
  }
  return table("Waiting pods", [
    ["place", (entry) => grouped(entry.rank), "number"],
    ["pod", (entry) => [link(podAddress(entry.pod), entry.pod), make("small", "", entry.requested ? (entry.requested.model ?? "no model named") + ", batch " + entry.requested.batch_size : "")]],
    ["waiting", (entry) => [duration(entry.waiting_seconds), make("small", "", entry.fallback_in_seconds === undefined ? "without end" : duration(entry.fallback_in_seconds) + " left")], "number"],
    ["result", (entry) => entry.decision ? result(entry.decision) : ""],
    ["why", (entry) => entry.decision ? [outcome(entry.decision), more(entry)] : "not decided yet"],
  ], waiting, "No pod waits.");
}

function more(entry) {
  const left = entry.reason_count - entry.decision.reasons.length;
  return left > 0 ? make("small", "", "and " + grouped(left) + " further reasons: ", link(podAddress(entry.pod), "all of them")) : "";
}

function drawRunning(found) {
  return table("Pods with a grant", [
    ["pod", (one) => one.name.includes("/") ? link(podAddress(one.name), one.name) : one.name],
    ["GPU", (one) => link(gpuAddress(one.uuid), one.node + " " + one.uuid.slice(0, 12))],
    ["product", (one) => one.device],
    ["share", (one) => one.state === "whole" ? "whole GPU" : one.state],
  ], found, "No pod has a grant.");
}
