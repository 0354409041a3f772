// What sharing saves, why pods wait, and what needs attention.

import { get } from "./api.js";
import { clock, plot } from "./charts.js";
import { bar, choice, labelled, link, make, panel, slot, table, tag } from "./dom.js";
import { bytes, cause, counts, duration, grouped, money, percent, plural, remedy } from "./format.js";
import { failing, summary } from "./evidence.js";
import { expectedBytes, live, rows } from "./live.js";
import { gpuLink, podLink } from "./names.js";

const RANGES = [["1", "last hour"], ["24", "last day"], ["168", "last week"]];
const HISTORY_MILLISECONDS = 60000;
const AGAIN_MILLISECONDS = 3000;
const SHOWN = 5;

// Plots are as long as what is stored, but not shorter.
const MIN_PLOT_MILLISECONDS = 3600e3;

// Later than that in a range, its first point is the first of all.
const LATE_MILLISECONDS = 600e3;

// A day is not told from less.
const MIN_RATE_MILLISECONDS = 3600e3;

// Number of the fullest GPUs that are named although none is beyond its limit, and how full they are at least.
const NEXT = 3;
const NEXT_SHARE = 0.8;

// [figure, name, kind], in the order of the bars.
const STATES = [
  ["shared_gpus", "shared", "shared"],
  ["single_gpus", "one tenant", "single"],
  ["whole_gpus", "whole", "whole"],
  ["mig_gpus", "split by MIG", "mig"],
  ["foreign_gpus", "used by others", "foreign"],
  ["free_gpus", "free", "free"],
  ["unschedulable_gpus", "not schedulable", "unschedulable"],
  ["unmeasured_gpus", "without metrics", "unmeasured"],
];

export function show(root, parameters, query) {
  const hours = RANGES.some(([value]) => value === query.get("hours")) ? query.get("hours") : "24";
  const saved = slot("");
  const predictions = slot("");
  const now = slot("tiles");
  const past = slot("");
  const attention = slot("");
  const waiting = slot("");
  const candidates = slot("");
  const harmed = slot("");
  const range = choice(RANGES, hours, (value) => {
    location.hash = "#/?hours=" + value;
  });
  root.append(
    make("h1", "", "Overview"),
    saved.element,
    predictions.element,
    now.element,
    make("div", "columns two",
      panel("Needs attention", attention.element),
      panel("Waiting pods", waiting.element),
      panel("Could share a GPU", candidates.element),
      panel("Measured slowdown of pods that share", harmed.element)),
    panel("Over time", labelled("Range", range), past.element));

  let isOpen = true;
  let checked = -1;
  let unkept = [];
  let timer = null;
  let stored = null;
  // Amounts have the currency that the stream of events tells.
  function drawSaved() {
    if (stored !== null && live.event !== null) {
      saved.draw(stored, (found) => found.failure ? "" : savings(pointsOf(found), Number(hours)));
    }
  }
  function drawAttention() {
    if (live.event !== null && checked !== live.revision) {
      checked = live.revision;
      attention.draw(troubles(unkept), drawTroubles);
    }
  }
  async function history() {
    const answer = await get("v1/history?hours=" + hours).catch((error) => ({ failure: error.message }));
    const evidence = await get("v1/evidence").catch(() => null);
    unkept = evidence === null ? [] : failing(evidence);
    checked = -1;
    if (isOpen) {
      drawAttention();
      past.draw(answer, (found) => found.failure ? make("p", "failed", found.failure) : overTime(pointsOf(found), Number(hours)));
      predictions.draw(evidence, (found) => found === null ? "" : summary(found));
      stored = answer;
      drawSaved();
      timer = setTimeout(history, answer.failure || answer.points.length === 0 ? AGAIN_MILLISECONDS : HISTORY_MILLISECONDS);
    }
  }
  history();
  return {
    update() {
      if (live.event === null) {
        return;
      }
      const began = performance.now();
      const { figures } = live.event;
      drawSaved();
      now.draw([figures, isLongStored(stored)], ([, isLongKnown]) => tiles(figures, isLongKnown));
      drawAttention();
      waiting.draw([live.event.waiting ?? null, figures.waiting_pods], ([causes]) => drawWaiting(causes));
      candidates.draw(live.event.pairs, drawPairs);
      harmed.draw([live.event.harm, figures.measured_pods, figures.harmed_pods, figures.measured_slowdown], ([harm]) => drawHarm(harm, figures));
      root.dataset.drawMilliseconds = (performance.now() - began).toFixed(1);
    },
    close() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}

function tile(value, title, ...details) {
  return make("div", "tile", make("p", "title", title), make("p", "big", value), ...details);
}

function worth(perHour, isLongKnown) {
  return perHour === undefined
    ? make("p", "quiet", "no prices: set cotenant.devices.prices")
    : make("p", "", money(perHour, live.event.cluster) + " an hour" + (isLongKnown ? "; at this rate " + money(perHour * 24, live.event.cluster, 0) + " a day" : ""));
}

function tiles(figures, isLongKnown) {
  const { gpus } = figures;
  const states = STATES.filter(([figure]) => figures[figure] > 0);
  const inUse = gpus - figures.free_gpus - (figures.unschedulable_gpus ?? 0) - figures.unmeasured_gpus;
  return [
    tile(grouped(figures.saved_gpus), "GPUs saved by sharing now",
      make("p", "quiet", plural(figures.sharing_pods, "pod") + " with a share on " + grouped(figures.sharing_pods - figures.saved_gpus)
        + (figures.sharing_pods - figures.saved_gpus === 1 ? " GPU" : " GPUs") + ", against one pod a GPU"),
      worth(figures.saved_money_per_hour, isLongKnown)),
    tile(grouped(inUse) + " of " + grouped(gpus), "GPUs in use",
      bar("GPUs by state: " + states.map(([figure, name]) => grouped(figures[figure]) + " " + name).join(", "), stacked(states.map(([figure, , kind]) => [kind, figures[figure] / gpus]))),
      make("p", "legend quiet", ...states.map(([figure, name, kind]) => make("span", "key", make("i", "swatch " + kind), grouped(figures[figure]) + " " + name)))),
    tile(bytes(figures.memory_used_bytes), "Memory used",
      bar("memory", [["ahead", figures.memory_granted_bytes / figures.memory_capacity_bytes], ["used", figures.memory_used_bytes / figures.memory_capacity_bytes]]),
      make("p", "quiet", "granted " + bytes(figures.memory_granted_bytes) + ", predicted " + bytes(figures.memory_predicted_bytes)
        + ", of " + bytes(figures.memory_capacity_bytes) + (figures.unmeasured_gpus > 0 ? " on GPUs with metrics" : ""))),
    tile(percent(figures.utilization_measured_percent), "Mean utilization measured",
      bar("utilization", [["ahead", figures.utilization_granted_percent / 100], ["used", (figures.utilization_measured_percent ?? 0) / 100]]),
      make("p", "quiet", "by tenants: granted " + percent(figures.utilization_granted_percent) + ", predicted " + percent(figures.utilization_predicted_percent))),
  ];
}

// Parts begin where those before them end: the widest is drawn first.
function stacked(parts) {
  let end = 0;
  return parts.map(([kind, share]) => {
    end += share;
    return [kind, end];
  }).reverse();
}

function troubles(failingNamespaces) {
  const all = rows();
  const limit = 1 - live.event.cluster.memory_headroom_percent / 100;
  const fullest = all.filter((row) => row.used_bytes !== undefined)
    .map((row) => ({ uuid: row.uuid, node: row.node, share: expectedBytes(row) / row.capacity_bytes, isForeign: row.state === "used by others",
      isGranted: row.granted_bytes > Math.max(row.used_bytes, row.forecast_upper_bytes ?? 0) }))
    .sort((one, other) => other.share - one.share);
  const beyond = fullest.filter(({ share }) => share > limit);
  return {
    failing: failingNamespaces,
    beyond: beyond.slice(0, SHOWN),
    next: fullest.slice(beyond.length, beyond.length + Math.max(0, NEXT - beyond.length)).filter(({ share }) => share >= NEXT_SHARE),
    fullest: fullest[0]?.share < NEXT_SHARE ? fullest[0] : undefined,
    more: Math.max(0, beyond.length - SHOWN),
    guarded: all.filter((row) => row.guarded).map((row) => ({ uuid: row.uuid, node: row.node })).slice(0, SHOWN),
    guardedCount: live.event.figures.guarded_gpus,
    worst: all.reduce((worst, row) => row.worst_slowdown > (worst?.worst_slowdown ?? 1) ? row : worst, null),
    unmeasured: all.filter((row) => row.used_bytes === undefined && row.state !== "split by MIG").map((row) => ({ uuid: row.uuid, node: row.node })),
    unschedulable: counts(all.filter((row) => row.unschedulable !== undefined).map((row) => row.node + " (" + row.unschedulable + ")")),
  };
}

// By the grants of its tenants, or by the forecast.
function reach({ share, isGranted }) {
  return isGranted ? "may reach " + percent(share * 100) + " of its memory, which its tenants are granted"
    : "is expected to reach " + percent(share * 100) + " of its memory within " + duration(live.event.cluster.forecast_horizon_seconds);
}

function drawTroubles(found) {
  const list = make("ul", "plain");
  for (const { namespace, because } of found.failing) {
    list.append(make("li", "", tag("predictions", "bad"), " ", link("#/evidence", namespace || "(shared rows)"), " is enforced, and its bounds did not hold as often as stated: ", because));
  }
  const limit = percent(100 - live.event.cluster.memory_headroom_percent);
  for (const one of found.beyond) {
    list.append(make("li", "", tag("memory", "bad"), " ", gpuLink(one.uuid, one.node), " " + reach(one) + ", beyond the limit of " + limit + (one.isForeign ? ". Processes without a grant use it: find them on the node with nvidia-smi, and end them or run them in pods that Cotenant places" : "")));
  }
  for (const one of found.next) {
    list.append(make("li", "", tag("memory, next", "plain"), " ", gpuLink(one.uuid, one.node), " " + reach(one) + "; the limit is " + limit));
  }
  if (found.fullest) {
    list.append(make("li", "", tag("memory", "good"), " no GPU is about to run out: the fullest, ", gpuLink(found.fullest.uuid, found.fullest.node),
      ", " + reach(found.fullest) + "; the limit is " + limit));
  }
  if (found.more > 0) {
    list.append(make("li", "quiet", "and " + plural(found.more, "further GPU") + " beyond the memory limit"));
  }
  for (const { uuid, node } of found.guarded) {
    list.append(make("li", "", tag("harm measured", "bad"), " ", gpuLink(uuid, node), " is closed by the guard: a tenant was measured beyond its limit"));
  }
  if (found.worst) {
    list.append(make("li", "", tag("harm predicted", "wait"), " ", gpuLink(found.worst.uuid, found.worst.node),
      " has the largest predicted slowdown, " + grouped(found.worst.worst_slowdown, 2) + "×"));
  }
  if (found.unmeasured.length > 0) {
    list.append(make("li", "", tag("metrics", "wait"), " " + plural(found.unmeasured.length, "GPU") + " without fresh metrics, where nothing is granted: ",
      ...found.unmeasured.slice(0, NEXT).flatMap(({ uuid, node }, i) => [i > 0 ? ", " : "", gpuLink(uuid, node)]), found.unmeasured.length > NEXT ? " and others" : ""));
  }
  if (found.unschedulable.length > 0) {
    const total = found.unschedulable.reduce((sum, [, gpus]) => sum + gpus, 0);
    list.append(make("li", "", tag("nodes", "wait"), " " + plural(total, "GPU") + " on nodes that accept no new pods: "
      + found.unschedulable.slice(0, SHOWN).map(([node]) => node).join(", ") + (found.unschedulable.length > SHOWN ? " and others" : "")));
  }
  return list.children.length > 0 ? list : make("p", "quiet", "Nothing: no GPU is measured.");
}

function drawWaiting(causes) {
  if (causes === null) {
    return make("p", "quiet", "Pods do not wait in this mode: the webhook decides while they are created.");
  }
  if (causes.length === 0) {
    return make("p", "quiet", "No pod waits.");
  }
  return [
    table("Waiting pods by cause", [
      ["pods", (one) => grouped(one.pods), "number"],
      ["cause", (one) => cause(one.code)],
      ["remedy", (one) => remedy(one.code), "sentence"],
    ], causes, ""),
    make("p", "", link("#/pods", "Waiting pods and their reasons")),
  ];
}

function drawPairs(found) {
  return found.length === 0
    ? make("p", "quiet", "No pod that is alone on a GPU would be admitted to the GPU of another one now.")
    : [
      table("Pods that could share a GPU", [
        ["pod", (pair) => podLink(pair.pods[0])],
        ["could join", (pair) => [podLink(pair.pods[1]), make("small", "", "on ", gpuLink(pair.gpu), ", " + pair.device)]],
        ["granted", (pair) => "≤ " + percent(pair.utilization_percent), "number"],
      ], found, ""),
      make("p", "quiet", "Each row is a decision as of now within the limits of the namespace, and frees a GPU."),
    ];
}

// Measured slowdowns of colocated pods and their limits.
function drawHarm(harm, figures) {
  if (harm.length === 0) {
    return make("p", "quiet", "Nothing in the last quarter of an hour: no colocated pod reported a latency, or a speed with a known solo baseline.");
  }
  const mean = figures.measured_slowdown;
  return [
    make("p", "", mean === undefined ? "" : plural(figures.measured_pods, "pod") + " measured, slowed by a factor of " + grouped(mean, 2) + " on average; ",
      make("strong", figures.harmed_pods > 0 ? "failed" : "good", grouped(figures.harmed_pods) + " beyond the limit"), "."),
    table("Measured pods", [
      ["pod", (one) => podLink(one.pod)],
      ["measured", (one) => amount(one, one.value), "number"],
      ["limit", (one) => "≤ " + amount(one, one.limit), "number"],
      ["", (one) => tag(one.value > one.limit ? "harmed" : "kept", one.value > one.limit ? "bad" : "good")],
    ], harm, ""),
  ];
}

function amount(one, value) {
  return one.signal === "slowdown" ? grouped(value, 2) + "×" : grouped(value * 1000, 0) + " ms";
}

function pointsOf(history) {
  return history.points.map((point) => ({ at: Date.parse(point.at), minutes: point.minutes, ...point.figures }));
}

function isLongStored(history) {
  const first = history?.points?.[0];
  return first !== undefined && Date.parse(first.at) <= Date.now() - MIN_RATE_MILLISECONDS + LATE_MILLISECONDS;
}

function savings(points, hours) {
  const total = (during, figure) => during.reduce((sum, point) => sum + (point[figure] ?? 0) * point.minutes / 60, 0);
  if (points.length === 0) {
    return make("p", "answer", "Savings are stored every minute: no data yet.");
  }
  const began = points[0].at;
  const rangeStart = Date.now() - hours * 3600e3;
  const midnight = new Date().setHours(0, 0, 0, 0);
  const range = [began > rangeStart + LATE_MILLISECONDS ? "since recording began at " + clock(began, Date.now() - began)
    : "in the " + RANGES.find(([value]) => Number(value) === hours)[1], points];
  const spans = midnight < Math.max(rangeStart, began) ? [range] : [["today", points.filter((point) => point.at >= midnight)], range];
  const hasPrice = points.some((point) => point.saved_money_per_hour !== undefined);
  return make("p", "answer", "Sharing saved ", ...spans.flatMap(([name, during], i) => [i > 0 ? "; " : "",
    make("strong", "", grouped(total(during, "saved_gpus"), 1) + " GPU hours " + name),
    hasPrice ? [", worth ", make("strong", "", money(total(during, "saved_money_per_hour"), live.event.cluster))] : null]), ".");
}

function overTime(points, hours) {
  const to = Date.now();
  const rangeStart = to - hours * 3600e3;
  const options = { from: Math.max(rangeStart, Math.min(points[0]?.at ?? to, to - MIN_PLOT_MILLISECONDS)), to };
  return [
    make("div", "plots",
      plot({ ...options, title: "GPUs by state", format: (value) => grouped(value, value % 1 ? 1 : 0), unit: 1,
        series: STATES.map(([figure, name, kind]) => ({ name, kind, value: (point) => point[figure], stacked: true })) }, points),
      plot({ ...options, title: "GPUs saved by sharing, and pods waiting", format: (value) => grouped(value, value % 1 ? 1 : 0), unit: 1,
        series: [{ name: "GPUs saved", kind: "used", value: (point) => point.saved_gpus }, { name: "pods waiting", kind: "over", value: (point) => point.waiting_pods }] }, points),
      plot({ ...options, title: "Utilization, mean", format: percent, most: 100,
        series: [
          { name: "granted", kind: "granted", value: (point) => point.utilization_granted_percent },
          { name: "predicted", kind: "predicted", value: (point) => point.utilization_predicted_percent },
          { name: "measured", kind: "used", value: (point) => point.utilization_measured_percent }] }, points),
      plot({ ...options, title: "Memory", format: bytes, unit: 2 ** 30,
        series: [
          { name: "granted", kind: "granted", value: (point) => point.memory_granted_bytes },
          { name: "predicted", kind: "predicted", value: (point) => point.memory_predicted_bytes },
          { name: "used", kind: "used", value: (point) => point.memory_used_bytes }],
        limits: points.length > 0 ? [{ name: "capacity", value: points.at(-1).memory_capacity_bytes }] : [] }, points)),
  ];
}
