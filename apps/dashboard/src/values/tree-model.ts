export interface TreeNode {
  /** From the root: names of fields, places in lists. */
  readonly path: readonly (string | number)[];
  readonly depth: number;
  readonly name: string | null;
  readonly value: unknown;
  /** Fields or items; null for what has none. */
  readonly size: number | null;
  readonly isOpen: boolean;
}

/** More is not searched: a search must not hold the page. */
const MAX_SEARCHED = 200_000;
const OPEN_DEPTH = 2;
const OPEN_SIZE = 30;

export const keyOf = (path: readonly (string | number)[]): string => JSON.stringify(path);

/** The place of a value as a JSON pointer (RFC 6901). */
export const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export function entriesOf(value: unknown): (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item: unknown, i) => [i, item] as const);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Of its fields or items, without a list of them. */
function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

export const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * The nodes that are shown, from top to bottom.
 *
 * @param toggled keys of nodes that are not as they are at first
 */
export function visibleNodes(root: unknown, toggled: ReadonlySet<string>): TreeNode[] {
  const nodes: TreeNode[] = [];
  const visit = (value: unknown, path: readonly (string | number)[], name: string | null): void => {
    const size = isBranch(value) ? sizeOf(value) : null;
    const atFirst = path.length < OPEN_DEPTH && (size ?? 0) <= OPEN_SIZE;
    const isOpen = size !== null && size > 0 && atFirst !== toggled.has(keyOf(path));
    nodes.push({ path, depth: path.length, name, value, size, isOpen });
    if (isOpen) for (const [key, child] of entriesOf(value)) visit(child, [...path, key], String(key));
  };
  visit(root, [], null);
  return nodes;
}

/**
 * The nodes whose name or value has the text, each with its whole path as name, from top to bottom. Each call of what it returns looks
 * at `count` more values.
 */
export function searchOf(root: unknown, text: string) {
  const wanted = text.toLowerCase();
  const open: { readonly value: unknown; readonly path: TreeNode['path'] }[] = [{ value: root, path: [] }];
  let left = MAX_SEARCHED;
  return (count: number): { readonly found: readonly TreeNode[]; readonly isDone: boolean } => {
    const found: TreeNode[] = [];
    for (let i = 0; i < count; i += 1) {
      const next = open.pop();
      if (!next || (left -= 1) < 0) return { found, isDone: true };
      const { value, path } = next;
      const entries = entriesOf(value);
      const size = isBranch(value) ? entries.length : null;
      const words = `${String(path.at(-1) ?? '')} ${size === null ? String(value) : ''}`;
      if (path.length > 0 && words.toLowerCase().includes(wanted)) {
        found.push({ path, depth: 0, name: pathText(path), value, size, isOpen: false });
      }
      for (const [key, child] of entries.toReversed()) open.push({ value: child, path: [...path, key] });
    }
    return { found, isDone: open.length === 0 };
  };
}

const PLAIN = /^[A-Za-z_][\w-]*$/;

/** `.items[0].name`, as expressions write it. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      return PLAIN.test(part) ? `.${part}` : `.\`${part}\``;
    })
    .join('');
}

const MAX_PREVIEW = 300;

/** A value in one line, never more of it than a line can show. */
export function previewOf(value: unknown, size: number | null): string {
  if (size !== null) return Array.isArray(value) ? `[${size}]` : `{${size}}`;
  if (typeof value !== 'string') return String(value);
  const shown = value.length > MAX_PREVIEW ? `${value.slice(0, MAX_PREVIEW)}… (${value.length} characters)` : value;
  return JSON.stringify(shown);
}
