/** `812 bytes`, `3.4 KB`, `12 MB`, `1.2 GB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  const kilo = bytes / 1_024;
  if (kilo < 1_024) return `${kilo.toFixed(kilo < 10 ? 1 : 0)} KB`;
  const mega = kilo / 1_024;
  if (mega < 1_024) return `${mega.toFixed(mega < 10 ? 1 : 0)} MB`;
  const giga = mega / 1_024;
  return `${giga.toFixed(giga < 10 ? 1 : 0)} GB`;
}
