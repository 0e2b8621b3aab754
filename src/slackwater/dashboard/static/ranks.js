// Ranks of a query under overload: what became of the rows of each, who used the budget, what promises a rank.

import { Chart, indexAt, lastKnown, sum, view } from "./chart.js";
import { element } from "./dom.js";
import { isKnown, shown, whole } from "./format.js";
import { Tiles } from "./tiles.js";

const RANK_HUES = ["a", "c", "b", "d"];
const NONE = "none"; // the rank of rows without one

export class RanksPart {
  constructor(run, name) {
    this.run = run;
    this.name = name;
    this.tiles = new Tiles(["complete", "budget", "criteria", "given-up"]);
    this.worked = new Chart("Worked on, by rank", "rows per batch", "rows", { stacked: true });
    this.waiting = new Chart("Rows that wait, by rank", "at the end of each batch", "rows", { stacked: true, empty: "no row had to wait" });
    this.gone = new Chart("Expired or shed, by rank", "rows per batch", "rows", { stacked: true, empty: "no row was given up" });
    this.used = new Chart("Budget, and who used it", "units of work per batch", "", { stacked: true });
    this.criteria = new Chart("Active criteria", "values that promise a rank", "");
    this.yield = new Chart("What they promise", "critical results, by what came lately", "");
    this.body = element("tbody");
    this.table = element("table", { "aria-label": "Ranks" }, element("thead", {}, element("tr", {}, ...HEADS.map((head) => element("th", { scope: "col" }, head)))), this.body);
    this.promises = element("ol", { class: "promises", "aria-label": "What promises a rank" });
    this.all = [this.worked, this.waiting, this.gone, this.used, this.criteria, this.yield];
    this.node = element("section", { class: "part ranks", hidden: "" },
      element("h4", {}, "Ranks"), this.tiles.node, element("div", { class: "wide-table" }, this.table), this.promises, ...this.all.map((chart) => chart.node));
  }

  column(field, rank) { return this.run.column(`rank_${field}`, this.name, rank); }

  // The most critical first, rows without a rank last.
  get ranks() { return Object.keys(this.run.numbers.rank_admitted?.[this.name] ?? {}).sort((one, other) => placeOf(one) - placeOf(other)); }

  show(times) {
    const ranks = this.ranks;
    this.node.hidden = !ranks.length;
    if (this.node.hidden) return;
    const batches = this.run.column("run", "", "batches");
    const perBatch = (values) => times.map((_, i) => (values[i] ?? 0) / (batches[i] || 1));
    const layers = ranks.map((rank) => ({ label: nameOf(rank), color: hueOf(rank), kind: "area" }));
    const of = (field) => ranks.map((rank) => this.column(field, rank));
    this.worked.show(layers, [times, ...of("worked").map(perBatch)]);
    showAny(this.waiting, layers, [times, ...of("waiting")]);
    showAny(this.gone, layers, [times, ...ranks.map((rank) => perBatch(added(this.column("expired", rank), this.column("shed", rank))))]);
    const budget = this.run.column("backlog", this.name, "budget");
    this.used.show([...layers, { label: "budget", color: "target", kind: "target" }], [times, ...of("used").map(perBatch), orUnknown(budget, times)]);
    this.showPromises(times, ranks);
  }

  showPromises(times, ranks) {
    const known = ranks.filter((rank) => this.column("criteria", rank).some(isKnown));
    const lines = known.map((rank) => ({ label: nameOf(rank), color: hueOf(rank), kind: "step" }));
    this.criteria.show(lines, known.length ? [times, ...known.map((rank) => this.column("criteria", rank))] : [[]]);
    this.criteria.node.hidden = this.yield.node.hidden = !known.length;
    this.yield.show(lines, known.length ? [times, ...known.map((rank) => this.column("yield", rank))] : [[]]);
  }

  // Tiles and table as of the moment looked at.
  showMoment(times) {
    if (this.node.hidden) return;
    const at = indexAt(times, view.moment);
    const ranks = this.ranks;
    const totalOf = (field) => (rank) => sum(this.column(field, rank), at);
    const total = (field) => ranks.map(totalOf(field)).reduce((one, other) => one + other, 0);
    const spent = total("used");
    this.showTiles(at, total);
    this.body.replaceChildren(...ranks.map((rank) => element("tr", { "data-rank": rank },
      element("th", { scope: "row" }, nameOf(rank)),
      ...["admitted", "worked"].map((field) => cell(whole(totalOf(field)(rank)))),
      cell(whole(lastKnown(this.column("waiting", rank), at))),
      ...["expired", "shed"].map((field) => cell(whole(totalOf(field)(rank)))),
      cell(spent ? shown(totalOf("used")(rank) / spent, "%") : ""))));
    const promised = ranks.filter((rank) => lastKnown(this.column("criteria", rank), at));
    this.promises.hidden = !promised.length;
    this.promises.replaceChildren(...promised.map((rank) => element("li", {}, element("b", {}, `${nameOf(rank)} `), this.promise(rank, at))));
  }

  showTiles(at, total) {
    const now = (field) => lastKnown(this.run.column("backlog", this.name, field), at);
    const complete = now("complete");
    this.tiles.put("complete", "Complete up to", isKnown(complete) ? complete : null, "", complete ? "nothing is missing" : "not even rank 1");
    this.tiles.put("budget", "Used of the budget", now("budget") ? this.usedAt(at) / now("budget") : null, "%", `of ${whole(now("budget"))} in a batch`);
    const promised = this.ranks.map((rank) => lastKnown(this.column("criteria", rank), at) ?? 0).reduce((one, other) => one + other, 0);
    this.tiles.put("criteria", "Active criteria", promised, "", `${whole(total("promising"))} rows promising`);
    this.tiles.put("given-up", "Given up", total("expired") + total("shed"), "", `${whole(total("expired"))} expired, ${whole(total("shed"))} shed`);
  }

  usedAt(at) {
    const batches = this.run.column("run", "", "batches")[at] || 1;
    return this.ranks.reduce((units, rank) => units + (this.column("used", rank)[at] ?? 0), 0) / batches;
  }

  // Which values promise a rank: how many and how much at any moment; which ones only as said last.
  promise(rank, at) {
    const count = lastKnown(this.column("criteria", rank), at);
    const best = view.moment === null ? this.run.explained[this.name]?.ranks?.[`best_${rank}`] : null;
    return `promised by ${whole(count)} ${count === 1 ? "value" : "values"}, ${shown(lastKnown(this.column("yield", rank), at), "")} results${best ? `: ${best}` : ""}`;
  }

  remove() { this.all.forEach((chart) => chart.remove()); }
}

const HEADS = ["", "came", "worked on", "waiting", "expired", "shed", "of the work"];
const placeOf = (rank) => (rank === NONE ? Infinity : Number(rank));
const nameOf = (rank) => (rank === NONE ? "no rank" : `rank ${rank}`);
const hueOf = (rank) => (rank === NONE ? "e" : RANK_HUES[(Number(rank) - 1) % RANK_HUES.length]);
const cell = (text) => element("td", {}, text);
const added = (one, other) => one.map((value, i) => (value ?? 0) + (other[i] ?? 0));
const orUnknown = (values, times) => (values.length ? values : times.map(() => null));

function showAny(chart, series, data) {
  const isAny = data.slice(1).some((values) => values.some((value) => value > 0));
  chart.show(isAny ? series : [], isAny ? data : [[]]);
}
