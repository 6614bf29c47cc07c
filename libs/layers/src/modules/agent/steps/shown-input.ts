/** How a person sees the arguments of a call before deciding on it. Pure. */

const MAX_SHOWN_BYTES = 9_000;
/** Characters that are not seen, or that change the order in which others are. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** All of them, as JSON; null: they are more than a person is shown. */
export function shownInput(input: unknown): string | null {
  // what stands outside of texts is indentation
  const text = JSON.stringify(input, null, 2).replaceAll(UNSEEN, (each) => (each === '\n' ? each : escaped(each)));
  return Buffer.byteLength(text) <= MAX_SHOWN_BYTES ? text : null;
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
