// Replays of the cluster's own jobs under other policies.

import { call, get } from "./api.js";
import { labelled, make, slot, table } from "./dom.js";
import { stamp } from "./decisions.js";
import { duration, grouped, money, percent, plural, unit } from "./format.js";
import { live, meanPrice } from "./live.js";

const REFRESH_MILLISECONDS = 2000;

// A mean, and below it the range over the draws of slowdown errors.
function range(row, key, digits) {
  const [mean, lowest, highest] = ["", "_lowest", "_highest"].map((end) => grouped(row[key + end], digits));
  return lowest === highest ? [mean] : [mean, make("small", "", lowest + "–" + highest)];
}

const COLUMNS = [
  ["policy", (row) => [row.policy]],
  ["GPUs needed", (row) => range(row, "gpus_needed", 0), "number"],
  ["GPU hours saved", (row) => range(row, "gpu_hours_saved", 0), "number"],
  ["money saved", (row) => range(row, "money_saved", 0), "number"],
  ["waiting", (row) => [grouped(row.waiting_jobs)], "number"],
  ["mean wait", (row) => [duration(row.mean_wait_seconds)], "number"],
  ["longest", (row) => [duration(row.longest_wait_seconds)], "number"],
  ["not run", (row) => [grouped(row.unplaced_jobs)], "number"],
  ["out of memory", (row) => range(row, "out_of_memory_jobs", 0), "number"],
  ["slowed > 15 %", (row) => range(row, "slowed_jobs", 0), "number"],
  ["mean slowdown", (row) => range(row, "mean_slowdown", 2), "number"],
  ["slowdown of the 95th percentile", (row) => range(row, "slowdown_p95", 2), "number"],
];

// [parameter of the address, key of the request, label, least, most, step, key of the one in force
// where the stream of events has it]; empty is as it is.
const LIMITS = [
  ["utilization", "utilization_percent", "Utilization limit, %", 0, 1000, 1, "utilization_limit_percent"],
  ["headroom", "memory_headroom_percent", "Memory headroom, %", 0, 99, 0.5, "memory_headroom_percent"],
  ["tenants", "tenants", "Tenants on a GPU", 1, 48, 1, "tenant_limit"],
  ["slowdown", "slowdown", "Slowdown limit", 1, 100, 0.01, "slowdown_limit"],
];

const HOURS = 168;

function number(id, least, most, value, step) {
  const input = make("input");
  Object.assign(input, { id, type: "number", min: least, max: most, step, value: value ?? "" });
  return input;
}

// "Hours until now must be 1 to 744."
function amiss(inputs) {
  const wrong = inputs.find(({ validity }) => validity.badInput || validity.rangeUnderflow || validity.rangeOverflow);
  return wrong ? wrong.labels[0].firstChild.textContent + " must be " + wrong.min + " to " + grouped(Number(wrong.max)) + "." : "";
}

export function show(root, parameters, query) {
  const hours = number("replay-hours", 1, 744, query.get("hours"), 1);
  const price = number("replay-price", 0, 1e6, query.get("price"), 0.01);
  hours.placeholder = HOURS;
  const limits = LIMITS.map(([name, key, label, least, most, step, inForce]) => ({ name, key, label, inForce, input: number("replay-" + name, least, most, query.get(name), step) }));
  const inputs = [hours, price, ...limits.map(({ input }) => input)];
  const error = make("p", "failed");
  error.setAttribute("role", "alert");
  const answer = slot("");
  const priceUnit = make("p", "quiet", "");
  let isOpen = true;
  let timer = null;
  let latest = null;
  const differs = make("p", "notice", "");

  // The address is that of the question.
  function remember() {
    const address = new URLSearchParams();
    for (const [name, input] of [["hours", hours], ["price", price], ...limits.map(({ name, input }) => [name, input])]) {
      if (input.value !== "") {
        address.set(name, input.value);
      }
    }
    const asText = address.toString();
    history.replaceState(null, "", "#/what-if" + (asText ? "?" + asText : ""));
  }

  // A visitor who fills in nothing looks at the run that is shown.
  function compare() {
    const ran = latest?.recording ? { hours: latest.hours, price: latest.price_per_gpu_hour, ...latest.limits, ...latest.changed?.limits } : null;
    const isSame = ran === null || [["hours", hours], ["price", price], ...limits.map(({ key, input }) => [key, input])]
      .every(([key, input]) => input.value === "" || Number(input.value) === ran[key]);
    differs.textContent = isSame ? "" : "The run below has other values than the fields: press Replay to run these.";
  }

  // What is in force where a field is empty.
  function place(values, name) {
    for (const limit of limits) {
      const value = values?.[limit[name]];
      if (value !== undefined) {
        limit.input.placeholder = "now " + value;
      }
    }
  }

  function request() {
    const changed = limits.filter(({ input }) => input.value !== "").map(({ key, input }) => [key, Number(input.value)]);
    return { hours: Number(hours.value || HOURS), price_per_gpu_hour: Number(price.value || meanPrice()), ...(changed.length > 0 ? { limits: Object.fromEntries(changed) } : {}) };
  }

  async function replay() {
    error.textContent = amiss(inputs);
    if (error.textContent !== "") {
      return;
    }
    run.disabled = true;
    try {
      take(await call("v1/what-if", "POST", request()));
    } catch (failure) {
      run.disabled = false;
      error.textContent = failure.message;
    }
  }

  const run = make("button", "", "Replay");
  const form = make("form", "",
    make("div", "tools", labelled("Hours until now", hours), labelled("Price of a GPU hour, on average", price)), priceUnit,
    make("p", "quiet", "Changed limits; an empty field keeps the limit in force:"),
    make("div", "tools", ...limits.map(({ label, input }) => labelled(label, input)), run));
  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!run.disabled) {
      replay();
    }
  });
  inputs.forEach((input) => input.addEventListener("input", () => {
    error.textContent = "";
    remember();
    compare();
  }));
  root.append(make("h1", "", "What if: another policy over the last days"),
    make("p", "", "Replays the cluster's own jobs, from the history of the metrics server, under other policies: GPU hours saved, and jobs slowed. A replay changes nothing. For a change of the policy, enter the changed limits and press Replay."),
    form, error, differs, answer.element);

  // Amounts have the currency that the stream of events tells.
  function draw() {
    if (latest !== null && (live.event !== null || live.failure !== null)) {
      answer.draw([latest, live.event?.cluster.currency ?? ""], () => drawReplay(latest));
    }
  }

  // Asks again only while one runs.
  function take(found) {
    latest = found;
    run.disabled = found.state === "running";
    place(found.limits, "key");
    compare();
    draw();
    clearTimeout(timer);
    timer = isOpen && run.disabled ? setTimeout(read, REFRESH_MILLISECONDS) : null;
  }

  async function read() {
    try {
      const found = await get("v1/what-if");
      if (isOpen) {
        take(found);
      }
    } catch (failure) {
      run.disabled = false;
      error.textContent = failure.message;
    }
  }
  read();
  let isPriced = false;
  return {
    update() {
      draw();
      if (live.event !== null && !isPriced) {
        isPriced = true;
        place(live.event.cluster, "inForce");
        priceUnit.textContent = "Price " + unit(live.event.cluster) + (meanPrice() ? ", " + meanPrice() + " on average over the cluster's GPUs." : ".");
        price.placeholder = meanPrice();
      }
    },
    close() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}

// Those of the limits that differ: "utilization limit 100 → 120 %".
function changes(before, after) {
  return LIMITS.filter(([, key]) => before[key] !== after[key])
    .map(([, key, label]) => {
      const [name, sign] = label.split(", ");
      return name[0].toLowerCase() + name.slice(1) + " " + before[key] + " → " + after[key] + (sign ? " " + sign : "");
    }).join("; ");
}

function rowOf(policies, name) {
  return policies.find((row) => row.policy === name);
}

function inMoney(row) {
  return "money_saved" in row ? ", worth " + money(Math.abs(row.money_saved), live.event?.cluster, 0) : "";
}

function gpuHours(row) {
  return grouped(Math.abs(row.gpu_hours_saved), Math.abs(row.gpu_hours_saved) < 1000 ? 1 : 0) + " GPU hours";
}

// What a change of limits would have made of what is in force.
function drawChanged(replay, inForce, other, columns) {
  const change = changes(replay.limits, replay.changed.limits);
  const more = { gpu_hours_saved: other.gpu_hours_saved - inForce.gpu_hours_saved, ...("money_saved" in other ? { money_saved: other.money_saved - inForce.money_saved } : {}) };
  return [
    JSON.stringify(inForce) === JSON.stringify(other)
      ? make("p", "answer", make("strong", "", "Nothing would have changed"), " with " + change + ": no figure of the replay differs.")
      : make("p", "answer", "With " + change + ", sharing would have saved ", make("strong", "", gpuHours(more) + (more.gpu_hours_saved < 0 ? " less" : " more")),
        inMoney(more) + ("money_saved" in more ? "," : "") + " than under the limits in force. Jobs slowed by more than 15 %: " + grouped(inForce.slowed_jobs, 0) + " → " + grouped(other.slowed_jobs, 0)
        + "; out of memory: " + grouped(inForce.out_of_memory_jobs, 0) + " → " + grouped(other.out_of_memory_jobs, 0) + "."),
    table("Limits in force and changed limits", [["limits", (row) => [row.title]], ...columns.slice(1)],
      [{ ...inForce, title: "in force" }, { ...other, title: change }], ""),
  ];
}

// What the limits in force would have made of one job a GPU.
function drawInForce({ recording }, alone, inForce, columns) {
  return [
    make("p", "answer", "Against one job a GPU, sharing under the limits in force would have ", inForce.gpu_hours_saved < 0 ? "cost " : "saved ",
      make("strong", "", gpuHours(inForce)), " of " + grouped(alone.gpu_hours) + inMoney(inForce) + ". Of " + grouped(recording.jobs) + " jobs "
      + grouped(inForce.slowed_jobs, 0) + " would have been slowed by more than 15 %, and " + grouped(inForce.out_of_memory_jobs, 0) + " out of memory."),
    table("One job a GPU and the limits in force", [["policy", (row) => [row.title]], ...columns.slice(1)],
      [{ ...alone, title: "one job a GPU" }, { ...inForce, title: "limits in force" }], ""),
  ];
}

function drawReplay(replay) {
  const { recording, policies, changed } = replay;
  if (!recording) {
    return make("p", replay.state === "failed" ? "failed" : "quiet", replay.state === "none" ? "No replay yet: press Replay."
      : replay.state === "running" ? "Replays the history, which takes a minute or two: " + replay.message : replay.state + ": " + replay.message);
  }
  const isAnyLeft = [...policies, ...(changed?.policies ?? [])].some((row) => row.unplaced_jobs > 0);
  const columns = COLUMNS.filter(([title]) => (title !== "money saved" || "money_saved" in policies[0]) && (title !== "not run" || isAnyLeft))
    .map(([title, ...rest]) => [title === "money saved" && live.event?.cluster.currency ? title + ", " + live.event.cluster.currency : title, ...rest]);
  const inForce = rowOf(policies, "decide");
  return [
    ...(changed ? drawChanged(replay, inForce, rowOf(changed.policies, "decide"), columns) : drawInForce(replay, policies[0], inForce, columns)),
    make("p", "quiet", "The newest run, ended at ", stamp(replay.ended_at), replay.by === "local" ? " on this machine" : replay.by ? " by " + replay.by : "", replay.hours ? " over " + grouped(replay.hours) + " h" : "",
      replay.price_per_gpu_hour > 0 ? " at " + money(replay.price_per_gpu_hour, live.event?.cluster) + " a GPU hour" : "",
      changed ? " with other limits: " + changes(replay.limits, changed.limits) : " with the limits in force", "."),
    folded("Other policies, for comparison", ...drawPolicies(replay, inForce, columns)),
    folded("The jobs, and what is estimated", ...facts(recording).map((fact) => make("p", "", fact)),
      make("ul", "", ...recording.findings.map((finding) => make("li", "", grouped(finding.count) + " " + finding.text)))),
  ];
}

function folded(title, ...children) {
  return make("details", "", make("summary", "", title), ...children);
}

function drawPolicies({ policies, recording }, inForce, columns) {
  const harsher = policies.filter((row) => row.gpu_hours_saved > inForce.gpu_hours_saved && row.slowed_jobs > inForce.slowed_jobs);
  return [
    table("Policies", [["policy", (row) => [row.policy, make("small", "", row.policy === "decide" ? "Cotenant's decisions under the limits in force" : recording.rules[row.policy] ?? "")], "sentence"], ...columns.slice(1)], policies, ""),
    ...harsher.map((row) => make("p", "", row.policy + " saves more, and slows " + grouped(row.slowed_jobs, 0) + " jobs by more than 15 %; the limits in force slow " + grouped(inForce.slowed_jobs, 0) + ".")),
    make("p", "quiet", "GPUs needed are those at the busiest moment, if no job waits: a policy may need more than exclusive, as colocated jobs run longer. Waiting times are computed for the cluster's actual number of GPUs."),
  ];
}

function facts(recording) {
  const harmed = recording.most_harmed.map((one) => one.configuration + " (" + grouped(one.harmed_jobs, one.harmed_jobs % 1 ? 1 : 0) + " of " + grouped(one.jobs) + ")");
  return [
    grouped(recording.jobs) + " jobs, " + grouped(recording.recorded_gpu_hours) + " GPU hours on " + grouped(recording.gpus) + " GPUs; "
      + percent(recording.shareable_gpu_hours_percent) + " of the GPU hours may be shared. Measured: utilization of " + percent(recording.utilization_measured_percent)
      + " of jobs, memory of " + percent(recording.memory_measured_percent) + ", duration of " + percent(recording.duration_measured_percent) + ".",
    "In the history itself, " + plural(recording.recorded_waiting_jobs, "job") + " waited for more than a minute"
      + (recording.recorded_waiting_jobs > 0 ? ", at most " + duration(recording.recorded_longest_wait_seconds) : "") + "; who would have waited is in the tables.",
    "Slowdowns: " + recording.slowdown_model + ". Ranges are over its draws." + (harmed.length > 0 ? " Most harmed: " + harmed.join(", ") + "." : ""),
  ];
}
