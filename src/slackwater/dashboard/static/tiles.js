// A row of numbers, each with its name and a note.

import { element, setText } from "./dom.js";
import { withUnit } from "./format.js";

export class Tiles {
  constructor(keys) {
    this.node = element("div", { class: "tiles" });
    this.cells = {};
    for (const key of keys) {
      const cell = { value: element("b"), label: element("span"), note: element("em") };
      cell.node = element("div", { class: "tile", "data-tile": key }, cell.label, cell.value, cell.note);
      this.cells[key] = cell;
      this.node.append(cell.node);
    }
  }

  put(key, label, value, unit, note) {
    const cell = this.cells[key];
    const [text, name] = withUnit(value, unit);
    setText(cell.label, label);
    cell.value.replaceChildren(text, ...(name ? [element("small", {}, name)] : []));
    setText(cell.note, note);
  }
}
