// What controllers explain of their decisions, whatever they are: a table, and the course of one number.

import { Chart, indexAt, lastKnown, view } from "./chart.js";
import { element, setText } from "./dom.js";
import { aroundZero } from "./estimates.js";
import { isKnown, whole } from "./format.js";

// Of unknown unit: whole numbers in full, others to six digits.
const inDigits = (value) => (!isKnown(value) || Number.isInteger(value) ? whole(value) : value.toLocaleString("en", { maximumSignificantDigits: 6 }));
const fieldOf = (controller, label) => `${controller}/${label}`;

export class ControllersPart {
  constructor(run, name) {
    this.run = run;
    this.name = name;
    this.rows = new Map();
    this.chosen = null;
    this.body = element("tbody");
    this.chart = new Chart("Course", " ", "", { limits: aroundZero, empty: "no number was explained yet" });
    this.all = [this.chart];
    this.node = element("section", { class: "part controllers", hidden: "" },
      element("h4", {}, "Controllers", element("small", {}, "what they explain of their decisions")),
      element("table", {}, this.body), this.chart.node);
  }

  // Controller and label of all that was ever explained: the newest explanation first.
  get labels() {
    const found = new Map();
    for (const [controller, labels] of Object.entries(this.run.explained[this.name] ?? {})) {
      for (const label of Object.keys(labels)) found.set(fieldOf(controller, label), [controller, label]);
    }
    for (const field of Object.keys(this.run.numbers.controller?.[this.name] ?? {})) {
      const at = field.indexOf("/");
      if (!found.has(field)) found.set(field, [field.slice(0, at), field.slice(at + 1)]);
    }
    return found;
  }

  column(field) { return this.run.column("controller", this.name, field); }

  show(times) {
    const labels = this.labels;
    this.node.hidden = !labels.size;
    if (this.node.hidden) return;
    this.arrange(labels);
    const numbers = [...labels.keys()].filter((field) => this.column(field).some(isKnown));
    if (!numbers.includes(this.chosen)) this.chosen = numbers[0] ?? null;
    this.chart.node.hidden = this.chosen === null;
    this.times = times;
    this.draw();
  }

  // One row per label; those that are numbers can be chosen.
  arrange(labels) {
    const known = [...labels.keys()].join("\n");
    if (known !== this.known) {
      this.known = known;
      this.rows = new Map([...labels].map(([field, [controller, label]], i, all) => [field, this.row(field, i && all[i - 1][1][0] === controller ? "" : controller, label)]));
      this.body.replaceChildren(...[...this.rows.values()].map((row) => row.node));
    }
  }

  row(field, controller, label) {
    const value = element("td", { class: "value" });
    const button = element("button", { type: "button", class: "chip", "aria-pressed": "false" }, label);
    button.addEventListener("click", () => { this.chosen = field; this.draw(); });
    const node = element("tr", { "data-field": field }, element("th", { scope: "row" }, controller), element("td", {}, button), value);
    return { node, value, button };
  }

  draw() {
    for (const [field, row] of this.rows) {
      const isNumber = this.column(field).some(isKnown);
      row.button.disabled = !isNumber;
      row.button.setAttribute("aria-pressed", String(isNumber && field === this.chosen));
    }
    if (this.chosen === null) { this.chart.show([], [[]]); return; }
    const [controller, label] = this.labels.get(this.chosen);
    setText(this.chart.note, `${controller}: ${label}`);
    this.chart.show([{ label, color: "a", kind: "step" }], [this.times, this.column(this.chosen)]);
  }

  // Values as of the moment looked at; words are only known as they were said last.
  showMoment(times) {
    if (this.node.hidden) return;
    const at = indexAt(times, view.moment);
    for (const [field, row] of this.rows) {
      const [controller, label] = this.labels.get(field) ?? ["", ""];
      const said = this.run.explained[this.name]?.[controller]?.[label];
      const value = typeof said === "string" ? (view.moment === null ? said : null) : lastKnown(this.column(field), at);
      setText(row.value, typeof value === "string" ? value : inDigits(value));
    }
  }

  remove() { this.chart.remove(); }
}
