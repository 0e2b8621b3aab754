// One query: what it promises, how it stands, why it waits, and its charts.

import { BacklogPart } from "./backlog.js";
import { Chart, indexAt, lastKnown, shareLimits, sum, view } from "./chart.js";
import { ControllersPart } from "./controllers.js";
import { element, setText } from "./dom.js";
import { EstimatesPart } from "./estimates.js";
import { eventTime, isKnown, shown, span, whole } from "./format.js";
import { JoinPart } from "./joins.js";
import { RanksPart } from "./ranks.js";
import { Tiles } from "./tiles.js";

const ROLLING = 200; // results over which the achieved quality is shown as it moves
const HEAT = ["heat1", "heat2", "heat3", "heat4", "heat5"];
const PHASES = {
  holding: "delays are not known well enough yet, nothing is closed until they are",
  "warm-up": "still learning the delays, it waits for the largest one seen",
  model: "the model says that is enough for the promise",
  calibrated: "the least under which recent windows kept the promise",
  conformal: "as long as results that may still break the promise say",
  feedback: "a controller follows the coverage measured",
};

const perSecond = (values) => values.map((value) => (value === null ? null : value / 1e6));

export class QueryPanel {
  constructor(run, name) {
    this.run = run;
    this.name = name;
    this.contract = element("span", { class: "contract" });
    this.tiles = new Tiles(["slack", "lag", "quality", "late"]);
    this.why = element("p", { class: "why" });
    this.waiting = new Chart("Slack and watermark lag", "event time", "s");
    this.latency = new Chart("Latency", "event time from a window's end to its answer", "s", { empty: "no window answered yet" });
    this.quality = new Chart("Quality", "promised and achieved", "%", { limits: shareLimits });
    this.late = new Chart("Late rows by lateness", "rows per batch", "rows", { stacked: true, empty: "no row came late" });
    const charts = [this.waiting, this.latency, this.late, this.quality];
    this.parts = [new BacklogPart(run, name), new RanksPart(run, name), new EstimatesPart(run, name), new JoinPart(run, name), new ControllersPart(run, name)];
    this.all = [...charts, ...this.parts.flatMap((part) => part.all)];
    this.node = element("article", { class: "card query", "data-query": name },
      element("header", {}, element("h3", {}, name), this.contract),
      this.tiles.node, this.why, ...charts.map((chart) => chart.node), ...this.parts.map((part) => part.node));
  }

  remove() { this.all.forEach((chart) => chart.remove()); }

  column(field) { return this.run.column("query", this.name, field); }

  get shape() { return this.run.plan.queries[this.name] ?? {}; }

  show(times) {
    setText(this.contract, [this.shape.contract, this.shape.late && `late rows: ${this.shape.late}`].filter(Boolean).join(" · "));
    this.waiting.show(
      [{ label: "watermark lag", color: "c", kind: "line" }, { label: "slack", color: "a", kind: "step" }],
      [times, perSecond(this.column("lag")), perSecond(this.column("slack"))].map(orEmpty(times)));
    this.showLatency(times);
    this.showQuality(times);
    this.showLate(times);
    for (const part of this.parts) part.show(times);
    this.showMoment(times);
  }

  showLatency(times) {
    const mean = perSecond(this.column("latency"));
    const worst = perSecond(this.column("latency_max"));
    const known = mean.some(isKnown);
    this.latency.show(
      known ? [{ label: "longest", color: "e", kind: "line" }, { label: "mean", color: "a", kind: "line" }] : [],
      known ? [times, worst, mean] : [[]]);
  }

  showQuality(times) {
    const promise = this.shape.promise;
    const [label, moving, overall] = this.achieved(promise);
    setText(this.quality.none, promise ? "no result measured yet" : "nothing promised: this query waits as long as it was told");
    if (!moving.some(isKnown)) { this.quality.show([], [[]]); return; }
    const series = [{ label, color: "a", kind: "line" }];
    const data = [times, moving];
    if (overall.some(isKnown)) { series.push({ label: "since the start", color: "c", kind: "line" }); data.push(overall); }
    if (promise) { series.push({ label: "promised", color: "target", kind: "target" }); data.push(times.map(() => promise.target)); }
    this.quality.show(series, data);
  }

  // Recall where it is told, else the share of results within their bound.
  achieved(promise) {
    const recall = this.column("recall");
    if (recall.some(isKnown)) return ["recall", filled(recall), []];
    const label = promise?.kind === "recall" ? "recall" : `of the last ${ROLLING} results`;
    return [label, moved(this.column("within"), this.column("measured")), filled(this.column("fulfilment"))];
  }

  showLate(times) {
    const groups = classes(this.run, this.name);
    this.late.show(groups.map((group, number) => ({
      label: group.label, color: HEAT[Math.min(HEAT.length - 1, Math.round(number * (HEAT.length - 1) / Math.max(1, groups.length - 1)))], kind: "area",
    })), groups.length ? [times, ...groups.map((group) => group.values)] : [[]]);
  }

  // Tiles and sentence as of the moment looked at.
  showMoment(times) {
    const at = indexAt(times, view.moment);
    const now = (field) => lastKnown(this.column(field), at);
    const late = sum(this.column("late"), at);
    this.tiles.put("slack", "Slack", now("slack") / 1e6, "s", isKnown(this.shape.slack) ? "fixed" : this.run.word(now("phase")) ?? "");
    this.tiles.put("lag", "Watermark lag", isKnown(now("lag")) ? now("lag") / 1e6 : null, "s", `watermark ${eventTime(now("watermark"))}`);
    this.tiles.put("late", "Late rows", late, "", `${whole(sum(this.column("dropped"), at))} too late for all`);
    this.showPromise(at, now);
    this.tellWhy(at, now);
    for (const part of this.parts) part.showMoment(times);
  }

  showPromise(at, now) {
    const promise = this.shape.promise;
    const cell = this.tiles.cells.quality.node;
    cell.classList.remove("kept", "broken");
    if (!promise) {
      this.tiles.put("quality", "Latency", isKnown(now("latency")) ? now("latency") / 1e6 : null, "s", `${whole(sum(this.column("emitted"), at))} answers`);
      return;
    }
    const measured = sum(this.column("measured"), at);
    const kept = measured ? sum(this.column("within"), at) / measured : null;
    const ofPeriods = promise.kind === "recall" && isKnown(promise.periods);
    const share = ofPeriods ? kept : now("recall") ?? kept;
    const due = ofPeriods ? promise.periods : promise.target;
    const label = ofPeriods ? "Periods kept" : promise.kind === "recall" ? "Recall" : "Within bound";
    const least = ofPeriods ? `, recall ${shown(promise.target, "%")}` : "";
    this.tiles.put("quality", label, share, "%", `promised ${shown(due, "%")}${least}${this.account(at)}`);
    if (isKnown(share)) cell.classList.add(share >= due ? "kept" : "broken");
  }

  // A promise that counts its risk: what may still break, and what the last results cost or gave.
  account(at) {
    const known = this.column("credit").slice(0, at + 1).filter(isKnown);
    if (!known.length) return "";
    const credit = known[known.length - 1];
    const before = known.findLast((one) => one !== credit) ?? credit;
    const last = credit === before ? "" : `, the last results ${credit < before ? "cost" : "gave"} ${Math.abs(credit - before).toFixed(2)}`;
    return ` · ${credit < 0 ? "debt" : "credit"} ${Math.abs(credit).toFixed(1)}${last}`;
  }

  // Why is this window still open?
  tellWhy(at, now) {
    const mark = now("watermark");
    const [clock, slack, window] = [now("clock"), now("slack"), this.shape.window];
    const isOver = this.column("watermark")[at] === null && isKnown(mark);
    if (isOver) { this.why.replaceChildren("All windows are closed: the streams ended."); return; }
    if (!window || !isKnown(mark) || !isKnown(clock) || !isKnown(slack)) {
      this.why.replaceChildren(isKnown(slack) ? "No window has been opened yet." : "Waiting for the first batch.");
      return;
    }
    const [size, slide, offset] = window;
    const phase = (((offset + size) % slide) + slide) % slide;
    const end = Math.floor((mark - phase) / slide) * slide + phase + slide;
    const missing = Math.max(0, end + slack - clock);
    const word = this.run.word(now("phase"));
    const reason = word ? PHASES[word] ?? word : "given with the query";
    this.why.replaceChildren(
      "Window ", element("b", {}, `${eventTime(end - size)} – ${eventTime(end)}`), " is open until the clock moves on by ",
      element("b", {}, span(missing)), `: the slack is ${span(slack)}, ${reason}.`);
  }
}

const orEmpty = (times) => (values) => (values.length ? values : times.map(() => null));

function filled(values) {
  let last = null;
  return values.map((value) => (last = value ?? last));
}

// Share of the last results that kept their bound, as it moves.
function moved(within, measured) {
  const kept = [];
  let [good, all] = [0, 0];
  return measured.map((count, i) => {
    if (count) { kept.push([within[i] ?? 0, count]); good += within[i] ?? 0; all += count; }
    while (kept.length > 1 && all - kept[0][1] >= ROLLING) { const [g, c] = kept.shift(); good -= g; all -= c; }
    return all ? good / all : null;
  });
}

// Late rows in five classes of lateness at most, each with about the same share of rows.
function classes(run, name) {
  const edges = Object.keys(run.numbers.lateness?.[name] ?? {}).map(Number).sort((a, b) => a - b);
  const columns = edges.map((edge) => run.column("lateness", name, String(edge)));
  const batches = run.column("run", "", "batches");
  const totals = columns.map((values) => sum(values, values.length));
  const all = totals.reduce((one, other) => one + other, 0);
  if (!all) return [];
  const groups = [];
  let [share, members] = [0, []];
  edges.forEach((edge, i) => {
    members.push(i);
    share += totals[i];
    if (share >= all / HEAT.length || i === edges.length - 1) { groups.push(members); [share, members] = [0, []]; }
  });
  return groups.map((group) => ({
    label: `up to ${span(edges[group[group.length - 1]])}`,
    values: batches.map((count, row) => group.reduce((total, i) => total + (columns[i][row] ?? 0), 0) / (count || 1)),
  }));
}
