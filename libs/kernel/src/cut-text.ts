const MARK = '…';
const MARK_BYTES = 3;

/** The text, or its beginning followed by `…`, in at most this many bytes of UTF-8. */
export function cutText(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  // each character takes at least one byte
  const bytes = Buffer.from(text.slice(0, maxBytes));
  let end = maxBytes - MARK_BYTES;
  while (isWithinCharacter(bytes[end])) end -= 1;
  return `${bytes.toString('utf8', 0, end)}${MARK}`;
}

function isWithinCharacter(byte = 0): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}
