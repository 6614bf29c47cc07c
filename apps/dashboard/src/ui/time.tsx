import { useNow } from './now';

/** Made when the first time is shown: that takes as long as drawing many rows. */
let date: Intl.DateTimeFormat | undefined;
let relative: Intl.RelativeTimeFormat | undefined;
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

export function exactTime(at: string | number): string {
  date ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  return date.format(new Date(at));
}

export function relativeTime(at: string, nowMs: number): string {
  const away = new Date(at).getTime() - nowMs;
  const [unit, size] = UNITS.find(([, each]) => Math.abs(away) >= each) ?? (['second', 1_000] as const);
  relative ??= new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
  return relative.format(Math.trunc(away / size), unit);
}

/** How long ago; the exact time on hover and for assistive technology. */
export function Time({ at, fallback = '–' }: { readonly at: string | null | undefined; readonly fallback?: string }) {
  const now = useNow();
  if (!at) return <>{fallback}</>;
  return (
    <time dateTime={at} title={exactTime(at)} className="num">
      {relativeTime(at, now)}
    </time>
  );
}
