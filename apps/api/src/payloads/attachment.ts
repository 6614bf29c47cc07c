/** Nothing that a tenant stored is shown or run as a part of our origin: whatever it is, it is saved under its name. */
export const ATTACHMENT_HEADERS = {
  'content-type': 'application/octet-stream',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

/** RFC 6266: the name in ASCII for old clients, and as it is. */
export function attachment(filename: string | null): string {
  const name = (filename ?? 'file').replace(/[/\\\p{Cc}\p{Cf}]/gu, '_');
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`;
}
