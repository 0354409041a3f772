// What the words of all views mean, as docs/glossary.md has them.

import { make } from "./dom.js";

const WORDS = [
  ["grant", "the part of a GPU that a pod was given: upper bounds of the utilization and memory that were predicted of it"],
  ["tenant", "a pod with a grant on a GPU; a GPU with two or more is shared, one with a single tenant is open to others, a whole one is not"],
  ["predicted, granted, measured, expected", "what the model says a pod will use; its upper bound, which is set aside; what the metrics server reports of the GPU; the most of what is in use, forecast and granted"],
  ["forecast", "a bound on the memory that a GPU will use in the next minutes, from its samples; while there are too few of them, a fixed share of its memory"],
  ["new tenant", "one that came within the samples of a forecast, which may not show its memory yet: its grant counts beside them"],
  ["bound", "a value that is not exceeded in the stated share of cases, 90 % unless configured"],
  ["utilization", "share of time in which the GPU does anything, as nvidia-smi reports it"],
  ["limit", "what the policy allows on a GPU; that of memory leaves the headroom free"],
  ["used by others", "no pod has a grant there, but memory is in use: processes that Cotenant did not place"],
  ["not schedulable", "free, but its node takes no pods now: cordoned, not ready, or short of disk or memory"],
  ["slowdown", "how many times as long a step takes beside neighbours as alone; 1.15× is 15 % longer"],
  ["harm, guard", "a pod that is slower than its limit allows; what closes the GPU to newcomers then"],
  ["admitted, held, denied", "the pod fits on a GPU; it waits, for none fits now; it fits on no GPU, however long it waits"],
  ["fallback", "what becomes of a pod that has waited as long as its policy allows: a whole free GPU will do, or it is released without a grant, or it goes on waiting"],
  ["trust domain", "the namespaces whose pods may share GPUs with each other; without one, each namespace is its own"],
  ["shadow, warn, enforce", "modes of a namespace: decisions are only recorded; they are recorded and told to whoever creates a pod; pods wait until they are granted a GPU"],
  ["exclusive, decide, oracle", "policies of a replay: one pod a GPU; the decisions of Cotenant; decisions that know every slowdown beforehand"],
  ["p99, 99th percentile", "99 of 100 requests are served within it"],
  ["held-out rows, RMSLE", "measured runs that a training did not see, and the error on them: 0.10 is about 10 % off"],
  ["drift", "measured runs differ more and more from what was predicted of them"],
];

export function words() {
  const list = make("dl", "facts");
  for (const [word, meaning] of WORDS) {
    list.append(make("dt", "", word), make("dd", "", meaning));
  }
  return list;
}
