// Numbers, times and durations as people read them. Unknown is "–".

const NOTHING = "–";

export function isKnown(value) {
  return value !== null && value !== undefined && !Number.isNaN(value);
}

// A number and its unit, apart: [text, unit].
export function withUnit(value, unit) {
  if (!isKnown(value)) return [NOTHING, ""];
  const size = Math.abs(value);
  if (unit === "s") return seconds(value);
  if (unit === "ms") return size >= 1000 ? [fixed(value / 1000), "s"] : [fixed(value), "ms"];
  if (unit === "%") return [percent(value), "%"];
  if (unit === "B") return scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
  if (size >= 1e4) {
    const [text, prefix] = scaled(value, 1000, ["", "k", "M", "G", "T"]);
    return [text, [prefix, unit].filter(Boolean).join(" ")];
  }
  return [fixed(value), unit];
}

export function shown(value, unit) {
  const [text, name] = withUnit(value, unit);
  return name ? `${text} ${name}` : text;
}

// As short as it goes: rows are counted, the title says so.
export function onAxis(value, unit) {
  if (unit === "%") return `${Number((100 * value).toFixed(2))} %`;
  return shown(value, ["s", "ms", "B"].includes(unit) ? unit : "");
}

// Steps between two marks that people count in, in seconds.
const SECONDS = [1, 2, 5, 10, 15, 30];
const ROUND = [
  ...[0.001, 0.01, 0.1].flatMap((part) => [1, 2, 5].map((step) => step * part)),
  ...SECONDS, ...SECONDS.map((step) => step * 60), ...[1, 2, 3, 6, 12].map((step) => step * 3600),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((step) => step * 86400),
];
const SIZES = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [0.001, "ms"]];

const BYTES = Array.from({ length: 50 }, (_, power) => 2 ** power);

// Where marks of a scale of bytes may lie: null for other scales.
export function byteSteps(unit) {
  return unit === "B" ? BYTES : null;
}

// Where marks of a scale of durations may lie: null for other scales.
export function durationSteps(unit) {
  return unit === "s" ? ROUND : unit === "ms" ? ROUND.map((step) => step * 1000) : null;
}

// Marks of a scale of durations, all in one unit: 0 min, 30 min, 60 min.
export function durations(marks, unit) {
  const sizes = marks.map((mark) => (unit === "ms" ? mark / 1000 : mark));
  const step = sizes.length > 1 ? sizes[1] - sizes[0] : Math.abs(sizes[0] ?? 0);
  const most = Math.max(...sizes.map(Math.abs));
  const [size, name] = SIZES.find(([each]) => step >= each * 0.999 || (each === 1 && most >= 1)) ?? SIZES[4];
  return sizes.map((mark) => `${Number((mark / size).toFixed(3))} ${name}`);
}

// Marks of a scale of event time (seconds, UTC): instants a round step apart, at most so many.
export function roundInstants(low, high, most) {
  const step = ROUND.find((each) => each >= 1 && (high - low) / each <= most) ?? ROUND[ROUND.length - 1];
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) found.push(at);
  return found;
}

// As much of an instant as tells it from its neighbours.
export function instants(marks) {
  const step = marks.length > 1 ? Math.abs(marks[1] - marks[0]) : 0;
  return marks.map((mark) => {
    const text = new Date(mark * 1000).toISOString();
    if (step >= 86400) return text.slice(0, 10);
    const time = text.slice(11, step >= 60 ? 16 : 19);
    return step >= 3600 ? `${text.slice(5, 10)} ${time}` : time;
  });
}

function seconds(value) {
  const size = Math.abs(value);
  if (size < 1 && size > 0) return [fixed(value * 1000), "ms"];
  if (size < 120) return [fixed(value), "s"];
  if (size < 7200) return [fixed(value / 60), "min"];
  return size < 172800 ? [fixed(value / 3600), "h"] : [fixed(value / 86400), "d"];
}

function scaled(value, base, names) {
  let step = 0;
  while (Math.abs(value) >= base && step < names.length - 1) { value /= base; step += 1; }
  return [step ? fixed(value) : String(Math.round(value)), names[step]];
}

function fixed(value) {
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return whole(Math.round(value));
  return size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function whole(value) {
  return isKnown(value) ? Math.round(value).toLocaleString("en") : NOTHING;
}

function percent(share) {
  const value = 100 * share;
  return value > 99 && value < 100 ? value.toFixed(2) : value.toFixed(1);
}

// Wall time of the viewer, from microseconds.
export function wallTime(micros) {
  return isKnown(micros) ? new Date(micros / 1000).toLocaleTimeString("en-GB") : NOTHING;
}

export function wallDate(micros) {
  return isKnown(micros) ? new Date(micros / 1000).toLocaleDateString("en-CA") : NOTHING;
}

// Event time, as the engine has it: UTC.
export function eventTime(micros) {
  return isKnown(micros) ? new Date(micros / 1000).toISOString().slice(11, 19) : NOTHING;
}

export function span(micros) {
  return shown(micros / 1e6, "s");
}
