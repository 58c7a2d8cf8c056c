/* Small helpers over the DOM. Data enters only as text and attributes, never as markup. */

export function byId<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

type Attributes = Record<string, string | boolean | undefined>;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function button(label: string, attributes: Attributes, act: () => void): HTMLButtonElement {
  const element = make('button', { type: 'button', ...attributes }, label);
  element.addEventListener('click', act);
  return element;
}

const filled = new WeakMap<HTMLSelectElement, string>();

/** Keeps the options of a <select> in step with the data; untouched when they have not changed, lest it lose focus. */
export function fillSelect(select: HTMLSelectElement, options: [value: string, text: string][], value: string): void {
  const wanted = JSON.stringify(options);
  if (filled.get(select) !== wanted) {
    select.replaceChildren(...options.map(([v, text]) => make('option', { value: v }, text)));
    filled.set(select, wanted);
  }
  select.value = value;
}

export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Clipboard access may be refused (old browsers, sandboxed frames); the old way still works there. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make('textarea', { class: 'offscreen', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}

export function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = make('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads the blob after the click returns; a minute is far more than it needs.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
