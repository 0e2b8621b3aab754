// A chart: title, legend with values, and a uPlot canvas that follows the page's time.

import { colour, element, setText } from "./dom.js";
import { byteSteps, durationSteps, durations, instants, isKnown, onAxis, roundInstants, shown, wallTime } from "./format.js";

const HEIGHT = 150;
const MARK = 90; // pixels that a mark of event time takes at least
const charts = new Set();

// What all charts share: zoom, the moment looked at (seconds, null for the newest), and whose time is told.
export const view = { range: null, moment: null, onRange: () => {}, hovered: null, isEvent: false };

// Wall time and event time of a run, side by side, in seconds; neither goes back.
export class Clocks {
  constructor(times, clocks) {
    this.wall = [];
    this.event = [];
    times.forEach((time, i) => {
      if (!isKnown(clocks[i])) return;
      this.wall.push(time);
      this.event.push(Math.max(clocks[i], this.event[this.event.length - 1] ?? -Infinity));
    });
  }

  get isKnown() { return this.wall.length > 1 && this.event[this.event.length - 1] > this.event[0]; }

  // A stream whose clock is far from that of the wall is played again.
  get isReplay() {
    const last = this.wall.length - 1;
    return this.isKnown && Math.abs(this.wall[last] - this.event[last]) > 3600;
  }

  eventAt(time) { return between(this.wall, this.event, time); }

  wallAt(event) { return between(this.event, this.wall, event); }
}

function between(from, to, value) {
  let high = from.findIndex((each) => each >= value);
  if (high < 0) high = from.length - 1;
  const low = Math.max(0, high - 1);
  const part = from[high] > from[low] ? (value - from[low]) / (from[high] - from[low]) : 0;
  return to[low] + Math.min(Math.max(part, 0), 1) * (to[high] - to[low]);
}

export function redrawAll() {
  for (const chart of charts) chart.rebuild();
}

export function indexAt(times, moment) {
  if (moment === null || !times.length) return times.length - 1;
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= moment) low = middle; else high = middle - 1;
  }
  return low;
}

export class Chart {
  // series: {label, color, kind: "line"|"step"|"area"|"target"|"trace", isQuiet: not in the legend}
  constructor(title, note, unit, options = {}) {
    this.unit = unit;
    this.options = options;
    this.series = [];
    this.data = [[]];
    this.legend = element("ul", { class: "legend" });
    this.plot = element("div", { class: "plot" });
    this.none = element("div", { class: "none" }, options.empty ?? "nothing yet");
    this.note = element("small", {}, note ?? "");
    this.node = element("section", { class: "chart" }, element("h4", {}, title, this.note), this.legend, this.plot);
    this.plot.append(this.none);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.plot);
    charts.add(this);
  }

  remove() {
    this.observer.disconnect();
    this.canvas?.destroy();
    charts.delete(this);
  }

  // Show data: times in seconds, then one array per series.
  show(series, data) {
    const names = JSON.stringify(series.map((one) => [one.label, one.color, one.kind]));
    const changed = names !== this.names;
    this.names = names;
    this.series = series;
    this.data = data;
    const isEmpty = !series.length || !data[0].length;
    this.none.hidden = !isEmpty;
    if (isEmpty) {
      this.legend.replaceChildren();
      this.canvas?.destroy();
      this.canvas = null;
      return;
    }
    if (changed || !this.canvas) this.rebuild();
    else { this.canvas.setData(this.drawnData(), false); this.fit(); }
    this.tell();
  }

  // Areas are drawn on top of each other: the sum of all first, the lowest layer last, lines above them.
  drawnData() {
    if (!this.options.stacked) return this.data;
    const sums = [];
    const isArea = (_, i) => this.series[i].kind === "area";
    for (const layer of this.data.slice(1).filter(isArea)) {
      const below = sums[sums.length - 1];
      sums.push(layer.map((value, i) => (value ?? 0) + (below ? below[i] : 0)));
    }
    return [this.data[0], ...sums.reverse(), ...this.data.slice(1).filter((_, i) => !isArea(_, i))];
  }

  // The series in the order in which they are drawn.
  get drawn() {
    if (!this.options.stacked) return this.series;
    const areas = this.series.filter((one) => one.kind === "area");
    return [...areas.reverse(), ...this.series.filter((one) => one.kind !== "area")];
  }

  rebuild() {
    this.canvas?.destroy();
    this.canvas = null;
    if (!this.series.length || !this.data[0].length || this.plot.clientWidth < 40) return;
    this.canvas = new uPlot(this.config(), this.drawnData(), this.plot);
    this.fit();
    this.makeLegend();
    this.tell();
  }

  config() {
    const axis = { stroke: colour("faint"), grid: { stroke: colour("grid"), width: 1 }, ticks: { show: false }, font: `11px ${colour("font")}` };
    return {
      width: this.plot.clientWidth,
      height: this.options.height ?? HEIGHT,
      padding: [8, 8, 0, 0],
      legend: { show: false },
      cursor: {
        sync: { key: "slackwater" }, y: false, drag: { x: true, y: false, setScale: false },
        points: { show: !this.options.stacked, size: 6 },
      },
      scales: { x: { time: true }, y: { range: (_, low, high) => this.limits(low, high) } },
      axes: [
        { ...axis, size: 26, space: 70, ...this.timeAxis() },
        { ...axis, size: 56, space: 34, ...this.valueAxis() },
      ],
      series: [{}, ...this.drawn.map((one) => this.line(one))],
      hooks: {
        draw: [(u) => this.drawMoment(u)],
        drawClear: [(u) => this.options.background?.(u)],
        setSelect: [(u) => this.select(u)],
        setCursor: [(u) => this.hover(u)],
        ready: [(u) => u.over.addEventListener("dblclick", () => view.onRange(null))],
      },
    };
  }

  // Marks over time: of the wall, or of the events.
  timeAxis() {
    if (!view.isEvent || !this.clocks?.isKnown) return { values: (_, marks) => this.marked("times", marks.map((mark) => axisTime(mark, marks))) };
    const round = (low, high, width) => roundInstants(this.clocks.eventAt(low), this.clocks.eventAt(high), Math.max(1, width / MARK));
    let events = [];
    return {
      splits: (u, _, low, high) => {
        const width = u.bbox.width / devicePixelRatio;
        const fits = (event) => (high - this.clocks.wallAt(event)) / (high - low) * width > MARK / 3;
        events = round(low, high, width).filter(fits);
        return events.map((event) => this.clocks.wallAt(event));
      },
      values: () => this.marked("times", instants(events)),
    };
  }

  valueAxis() {
    const incrs = durationSteps(this.unit);
    const sizes = byteSteps(this.unit);
    if (!incrs) return { ...(sizes ? { incrs: sizes } : {}), values: (_, marks) => this.marked("marks", marks.map((mark) => onAxis(mark, this.unit))) };
    return { incrs, values: (_, marks) => this.marked("marks", durations(marks, this.unit)) };
  }

  // What is drawn is also told, to whoever cannot read a canvas.
  marked(axis, texts) {
    this.node.dataset[axis] = texts.join(" | ");
    return texts;
  }

  line(one) {
    const stroke = colour(one.color);
    const base = { label: one.label, stroke, width: 1.75, points: { show: false }, spanGaps: one.kind !== "gap" };
    if (one.kind === "trace") return { ...base, width: 1.25, points: { show: true, size: 4, fill: stroke, stroke } };
    if (one.kind === "target") return { ...base, width: 1.25, dash: [5, 4] };
    if (one.kind === "area") return { ...base, width: 0.5, fill: stroke, paths: uPlot.paths.stepped({ align: -1 }) };
    if (one.kind === "dots") return { ...base, width: 0, points: { show: true, size: 4, fill: stroke, stroke }, paths: () => null };
    return one.kind === "step" ? { ...base, paths: uPlot.paths.stepped({ align: 1 }) } : base;
  }

  limits(low, high) {
    if (this.options.limits) return this.options.limits(low, high, this.data);
    return [0, high > 0 ? high * 1.08 : 1];
  }

  fit() {
    const times = this.data[0];
    const [low, high] = view.range ?? [times[0], times[times.length - 1]];
    this.canvas.setScale("x", { min: low, max: Math.max(high, low + 0.5) });
  }

  resize() {
    if (!this.canvas) { if (this.series.length) this.rebuild(); return; }
    this.canvas.setSize({ width: Math.max(40, this.plot.clientWidth), height: this.options.height ?? HEIGHT });
  }

  select(u) {
    if (u.select.width < 8) return;
    const range = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (u.cursor.event) view.onRange(range); // none where the pointer is over another chart
  }

  hover(u) {
    const at = u.cursor.idx;
    this.tell(at === null || at === undefined || u.cursor.left < 0 ? null : at);
  }

  makeLegend() {
    this.values = this.series.map(() => element("b"));
    this.legend.replaceChildren(...this.series.map((one, number) => {
      if (one.isQuiet) return "";
      const mark = element("i", { class: one.kind === "area" ? "block" : one.kind === "target" ? "dashed" : "" });
      mark.style.background = colour(one.color);
      mark.style.color = colour(one.color);
      return element("li", { title: one.label }, mark, element("span", {}, one.label), this.values[number]);
    }));
  }

  // The values under the cursor, else at the moment looked at.
  tell(at = null) {
    if (!this.values || this.values.length !== this.series.length) return;
    this.series.forEach((one, number) => {
      const value = this.valueAt(number, at);
      setText(this.values[number], value === undefined ? "" : shown(value, one.unit ?? this.unit));
    });
  }

  valueAt(number, at) {
    const values = this.data[number + 1];
    const index = at ?? indexAt(this.data[0], view.moment);
    return at === null ? lastKnown(values, index) : values[index] ?? null;
  }

  // A line at the moment looked at; what comes after it steps back.
  drawMoment(u) {
    if (view.moment === null) return;
    const x = Math.min(Math.max(u.valToPos(view.moment, "x", true), u.bbox.left), u.bbox.left + u.bbox.width);
    const { ctx, bbox } = u;
    ctx.save();
    ctx.fillStyle = colour("shade");
    ctx.fillRect(x, bbox.top, bbox.left + bbox.width - x + 3 * devicePixelRatio, bbox.height);
    ctx.setLineDash([]);
    ctx.strokeStyle = colour("c");
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }
}

export function lastKnown(values, index) {
  for (let i = index; i >= 0; i -= 1) if (values[i] !== null && values[i] !== undefined) return values[i];
  return null;
}

export function sum(values, until) {
  let total = 0;
  for (let i = 0; i <= until && i < values.length; i += 1) total += values[i] ?? 0;
  return total;
}

// The part of a scale of shares that is of interest: from below the least to all.
export function shareLimits(low, high, data) {
  const least = Math.min(...data.slice(1).flat().filter(isKnown));
  const floor = Number.isFinite(least) ? Math.max(0, least - Math.max(0.02, (1 - least) * 0.25)) : 0;
  return [floor, 1.005];
}

function axisTime(mark, marks) {
  const text = wallTime(mark * 1e6);
  return marks.length > 1 && marks[1] - marks[0] >= 60 ? text.slice(0, 5) : text;
}
