const MASK = '[secret]';

/** A text of a peer that may repeat what it was sent, with the secrets replaced. */
export function withoutSecret(text: string, secrets: readonly string[]): string {
  return masked(text, secrets.flatMap(spellingsOf));
}

export function masked(text: string, spellings: readonly string[]): string {
  return spellings.reduce((rest, spelling) => rest.replaceAll(spelling, MASK), text);
}

/** The secret as it is, and as JSON and forms encode it. */
export function spellingsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const slashes = [secret, inJson].map((text) => text.replaceAll('/', String.raw`\/`));
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  return [...new Set([secret, inJson, ...slashes, encodeURIComponent(secret), inForm])];
}
