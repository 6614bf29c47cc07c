/** The states of a JSON reader (RFC 8259). */
export const At = {
  value: 0,
  valueOrEnd: 1,
  keyOrEnd: 2,
  key: 3,
  colon: 4,
  afterValue: 5,
  string: 6,
  escape: 7,
  hex: 8,
  literal: 9,
  minus: 10,
  zero: 11,
  integer: 12,
  point: 13,
  fraction: 14,
  exponent: 15,
  exponentSign: 16,
  exponentDigits: 17,
  bom: 18,
  invalid: 19,
} as const;

/** The state after one more byte of a number; null: the byte does not belong to it. */
export function nextOfNumber(state: number, byte: number): number | null {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const isExponent = byte === 0x65 || byte === 0x45;
  switch (state) {
    case At.minus:
      return byte === 0x30 ? At.zero : isDigit ? At.integer : null;
    case At.zero:
      return byte === 0x2e ? At.point : isExponent ? At.exponent : null;
    case At.integer:
      return isDigit ? At.integer : byte === 0x2e ? At.point : isExponent ? At.exponent : null;
    case At.point:
      return isDigit ? At.fraction : null;
    case At.fraction:
      return isDigit ? At.fraction : isExponent ? At.exponent : null;
    case At.exponent:
      if (byte === 0x2b || byte === 0x2d) return At.exponentSign;
      return isDigit ? At.exponentDigits : null;
    case At.exponentSign:
    case At.exponentDigits:
      return isDigit ? At.exponentDigits : null;
    default:
      return null;
  }
}

export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66) || (byte >= 0x41 && byte <= 0x46);
}
