// The plan as a graph: streams on the left, answers on the right, each with its size.

import { drawn, element } from "./dom.js";
import { isKnown, shown, whole } from "./format.js";
import { indexAt, lastKnown, view } from "./chart.js";

const [WIDTH, TALL, GAP, ROW] = [210, 78, 76, 98];

export class PlanGraph {
  constructor(run) {
    this.run = run;
    this.holder = element("div", { class: "graph" });
    this.node = element("section", { class: "card wide" }, element("h4", {}, "Plan"), this.holder);
  }

  remove() {}

  show(times) {
    const plan = this.run.plan;
    const known = JSON.stringify([plan.nodes, plan.edges]);
    if (known !== this.known) { this.known = known; this.draw(plan); }
    this.node.hidden = !plan.nodes.length;
    this.showMoment(times);
  }

  draw(plan) {
    const places = laidOut(plan.nodes);
    const deepest = Math.max(0, ...plan.nodes.map((node) => node.depth));
    const rows = Math.max(1, ...Object.values(places).map((place) => place.row + 1));
    const [wide, high] = [(deepest + 1) * (WIDTH + GAP) - GAP + 4, rows * ROW - (ROW - TALL) + 4];
    this.sizes = {};
    this.holder.replaceChildren(drawn("svg", { width: wide, height: high, viewBox: `-2 -2 ${wide} ${high}`, role: "img", "aria-label": "Plan" },
      ...plan.edges.filter(([from, to]) => places[from] && places[to]).map(([from, to]) => edge(places[from], places[to])),
      ...plan.nodes.map((node) => this.box(node, places[node.id]))));
  }

  box(node, { x, y }) {
    const size = drawn("text", { x: 12, y: 64, class: "big" });
    this.sizes[node.id] = { node, text: size };
    const words = [node.detail, ...(node.shapes ?? [])].filter(Boolean).join(" · ");
    return drawn("g", { class: node.kind, transform: `translate(${x} ${y})` },
      drawn("rect", { width: WIDTH, height: TALL, rx: 8 }),
      drawn("title", {}, `${node.kind} ${node.label} ${words}`),
      drawn("text", { x: 12, y: 22 }, cut(`${node.kind === "state" ? "" : `${node.kind} `}${node.label}`, 26)),
      drawn("text", { x: 12, y: 42, class: "soft" }, cut(words, 32)), size);
  }

  showMoment(times) {
    const at = indexAt(times, view.moment);
    for (const { node, text } of Object.values(this.sizes ?? {})) {
      const words = this.size(node, at, times);
      if (text.textContent !== words) text.textContent = words;
    }
  }

  size(node, at, times) {
    const { run } = this;
    if (node.kind === "state") {
      const rows = lastKnown(run.column("state", node.size, "rows"), at);
      const bytes = lastKnown(run.column("state", node.size, "bytes"), at);
      return isKnown(rows) ? `${shown(rows, "rows")} · ${shown(bytes, "B")}` : "";
    }
    if (node.kind === "stream") return shown(rate(run.column("stream", node.size, "rows"), times, at), "rows/s");
    if (node.kind !== "query") return "";
    const given = run.column("query", node.size, "emitted");
    return `${whole(given.slice(0, at + 1).reduce((total, value) => total + (value ?? 0), 0))} answers`;
  }
}

// Rows per second over the last ten points.
export function rate(rows, times, at) {
  const first = Math.max(0, at - 10);
  const seconds = times[at] - times[first];
  if (!(seconds > 0)) return null;
  return rows.slice(first + 1, at + 1).reduce((total, value) => total + (value ?? 0), 0) / seconds;
}

// Columns by depth; rows in the order the queries name them.
function laidOut(nodes) {
  const used = {};
  return Object.fromEntries(nodes.map((node) => {
    const row = (used[node.depth] = (used[node.depth] ?? -1) + 1);
    return [node.id, { row, x: node.depth * (WIDTH + GAP), y: row * ROW }];
  }));
}

function edge(from, to) {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + TALL / 2, to.x, to.y + TALL / 2];
  const bend = Math.min(60, (x2 - x1) / 2);
  return drawn("path", { d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`, "stroke-width": 2 });
}

function cut(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
