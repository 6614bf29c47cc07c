import { WeftError } from '@weft/kernel';

/** Where a reader of a company's change log is: after entry `entry` of play `play` of batch `n`. */
export interface ChangePosition {
  /** Number of the batch that is read next. */
  readonly n: number;
  /** Index of the play in that batch. */
  readonly play: number;
  /** The last log entry of that play that the reader has; 0: none. */
  readonly entry: number;
}

export const BEGINNING: ChangePosition = { n: 0, play: 0, entry: 0 };

const SHAPE = /^c1([0-9a-f]{6})\.([0-9a-z]{1,9})\.([0-9a-z]{1,3})\.([0-9a-z]{1,5})$/;

/** @param tag of the company's log */
export function cursorText(tag: string, { n, play, entry }: ChangePosition): string {
  return `c1${tag}.${[n, play, entry].map((number) => number.toString(36)).join('.')}`;
}

/** @throws WeftError `invalid_query` when the text is not a cursor of any change log */
export function readCursor(text: string): { readonly tag: string; readonly position: ChangePosition } {
  const [, tag = '', ...numbers] = SHAPE.exec(text) ?? [];
  if (tag === '') {
    const message = 'cursor is `start`, or a cursor that this operation has answered';
    throw new WeftError('invalid_query', `${message}.`, {
      errors: [{ path: 'query.cursor', code: 'invalid', message }],
    });
  }
  const [n = 0, play = 0, entry = 0] = numbers.map((number) => Number.parseInt(number, 36));
  return { tag, position: { n, play, entry } };
}
