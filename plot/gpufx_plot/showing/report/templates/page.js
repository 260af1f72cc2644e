// Makes the tables sortable and filterable and shows samples. Without it the page has all rows; nothing is loaded.
(() => {
  "use strict";
  document.documentElement.classList.add("js");
  const FACTORS = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };
  const make = (name, text) => Object.assign(document.createElement(name), { textContent: text ?? "" });
  const drawn = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };

  // "32Ki", "+5.2 %" and "1.8" as numbers; anything else is none.
  const figure = (text) => {
    const match = /^([-+]?[\d.]+(?:e[-+]?\d+)?)\s*(Ki|Mi|Gi)?\b/.exec(text);
    return match ? Number(match[1]) * (FACTORS[match[2]] ?? 1) : NaN;
  };

  const sort = (table, column, down) => {
    const body = table.tBodies[0];
    for (const open of body.querySelectorAll("tr.more")) open.remove();
    const keyed = [...body.rows].map((row) => {
      const text = row.cells[column]?.textContent.trim() ?? "";
      return { row, text, number: figure(text) };
    });
    const sign = down ? -1 : 1;
    keyed.sort((a, b) => {
      if (!a.text || !b.text) return !a.text - !b.text; // what has none stays last
      const [left, right] = [Number.isNaN(a.number), Number.isNaN(b.number)];
      if (left !== right) return left - right;
      return sign * (left ? a.text.localeCompare(b.text) : a.number - b.number);
    });
    body.append(...keyed.map((entry) => entry.row));
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
      const button = make("button", head.textContent.trim());
      button.type = "button";
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        sort(table, column, down);
      });
      head.replaceChildren(button);
    }
    [...(table.tBodies[0]?.rows ?? [])].forEach((row, index) => { row.place = index; });
  }

  // What was typed, in words that must all be there, and the tab that is pressed.
  const tables = [...document.querySelectorAll("table.cases")];
  const text = (row) => (row.text ??= row.textContent.toLowerCase());
  const choosing = (id, choose) => {
    const tools = document.querySelector(`.tools[data-for=${id}]`);
    const [field, told] = [tools.querySelector("input"), tools.querySelector("output")];
    const buttons = [...tools.querySelectorAll("button")];
    const again = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const tab = buttons.find((button) => button.getAttribute("aria-pressed") === "true")?.dataset.v ?? "";
      const [found, total] = choose(words, tab);
      told.textContent = words.length || tab ? `${found} of ${total}` : "";
    };
    const press = (pressed) => {
      for (const button of buttons) button.setAttribute("aria-pressed", button === pressed);
      again();
    };
    for (const button of buttons) button.addEventListener("click", () => press(button));
    let waiting = 0;
    field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(again, 150); });
    tools.hidden = false;
    return () => { field.value = ""; press(buttons[0]); };
  };
  const rows = (selector) => (words, tab) => {
    const all = [...document.querySelectorAll(selector)];
    for (const row of all) {
      row.hidden = (tab && !row.dataset.v.split("|").includes(tab)) || !words.every((word) => text(row).includes(word));
    }
    for (const body of document.querySelectorAll(".sheet tbody")) body.hidden = !body.querySelector("tr[id]:not([hidden])");
    return [all.filter((row) => !row.hidden).length, all.length];
  };

  // In the cases axis=value is that cell alone.
  const cases = (words) => {
    let found = 0;
    for (const table of tables) {
      const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim().toLowerCase());
      const probe = table.dataset.probe.toLowerCase();
      let here = 0;
      for (const row of table.tBodies[0].rows) {
        if (row.classList.contains("more")) { row.hidden = true; continue; }
        row.text ??= ` ${probe} ${[...row.cells].map((cell) => cell.textContent.trim()).join(" ")} `.toLowerCase();
        row.hidden = !words.every((word) => {
          const [name, value] = word.split("=");
          const column = value === undefined ? -1 : heads.indexOf(name);
          return column < 0 ? row.text.includes(word) : row.cells[column]?.textContent.trim().toLowerCase() === value;
        });
        here += !row.hidden;
      }
      const box = table.closest("details");
      box.hidden = here === 0;
      box.querySelector(".count").textContent = here;
      if (words.length && here && here <= 60) box.open = true;
      found += here;
    }
    return [found, total];
  };
  const total = tables.reduce((sum, table) => sum + table.tBodies[0].rows.length, 0);
  const clear = {
    sheet: choosing("sheet", rows("#sheet tr[id]")),
    claims: choosing("claims", rows(".claim")),
    cases: choosing("cases", cases),
  };

  // A link to a row opens what it is in, and takes away the filter that hides it.
  const reveal = () => {
    const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!at) return;
    if (at.hidden || at.closest("[hidden]")) clear[at.closest("section[id]")?.id]?.();
    for (let box = at.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    at.scrollIntoView();
  };
  addEventListener("hashchange", reveal);

  // Chips that are not shown: their columns in the cases by the place in their row.
  const picker = document.querySelector(".picker");
  if (picker) {
    const sheet = document.styleSheets[0];
    for (const table of tables) {
      for (const [place, head] of [...table.tHead.rows[0].cells].entries()) {
        if (!head.dataset.chip) continue;
        sheet.insertRule(`.no-${head.dataset.chip} #${table.closest("details").id} :is(td, th):nth-child(${place + 1}):not([colspan]) { display: none; }`);
      }
    }
    const boxes = [...picker.querySelectorAll("input")];
    const pick = () => {
      for (const box of boxes) document.documentElement.classList.toggle(`no-${box.value}`, !box.checked);
      const shown = boxes.filter((box) => box.checked);
      for (const box of boxes) box.disabled = shown.length === 1 && box.checked; // one stays
    };
    picker.hidden = false;
    picker.addEventListener("change", pick);
  }

  // A figure can be enlarged; on paper nothing that says why stays folded.
  for (const figure of document.querySelectorAll(".figure")) {
    const toggle = () => figure.classList.toggle("large");
    figure.addEventListener("click", toggle);
    figure.addEventListener("keydown", (event) => { if (event.key === "Enter") toggle(); });
  }
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main > section:not(#cases) details:not([open])")];
    for (const box of folded) box.open = true;
  });
  addEventListener("afterprint", () => { for (const box of folded) box.open = false; });

  const unpacked = new Map();
  const unpack = async (table) => {
    const packed = table.closest("details").querySelector(".packed");
    if (!packed || typeof DecompressionStream === "undefined") return null;
    const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };

  const plain = (value) => Number(value.toPrecision(5)).toString();
  const strip = (values, archive) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const span = high - low || Math.abs(high) || 1;
    const sorted = [...values].sort((a, b) => a - b);
    const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
    const picture = drawn("svg", { class: `strip c${archive}`, viewBox: "0 0 640 96", role: "img" });
    picture.setAttribute("aria-label", `${values.length} samples from ${plain(low)} to ${plain(high)}`);
    const y = (value) => (low === high ? 48 : 88 - 80 * (value - low) / span);
    picture.append(drawn("line", { x1: 0, x2: 640, y1: y(at(0.5)), y2: y(at(0.5)) }));
    values.forEach((value, index) => {
      const x = 6 + 628 * index / Math.max(1, values.length - 1);
      picture.append(drawn("circle", { cx: x.toFixed(1), cy: y(value).toFixed(1), r: 2.4 }));
    });
    const words = `min ${plain(low)}, quartiles ${plain(at(0.25))}, ${plain(at(0.5))}, ${plain(at(0.75))}, max ${plain(high)}`;
    return [picture, make("p", words)];
  };

  const show = async (table, row) => {
    if (row.nextElementSibling?.classList.contains("more")) { row.nextElementSibling.remove(); return; }
    const more = make("tr");
    more.className = "more";
    const cell = make("td");
    cell.className = "samples";
    cell.colSpan = row.cells.length;
    more.append(cell);
    row.after(more);
    if (!unpacked.has(table)) unpacked.set(table, await unpack(table));
    const data = unpacked.get(table);
    if (!data) { cell.textContent = "The samples can't be unpacked by this browser; the archive has them."; return; }
    const names = [...document.querySelectorAll(".subject")].map((part) => part.getAttribute("aria-label"));
    data.rows[row.place].forEach((processes, archive) => processes.forEach(([middle, ...parts], process) => {
      const values = parts.map((distance) => middle * (1 + distance / 1e4));
      const thin = data.step > 1 ? `, every ${data.step}. one` : "";
      const of = processes.length > 1 ? `, process ${process + 1}` : "";
      const part = make("div");
      part.className = "sampled";
      part.append(make("b", `${names[archive]}${of}: ${values.length} samples in order${thin}`), ...strip(values, archive));
      const text = make("textarea", values.map(plain).join(" "));
      text.readOnly = true;
      text.setAttribute("aria-label", "the samples as text");
      part.append(text);
      cell.append(part);
    }));
    if (!cell.childNodes.length) cell.textContent = "No samples here.";
    cell.append(Object.assign(make("a", "link to this case"), { href: `#${row.id}` }));
  };

  for (const table of tables) {
    const box = table.closest("details");
    box.addEventListener("toggle", () => {
      if (box.ready) return;
      box.ready = true;
      for (const row of table.tBodies[0].rows) {
        row.tabIndex = 0;
        row.title = "samples";
      }
    });
    const chosen = (event) => event.target.closest("tbody tr:not(.more)");
    table.addEventListener("click", (event) => { const row = chosen(event); if (row) show(table, row); });
    table.addEventListener("keydown", (event) => {
      const row = event.target.matches?.("tr") ? chosen(event) : null;
      if (row && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); show(table, row); }
    });
  }
  reveal();
})();
