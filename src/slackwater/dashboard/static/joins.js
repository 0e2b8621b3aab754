// The plans of a join: which was in force when, how it changed, what it was to cost and did, and its memory.

import { Chart, indexAt, lastKnown, view } from "./chart.js";
import { colour, element, setText } from "./dom.js";
import { isKnown, shown, wallTime, whole } from "./format.js";
import { Tiles } from "./tiles.js";

const TREES = ["a", "c", "b", "d", "e"];
const MOVES = 4; // changes in words, the newest first
const NEAR = 9; // pixels around a mark that count as on it
const AS_WRITTEN = "as written";

export class JoinPart {
  constructor(run, name) {
    this.run = run;
    this.name = name;
    this.plan = element("small");
    this.tiles = new Tiles(["predicted", "measured", "held", "runner-up"]);
    this.strip = new PlanStrip(() => this.course);
    this.moves = element("ol", { class: "moves", "aria-label": "Changes of the plan" });
    this.cost = new Chart("Time of joining", "of a batch, predicted and measured", "ms", { empty: "nothing predicted yet", limits: (low, high, data) => byFact([data[1]], high) });
    this.memory = new Chart("Memory", "of inputs and inner nodes, against its limit", "B", { limits: (low, high, data) => byFact([data[1], data[3]], high) });
    this.all = [this.strip, this.cost, this.memory];
    this.node = element("section", { class: "part joins", hidden: "" },
      element("h4", {}, "Join", this.plan), this.tiles.node, this.strip.node, this.moves, this.cost.node, this.memory.node);
  }

  get course() { return this.run.joins[this.name] ?? { spans: [], migrations: [], comparisons: [] }; }

  column(field) { return this.run.column("join", this.name, field); }

  show(times) {
    this.node.hidden = !this.course.spans.length;
    if (this.node.hidden) return;
    this.strip.showPlans(times);
    this.cost.node.hidden = !this.column("predicted_ms").some(isKnown);
    this.cost.show(
      this.cost.node.hidden ? [] : [{ label: "measured", color: "a", kind: "gap" }, { label: "predicted", color: "b", kind: "line" }],
      this.cost.node.hidden ? [[]] : [times, orNothing(this.column("measured_ms"), times), this.column("predicted_ms")]);
    const limit = this.column("limit");
    this.memory.node.hidden = !limit.some(isKnown);
    this.memory.show(
      this.memory.node.hidden ? [] : [{ label: "held", color: "a", kind: "line" }, { label: "expected of the plan", color: "e", kind: "line" }, { label: "limit", color: "target", kind: "target" }],
      this.memory.node.hidden ? [[]] : [times, orNothing(this.column("held"), times), orNothing(this.column("expected"), times), limit]);
  }

  // Plan, numbers and changes as of the moment looked at.
  showMoment(times) {
    if (this.node.hidden) return;
    const at = indexAt(times, view.moment);
    const limit = view.moment === null ? Infinity : view.moment * 1e6;
    const { spans, migrations, comparisons } = this.course;
    const span = newestOf(spans, (one) => one.since <= limit);
    const known = migrations.filter((one) => one.at <= limit);
    const running = known.findLast((one) => isUnderWay(one, limit));
    setText(this.plan, span ? `${treeName(span.tree)}${running ? ` beside ${treeName(running.was)}` : ""}` : "");
    this.showTiles(at, newestOf(comparisons, (one) => one.at <= limit));
    const newest = known.slice(-MOVES).reverse();
    this.moves.hidden = !newest.length;
    this.moves.replaceChildren(...newest.map((one) => moveLine(one, limit)));
  }

  showTiles(at, compared) {
    const now = (field) => lastKnown(this.column(field), at);
    const [measured, error, limit] = [now("measured_ms"), now("error"), now("limit")];
    const off = isKnown(error) ? `prediction ${error < 0 ? "−" : "+"}${whole(100 * Math.abs(error))} %` : "";
    this.tiles.put("predicted", "Predicted", now("predicted_ms"), "ms", "of joining, a batch");
    this.tiles.put("measured", "Measured", measured, "ms", off);
    this.tiles.put("held", "Memory held", now("held"), "B", isKnown(limit) ? `limit ${shown(limit, "B")}` : "no limit");
    const cell = this.tiles.cells.held.node;
    cell.classList.toggle("broken", isKnown(limit) && now("held") > limit);
    const second = compared && isKnown(compared.runner_up_s) ? compared.runner_up_s * 1000 : null;
    this.tiles.put("runner-up", "Runner-up", second, "ms", compared ? `${compared.runner_up ?? "none"}, batch ${compared.batch}` : "not compared yet");
    this.tiles.cells["runner-up"].node.title = compared ? `plans were compared in batch ${compared.batch}: ${compared.why}` : "";
  }

  remove() { this.all.forEach((chart) => chart.remove()); }
}

const orNothing = (values, times) => (values.length ? values : times.map(() => null));
const treeName = (tree) => tree ?? AS_WRITTEN;
const newestOf = (list, isGood) => list.findLast(isGood);
const endOf = (one) => (one.how === "moving" ? one.at : isKnown(one.seconds) ? one.at + one.seconds * 1e6 : Infinity);
const isUnderWay = (one, limit) => one.how !== "moving" && (limit === Infinity ? one.batches === null : endOf(one) > limit);

// A scale by what is and what is allowed: one prediction that is far off must not flatten all else.
function byFact(facts, high) {
  const most = Math.max(...facts.flat().filter(isKnown));
  const top = Number.isFinite(most) ? Math.min(1.6 * most, high * 1.08) : high * 1.08;
  return [0, top > 0 ? top : 1];
}

function lengthOf(one, limit) {
  return isUnderWay(one, limit) ? "both trees run" : one.length;
}

function moveLine(one, limit) {
  return element("li", { "data-how": one.how },
    element("time", {}, wallTime(one.at)),
    element("span", {}, element("b", {}, `${treeName(one.was)} → ${one.tree}`), `  ${one.how}, ${lengthOf(one, limit)}`, one.why ? `; ${one.why}` : ""));
}

// Which plan was in force when: a band in the colour of its tree. Two trees that run side by side
// share it, hatched; a change made in one batch is a mark.
class PlanStrip extends Chart {
  constructor(course) {
    super("Plans over time", "hatched: two trees side by side", "", { height: 74, background: (u) => this.paint(u) });
    this.course = course;
    this.node.classList.add("strip");
    this.tip = element("div", { class: "tip", role: "status", hidden: "" });
    this.plot.append(this.tip);
  }

  showPlans(times) {
    const { spans, migrations } = this.course();
    this.trees = [...new Set([...spans.map((one) => one.tree), ...migrations.flatMap((one) => [one.was, one.tree])].map(treeName))];
    this.node.dataset.spans = spans.map((one) => treeName(one.tree)).join(" | ");
    this.node.dataset.changes = migrations.map((one) => one.how).join(" | ");
    this.show(this.trees.map((label) => ({ label, color: this.hue(label), kind: "area" })), [times, ...this.trees.map(() => times.map(() => null))]);
  }

  hue(tree) { return TREES[this.trees.indexOf(treeName(tree)) % TREES.length]; }

  config() {
    const usual = super.config();
    const blank = { ...usual.axes[1], values: () => [], splits: () => [], grid: { show: false } };
    return { ...usual, scales: { ...usual.scales, y: { range: [0, 1] } }, axes: [{ ...usual.axes[0], grid: { show: false } }, blank] };
  }

  // The end of what is known, in seconds.
  get end() { return this.data[0][this.data[0].length - 1]; }

  paint(u) {
    const { spans, migrations } = this.course();
    const place = (micros) => Math.min(Math.max(u.valToPos(Math.min(micros / 1e6, this.end), "x", true), u.bbox.left), u.bbox.left + u.bbox.width);
    u.ctx.save();
    spans.forEach((one, i) => {
      const [left, right] = [place(one.since), place(spans[i + 1]?.since ?? Infinity)];
      this.band(u, left, right, one.tree, 0, 1);
    });
    for (const one of migrations) {
      if (one.how === "moving") this.mark(u, place(one.at), one.at);
      else this.hatch(u, place(one.at), place(endOf(one)), one);
    }
    u.ctx.restore();
  }

  band(u, left, right, tree, top, bottom) {
    u.ctx.globalAlpha = 0.75;
    u.ctx.fillStyle = colour(this.hue(tree));
    u.ctx.fillRect(left, u.bbox.top + top * u.bbox.height, Math.max(0, right - left), (bottom - top) * u.bbox.height);
  }

  // The old tree below, hatched, the new one above it.
  hatch(u, left, right, one) {
    const { ctx, bbox } = u;
    if (right <= left) return;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top + bbox.height / 2, right - left, bbox.height / 2);
    ctx.clip();
    ctx.globalAlpha = 1;
    ctx.fillStyle = colour("card");
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
    this.band(u, left, right, one.was, 0.5, 1);
    ctx.globalAlpha = 0.9;
    ctx.strokeStyle = colour("card");
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.beginPath();
    for (let x = left - bbox.height; x < right; x += 7 * devicePixelRatio) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }

  mark(u, x, at) {
    const [low, high] = [u.scales.x.min * 1e6, u.scales.x.max * 1e6];
    if (at < low || at > high) return;
    const { ctx, bbox } = u;
    const size = 5 * devicePixelRatio;
    ctx.globalAlpha = 1;
    ctx.fillStyle = ctx.strokeStyle = colour("text");
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top - size);
    ctx.lineTo(x + size, bbox.top - size);
    ctx.lineTo(x, bbox.top + size / 2);
    ctx.fill();
  }

  hover(u) {
    super.hover(u);
    const isHere = Boolean(u.cursor.event) && u.cursor.left >= 0; // else the pointer is over another chart
    const one = isHere ? this.changeAt(u, u.cursor.left) : null;
    this.tip.hidden = !one;
    if (!one) return;
    this.tip.replaceChildren(
      element("b", {}, `${treeName(one.was)} → ${one.tree}`),
      element("span", {}, `${one.how}, ${lengthOf(one, Infinity)}`),
      element("span", {}, `batch ${whole(one.batch)}${one.why ? `: ${one.why}` : ""}`));
    const room = this.plot.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(room, u.bbox.left / devicePixelRatio + u.cursor.left + 8))}px`;
  }

  // The change under the pointer: a mark nearby, else a band of two trees.
  changeAt(u, left) {
    const at = (micros) => u.valToPos(Math.min(micros / 1e6, this.end), "x");
    const { migrations } = this.course();
    const marks = migrations.filter((one) => one.how === "moving").map((one) => [Math.abs(at(one.at) - left), one]);
    const [distance, nearest] = marks.reduce((best, each) => (each[0] < best[0] ? each : best), [Infinity, null]);
    if (distance <= NEAR) return nearest;
    return migrations.findLast((one) => one.how !== "moving" && at(one.at) - 2 <= left && left <= at(endOf(one)) + 2) ?? null;
  }

  // In the legend: which tree was in force at the cursor or moment, and which ran beside it.
  tell(at = null) {
    if (!this.values || this.values.length !== this.series.length || !this.data[0].length) return;
    const moment = at === null ? view.moment : this.data[0][at];
    const limit = moment === null ? Infinity : moment * 1e6;
    const { spans, migrations } = this.course();
    const inForce = newestOf(spans, (one) => one.since <= limit);
    const beside = migrations.findLast((one) => one.at <= limit && isUnderWay(one, limit));
    this.series.forEach((one, i) => {
      const isNow = inForce && treeName(inForce.tree) === one.label;
      setText(this.values[i], isNow ? "in force" : beside && treeName(beside.was) === one.label ? "beside" : "");
    });
  }
}
