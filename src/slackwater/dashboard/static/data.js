// Where the numbers come from: the server and its live events, or the report that holds them.

const POINTS = 1000;
const MOST = 2 * POINTS; // points a run may grow to before it is fetched anew

export function embedded() {
  const inside = document.getElementById("data");
  return inside ? JSON.parse(inside.textContent) : null;
}

async function fetched(path) {
  const answer = await fetch(path, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.json();
}

export class Run {
  constructor(told) {
    Object.assign(this, told);
    this.numbers = told.history ? told.history.numbers : {};
    this.words = told.history ? told.history.words : [];
    this.samples = told.history?.samples ?? {};
    this.explained = told.history?.explained ?? {};
    this.joins = told.history?.joins ?? {};
    this.entries = told.log ? told.log.entries : [];
    this.version = 0;
    this.asked = 0;
    this.isStored = Boolean(told.history);
  }

  get at() { return this.column("run", "", "at"); }

  column(group, owner, field) {
    return this.numbers[group]?.[owner]?.[field] ?? [];
  }

  owners(group) {
    return Object.keys(this.numbers[group] ?? {}).filter((owner) => owner !== "").sort();
  }

  word(code) { return code === null || code === undefined ? null : this.words[code]; }

  async load(range) {
    if (this.isStored) return;
    this.asked += 1;
    const turn = this.asked;
    const span = range ? `&low=${range[0] * 1e6}&high=${range[1] * 1e6}` : "";
    const [history, all] = await Promise.all([
      fetched(`api/runs/${this.id}/history?points=${POINTS}${span}`),
      fetched("api/runs"),
    ]);
    if (turn !== this.asked) return; // another span was asked for meanwhile
    const told = all.find((each) => each.id === this.id);
    Object.assign(this, { ...told, epoch: history.epoch, newest: history.newest });
    this.numbers = history.numbers;
    this.words = history.words;
    this.samples = history.samples ?? {};
    this.explained = history.explained ?? {};
    this.joins = history.joins ?? {};
    this.version += 1;
  }

  async loadLog(until) {
    if (this.isStored) return;
    const limit = until ? `&until=${Math.ceil(until)}` : "";
    this.entries = (await fetched(`api/runs/${this.id}/log?newest=300${limit}`)).entries;
  }

  // Add points that came live; those known already are left out.
  append(numbers, words, samples, explained, joins) {
    const fresh = numbers.run?.[""]?.batch ?? [];
    const known = this.column("run", "", "batch");
    const last = known.length ? known[known.length - 1] : -1;
    const first = fresh.findIndex((batch) => batch > last);
    if (first < 0) return;
    const before = known.length;
    for (const [group, owners] of Object.entries(numbers)) {
      for (const [owner, fields] of Object.entries(owners)) {
        for (const [field, values] of Object.entries(fields)) {
          this.grown(group, owner, field, before).push(...values.slice(first));
        }
      }
    }
    this.level(before + fresh.length - first);
    this.words = words;
    this.explained = explained;
    for (const [query, newer] of Object.entries(joins)) this.joins[query] = renewed(this.joins[query], newer);
    for (const [query, newer] of Object.entries(samples)) (this.samples[query] ??= []).push(...newer.filter((sample) => sample.batch > last));
    this.newest = fresh[fresh.length - 1];
    this.version += 1;
  }

  grown(group, owner, field, length) {
    const owners = (this.numbers[group] ??= {});
    const fields = (owners[owner] ??= {});
    return (fields[field] ??= new Array(length).fill(null));
  }

  level(length) {
    for (const owners of Object.values(this.numbers)) {
      for (const fields of Object.values(owners)) {
        for (const values of Object.values(fields)) while (values.length < length) values.push(null);
      }
    }
  }

  get isFull() { return this.at.length > MOST; }
}

// Records of a join that came live, in place of what was known of the same ones.
function renewed(known, newer) {
  const merge = (field, key) => {
    const first = newer[field][0]?.[key] ?? Infinity;
    return [...(known?.[field] ?? []).filter((one) => one[key] < first), ...newer[field]];
  };
  return { spans: merge("spans", "first"), migrations: merge("migrations", "batch"), comparisons: merge("comparisons", "batch") };
}

export async function allRuns() {
  return (await fetched("api/runs")).map((told) => new Run(told));
}

// One connection for all runs; `hear(run, message)` gets what is new.
export function listen(runs, hear, isUp) {
  let source = null;
  const open = () => {
    const since = runs.map((run) => `since=${run.id}.${run.epoch}.${run.newest ?? -1}`).join("&");
    source = new EventSource(`api/live?${since}`);
    source.onopen = () => isUp(true);
    source.onmessage = (event) => {
      const message = JSON.parse(event.data);
      hear(runs.find((run) => run.id === message.run), message);
    };
    source.onerror = () => {
      isUp(false);
      source.close();
      setTimeout(open, 2000); // anew, with what is known by then
    };
  };
  open();
}
