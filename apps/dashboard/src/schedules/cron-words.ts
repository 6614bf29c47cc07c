const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const NTH = ['first', 'second', 'third', 'fourth', 'fifth'];
const STEP = /^\*\/(\d+)$/;
const RANGE = /^(\w+)-(\w+)$/;

/**
 * What five cron fields mean, in words, for the shapes that people use. Null for others, and for what is no schedule: the server
 * decides what is valid, and when its slots are.
 */
export function cronWords(text: string): string | null {
  const fields = text.trim().toLowerCase().split(/\s+/);
  const [minute, hour, day, month, weekday] = fields;
  if (fields.length !== 5 || !minute || !hour || !day || !month || !weekday) return null;
  const time = timeWords(minute, hour);
  const days = daysWords(day, weekday);
  const months = month === '*' ? '' : listWords(month, (each) => nameOf(each, MONTHS, 1));
  if (time === null || days === null || months === null) return null;
  // "every 5 minutes" is every day; "at 06:30" has to say so
  const when = days === '' && time.startsWith('at ') ? 'every day ' : '';
  return [`${when}${time}`, days, months === '' ? '' : `in ${months}`].filter((part) => part !== '').join(', ');
}

function timeWords(minute: string, hour: string): string | null {
  const everyHour = hour === '*';
  const step = STEP.exec(minute)?.[1] ?? (minute === '*' ? '1' : null);
  if (step !== null) {
    const often = step === '1' ? 'every minute' : `every ${step} minutes`;
    if (everyHour) return often;
    const hours = hoursWords(hour, 59);
    return hours === null ? null : `${often} ${hours}`;
  }
  const minutes = numbersOf(minute, 59);
  if (minutes === null) return null;
  if (everyHour) {
    return minute === '0'
      ? 'every hour, on the hour'
      : `every hour, ${minutes
          .map(two)
          .map((each) => `at :${each}`)
          .join(' and ')}`;
  }
  const hours = numbersOf(hour, 23);
  if (hours !== null) return `at ${joined(hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`)))}`;
  const [only, ...more] = minutes;
  if (only === undefined || more.length > 0) return null;
  const everyHours = STEP.exec(hour)?.[1];
  if (everyHours !== undefined) return `every ${everyHours} hours, at :${two(only)}`;
  const between = hoursWords(hour, only);
  return between === null ? null : `every hour ${between}`;
}

function hoursWords(hour: string, lastMinute: number): string | null {
  const range = RANGE.exec(hour);
  const [from, to] = range ? [numberOf(range[1] ?? '', 23), numberOf(range[2] ?? '', 23)] : [null, null];
  if (from !== null && to !== null) {
    return `from ${two(from)}:${two(lastMinute === 59 ? 0 : lastMinute)} to ${two(to)}:${two(lastMinute)}`;
  }
  const only = numberOf(hour, 23);
  return only === null ? null : `from ${two(only)}:00 to ${two(only)}:59`;
}

/** A day that matches either field is enough: docs/schedules.md. */
function daysWords(day: string, weekday: string): string | null {
  const days = day === '*' ? '' : dayWords(day);
  const weekdays = weekday === '*' ? '' : listWords(weekday, weekdayWords);
  if (days === null || weekdays === null) return null;
  if (days !== '' && weekdays !== '') return `${days} or on ${weekdays}`;
  if (weekdays === '') return days;
  return weekday.includes('-') ? weekdays : `on ${weekdays}`;
}

function dayWords(day: string): string | null {
  if (day === 'l') return 'on the last day of the month';
  const near = /^(\d+)w$/.exec(day)?.[1];
  if (near !== undefined) return `on the weekday next to the ${ordinal(Number(near))}`;
  const step = STEP.exec(day)?.[1];
  if (step !== undefined) return `every ${step} days from the 1st of the month`;
  const words = listWords(day, (each) => {
    const number = numberOf(each, 31);
    return number === null || number === 0 ? null : ordinal(number);
  });
  return words && `on the ${words} of the month`;
}

function weekdayWords(text: string): string | null {
  const [, name = '', nth] = /^(\w+)#([1-5])$/.exec(text) ?? [];
  if (nth !== undefined) {
    const day = nameOf(name, DAYS, 0);
    return day && `the ${NTH[Number(nth) - 1]} ${day} of the month`;
  }
  const last = /^(\d|[a-z]{3})l$/.exec(text)?.[1];
  if (last !== undefined) {
    const day = nameOf(last, DAYS, 0);
    return day && `the last ${day} of the month`;
  }
  return nameOf(text === '7' ? '0' : text, DAYS, 0);
}

/** Names and ranges with commas between them. */
function listWords(text: string, wordOf: (each: string) => string | null): string | null {
  const words = text.split(',').map((part) => {
    const range = RANGE.exec(part);
    if (!range) return wordOf(part);
    const [from, to] = [wordOf(range[1] ?? ''), wordOf(range[2] ?? '')];
    return from === null || to === null ? null : `${from} to ${to}`;
  });
  return words.every((word) => word !== null) ? joined(words) : null;
}

function nameOf(text: string, names: readonly string[], first: number): string | null {
  const number = numberOf(text, names.length - 1 + first);
  if (number !== null) return names[number - first] ?? null;
  return text.length === 3 ? (names.find((name) => name.toLowerCase().startsWith(text)) ?? null) : null;
}

function numbersOf(text: string, max: number): number[] | null {
  const numbers = text.split(',').map((each) => numberOf(each, max));
  return numbers.every((number) => number !== null) ? numbers : null;
}

function numberOf(text: string, max: number): number | null {
  return /^\d{1,2}$/.test(text) && Number(text) <= max ? Number(text) : null;
}

function joined(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

const two = (n: number): string => String(n).padStart(2, '0');

function ordinal(n: number): string {
  const isTeen = n >= 11 && n <= 13;
  return `${n}${(isTeen ? undefined : { 1: 'st', 2: 'nd', 3: 'rd' }[n % 10]) ?? 'th'}`;
}
