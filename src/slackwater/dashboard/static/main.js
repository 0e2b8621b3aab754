// The page: which runs and queries are shown, light or dark, and what happens when news come.

import { redrawAll, view } from "./chart.js";
import { Run, allRuns, embedded, listen } from "./data.js";
import { element, setText } from "./dom.js";
import { RunPanel } from "./run.js";
import { Scrubber } from "./scrub.js";

const root = document.getElementById("runs");
const chosen = new Set();
const offered = new Set();
const panels = [];
let runs = [];
let isDrawing = false;

function draw() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    offer();
    offerTimes();
    for (const panel of panels) panel.show(chosen);
    const spans = panels.map((panel) => panel.times).filter((times) => times.length);
    const span = spans.length ? [Math.min(...spans.map((t) => t[0])), Math.max(...spans.map((t) => t[t.length - 1]))] : null;
    scrubber.show(widest(span), runs.some((run) => !run.ended && !run.isStored));
    document.documentElement.dataset.points = String(Math.max(0, ...spans.map((times) => times.length)));
  });
}

// Whose time the charts tell; that of the events to begin with, where they are played again.
const axis = document.getElementById("axis");
let isChosen = false;
function offerTimes() {
  const clocks = panels.filter((panel) => panel.times.length).map((panel) => panel.clocks);
  axis.hidden = !clocks.some((each) => each.isKnown);
  if (!isChosen && clocks.length) view.isEvent = clocks.every((each) => each.isReplay);
  axis.setAttribute("aria-pressed", String(view.isEvent));
}
axis.addEventListener("click", () => {
  isChosen = true;
  view.isEvent = !view.isEvent;
  axis.setAttribute("aria-pressed", String(view.isEvent));
  redrawAll();
});

// While zoomed in, only a part is here; the time bar keeps the whole span.
let known = null;
function widest(span) {
  if (span && !view.range) known = span;
  else if (span && known) known = [Math.min(known[0], span[0]), Math.max(known[1], span[1])];
  return known;
}

let logTimer = null;
const scrubber = new Scrubber(() => {
  redraw();
  clearTimeout(logTimer);
  logTimer = setTimeout(async () => {
    await Promise.all(runs.map((run) => run.loadLog(view.moment === null ? null : view.moment * 1e6 + 5e5)));
    for (const panel of panels) panel.showMoment();
  }, 250);
});

function redraw() {
  for (const panel of panels) {
    panel.showMoment();
    for (const query of panel.panels.values()) query.all.forEach(again);
    panel.shared.forEach(again);
  }
}

function again(chart) {
  chart.canvas?.redraw(false);
  chart.tell?.();
}

view.onRange = async (range) => {
  view.range = range;
  await Promise.all(runs.map((run) => run.load(range)));
  draw();
};

// One chip per query; a query that appears later is shown.
function offer() {
  const chooser = document.getElementById("chooser");
  for (const run of runs) {
    for (const name of new Set([...Object.keys(run.plan.queries), ...run.owners("query")])) {
      const key = `${run.id}/${name}`;
      if (offered.has(key)) continue;
      offered.add(key);
      chosen.add(key);
      const chip = element("button", { type: "button", class: "chip", "aria-pressed": "true" }, runs.length > 1 ? `${run.name} / ${name}` : name);
      chip.addEventListener("click", () => {
        if (!chosen.delete(key)) chosen.add(key);
        chip.setAttribute("aria-pressed", String(chosen.has(key)));
        draw();
      });
      chooser.append(chip);
    }
  }
}

async function hear(run, message) {
  if (!run) return;
  if (message.kind === "numbers") {
    await run.loading;
    if (view.range) { run.newest = Math.max(run.newest ?? -1, ...message.numbers.run[""].batch); return; }
    run.append(message.numbers, message.words, message.samples ?? {}, message.explained ?? {}, message.joins ?? {});
    if (run.isFull) await run.load(null);
  } else if (message.kind === "reset") {
    run.loading = run.load(view.range);
    await run.loading;
  } else {
    Object.assign(run, { ended: message.ended, progress: message.progress, damaged: message.damaged, error: message.error });
  }
  if (view.moment === null) { clearTimeout(run.logTimer); run.logTimer = setTimeout(() => refreshLog(run), 300); }
  draw();
}

async function refreshLog(run) {
  if (view.moment !== null) return;
  await run.loadLog(null);
  draw();
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  setText(document.getElementById("theme"), name === "dark" ? "☀" : "☾");
  redrawAll();
}

function chooseTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let kept = null;
  try { kept = localStorage.getItem("slackwater-theme"); } catch { /* storage may be closed */ }
  setTheme(kept ?? (system.matches ? "dark" : "light"));
  system.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
  document.getElementById("theme").addEventListener("click", () => {
    const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("slackwater-theme", name); } catch { /* then not kept */ }
    setTheme(name);
  });
}

async function open() {
  chooseTheme();
  const stored = embedded();
  runs = stored ? stored.map((told) => new Run(told)) : await allRuns();
  document.title = `${runs.map((run) => run.name).join(", ")} – Slackwater`;
  root.replaceChildren(...runs.map((run) => { const panel = new RunPanel(run); panels.push(panel); return panel.node; }));
  await Promise.all(runs.map((run) => run.load(null)));
  draw();
  await Promise.all(runs.map((run) => run.loadLog(null)));
  draw();
  if (stored) return;
  listen(runs, hear, (isUp) => { runs.forEach((run) => { run.lost = !isUp; }); draw(); });
  setInterval(() => panels.forEach((panel) => panel.showPill(panel.times)), 1000);
}

open().catch((error) => {
  root.replaceChildren(element("p", { class: "banner bad" }, `This page cannot be shown. ${error.message}`));
});
