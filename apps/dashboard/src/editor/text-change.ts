import type { EditorState, TransactionSpec } from '@codemirror/state';

/** The change that makes a document this text: of the part that differs, so that the cursor stays where it is, or after what was put there. */
export function changeTo(text: string, state: EditorState): TransactionSpec {
  const old = state.doc.toString();
  const most = Math.min(old.length, text.length);
  let from = 0;
  while (from < most && old[from] === text[from]) from += 1;
  let same = 0;
  while (same < most - from && old.at(-1 - same) === text.at(-1 - same)) same += 1;
  const set = state.changes({ from, to: old.length - same, insert: text.slice(from, text.length - same) });
  const { anchor, head } = state.selection.main;
  return { changes: set, selection: { anchor: set.mapPos(anchor, 1), head: set.mapPos(head, 1) } };
}
