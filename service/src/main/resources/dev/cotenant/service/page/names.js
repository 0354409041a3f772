// GPUs and pods as people call them, as links.

import { link } from "./dom.js";
import { gpuAddress, podAddress } from "./format.js";
import { live } from "./live.js";

const UUID_SHOWN = 12;

// "gpu-1 · GPU 0": its node and the number that nvidia-smi gives it there, or else the beginning of
// its uuid.
export function gpuName(uuid, node) {
  const row = live.gpus.get(uuid);
  const where = node ?? row?.node;
  const which = row?.index === undefined ? shortUuid(uuid, where) : "GPU " + row.index;
  return where ? where + " · " + which : which;
}

// A GPU that was never measured is called node/gpu-0.
export function shortUuid(uuid, node) {
  return uuid.startsWith(node + "/") ? uuid.slice(node.length + 1) : uuid.slice(0, UUID_SHOWN);
}

export function gpuLink(uuid, node) {
  const found = link(gpuAddress(uuid), gpuName(uuid, node));
  found.title = uuid;
  found.dataset.node = node ?? "";
  return found;
}

// Links to GPUs that were drawn before these were known.
export function nameAgain() {
  for (const found of document.querySelectorAll("a[data-node]")) {
    const name = gpuName(found.title, found.dataset.node || undefined);
    if (found.textContent !== name) {
      found.textContent = name;
    }
  }
}

// Names that the reader may not know are not of the form namespace/pod.
export function podLink(name) {
  return name.includes("/") ? link(podAddress(name), name) : name;
}
