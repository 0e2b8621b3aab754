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
