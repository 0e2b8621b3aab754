// Estimates of one query: how many, how accurate, how early, and how they came to their finals.

import { Chart, indexAt, lastKnown, shareLimits, sum, view } from "./chart.js";
import { colour, element, setText } from "./dom.js";
import { eventTime, isKnown, onAxis, shown } from "./format.js";
import { Tiles } from "./tiles.js";

const WINDOWS = 6; // drawn on their way to their finals
const HUES = ["a", "c", "b", "d", "e"];

export class EstimatesPart {
  constructor(run, name) {
    this.run = run;
    this.name = name;
    this.when = element("small");
    this.tiles = new Tiles(["estimates", "prods", "mistimed", "refused"]);
    this.accuracy = new Chart("Estimates: accuracy", "of the newest whose final is known", "%", { limits: shareLimits, empty: "no estimate has met its final yet" });
    this.early = new Chart("Estimates: aggressiveness", "slides before a window's end", "", { limits: aroundZero });
    this.converging = new AgeChart("Estimates converging to finals", " ", "%", { limits: aroundOne, empty: "no estimate has met its final yet" });
    this.all = [this.accuracy, this.converging, this.early];
    this.node = element("section", { class: "part estimates", hidden: "" },
      element("h4", {}, "Estimates", this.when), this.tiles.node, ...this.all.map((chart) => chart.node));
  }

  get shape() { return this.run.plan.queries[this.name] ?? {}; }

  fields(group) { return Object.keys(this.run.numbers[group]?.[this.name] ?? {}); }

  lines(group) { return this.fields(group).map((field) => this.run.column(group, this.name, field)); }

  show(times) {
    const isGiven = Boolean(this.shape.estimates) || this.fields("estimates").length > 0;
    this.node.hidden = !isGiven;
    if (!isGiven) return;
    setText(this.when, this.shape.prods ?? "");
    this.showAccuracy(times);
    const sources = this.fields("aggressiveness");
    this.early.node.hidden = !sources.length;
    this.early.show(sources.map((label, i) => ({ label, color: HUES[i % HUES.length], kind: "step" })), sources.length ? [times, ...this.lines("aggressiveness")] : [[]]);
  }

  showAccuracy(times) {
    const columns = this.fields("accuracy_recent");
    const series = columns.map((label, i) => ({ label, color: HUES[i % HUES.length], kind: "line" }));
    const targets = [...new Set((this.shape.estimates ?? []).map((source) => source.accuracy).filter(isKnown))];
    for (const target of targets) series.push({ label: "target", color: "target", kind: "target" });
    this.accuracy.show(columns.length ? series : [], columns.length ? [times, ...this.lines("accuracy_recent"), ...targets.map((target) => times.map(() => target))] : [[]]);
  }

  // Numbers and windows as of the moment looked at.
  showMoment(times) {
    if (this.node.hidden) return;
    const at = indexAt(times, view.moment);
    const total = (field) => sum(this.run.column("estimates", this.name, field), at);
    const worst = this.lines("accuracy_worst").map((values) => lastKnown(values, at)).filter(isKnown);
    const early = this.lines("aggressiveness").map((values) => lastKnown(values, at)).filter(isKnown);
    this.tiles.put("estimates", "Estimates given", total("rows"), "", worst.length ? `the worst ${shown(Math.min(...worst), "%")} accurate` : "");
    this.tiles.put("prods", "Prods", total("prods"), "", early.length ? `aggressiveness ${early.map((value) => value.toFixed(2)).join(", ")}` : "");
    this.tiles.put("mistimed", "Mistimed", total("late"), "", "closed before their prod");
    this.tiles.put("refused", "Refused", total("refused"), "", "prods of people");
    this.showWindows();
  }

  // The last windows that got their final, each with its estimates as shares of it.
  showWindows() {
    const limit = view.moment === null ? Infinity : view.moment * 1e6;
    const known = (this.run.samples[this.name] ?? []).filter((sample) => sample.at <= limit);
    const newest = known[known.length - 1];
    const isAlike = (sample) => sample.group === newest.group && sample.column === newest.column;
    const windows = newest ? known.slice(-3 * WINDOWS).filter(isAlike).slice(-WINDOWS) : [];
    setText(this.converging.note, newest ? `${newest.column}${newest.group ? ` of group ${newest.group}` : ""}, by age of the window` : "");
    if (!newest) { this.converging.show([], [[]]); return; }
    const ages = [...new Set([0, 1, ...windows.flatMap((sample) => sample.points.map((point) => point[0]))])].sort((a, b) => a - b);
    const traces = windows.map((sample) => { const shares = new Map(sample.points); return ages.map((age) => shares.get(age) ?? null); });
    const series = windows.map((_, i) => ({ label: "windows before", color: "e", kind: "trace", isQuiet: i > 0 }));
    series[series.length - 1] = { label: `window until ${eventTime(newest.end)}`, color: "a", kind: "trace", hasValue: true };
    this.converging.show([...series, { label: "final", color: "target", kind: "target" }], [ages, ...traces, ages.map(() => 1)]);
  }

  remove() { this.all.forEach((chart) => chart.remove()); }
}

// Over the age of a window instead of wall time: apart from zoom, moment and common cursor.
class AgeChart extends Chart {
  config() {
    const usual = super.config();
    return {
      ...usual,
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: false }, y: usual.scales.y },
      axes: [{ ...usual.axes[0], splits: undefined, values: (_, marks) => marks.map((mark) => onAxis(mark, "%")) }, usual.axes[1]],
      hooks: { drawClear: [shadeWaiting], setCursor: usual.hooks.setCursor },
    };
  }

  fit() { this.canvas.setScale("x", { min: 0, max: Math.max(1.1, ...this.data[0]) }); }

  valueAt(number, at) {
    if (!this.series[number].hasValue) return undefined;
    const values = this.data[number + 1];
    return lastKnown(values, at ?? values.length - 1);
  }
}

// After its end a window is open for stragglers only.
function shadeWaiting(u) {
  const x = u.valToPos(1, "x", true);
  u.ctx.save();
  u.ctx.globalAlpha = 0.1;
  u.ctx.fillStyle = colour("c");
  u.ctx.fillRect(x, u.bbox.top, Math.max(0, u.bbox.left + u.bbox.width - x), u.bbox.height);
  u.ctx.restore();
}

function aroundOne(low, high) {
  const [least, most] = [Math.min(low ?? 1, 1), Math.max(high ?? 1, 1)];
  const room = Math.max(0.02, 0.08 * (most - least));
  return [least - room, most + room];
}

export function aroundZero(low, high) {
  const [least, most] = [Math.min(low ?? 0, 0), Math.max(high ?? 0, 0)];
  return [least < 0 ? least * 1.08 : 0, most > 0 ? most * 1.08 : least < 0 ? 0 : 1];
}
