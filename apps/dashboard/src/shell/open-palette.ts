export const PALETTE_EVENT = 'weft-palette';

/** For those who have no keys. */
export function openPalette(): void {
  dispatchEvent(new Event(PALETTE_EVENT));
}
