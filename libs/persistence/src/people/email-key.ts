/** What makes two addresses the same account: letter case and compatibility forms of characters do not count. */
export function emailKey(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase();
}

const MAX_LENGTH = 320;
const ADDRESS = /^[^\s@\p{Cc}\p{Cf}\p{Cs}]+@[^\s@\p{Cc}\p{Cf}\p{Cs}]+$/u;

/** Whether a text can be an address: without what nobody sees, by which two that look alike would be two. */
export function isEmailAddress(text: string): boolean {
  return text.length <= MAX_LENGTH && ADDRESS.test(text);
}
