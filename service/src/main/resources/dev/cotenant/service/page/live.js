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
const names = new Intl.Collator("en", { numeric: true });
let order = null;

// Calls back with every event; returns how to stop that.
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// By node and uuid: sorted again only when a GPU comes, goes or moves.
export function rows() {
  order ??= [...live.gpus.values()].sort((one, other) => names.compare(one.node, other.node) || names.compare(one.uuid, other.uuid))
    .map((row) => row.uuid);
  return order.map((uuid) => live.gpus.get(uuid));
}

// The most of use, forecast and grants; undefined where neither is known. While there are too few
// samples for a forecast, decisions count assumed_upper_bytes besides, which is no expectation.
export function expectedBytes(row) {
  return row.used_bytes === undefined && row.granted_bytes === 0
    ? undefined
    : Math.max(row.used_bytes ?? 0, row.forecast_upper_bytes ?? 0, row.granted_bytes);
}

// Of a GPU hour, the mean over the GPUs whose product has a configured price; empty where none has.
export function meanPrice() {
  const prices = rows().map((row) => live.event?.cluster.prices[row.device]).filter((price) => price !== undefined);
  return prices.length === 0 ? "" : (prices.reduce((sum, price) => sum + price, 0) / prices.length).toFixed(2);
}

export function start() {
  let isFirst = true;
  follow("v1/events", (event) => {
    live.failure = null;
    take(event, isFirst);
    isFirst = false;
    notifyListeners();
  }, (message) => {
    live.failure = message;
    notifyListeners();
  }, () => {
    isFirst = true;
  });
}

// After an interruption GPUs may be gone without a word: the first event has all there are.
function take(event, isFirst) {
  if (isFirst) {
    live.gpus.clear();
  }
  for (const row of event.gpus) {
    if (live.gpus.get(row.uuid)?.node !== row.node) {
      order = null;
    }
    live.gpus.set(row.uuid, row);
  }
  for (const uuid of event.removed) {
    live.gpus.delete(uuid);
    order = null;
  }
  if (event.gpus.length > 0 || event.removed.length > 0) {
    live.revision++;
  }
  live.event = event;
}

function notifyListeners() {
  for (const listener of [...listeners]) {
    listener();
  }
}
