// The page: which view is shown, by the address, and whether its data is live.

import { takeToken } from "./api.js";
import { make, link } from "./dom.js";
import { live, listen, start } from "./live.js";
import { nameAgain } from "./names.js";
import * as evidence from "./evidence.js";
import * as fleet from "./fleet.js";
import * as gpu from "./gpu.js";
import * as overview from "./overview.js";
import * as plans from "./plans.js";
import * as pod from "./pod.js";
import * as predictors from "./predictors.js";
import * as rightSizing from "./right-sizing.js";
import * as services from "./services.js";
import * as whatIf from "./what-if.js";
import { words } from "./words.js";
import * as workloads from "./workloads.js";

// [path, title, view]; a path with parameters has them in place of ":".
const VIEWS = [
  ["", "Overview", overview],
  ["gpus", "Fleet", fleet],
  ["pods", "Workloads", workloads],
  ["evidence", "Evidence", evidence],
  ["predictors", "Predictors", predictors],
  ["right-sizing", "Right-sizing", rightSizing],
  ["services", "Services", services],
  ["what-if", "What-if", whatIf],
  ["plans", "Plans", plans],
  ["gpus/:", "GPU", gpu],
  ["pods/:/:", "Workload", pod],
];

const IN_MENU = 9;

// The words of the menu are addresses, too.
const PATHS = new Map(VIEWS.slice(0, IN_MENU).map(([path, title]) => [title.toLowerCase(), path]));

const main = document.getElementById("main");
let current = null;

function route() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [first = "", ...rest] = path.split("/").filter((part) => part).map(decoded);
  const parts = [PATHS.get(first.toLowerCase()) ?? first, ...rest].filter((part) => part);
  for (const [pattern, title, view] of VIEWS) {
    const wanted = pattern.split("/").filter((part) => part);
    if (wanted.length === parts.length && wanted.every((part, i) => part === ":" || part === parts[i])) {
      return { title, view, root: wanted[0] ?? "", parameters: parts.filter((_, i) => wanted[i] === ":"), query: new URLSearchParams(query) };
    }
  }
  return null;
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function show() {
  if (location.hash.includes("token=")) {
    takeToken();
  }
  if (location.hash === "#main") {
    main.focus();
    return;
  }
  const found = route();
  current?.close?.();
  main.replaceChildren();
  mark(found?.root);
  if (!found) {
    document.title = "Cotenant";
    main.append(make("p", "", "There is no such view. ", link("#/", "Overview")));
    current = null;
    return;
  }
  document.title = [...found.parameters, found.title, "Cotenant"].join(" · ");
  current = found.view.show(main, found.parameters, found.query);
  current?.update?.();
}

function mark(root) {
  for (const item of document.getElementById("views").querySelectorAll("a")) {
    if (item.dataset.root === root) {
      item.setAttribute("aria-current", "page");
      item.parentElement.parentElement.scrollLeft = item.parentElement.offsetLeft - item.offsetWidth;
    } else {
      item.removeAttribute("aria-current");
    }
  }
}

function menu() {
  return VIEWS.slice(0, IN_MENU).map(([path, title]) => {
    const item = link("#/" + path, title);
    item.dataset.root = path;
    return make("li", "", item);
  });
}

function status() {
  const event = live.event;
  const failure = document.getElementById("failure");
  failure.hidden = live.failure === null;
  failure.textContent = live.failure === null ? "" : "No data: " + live.failure;
  document.getElementById("beat").classList.toggle("on", live.failure === null && event !== null);
  document.getElementById("state").textContent =
    live.failure !== null ? "not connected" : event === null ? "Connecting…" : "updated " + new Date(event.at).toLocaleTimeString();
  if (event === null) {
    return;
  }
  const read = event.cluster.recorded_at ? new Date(event.cluster.recorded_at).toLocaleString() : "never";
  const isRecorded = event.cluster.source === "recorded";
  const notice = document.getElementById("recording");
  notice.hidden = !isRecorded;
  notice.textContent = isRecorded
    ? "This is a recorded cluster, not a live one: it shows its GPUs as of " + read
      + "; only the grants of this service are added. " + event.cluster.description
    : "";
  document.getElementById("predictor").textContent = "Predictions by " + event.predictor + (isRecorded ? "" : ". " + event.cluster.description + ", read at " + read);
}

takeToken();
document.getElementById("views").append(...menu());
document.getElementById("words").append(words());
listen(() => {
  status();
  current?.update?.();
  nameAgain();
});
addEventListener("hashchange", show);
show();
start();
