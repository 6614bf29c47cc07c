import { EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { changeTo } from './text-change';

function changed(doc: string, cursor: number, text: string) {
  const state = EditorState.create({ doc, selection: { anchor: cursor } });
  const after = state.update(changeTo(text, state)).state;
  return [after.doc.toString(), after.selection.main.head];
}

describe('a text that comes from outside of its field', () => {
  it.each([
    ['after the key that was pressed before the field was there', '', 0, 'H', 1],
    ['after what was put before it', 'Hello', 5, 'Hello you', 9],
    ['where it is when something else changes', 'Hello you', 2, 'Hello them', 2],
    ['with its text when something before it changes', 'a b', 3, 'long b', 6],
    ['at the end of what is left', 'Hello', 5, 'H', 1],
    ['where nothing changes', 'aaa', 1, 'aaa', 1],
    ['after one more of the same', 'aa', 2, 'aaa', 3],
  ] as const)('has the cursor %s', (_where, doc, cursor, text, expected) => {
    expect(changed(doc, cursor, text)).toEqual([text, expected]);
  });
});
