// Elements. Everything from the service is text from outside (pod names are chosen by users): it is
// only ever set as textContent, never as markup.

const SVG = "http://www.w3.org/2000/svg";

// So many columns are cut off in a narrow window.
const WIDE = 3;

export function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) {
    element.className = className;
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null).map(asNode));
  return element;
}

function asNode(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null).map(asNode));
  return element;
}

export function link(address, ...children) {
  const element = make("a", "", ...children);
  element.href = address;
  return element;
}

export function button(text, onClick) {
  const element = make("button", "", text);
  element.type = "button";
  element.addEventListener("click", onClick);
  return element;
}

export function labelled(text, input) {
  return make("label", "field", make("span", "", text), input);
}

export function choice(options, chosen, onChange) {
  const select = make("select");
  for (const [value, text] of options) {
    const option = make("option", "", text);
    option.value = value;
    option.selected = value === chosen;
    select.append(option);
  }
  select.addEventListener("change", () => onChange(select.value));
  return select;
}

// A titled part of a view.
export function panel(title, ...children) {
  const heading = make("h2", "", title);
  heading.id = "h-" + title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const section = make("section", "panel", heading, ...children);
  section.setAttribute("aria-labelledby", heading.id);
  return section;
}

// Columns are [title, row => content, "number", "sentence" or nothing]; a row has a key of its own
// where rows come and go. Where one has sentences, or there are many, a narrow window shows each row
// as a block.
export function table(caption, columns, rows, nothing, key) {
  if (rows.length === 0) {
    return make("p", "quiet", nothing);
  }
  const head = make("tr", "", ...columns.map(([title, , kind]) => {
    const cell = make("th", kind ?? "", title);
    cell.scope = "col";
    return cell;
  }));
  const body = rows.map((row) => tableLine(columns, row, key));
  const isWide = columns.length >= WIDE || columns.some(([, , kind]) => kind === "sentence");
  const whole = make("table", isWide ? "blocks" : "", make("caption", "hidden", caption), make("thead", "", head), make("tbody", "", ...body));
  const scroll = make("div", "scroll", whole);
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", caption);
  return scroll;
}

function tableLine(columns, row, key) {
  const line = make("tr", "", ...columns.map(([title, content, kind]) => {
    const shown = content(row);
    const cell = make("td", kind ?? "", ...(Array.isArray(shown) ? shown : [shown]));
    cell.dataset.title = typeof title === "string" ? title : title.textContent;
    return cell;
  }));
  if (key) {
    line.dataset.key = key(row);
  }
  return line;
}

// A table of rows that are other objects once they have changed: only their lines are drawn again.
export function liveTable(caption, columns, nothing, key) {
  const element = make("div");
  let body = null;
  let lines = new Map();

  function whole(rows) {
    element.replaceChildren(table(caption, columns, rows, nothing, key));
    body = element.querySelector("tbody");
    lines = new Map(rows.map((row, i) => [key(row), { row, line: body.children[i] }]));
  }

  function changed(rows) {
    const before = lines;
    const order = [...before.keys()];
    lines = new Map(rows.map((row) => {
      const known = before.get(key(row));
      return [key(row), known?.row === row ? known : { row, line: tableLine(columns, row, key) }];
    }));
    if (rows.length !== order.length || rows.some((row, i) => key(row) !== order[i])) {
      body.replaceChildren(...[...lines.values()].map(({ line }) => line));
      return;
    }
    for (const [name, { line }] of lines) {
      if (line !== before.get(name).line) {
        before.get(name).line.replaceWith(line);
      }
    }
  }

  return {
    element,
    draw(rows) {
      if (isSelected(element)) {
        return;
      }
      const state = stateOf(element);
      if (body === null || rows.length === 0) {
        whole(rows);
        restore(element, state);
      } else {
        changed(rows);
        restore(element, state?.focused && !element.contains(document.activeElement) ? { ...state, scrolled: [] } : null);
      }
    },
  };
}

// Asks before something is done. Answers with the reason that is told, which may be empty where it
// is not required, or with null where it is not to be done.
export function ask(question, action, reason) {
  const input = make("input");
  Object.assign(input, { size: 48, maxLength: 400, required: reason?.required ?? false });
  const done = make("button", "", action);
  done.value = "done";
  const dialog = make("dialog", "");
  const form = make("form", "", make("p", "wrap", question), reason ? labelled(reason.label, input) : null,
    make("p", "tools", done, button("Cancel", () => dialog.close())));
  form.method = "dialog";
  dialog.setAttribute("aria-label", question);
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue === "done" ? input.value.trim() : null);
  }));
}

// Redraws a part only when its data has changed. What a reader does there goes on: the focus stays
// on the same link or control, opened details stay open, and selected text waits for its end.
export function slot(className) {
  const element = make("div", className);
  let shown;
  return {
    element,
    draw(data, render) {
      const key = JSON.stringify(data);
      if (key === shown || isSelected(element)) {
        return;
      }
      shown = key;
      const made = render(data);
      const before = stateOf(element);
      element.replaceChildren(...(Array.isArray(made) ? made : [made]));
      restore(element, before);
    },
  };
}

function isSelected(element) {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}

const CONTROLS = "a, button, summary, input, select, [tabindex]";

// What a control is called, which it keeps when it is drawn again.
function nameOf(control) {
  return [control.tagName, control.getAttribute("href"), control.getAttribute("aria-label"), control.closest("tr")?.dataset.key,
    control.tagName === "SUMMARY" ? null : control.textContent].join(" ");
}

// The name, and how many of that name are before it.
function placeOf(control, all) {
  const name = nameOf(control);
  const alike = all.filter((one) => nameOf(one) === name);
  return { name, number: alike.indexOf(control) };
}

function atPlace(place, all) {
  return all.filter((one) => nameOf(one) === place.name)[place.number];
}

function stateOf(element) {
  const active = document.activeElement;
  const open = element.querySelectorAll("details[open]");
  const scrolled = [...element.querySelectorAll(".scroll")].filter((one) => one.scrollLeft > 0);
  if (!element.contains(active) && open.length === 0 && scrolled.length === 0) {
    return null;
  }
  const all = [...element.querySelectorAll(CONTROLS)];
  return {
    focused: element.contains(active) && active !== element ? placeOf(active, all) : null,
    open: [...open].map((details) => placeOf(details.querySelector("summary"), all)),
    scrolled: scrolled.map((one) => [placeOf(one, all), one.scrollLeft]),
  };
}

function restore(element, state) {
  if (state === null) {
    return;
  }
  const all = [...element.querySelectorAll(CONTROLS)];
  state.open.forEach((place) => atPlace(place, all)?.closest("details").setAttribute("open", ""));
  state.scrolled.forEach(([place, left]) => {
    const found = atPlace(place, all);
    if (found) {
      found.scrollLeft = left;
    }
  });
  if (state.focused !== null) {
    atPlace(state.focused, all)?.focus({ preventScroll: true });
  }
}

export function tag(text, kind) {
  return make("span", "tag " + kind, text);
}

// A bar with parts of a whole: [className, share], and limits as shares.
export function bar(label, parts, limits = []) {
  const element = make("div", "bar", ...parts.map(([className, share]) => {
    const piece = make("i", className);
    piece.style.width = inside(share) * 100 + "%";
    return piece;
  }), ...limits.map((share) => {
    const mark = make("i", "limit");
    mark.style.left = inside(share) * 100 + "%";
    return mark;
  }));
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", label);
  return element;
}

function inside(share) {
  return Math.max(0, Math.min(1, share));
}
