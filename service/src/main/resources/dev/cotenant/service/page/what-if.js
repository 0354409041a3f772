// What policies would have made of the cluster's own jobs.

import { call, get } from "./api.js";
import { button, labelled, make, slot, table } from "./dom.js";
import { duration, grouped, percent } from "./format.js";

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
  ["out of memory", (row) => range(row, "out_of_memory_jobs", 0), "number"],
  ["slowed > 1.15", (row) => range(row, "slowed_jobs", 0), "number"],
  ["mean slowdown", (row) => range(row, "mean_slowdown", 2), "number"],
  ["95th perc.", (row) => range(row, "slowdown_p95", 2), "number"],
];

function number(id, least, most, value, step) {
  const input = make("input");
  Object.assign(input, { id, type: "number", min: least, max: most, step, value });
  return input;
}

export function show(root) {
  const hours = number("replay-hours", 1, 744, 168, 1);
  const price = number("replay-price", 0, 1e6, 0, 0.01);
  const error = make("p", "failed");
  error.setAttribute("role", "alert");
  const answer = slot("");
  let isOpen = true;
  const run = button("Replay", async () => {
    error.textContent = "";
    try {
      draw(await call("v1/what-if", "POST", { hours: Number(hours.value), price_per_gpu_hour: Number(price.value) }));
    } catch (failure) {
      error.textContent = failure.message;
    }
  });
  root.append(make("h1", "", "What if GPUs had been shared"),
    make("p", "", "The cluster's own jobs, read from the history of the metrics server, under every policy. Nothing changes by it."),
    make("div", "tools", labelled("Hours", hours), labelled("Price of a GPU hour", price), run), error, answer.element);

  function draw(replay) {
    run.disabled = replay.state === "running";
    answer.draw(replay, drawReplay);
  }

  async function read() {
    try {
      const replay = await get("v1/what-if");
      if (isOpen) {
        draw(replay);
      }
    } catch (failure) {
      error.textContent = failure.message;
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

function drawReplay(replay) {
  const { recording } = replay;
  if (!recording) {
    return make("p", replay.state === "failed" ? "failed" : "quiet", replay.state === "none" ? "No replay yet." : replay.state + ": " + replay.message);
  }
  const columns = COLUMNS.filter(([title]) => title !== "money saved" || "money_saved" in replay.policies[0]);
  return [
    make("p", "answer", recording.answer),
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
