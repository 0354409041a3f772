// The cluster as the stream of events shows it.

import { follow } from "./api.js";

export const live = {
  gpus: new Map(),
  event: null,
  failure: null,
  // Grows whenever a GPU changes.
  revision: 0,
};

const listeners = new Set();

// Calls back with every event; returns how to stop that.
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function rows() {
  return [...live.gpus.values()];
}

export function limit(row) {
  return 1 - (live.event?.cluster.memory_headroom_percent ?? 0) / 100;
}

// The most of use, forecast and grants, which decisions count with; undefined without metrics.
export function expectedBytes(row) {
  return row.used_bytes === undefined
    ? undefined
    : Math.max(row.used_bytes, row.forecast_upper_bytes ?? 0, row.granted_bytes);
}

export function start() {
  let isFirst = true;
  follow("v1/events", (event) => {
    live.failure = null;
    take(event, isFirst);
    isFirst = false;
    tell();
  }, (message) => {
    live.failure = message;
    isFirst = true;
    tell();
  });
}

// After an interruption GPUs may be gone without a word: the first event has all there are.
function take(event, isFirst) {
  if (isFirst || event.gpus.length >= live.gpus.size) {
    const there = new Set(event.gpus.map((row) => row.uuid));
    for (const uuid of live.gpus.keys()) {
      if (isFirst && !there.has(uuid)) {
        live.gpus.delete(uuid);
      }
    }
  }
  for (const row of event.gpus) {
    live.gpus.set(row.uuid, row);
  }
  for (const uuid of event.removed) {
    live.gpus.delete(uuid);
  }
  if (event.gpus.length > 0 || event.removed.length > 0) {
    live.revision++;
  }
  live.event = event;
}

function tell() {
  for (const listener of [...listeners]) {
    listener();
  }
}
