/**
 * Keeps the methods of strings fast (ADR 110).
 *
 * V8 makes the methods of `String.prototype` a hash table when a class extends `String`, as one of ioredis does, and never makes
 * them an object with fixed places again as long as only plain strings use them: then each `text.charCodeAt` in compiled code is
 * a search by name. V8 leaves a prototype alone on whose methods it has already optimized an access by an object; so this makes
 * such accesses until V8 has. It must run before any package is loaded.
 */
const ACCESSES = 10_000;

function methodOf(text: object): unknown {
  return (text as { charCodeAt: unknown }).charCodeAt;
}

// An access by a plain string would not count.
const text: object = new String('');
for (let i = 0; i < ACCESSES; i += 1) methodOf(text);
