/** What makes two addresses the same account: letter case and compatibility forms of characters do not count. */
export function emailKey(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase();
}
