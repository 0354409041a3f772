// What policies would have made of the cluster's own jobs.

import { call, get } from "./api.js";
import { button, labelled, make, slot, table } from "./dom.js";
import { stamp } from "./decisions.js";
import { duration, grouped, money, percent, unit } from "./format.js";
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
  ["slowed > 1.15", (row) => range(row, "slowed_jobs", 0), "number"],
  ["mean slowdown", (row) => range(row, "mean_slowdown", 2), "number"],
  ["95th perc.", (row) => range(row, "slowdown_p95", 2), "number"],
];

// [parameter of the address, key of the request, label, least, most, step, key of the one in force
// where the stream of events has it]; empty is as it is.
const LIMITS = [
  ["utilization", "utilization_percent", "Utilization limit, %", 0, 1000, 1, "utilization_limit_percent"],
  ["headroom", "memory_headroom_percent", "Memory headroom, %", 0, 99, 0.5, "memory_headroom_percent"],
  ["tenants", "tenants", "Tenants on a GPU", 1, 48, 1, "tenant_limit"],
  ["slowdown", "slowdown", "Slowdown limit", 1, 100, 0.01],
];

function number(id, least, most, value, step) {
  const input = make("input");
  Object.assign(input, { id, type: "number", min: least, max: most, step, value });
  return input;
}

export function show(root, parameters, query) {
  const hours = number("replay-hours", 1, 744, query.get("hours") ?? 168, 1);
  const price = number("replay-price", 0, 1e6, query.get("price") ?? 0, 0.01);
  const limits = LIMITS.map(([name, key, label, least, most, step, inForce]) => ({ name, key, label, inForce, input: number("replay-" + name, least, most, query.get(name) ?? "", step) }));
  const error = make("p", "failed");
  error.setAttribute("role", "alert");
  const answer = slot("");
  const priceUnit = make("p", "quiet", "");
  let isOpen = true;
  let timer = null;
  // Whoever came with a question, or has changed one, keeps it.
  let isAsked = query.size > 0;
  let shown = null;
  const differs = make("p", "notice", "");

  // The address is that of the question.
  function remember() {
    const address = new URLSearchParams();
    for (const [name, input, standard] of [["hours", hours, "168"], ["price", price, "0"], ...limits.map(({ name, input }) => [name, input, ""])]) {
      if (input.value !== standard) {
        address.set(name, input.value);
      }
    }
    const asText = address.toString();
    history.replaceState(null, "", "#/what-if" + (asText ? "?" + asText : ""));
  }

  function fill({ hours: length, price_per_gpu_hour: cost, changed, limits: inForce }) {
    hours.value = length ?? hours.value;
    price.value = cost ?? price.value;
    for (const { key, input } of limits) {
      input.value = changed && changed.limits[key] !== inForce[key] ? changed.limits[key] : "";
    }
  }

  // Of the run that is shown.
  function compare() {
    const ran = shown?.changed?.limits ?? shown?.limits;
    const isSame = !shown || (Number(hours.value) === shown.hours && Number(price.value) === shown.price_per_gpu_hour
      && limits.every(({ key, input }) => Number(input.value === "" ? shown.limits[key] : input.value) === ran[key]));
    differs.textContent = isSame ? "" : "The run below is another than the fields ask for: press Replay to run these.";
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
    return { hours: Number(hours.value), price_per_gpu_hour: Number(price.value), ...(changed.length > 0 ? { limits: Object.fromEntries(changed) } : {}) };
  }

  const run = button("Replay", async () => {
    error.textContent = "";
    run.disabled = true;
    try {
      draw(await call("v1/what-if", "POST", request()));
    } catch (failure) {
      run.disabled = false;
      error.textContent = failure.message;
    }
  });
  [hours, price, ...limits.map(({ input }) => input)].forEach((input) => input.addEventListener("input", () => {
    isAsked = true;
    remember();
    compare();
  }));
  root.append(make("h1", "", "What if: another policy over the last days"),
    make("p", "", "Replays the cluster's own jobs, from the history of the metrics server, under other policies: what would have been saved, and which jobs would have been slowed. Nothing changes by it. To ask about a change of the policy, fill in the limit that it changes, and press Replay."),
    make("div", "tools", labelled("Hours until now", hours), labelled("Price of a GPU hour, on average", price)), priceUnit,
    make("p", "quiet", "Changed limits; an empty one stays as it is in force:"),
    make("div", "tools", ...limits.map(({ label, input }) => labelled(label, input)), run), error, differs, answer.element);

  // Asks again only while one runs.
  function draw(replay) {
    run.disabled = replay.state === "running";
    shown = replay.recording ? replay : null;
    place(shown?.limits, "key");
    if (shown && !isAsked) {
      fill(replay);
    }
    compare();
    answer.draw(replay, drawReplay);
    clearTimeout(timer);
    timer = isOpen && run.disabled ? setTimeout(read, REFRESH_MILLISECONDS) : null;
  }

  async function read() {
    try {
      const replay = await get("v1/what-if");
      if (isOpen) {
        draw(replay);
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
      if (live.event !== null && !isPriced) {
        isPriced = true;
        place(live.event.cluster, "inForce");
        priceUnit.textContent = "Price " + unit(live.event.cluster) + (meanPrice() ? ", " + meanPrice() + " on average over the cluster's GPUs." : ".");
        if (Number(price.value) === 0 && !isAsked && !shown && meanPrice()) {
          price.value = meanPrice();
        }
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

function drawChanged(replay, columns) {
  const { changed } = replay;
  const inForce = replay.policies.find((row) => row.policy === "decide");
  const other = changed?.policies.find((row) => row.policy === "decide");
  if (!inForce || !other) {
    return [];
  }
  const gained = other.gpu_hours_saved - inForce.gpu_hours_saved;
  const digits = inForce.gpu_hours_saved < 1000 ? 1 : 0;
  return [
    make("p", "answer", "With " + changes(replay.limits, changed.limits) + ", sharing would have saved ",
      make("strong", "", grouped(Math.abs(gained), digits) + " GPU hours " + (gained < 0 ? "less" : "more")),
      "money_saved" in inForce ? ", worth " + money(Math.abs(other.money_saved - inForce.money_saved), live.event?.cluster, 0) + "," : "", " than under the limits in force: ",
      grouped(inForce.gpu_hours_saved, digits) + " → " + grouped(other.gpu_hours_saved, digits) + "; jobs slowed by more than 15 %: "
      + grouped(inForce.slowed_jobs, 0) + " → " + grouped(other.slowed_jobs, 0) + ", out of memory: "
      + grouped(inForce.out_of_memory_jobs, 0) + " → " + grouped(other.out_of_memory_jobs, 0) + "."),
    table("Limits in force beside others", [["limits", (row) => [row.title]], ...columns.slice(1)],
      [{ ...inForce, title: "in force" }, { ...other, title: changes(replay.limits, changed.limits) }], ""),
  ];
}

function drawReplay(replay) {
  const { recording } = replay;
  if (!recording) {
    return make("p", replay.state === "failed" ? "failed" : "quiet", replay.state === "none" ? "No replay yet: press Replay."
      : replay.state === "running" ? "Replays the last " + grouped(replay.hours) + " h, which takes a minute or two: " + replay.message : replay.state + ": " + replay.message);
  }
  const isAnyLeft = [...replay.policies, ...(replay.changed?.policies ?? [])].some((row) => row.unplaced_jobs > 0);
  const columns = COLUMNS.filter(([title]) => (title !== "money saved" || "money_saved" in replay.policies[0]) && (title !== "not run" || isAnyLeft))
    .map(([title, ...rest]) => [title === "money saved" && live.event?.cluster.currency ? title + ", " + live.event.cluster.currency : title, ...rest]);
  return [
    ...drawChanged(replay, columns),
    make("p", "answer", "Of the policies below, ", recording.answer),
    make("p", "quiet", "The newest run, ended at ", stamp(replay.ended_at), replay.by ? " by " + replay.by : "", replay.hours ? " over " + grouped(replay.hours) + " h" : "",
      replay.price_per_gpu_hour > 0 ? " at " + grouped(replay.price_per_gpu_hour, 2) + " a GPU hour" : "",
      replay.changed ? " with other limits: " + changes(replay.limits, replay.changed.limits) : " with the limits in force", "."),
    table("Policies", columns, replay.policies, ""),
    make("ul", "quiet", ...Object.entries(recording.rules).map(([policy, rule]) => make("li", "", policy + ": " + rule))),
    make("p", "quiet", text(recording)),
    make("ul", "quiet", ...recording.findings.map((finding) => make("li", "", grouped(finding.count) + " " + finding.text))),
  ];
}

function text(recording) {
  const harmed = recording.most_harmed.map((one) => one.configuration + " (" + grouped(one.harmed_jobs) + " of " + grouped(one.jobs) + ")");
  return grouped(recording.jobs) + " jobs, " + grouped(recording.recorded_gpu_hours) + " GPU hours on "
    + grouped(recording.gpus) + " GPUs; measured: utilization of " + percent(recording.utilization_measured_percent) + " of jobs, memory of "
    + percent(recording.memory_measured_percent) + ", duration of " + percent(recording.duration_measured_percent)
    + "; " + percent(recording.shareable_gpu_hours_percent) + " of GPU hours may be shared. Recorded: "
    + grouped(recording.recorded_waiting_jobs) + " jobs waited for more than a minute, at most "
    + duration(recording.recorded_longest_wait_seconds) + ". " + (harmed.length > 0 ? "Most harmed: " + harmed.join(", ") + ". " : "")
    + "Slowdown: " + recording.slowdown_model + "; ranges are over its draws.";
}
