// Decisions, notices and errors with their reasons, newest first.

import { view } from "./chart.js";
import { element } from "./dom.js";
import { wallDate, wallTime } from "./format.js";

const SHOWN = 300;
const GROUPS = { decisions: ["slack", "tier", "plan", "prod", "replan", "migration", "demand"], notices: ["notice", "error", "damaged"], life: ["start", "stop", "repair", "change", "query_added", "query_removed"] };

export class DecisionLog {
  constructor(run) {
    this.run = run;
    this.on = new Set(Object.keys(GROUPS));
    this.list = element("ol", { class: "log", tabindex: 0, "aria-label": "Decisions" });
    this.filters = element("div", { class: "filters" }, ...Object.keys(GROUPS).map((name) => this.filter(name)));
    this.node = element("section", { class: "card wide decisions" },
      element("div", { class: "headline" }, element("h4", {}, "Decisions and notices"), this.filters), this.list);
  }

  remove() {}

  filter(name) {
    const button = element("button", { type: "button", class: "chip", "aria-pressed": "true" }, name);
    button.addEventListener("click", () => {
      if (!this.on.delete(name)) this.on.add(name);
      button.setAttribute("aria-pressed", String(this.on.has(name)));
      this.show();
    });
    return button;
  }

  isOn(kind) {
    const group = Object.keys(GROUPS).find((name) => GROUPS[name].includes(kind)) ?? "life";
    return this.on.has(group);
  }

  show() {
    const until = view.moment === null ? Infinity : view.moment * 1e6 + 5e5;
    const entries = this.run.entries.filter((entry) => entry.at <= until && this.isOn(entry.kind));
    const newest = entries.slice(-SHOWN).reverse();
    const known = JSON.stringify([newest.length, newest[0], newest[newest.length - 1]]);
    if (known === this.known) return;
    this.known = known;
    this.list.replaceChildren(...(newest.length ? newest.map(line) : [element("li", { class: "none" }, "", "", element("p", {}, "Nothing so far."))]));
  }

  showMoment() { this.show(); }
}

function line(entry) {
  const batch = entry.batch === null ? "" : ` · batch ${entry.batch}`;
  return element("li", {},
    element("time", { title: `${wallDate(entry.at)} ${wallTime(entry.at)}${batch}` }, wallTime(entry.at)),
    element("span", { class: `kind ${/^[a-z]+$/.test(entry.kind) ? entry.kind : "other"}` }, entry.kind),
    element("div", {},
      element("strong", {}, entry.title), entry.query ? element("span", { class: "of" }, `  ${entry.query}`) : null,
      element("p", {}, entry.text)));
}
