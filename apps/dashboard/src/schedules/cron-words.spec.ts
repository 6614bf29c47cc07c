import { describe, expect, it } from 'vitest';
import { cronWords } from './cron-words';

describe('five cron fields in words', () => {
  it.each([
    ['* * * * *', 'every minute'],
    ['*/15 * * * *', 'every 15 minutes'],
    ['0 * * * *', 'every hour, on the hour'],
    ['5,35 * * * *', 'every hour, at :05 and at :35'],
    ['30 6 * * *', 'every day at 06:30'],
    ['30 6 * * 1-5', 'at 06:30, Monday to Friday'],
    ['0 8,20 * * *', 'every day at 08:00 and 20:00'],
    ['0 9-17 * * mon-fri', 'every hour from 09:00 to 17:00, Monday to Friday'],
    ['*/10 9-17 * * *', 'every 10 minutes from 09:00 to 17:59'],
    ['* 12 * * *', 'every minute from 12:00 to 12:59'],
    ['15 */6 * * *', 'every 6 hours, at :15'],
    ['0 7 1 * *', 'at 07:00, on the 1st of the month'],
    ['0 7 L * *', 'at 07:00, on the last day of the month'],
    ['0 7 15W * *', 'at 07:00, on the weekday next to the 15th'],
    ['0 7 * * 1#2', 'at 07:00, on the second Monday of the month'],
    ['0 7 * * friL', 'at 07:00, on the last Friday of the month'],
    ['0 7 * * sat,7', 'at 07:00, on Saturday and Sunday'],
    ['0 7 1,15 jan,jul *', 'at 07:00, on the 1st and 15th of the month, in January and July'],
    ['0 7 2,3,11,22,31 * *', 'at 07:00, on the 2nd, 3rd, 11th, 22nd and 31st of the month'],
    ['0 7 13 * 5', 'at 07:00, on the 13th of the month or on Friday'],
    ['0 0 29 2 *', 'at 00:00, on the 29th of the month, in February'],
  ])('%s: %s', (fields, words) => {
    expect(cronWords(fields)).toBe(words);
  });

  it.each(['', '* * * *', '61 * * * *', '0 7 * * someday', '0 7 32 * *', '@daily', '1-5 3-4 * * *', '0 7 0 * *'])(
    'says nothing about “%s”',
    (fields) => {
      expect(cronWords(fields)).toBeNull();
    },
  );
});
