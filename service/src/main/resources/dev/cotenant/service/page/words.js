// Meanings of the terms of all views, as in docs/glossary.md.

import { make } from "./dom.js";

const WORDS = [
  ["grant", "capacity of one GPU, assigned to one pod: the upper bounds of its predicted utilization and memory"],
  ["tenant", "a pod with a grant on a GPU; a GPU with a share grant is open to further tenants, one with an exclusive grant is not"],
  ["predicted, granted, measured, expected", "the estimate of the use of a pod; its upper bound, which the grant reserves; the value of the metrics server for the GPU; the largest of used, forecast and granted"],
  ["forecast", "an upper bound of the used memory of a GPU in the next minutes, from its samples; with too few samples, a fixed share of its memory"],
  ["new tenant", "a tenant younger than the window of the forecast: the samples may not show all of its memory, so its grant counts in addition"],
  ["bound", "a value that is not exceeded in the stated share of cases, 90 % unless configured"],
  ["utilization", "share of time in which any kernel runs on the GPU, as nvidia-smi reports it"],
  ["limit", "threshold of the policy for a GPU; the memory limit leaves the headroom free"],
  ["used by others", "state of a GPU without grants whose memory is in use by processes outside Cotenant"],
  ["not schedulable", "state of a free GPU whose node accepts no pods: cordoned, not ready, or under disk or memory pressure"],
  ["slowdown", "ratio of colocated to solo step time or latency; 1.15× is 15 % longer"],
  ["harm, guard", "a measured slowdown or latency beyond its limit; the component that then closes the GPU to further pods"],
  ["admitted, held, denied", "results of a decision: a GPU is chosen; no GPU fits now; no GPU can ever fit"],
  ["fallback", "action after a pod has waited for max-wait: grant a whole free GPU or a share, ungate it without a grant, or keep it waiting"],
  ["trust domain", "the namespaces whose pods may share GPUs with each other; by default each namespace alone"],
  ["shadow, warn, enforce", "modes of a namespace: decisions are recorded only; decisions are recorded and returned as an admission warning; pods wait until they have a grant"],
  ["exclusive, decide, oracle (policies)", "policies of a replay: one pod a GPU; the decisions of Cotenant; a policy that knows all measurements"],
  ["p99, 99th percentile", "latency that 99 of 100 requests do not exceed"],
  ["held-out rows, RMSLE", "measured runs that a training does not use, and the error on them: 0.10 is about 10 %"],
  ["drift", "difference of recent measured runs from their predictions"],
];

export function words() {
  const list = make("dl", "facts");
  for (const [word, meaning] of WORDS) {
    list.append(make("dt", "", word), make("dd", "", meaning));
  }
  return list;
}
