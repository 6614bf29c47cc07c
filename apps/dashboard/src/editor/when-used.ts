const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const;

/** Resolves when somebody moves, points or types: what weighs much, and is not needed to look at a page, is loaded then. */
export const whenUsed = new Promise<void>((resolve) => {
  const heard = new AbortController();
  const hear = (): void => {
    heard.abort();
    resolve();
  };
  for (const sign of SIGNS) addEventListener(sign, hear, { capture: true, passive: true, signal: heard.signal });
});
