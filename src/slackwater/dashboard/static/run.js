// One run: how it stands, its queries side by side, then what they share.

import { Chart, Clocks, indexAt, lastKnown, view } from "./chart.js";
import { colour, element, setText } from "./dom.js";
import { isKnown, shown, span, wallDate, wallTime, whole } from "./format.js";
import { DecisionLog } from "./log.js";
import { PlanGraph, rate } from "./plan.js";
import { QueryPanel } from "./query.js";

const VERBS = ["observe", "decide", "execute", "deliver", "commit"]; // others, as in older logs, come after
const COLOURS = ["c", "d", "a", "b", "e"];
const QUIET = 20; // seconds without a batch after which a run is called quiet

export class RunPanel {
  constructor(run) {
    this.run = run;
    this.pill = element("span", { class: "pill" });
    this.facts = element("span", { class: "facts" });
    this.banner = element("p", { class: "banner", hidden: "" });
    this.queries = element("div", { class: "queries" });
    this.panels = new Map();
    this.spent = new Chart("Batch time by phase", "mean of each point", "ms", { stacked: true });
    this.input = new Chart("Input", "rows read", "rows/s");
    this.state = new Chart("State by operator", "rows; shaded where the spark tier holds it", "rows", { stacked: true, background: (u) => this.shadeTiers(u) });
    this.tasks = new Chart("Busy time of tasks", "each has some of the groups of keys", "ms");
    this.plan = new PlanGraph(run);
    this.log = new DecisionLog(run);
    this.shared = [this.spent, this.state, this.input, this.tasks, this.plan, this.log];
    for (const chart of [this.spent, this.input, this.state, this.tasks]) chart.node.classList.add("card");
    this.tasks.node.classList.add("tasks");
    this.node = element("section", { class: "run", "data-run": run.id },
      element("header", {}, element("h2", {}, run.name), this.pill, this.facts), this.banner, this.queries,
      element("div", { class: "pipeline" }, ...this.shared.map((part) => part.node)));
  }

  // Seconds of wall time of each point.
  get times() {
    if (this.version !== this.run.version || !this.seconds) {
      this.version = this.run.version;
      this.seconds = this.run.at.map((at) => at / 1e6);
      this.clocks = new Clocks(this.seconds, this.seconds.map((_, at) => this.newest(at)));
    }
    return this.seconds;
  }

  // The newest event time of all streams, in seconds.
  newest(at) {
    const known = this.run.owners("stream").map((name) => this.run.column("stream", name, "clock")[at]).filter(isKnown);
    return known.length ? Math.max(...known) / 1e6 : null;
  }

  show(chosen) {
    const times = this.times;
    const names = [...new Set([...Object.keys(this.run.plan.queries), ...this.run.owners("query")])];
    this.arrange(names.filter((name) => chosen.has(`${this.run.id}/${name}`)));
    const charts = [...this.shared, ...[...this.panels.values()].flatMap((panel) => panel.all)];
    for (const chart of charts) chart.clocks = this.clocks;
    for (const panel of this.panels.values()) panel.show(times);
    this.showShared(times);
    this.plan.show(times);
    this.log.show();
    this.showHead(times);
  }

  arrange(names) {
    for (const [name, panel] of this.panels) {
      if (!names.includes(name)) { panel.remove(); panel.node.remove(); this.panels.delete(name); }
    }
    for (const name of names) {
      if (!this.panels.has(name)) this.panels.set(name, new QueryPanel(this.run, name));
    }
    const wanted = names.map((name) => this.panels.get(name).node);
    if (wanted.some((node, i) => this.queries.children[i] !== node)) this.queries.replaceChildren(...wanted);
  }

  showMoment() {
    const times = this.times;
    for (const panel of this.panels.values()) panel.showMoment(times);
    this.plan.showMoment(times);
    this.log.show();
    this.showHead(times);
  }

  showShared(times) {
    const { run } = this;
    const verbs = [...VERBS.filter((verb) => run.owners("verb").includes(verb)), ...run.owners("verb").filter((verb) => !VERBS.includes(verb))];
    this.spent.show(verbs.map((label, i) => ({ label, color: COLOURS[i % COLOURS.length], kind: "area" })), [times, ...verbs.map((verb) => run.column("verb", verb, "ms"))]);
    const states = run.owners("state");
    this.state.show(
      states.length ? states.map((id, i) => ({ label: run.plan.states[id] ?? id, color: COLOURS[i % COLOURS.length], kind: "area" })) : [{ label: "all", color: "c", kind: "area" }],
      states.length ? [times, ...states.map((id) => run.column("state", id, "rows"))] : [times, run.column("state", "", "rows")]);
    const streams = run.owners("stream");
    this.input.show(streams.map((label, i) => ({ label, color: COLOURS[i % COLOURS.length], kind: "line" })),
      [times, ...streams.map((name) => times.map((_, at) => rate(run.column("stream", name, "rows"), times, at)))]);
    const tasks = run.owners("task");
    this.tasks.node.hidden = !tasks.length;
    this.tasks.show(tasks.map((name, i) => ({ label: `task ${name}`, color: COLOURS[i % COLOURS.length], kind: "line" })),
      [times, ...tasks.map((name) => run.column("task", name, "ms"))]);
  }

  showHead(times) {
    const { run } = this;
    const at = indexAt(times, view.moment);
    this.showPill(times);
    const tier = run.word(lastKnown(run.column("run", "", "tier"), at));
    const rows = run.column("run", "", "rows").slice(0, at + 1).reduce((total, value) => total + (value ?? 0), 0);
    const facts = [
      `batch ${whole(lastKnown(run.column("run", "", "batch"), at))}`, `${shown(rows, "rows")} read`, tier && `${tier} tier`, this.skew(at),
      times.length && `${wallDate(run.at[0])} ${wallTime(run.at[0])}, for ${span(run.at[at] - run.at[0])}`,
    ];
    setText(this.facts, times.length ? facts.filter(Boolean).join("  ·  ") : "no batch yet");
    this.showBanner();
  }

  // How much longer the slowest task takes than the mean of all.
  skew(at) {
    const found = this.run.owners("task").length > 1 ? lastKnown(this.run.column("run", "", "skew"), at) : null;
    return isKnown(found) && `skew ${found.toFixed(2)}`;
  }

  showPill(times) {
    const { run } = this;
    const age = times.length ? Date.now() / 1000 - times[times.length - 1] : 0;
    const [kind, text] = run.error ? ["bad", "unreadable"]
      : view.moment !== null ? ["past", "replay"]
      : run.ended ? (run.ended === "failed" ? ["bad", "failed"] : ["over", run.ended])
      : run.isStored ? ["over", "report"]
      : age > QUIET ? ["over", `quiet for ${span(age * 1e6)}`] : ["live", "live"];
    this.pill.className = `pill ${kind}`;
    setText(this.pill, text);
  }

  showBanner() {
    const { run } = this;
    const words = [
      run.error,
      run.lost && "The server does not answer; what you see is what was known last.",
      run.progress !== null && run.progress !== undefined && `Reading older events: ${Math.round(100 * run.progress)} %. The newest part is shown.`,
      run.damaged ? `${whole(run.damaged)} ${run.damaged === 1 ? "line of the log is" : "lines of the log are"} damaged and left out.` : null,
    ].filter(Boolean);
    this.banner.hidden = !words.length;
    this.banner.classList.toggle("bad", Boolean(run.error || run.lost));
    setText(this.banner, words.join("\n"));
  }

  shadeTiers(u) {
    const tiers = this.run.column("run", "", "tier");
    const spark = this.run.words.indexOf("spark");
    if (spark < 0) return;
    const times = this.times;
    u.ctx.save();
    u.ctx.globalAlpha = 0.1;
    u.ctx.fillStyle = colour("c");
    for (let i = 1; i < times.length; i += 1) {
      if (tiers[i] !== spark) continue;
      const [left, right] = [u.valToPos(times[i - 1], "x", true), u.valToPos(times[i], "x", true)];
      u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
    }
    u.ctx.restore();
  }
}
