// Elements. Everything from the service is text from outside (pod names are chosen by users): it is
// only ever set as textContent, never as markup.

const SVG = "http://www.w3.org/2000/svg";

export function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) {
    element.className = className;
  }
  element.append(...children.filter((child) => child !== undefined && child !== null).map(asNode));
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

// Columns are [title, row => content, "number" or nothing].
export function table(caption, columns, rows, nothing) {
  if (rows.length === 0) {
    return make("p", "quiet", nothing);
  }
  const head = make("tr", "", ...columns.map(([title, , kind]) => {
    const cell = make("th", kind ?? "", title);
    cell.scope = "col";
    return cell;
  }));
  const body = rows.map((row) => make("tr", "", ...columns.map(([, content, kind]) => {
    const shown = content(row);
    return make("td", kind ?? "", ...(Array.isArray(shown) ? shown : [shown]));
  })));
  const whole = make("table", "", make("caption", "hidden", caption), make("thead", "", head), make("tbody", "", ...body));
  const scroll = make("div", "scroll", whole);
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", caption);
  return scroll;
}

// Redraws a part only when its data has changed, so that text stays selected and details stay open.
export function slot(className) {
  const element = make("div", className);
  let shown;
  return {
    element,
    draw(data, render) {
      const key = JSON.stringify(data);
      if (key !== shown) {
        shown = key;
        const made = render(data);
        element.replaceChildren(...(Array.isArray(made) ? made : [made]));
      }
    },
  };
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
