/** Time zones of `$now`, `$fromMillis` and `$toMillis`: names of the IANA database and offsets. JSONata knows only `±hhmm`. */
import { TaskFailed } from './errors.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const OFFSET = /^([+-]?)(\d\d)(?::?([0-5]\d))?$/;
const MAX_OFFSET_HOURS = 23;
/** A format takes some 30 KB. */
const MAX_FORMATS = 50;

// read before the realm is sealed
const { DateTimeFormat } = Intl;
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Milliseconds that clocks in the zone are ahead of UTC at this time, in whole minutes.
 *
 * @throws TaskFailed when nobody knows the zone, or this is not a time
 */
export function offsetAt(timeMs: number, zone: string): number {
  const fixed = OFFSET.exec(zone);
  if (fixed) {
    const [, sign, hours, minutes = '0'] = fixed;
    if (Number(hours) > MAX_OFFSET_HOURS) throw unknownZone(zone);
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  }
  if (Math.abs(timeMs) > 8.64e15 || Number.isNaN(timeMs)) throw new TaskFailed(`${timeMs} is no time`);
  const name = formatOf(zone)
    .formatToParts(timeMs)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hours = '0', minutes = '0'] = /^GMT(?:([+-])(\d\d):(\d\d))?/.exec(name ?? '') ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

/**
 * The time at which clocks in the zone show what clocks in UTC show at `shownMs`. Of two such times the first; when
 * clocks go forward past it, as much later as they go forward.
 */
export function timeShownAs(shownMs: number, zone: string): number {
  const [before, after] = [offsetAt(shownMs - DAY_MS, zone), offsetAt(shownMs + DAY_MS, zone)];
  const offset = [before, after].find((each) => offsetAt(shownMs - each, zone) === each) ?? before;
  return shownMs - offset;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  let made: Intl.DateTimeFormat;
  try {
    made = new DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    throw unknownZone(zone);
  }
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(zone, made);
  return made;
}

function unknownZone(zone: string): TaskFailed {
  const shown = zone.length > 64 ? `${zone.slice(0, 63)}…` : zone;
  return new TaskFailed(`there is no time zone "${shown}": write a name like Europe/Berlin, or an offset like +01:00`);
}
