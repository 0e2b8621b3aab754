// The backlog of a costly query: rows that wait, since when, and what became of the others.

import { Chart, indexAt, lastKnown, sum, view } from "./chart.js";
import { element } from "./dom.js";
import { isKnown, whole } from "./format.js";
import { Tiles } from "./tiles.js";

export class BacklogPart {
  constructor(run, name) {
    this.run = run;
    this.name = name;
    this.tiles = new Tiles(["waiting", "oldest", "worked", "shed"]);
    this.chart = new Chart("Rows that wait", "at the end of each batch", "rows", { stacked: true });
    this.all = [this.chart];
    this.node = element("section", { class: "part backlog", hidden: "" }, element("h4", {}, "Backlog"), this.tiles.node, this.chart.node);
  }

  get hasRanks() { return this.column("budget").length > 0; }

  column(field) { return this.run.column("backlog", this.name, field); }

  show(times) {
    this.node.hidden = !this.column("todo").length;
    if (this.node.hidden) return;
    this.chart.node.hidden = this.hasRanks; // those who wait are told by rank below
    if (this.hasRanks) { this.chart.show([], [[]]); return; }
    this.chart.show(
      [{ label: "for their turn", color: "c", kind: "area" }, { label: "aside, after an estimate", color: "b", kind: "area" }],
      [times, this.column("todo"), this.column("aside")]);
  }

  // Numbers as of the moment looked at.
  showMoment(times) {
    if (this.node.hidden) return;
    const at = indexAt(times, view.moment);
    const now = (field) => lastKnown(this.column(field), at);
    const age = now("age");
    this.tiles.put("waiting", "Rows waiting", (now("todo") ?? 0) + (now("aside") ?? 0), "", `${now("aside") ?? 0} of them aside`);
    this.tiles.put("oldest", "Oldest waits for", isKnown(age) ? age / 1e6 : null, "s", "event time");
    this.tiles.put("worked", "Worked on", sum(this.column("worked"), at), "", "rows");
    this.tiles.put("shed", "Shed", sum(this.column("shed"), at), "", this.hasRanks ? `${whole(sum(this.column("expired"), at))} expired` : "after an estimate");
  }

  remove() { this.chart.remove(); }
}
