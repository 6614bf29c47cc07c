/** On a system without a language Chromium tells `en-US@posix`, which is no language tag: uPlot would fail when it is loaded. */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' });
}

export {};
