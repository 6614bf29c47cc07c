import type { EditorView } from '@codemirror/view';
import { inJsonata } from './expression';

/** The field with expressions that had the focus last. */
let last: { readonly view: EditorView; readonly isProgram: boolean } | null = null;

/** @param isProgram all of its text is an expression */
export function noteField(view: EditorView, isProgram: boolean): void {
  last = { view, isProgram };
}

/** Writes a path at the cursor of that field, in braces where it is not within some. @returns false: there is no such field (any more) */
export function insertPath(path: string): boolean {
  if (!last?.view.dom.isConnected) return false;
  const { view, isProgram } = last;
  const { from, to } = view.state.selection.main;
  const text = isProgram
    ? inJsonata(path.replace(/^\./, '$prev.'))
    : inBraces(view.state.sliceDoc(0, from))
      ? path
      : `{{ ${path} }}`;
  view.dispatch({
    changes: { from, to, insert: text },
    selection: { anchor: from + text.length },
    scrollIntoView: true,
  });
  view.focus();
  return true;
}

function inBraces(before: string): boolean {
  const open = before.lastIndexOf('{{');
  return open !== -1 && !before.includes('}}', open);
}
