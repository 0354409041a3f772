// Numbers and names as people read them.

// A formatter costs a hundred times what it formats.
const FORMATS = [0, 1, 2, 3].map((digits) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }));

export function grouped(value, digits = 0) {
  return FORMATS[digits].format(value);
}

export function bytes(value) {
  if (value === undefined || value === null) {
    return "unknown";
  }
  if (value > 0 && value < 2 ** 30 / 10) {
    return grouped(value / 2 ** 20) + " MiB";
  }
  const [size, unit] = value < 2 ** 40 ? [value / 2 ** 30, " GiB"] : [value / 2 ** 40, " TiB"];
  return grouped(size, size < 100 && size > 0 ? 1 : 0) + unit;
}

// An amount in the currency of the prices, of which none may be configured.
export function money(value, cluster, digits = 2) {
  return grouped(value, digits) + " " + (cluster?.currency ?? unit(cluster));
}

export function unit(cluster) {
  return "in " + (cluster?.currency ?? "the unit of cotenant.devices.prices");
}

export function percent(value) {
  return value === undefined || value === null ? "unknown" : grouped(value) + " %";
}

export function plural(count, one, many = one + "s") {
  return grouped(count) + " " + (count === 1 ? one : many);
}

export function duration(seconds) {
  if (seconds < 60) {
    return Math.round(seconds) + " s";
  }
  if (seconds < 3600) {
    return Math.floor(seconds / 60) + " min";
  }
  const hours = Math.floor(seconds / 3600);
  return hours < 48 ? hours + " h " + Math.floor((seconds % 3600) / 60) + " min" : grouped(hours / 24, 1) + " days";
}

export function time(text) {
  const at = new Date(text);
  const isToday = at.toDateString() === new Date().toDateString();
  return isToday ? at.toLocaleTimeString() : at.toLocaleString();
}

// What a code of a reason means for whoever waits, and what would let the pod run.
const CAUSES = {
  TooLarge: ["too large for every GPU", "a smaller batch, or a larger product: waiting will not help"],
  UtilizationExceeded: ["too busy", "wait for a tenant to end, or raise limits.utilization-percent"],
  SharesExceeded: ["no free MPS share", "wait for a service to end, or a larger objective"],
  MemoryForecastExceeded: ["memory too full", "a smaller batch, or wait for a tenant to end"],
  InterferenceExceeded: ["slowdown too large", "wait for a quieter GPU, or raise limits.slowdown"],
  RiskExceeded: ["risk of slowdown too large", "a quieter GPU, or a larger risk budget"],
  PredictedMemoryExceeded: ["peak larger than the GPU", "a smaller batch, or a larger product"],
  TenantLimit: ["full: as many tenants as allowed", "wait for a tenant to end"],
  MetricsStale: ["stale metrics", "see why its exporter is silent"],
  NoMetrics: ["no metrics", "see whether an exporter runs on its node"],
  MigNotShareable: ["split by MIG", "request a MIG instance of it, or allow other nodes"],
  ExclusiveRequested: ["not free as a whole", "wait until it is free, or request a share"],
  NoCandidateGpu: ["not eligible", "check node selectors and products"],
  ModelUnknown: ["no whole GPU is free, and the model is unknown", "wait for a free GPU, or register the model, see Predictors"],
  PolicyExcluded: ["excluded by the policy", "see the policy of the namespace"],
  TrustDomainMismatch: ["other trust domain", "wait for a GPU of the same trust domain"],
  NodeExcluded: ["excluded by the pod's constraints, or by the node", "wait for room there, or change the pod's node selector, affinity or tolerations"],
  QueuedBehind: ["queued behind another pod", "wait: earlier pods are first"],
  ProfilingInProgress: ["being profiled", "wait for the end of profiling"],
  ProfilingNeedsFreeGpu: ["needs a free GPU to be profiled", "wait for a free GPU"],
  GpuGuarded: ["closed by the guard", "wait until the guard opens it"],
  PairAvoided: ["pair avoided by the guard", "wait, or use another GPU"],
  EngineStarting: ["a server starts there", "wait until it serves"],
  ObjectiveMissed: ["latency objective missed", "a larger share or another GPU"],
  ObjectivePending: ["latency objective not known yet", "wait"],
  OpenGrants: ["as many grants without a pod as its namespace may have", "wait a minute: they end"],
  GrantConflict: ["changed meanwhile", "it is decided again"],
  GrantRefused: ["refused by its scheduler", "see the pod's Events"],
  WaitTimeout: ["waited longer than the policy's limit", "see the policy's fallback"],
  RequestInvalid: ["request invalid", "see the message"],
  undecided: ["not decided yet", "wait for the next scheduling cycle"],
};

export function cause(code) {
  return (CAUSES[code] ?? [code])[0];
}

export function remedy(code) {
  return (CAUSES[code] ?? ["", "see the message"])[1];
}

// [value, count], the most frequent first.
export function counts(values) {
  const found = new Map();
  for (const value of values) {
    found.set(value, (found.get(value) ?? 0) + 1);
  }
  return [...found].sort((one, other) => other[1] - one[1]);
}

export function podAddress(name) {
  return "#/pods/" + name.split("/").map(encodeURIComponent).join("/");
}

export function gpuAddress(uuid) {
  return "#/gpus/" + encodeURIComponent(uuid);
}
