// The time bar: look back through a run, play it again, return to now.

import { view } from "./chart.js";
import { element, setText } from "./dom.js";
import { wallTime } from "./format.js";

const STEPS = 1000;
const SPEEDS = [1, 5, 20, 100, 500];

export class Scrubber {
  constructor(onMoment) {
    this.onMoment = onMoment;
    [this.bar, this.play, this.range, this.clock, this.live, this.speed] =
      ["scrub", "play", "time", "clock", "live", "speed"].map((id) => document.getElementById(id));
    this.speed.append(...SPEEDS.map((times) => element("option", { value: times }, `${times}×`)));
    this.speed.value = "20";
    this.range.addEventListener("input", () => { this.stop(); this.moveTo(Number(this.range.value) / STEPS); });
    this.play.addEventListener("click", () => (this.timer ? this.stop() : this.start()));
    this.live.addEventListener("click", () => { this.stop(); this.set(null); });
  }

  // The span that can be looked at, in seconds, and whether it still grows.
  show(span, isGrowing) {
    this.bar.hidden = !span || span[1] <= span[0];
    this.span = span;
    this.isGrowing = isGrowing;
    setText(this.live, isGrowing ? "Live" : "End");
    this.tell();
  }

  moveTo(share) {
    const [low, high] = this.span;
    this.set(share >= 1 ? null : low + share * (high - low));
  }

  set(moment) {
    view.moment = moment;
    this.tell();
    this.onMoment();
  }

  tell() {
    if (!this.span) return;
    const [low, high] = this.span;
    const moment = view.moment ?? high;
    this.range.value = String(Math.round(STEPS * (moment - low) / Math.max(high - low, 1e-9)));
    setText(this.clock, `${wallTime(moment * 1e6)} of ${wallTime(high * 1e6)}`);
    this.live.setAttribute("aria-pressed", String(view.moment === null));
  }

  start() {
    if (view.moment === null) view.moment = this.span[0];
    let last = performance.now();
    setText(this.play, "❚❚");
    this.play.setAttribute("aria-label", "Pause");
    this.timer = setInterval(() => {
      const now = performance.now();
      const moment = view.moment + (now - last) / 1000 * Number(this.speed.value);
      last = now;
      if (moment >= this.span[1]) { this.stop(); this.set(null); } else this.set(moment);
    }, 100);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    setText(this.play, "▶");
    this.play.setAttribute("aria-label", "Play");
  }
}
