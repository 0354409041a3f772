// Plots over time, in SVG. Points are { at: milliseconds, values by series }.

import { make, svg } from "./dom.js";

// Text of a drawing has the size of the page's where a drawing is as wide as it is shown.
const WIDE = 720;
const NARROW = 380;
const HEIGHT = 200;
const LEFT = 64;
const BOTTOM = 22;
const TOP = 8;
const TICKS = 4;
const STEPS = [1, 2, 2.5, 5, 10];

function drawingWidth() {
  return document.documentElement.clientWidth < 640 ? NARROW : WIDE;
}

// A larger number than `most` of which `TICKS` parts are easy to read.
function roundUp(most, unit) {
  const part = Math.max(most, 1e-9) / unit / TICKS;
  const power = 10 ** Math.floor(Math.log10(part));
  return STEPS.find((step) => step * power >= part * 0.999) * power * TICKS * unit;
}

// options: title, from, to, series [{ name, kind, value, stacked }], limits [{ name, value }],
// unit (what a tick is a multiple of), format, most. A series is a line, a band (low and high) or,
// stacked, an area.
export function plot(options, points) {
  const width = drawingWidth();
  const { from, to } = options;
  const found = points.filter((point) => point.at >= from && point.at <= to);
  const most = roundUp(Math.max(options.most ?? 0, highest(options, found)), options.unit ?? 1);
  const x = (at) => LEFT + ((at - from) / (to - from)) * (width - LEFT - 8);
  const y = (value) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - BOTTOM - TOP);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": summary(options, found) });
  for (let i = 0; i <= TICKS; i++) {
    const value = (most * i) / TICKS;
    drawing.append(
      svg("line", { x1: LEFT, x2: width - 8, y1: y(value), y2: y(value), class: "grid" }),
      svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, options.format(value)));
  }
  for (let i = 0; i <= TICKS; i += width === NARROW ? 2 : 1) {
    const at = from + ((to - from) * i) / TICKS;
    const anchor = i === 0 ? "start" : i === TICKS ? "end" : "middle";
    drawing.append(svg("text", { x: x(at), y: HEIGHT - 5, "text-anchor": anchor }, clock(at, to - from)));
  }
  let base = found.map(() => 0);
  for (const series of options.series) {
    if (series.stacked) {
      const top = base.map((below, i) => below + (series.value(found[i]) ?? 0));
      drawing.append(svg("path", { d: area(found, x, (i) => y(top[i]), (i) => y(base[i])), class: "area " + series.kind }));
      base = top;
    } else if (series.low) {
      drawing.append(svg("path", { d: area(found.filter((point) => series.value(point) !== undefined), x,
        (i, point) => y(series.value(point)), (i, point) => y(series.low(point))), class: "area " + series.kind }));
    } else {
      drawing.append(svg("path", { d: line(found, x, (point) => series.value(point), y), class: "line " + series.kind }));
    }
  }
  for (const limit of options.limits ?? []) {
    drawing.append(svg("line", { x1: LEFT, x2: width - 8, y1: y(limit.value), y2: y(limit.value), class: "limit" }));
  }
  if (options.now && options.now < to) {
    drawing.append(svg("line", { x1: x(options.now), x2: x(options.now), y1: TOP, y2: HEIGHT - BOTTOM, class: "now" }));
  }
  const legend = make("p", "legend quiet", ...[...options.series, ...(options.limits ?? []).map((one) => ({ ...one, kind: "limit" }))]
    .map((series) => make("span", "key", make("i", "swatch " + series.kind), series.name)));
  const empty = found.length < 2 ? make("p", "quiet", "Too few stored points in this range: choose a shorter range, or wait.") : null;
  return make("figure", "plot", make("figcaption", "", options.title), legend, drawing, empty);
}

function highest(options, points) {
  const limits = (options.limits ?? []).map((limit) => limit.value);
  const stacked = options.series.filter((series) => series.stacked);
  const single = options.series.filter((series) => !series.stacked);
  let most = Math.max(0, ...limits);
  for (const point of points) {
    const total = stacked.reduce((sum, series) => sum + (series.value(point) ?? 0), 0);
    most = Math.max(most, total, ...single.map((series) => series.value(point) ?? 0));
  }
  return most;
}

export function clock(at, span) {
  const date = new Date(at);
  return span > 2 * 86400e3
    ? date.toLocaleDateString(undefined, { weekday: "short", day: "numeric" })
    : date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}

// Breaks where a value is missing.
function line(points, x, value, y) {
  let isDrawing = false;
  let path = "";
  for (const point of points) {
    const found = value(point);
    if (found === undefined || found === null) {
      isDrawing = false;
    } else {
      path += (isDrawing ? "L" : "M") + x(point.at).toFixed(1) + " " + y(found).toFixed(1);
      isDrawing = true;
    }
  }
  return path;
}

function area(points, x, top, bottom) {
  if (points.length === 0) {
    return "";
  }
  const there = points.map((point, i) => x(point.at).toFixed(1) + " " + top(i, point).toFixed(1));
  const back = points.map((point, i) => x(point.at).toFixed(1) + " " + bottom(i, point).toFixed(1)).reverse();
  return "M" + there.join("L") + "L" + back.join("L") + "Z";
}

function summary(options, points) {
  const last = points.at(-1);
  const values = last === undefined ? ["no data"] : options.series
    .filter((series) => series.value(last) !== undefined)
    .map((series) => series.name + " " + options.format(series.value(last)));
  return options.title + "; last: " + values.join(", ");
}

// Tenants over time: rows of [name, [[from, to], …]].
export function timeline(title, from, to, lanes) {
  const width = drawingWidth();
  const height = 20 * lanes.length + BOTTOM;
  const x = (at) => Math.max(0, Math.min(1, (at - from) / (to - from))) * (width - 8);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title + ": " + lanes.map(([name]) => name).join(", ") });
  lanes.forEach(([name, stretches], i) => {
    for (const [begin, end] of stretches) {
      drawing.append(svg("rect", { x: x(begin), y: 20 * i + 2, width: Math.max(2, x(end) - x(begin)), height: 16, rx: 3, class: "stay" }));
    }
    drawing.append(svg("text", { x: 6, y: 20 * i + 14, class: "name" }, name));
  });
  for (let i = 0; i <= TICKS; i += width === NARROW ? 2 : 1) {
    const at = from + ((to - from) * i) / TICKS;
    const anchor = i === 0 ? "start" : i === TICKS ? "end" : "middle";
    drawing.append(svg("text", { x: x(at), y: height - 5, "text-anchor": anchor }, clock(at, to - from)));
  }
  return make("figure", "plot", make("figcaption", "", title), drawing);
}

const TARGETS = [["utilization", "used"], ["memory", "predicted"]];

// Errors on held-out rows over the versions in order of time: where each was compared, that of the
// version before and its own.
export function versionPlot(versions, serving) {
  if (versions.length < 2) {
    return "";
  }
  const width = drawingWidth();
  const after = (version, target) => version.metrics[target + "_rmsle_after"];
  const most = roundUp(Math.max(...versions.flatMap((one) => TARGETS.map(([target]) => after(one, target) ?? 0))), 0.01);
  const x = (i) => LEFT + ((i + 0.5) / versions.length) * (width - LEFT - 8);
  const y = (value) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - BOTTOM - TOP);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img",
    "aria-label": "Errors on held-out rows of " + versions.length + " versions" });
  for (let i = 0; i <= TICKS; i++) {
    const value = (most * i) / TICKS;
    drawing.append(
      svg("line", { x1: LEFT, x2: width - 8, y1: y(value), y2: y(value), class: "grid" }),
      svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, value.toFixed(3)));
  }
  for (const [target, kind] of TARGETS) {
    drawing.append(svg("path", { class: "line " + kind,
      d: line(versions.map((version, at) => ({ version, at })), x, ({ version }) => after(version, target), y) }));
    versions.forEach((version, i) => {
      if (after(version, target) !== undefined) {
        drawing.append(svg("circle", { cx: x(i), cy: y(after(version, target)), r: version.sha256 === serving ? 5 : 3, class: "dot " + kind }));
      }
    });
  }
  versions.forEach((version, i) => drawing.append(svg("text", { x: x(i), y: HEIGHT - 5, "text-anchor": "middle" }, version.version.slice(0, 12))));
  const legend = make("p", "legend quiet", ...TARGETS.map(([target, kind]) => make("span", "key", make("i", "swatch " + kind), target)), "larger dots: active versions");
  return make("figure", "plot", make("figcaption", "", "Errors on held-out rows (RMSLE) by version"), legend, drawing);
}
