// One tile for each GPU, nodes beside each other, on a canvas: ten thousand are drawn in
// milliseconds. The arrow keys move from GPU to GPU, Enter opens one; the table has the same data.

import { make } from "./dom.js";
import { expectedBytes, live } from "./live.js";
import { bytes, grouped, gpuAddress, percent } from "./format.js";
import { gpuName } from "./names.js";

const SIZES = [26, 20, 15, 11, 8, 6];
const MAX_HEIGHT = 460;

// What a tile's shade means: the share from 0 to 1, undefined where it is not known.
export const SHADES = {
  expected: ["expected memory", (row) => share(expectedBytes(row), row.capacity_bytes)],
  used: ["used memory", (row) => share(row.used_bytes, row.capacity_bytes)],
  measured: ["measured utilization", (row) => share(row.utilization_percent, 100)],
  granted: ["granted utilization", (row) => share(row.granted_percent, 100)],
};

function share(part, whole) {
  return part === undefined ? undefined : part / whole;
}

export function heatMap(onHover) {
  const canvas = make("canvas", "heat-map");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  let tiles = [];
  let geometry = { size: 20, step: 22 };
  let chosen = -1;

  function at(event) {
    const { left, top } = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    return tiles.findIndex((tile) => x >= tile.x && x < tile.x + geometry.step && y >= tile.y && y < tile.y + geometry.step);
  }

  function choose(index) {
    if (index === chosen || index >= tiles.length) {
      return;
    }
    const before = chosen;
    chosen = index;
    paint(before);
    paint(chosen);
    onHover(index < 0 ? null : tiles[index].row);
  }

  function open() {
    if (chosen >= 0) {
      location.hash = gpuAddress(tiles[chosen].row.uuid);
    }
  }

  canvas.addEventListener("mousemove", (event) => choose(at(event)));
  canvas.addEventListener("mouseleave", () => choose(-1));
  canvas.addEventListener("click", open);
  canvas.addEventListener("keydown", (event) => {
    const next = nextOf(event.key);
    if (next !== null) {
      event.preventDefault();
      choose(next);
    } else if (event.key === "Enter") {
      open();
    }
  });

  function nextOf(key) {
    const below = (direction) => {
      const from = tiles[Math.max(0, chosen)];
      const rows = tiles.map((tile, i) => [tile, i]).filter(([tile]) => direction * (tile.y - from.y) > 0);
      const y = direction > 0 ? Math.min(...rows.map(([tile]) => tile.y)) : Math.max(...rows.map(([tile]) => tile.y));
      const near = rows.filter(([tile]) => tile.y === y).sort(([one], [other]) => Math.abs(one.x - from.x) - Math.abs(other.x - from.x));
      return near.length > 0 ? near[0][1] : chosen;
    };
    switch (key) {
      case "ArrowRight": return Math.min(tiles.length - 1, chosen + 1);
      case "ArrowLeft": return Math.max(0, chosen - 1);
      case "ArrowDown": return chosen < 0 ? 0 : below(1);
      case "ArrowUp": return chosen < 0 ? 0 : below(-1);
      case "Home": return 0;
      case "End": return tiles.length - 1;
      default: return null;
    }
  }

  let context = null;
  let colors = null;
  let shade = SHADES.expected[1];

  function paint(index) {
    const tile = tiles[index];
    if (!tile) {
      return;
    }
    const { size } = geometry;
    context.clearRect(tile.x - 1, tile.y - 1, geometry.step, geometry.step);
    const value = shade(tile.row);
    context.fillStyle = value === undefined ? colors.unknown : colors.ramp[Math.max(0, Math.min(10, Math.floor(value * 10)))];
    context.fillRect(tile.x, tile.y, size, size);
    if (tile.row.unschedulable !== undefined) {
      context.strokeStyle = colors.quiet;
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(tile.x + 1, tile.y + size - 1);
      context.lineTo(tile.x + size - 1, tile.y + 1);
      context.stroke();
    }
    if (value === undefined) {
      context.fillStyle = colors.quiet;
      context.fillRect(tile.x + size / 2 - 1, tile.y + size / 2 - 1, 2, 2);
    } else if (isBeyond(tile.row) || tile.row.guarded) {
      context.fillStyle = colors.bad;
      context.fillRect(tile.x, tile.y + size - Math.max(2, size / 5), size, Math.max(2, size / 5));
    }
    if (index === chosen) {
      context.strokeStyle = colors.text;
      context.lineWidth = 2;
      context.strokeRect(tile.x, tile.y, size, size);
    }
  }

  let drawn = { key: "", width: 0, isByNode: false, scheme: "" };

  // Where the same GPUs are drawn in the same way, those that have changed are painted again.
  function repaint(rows, way) {
    if (rows.length !== tiles.length || Object.keys(way).some((part) => way[part] !== drawn[part])
      || rows.some((row, i) => row.uuid !== tiles[i].row.uuid)) {
      return false;
    }
    rows.forEach((row, i) => {
      if (row !== tiles[i].row) {
        tiles[i].row = row;
        paint(i);
        if (i === chosen) {
          onHover(row);
        }
      }
    });
    return true;
  }

  function draw(rows, key, isByNode) {
    const width = canvas.parentElement.clientWidth;
    const way = { key, width, isByNode, ratio: window.devicePixelRatio, limit: live.event?.cluster.memory_headroom_percent,
      scheme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light" };
    if (repaint(rows, way)) {
      return;
    }
    drawn = way;
    shade = SHADES[key][1];
    colors = palette();
    const focused = chosen >= 0 ? tiles[chosen]?.row.uuid : null;
    let laid = null;
    for (const size of SIZES) {
      laid = lay(rows, size, width, isByNode);
      if (laid.height <= MAX_HEIGHT) {
        break;
      }
    }
    tiles = laid.tiles;
    geometry = laid;
    chosen = focused === null ? -1 : tiles.findIndex((tile) => tile.row.uuid === focused);
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = laid.height * ratio;
    canvas.style.width = width + "px";
    canvas.style.height = laid.height + "px";
    context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    for (let i = 0; i < tiles.length; i++) {
      paint(i);
    }
    canvas.setAttribute("aria-label", grouped(rows.length) + " GPUs by " + SHADES[key][0] + "; arrow keys move, Enter opens a GPU; the table below has the same data");
    canvas.dataset.tiles = String(tiles.length);
  }

  return { element: canvas, draw };
}

export function isBeyond(row) {
  const headroom = live.event?.cluster.memory_headroom_percent ?? 0;
  const expected = expectedBytes(row);
  return expected !== undefined && expected > row.capacity_bytes * (1 - headroom / 100);
}

// By node, the GPUs of one stay together, with a gap to those of the next.
function lay(rows, size, width, isByNode) {
  const gap = size > 10 ? 2 : 1;
  const step = size + gap;
  const between = Math.max(3, Math.round(size / 3));
  const tiles = [];
  let [x, y, node] = [1, 1, null];
  let count = 0;
  for (let i = 0; i < rows.length; i++) {
    if (isByNode && rows[i].node !== node) {
      node = rows[i].node;
      count = 1;
      while (i + count < rows.length && rows[i + count].node === node) {
        count++;
      }
      if (x > 1) {
        x += between;
      }
      if (x + Math.min(count, 16) * step > width) {
        [x, y] = [1, y + step + (size > 10 ? 4 : 2)];
      }
    } else if (x + step > width) {
      [x, y] = [1, y + step];
    }
    tiles.push({ x, y, row: rows[i] });
    x += step;
  }
  return { tiles, size, step, height: y + step + 1 };
}

function palette() {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  return {
    ramp: Array.from({ length: 11 }, (_, i) => color("--ramp-" + Math.min(9, i))),
    unknown: color("--track"),
    quiet: color("--quiet"),
    bad: color("--bad"),
    text: color("--text"),
  };
}

// What a GPU is expected to use. Of one without grants and history nothing can be said.
export function expectedText(row) {
  return row.assumed_upper_bytes !== undefined && row.granted_bytes === 0 ? "no history yet" : bytes(expectedBytes(row));
}

export function describe(row) {
  return gpuName(row.uuid, row.node) + ", " + row.device + " (" + row.uuid + "): " + row.state
    + (row.unschedulable === undefined ? "" : ", its node is " + row.unschedulable)
    + ", memory " + bytes(row.used_bytes) + " used → " + expectedText(row) + " of " + bytes(row.capacity_bytes)
    + ", utilization " + percent(row.utilization_percent) + " measured, " + percent(row.granted_percent) + " granted"
    + (row.tenants.length > 0 ? "; " + row.tenants.join(", ") : "");
}
