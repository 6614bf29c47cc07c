/** What a model says at this moment, put together from its pieces. Pure. */
import type { FrameData } from '@weft/contracts';

type Piece = Pick<FrameData['layer_delta'], 'answer' | 'at' | 'text'>;

export interface Said {
  /** Answers of the model before this one. */
  readonly answer: number;
  /** Characters of the answer so far. */
  readonly end: number;
  /** The last part of it. */
  readonly text: string;
}

/** More is not shown while it arrives. */
const MAX_CHARS = 20_000;
const LEFT_OUT = ' … ';

/** @param said before the piece; null: nothing */
export function saidAfter(said: Said | null, { answer, at, text }: Piece): Said {
  const goesOn = said !== null && said.answer === answer && at >= said.end;
  const before = goesOn ? said.text : '';
  const gap = at > (goesOn ? said.end : 0) ? LEFT_OUT : '';
  return { answer, end: at + text.length, text: `${before}${gap}${text}`.slice(-MAX_CHARS) };
}
