import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runExpressions } from './expressions.js';

const NOW = Date.UTC(2026, 6, 1, 23, 30);

/** A process that is sealed has the clock of its task. */
function atNow(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  onTestFinished(() => void vi.useRealTimers());
}

async function valueOf(text: string, input: unknown = null): Promise<unknown> {
  const task = { kind: 'expressions', texts: [text], variables: '{}', input: JSON.stringify(input) } as const;
  const [[value] = []] = JSON.parse(await runExpressions({ ...task, nowMs: NOW, seed: '' }, 5_000)) as unknown[][];
  return value;
}

describe('Base64 in expressions', () => {
  it.each([
    ['Grüße', 'R3LDvMOfZQ=='],
    ['€ チーズ', '4oKsIOODgeODvOOCug=='],
    ['user:pa55', 'dXNlcjpwYTU1'],
    ['\ufeff🙂\u0000', '77u/8J+ZggA='],
    ['', ''],
  ])('is that of the bytes of %j in UTF-8, both ways', async (text, encoded) => {
    expect(await valueOf('[$base64encode($), $base64decode($base64encode($))]', text)).toEqual([encoded, text]);
  });

  it('reads the alphabet of URLs, without padding', async () => {
    expect(await valueOf('$base64decode("eyJuYW1lIjoiw4PDv8O-In0")')).toBe('{"name":"ÃÿÃ¾"}'.replace('Ã¾', 'þ'));
    expect(await valueOf('[$base64decode(nothing), $base64encode(nothing)]', {})).toEqual([]);
  });

  it('refuses what is no text', async () => {
    await expect(valueOf('$base64decode("R3L832U=")')).rejects.toThrow('the bytes are no text in UTF-8');
    for (const text of ['a', 'YWJjZ', 'Grüße', 'YWJj!', 'YQ==YQ==']) {
      await expect(valueOf('$base64decode($)', text)).rejects.toThrow('the text is no Base64');
    }
    expect(await valueOf('$base64decode($)', 'YWJj\r\nZGVm\n')).toBe('abcdef');
    await expect(valueOf('$base64encode("\\uD83D")')).rejects.toThrow('half of a character');
  });
});

describe('times in a zone', () => {
  const picture = '"[Y0001]-[M01]-[D01] [H01]:[m01] [Z]"';

  it.each([
    ['Europe/Berlin', '2023-11-14 23:13 +01:00'],
    ['europe/berlin', '2023-11-14 23:13 +01:00'],
    ['America/St_Johns', '2023-11-14 18:43 -03:30'],
    ['Asia/Kathmandu', '2023-11-15 03:58 +05:45'],
    ['Africa/Monrovia', '2023-11-14 22:13 +00:00'],
    ['UTC', '2023-11-14 22:13 +00:00'],
    ['+01:00', '2023-11-14 23:13 +01:00'],
    ['+0100', '2023-11-14 23:13 +01:00'],
    ['+01', '2023-11-14 23:13 +01:00'],
    ['0100', '2023-11-14 23:13 +01:00'],
    ['-03:30', '2023-11-14 18:43 -03:30'],
    ['-0500', '2023-11-14 17:13 -05:00'],
  ])('are shown as clocks in %s show them', async (zone, shown) => {
    expect(await valueOf(`$fromMillis(1700000000000, ${picture}, "${zone}")`)).toBe(shown);
  });

  it('follow clock changes, also long ago', async () => {
    expect(await valueOf('$fromMillis(1751407200000, "[H01]", "Europe/Berlin")')).toBe('00');
    expect(await valueOf('$fromMillis(0, "[H01]:[m01]", "Africa/Monrovia")')).toBe('23:16');
    expect(await valueOf('$fromMillis(1700000000000, "[H01]", "-00:30")')).toBe('21');
  });

  it('are those of the play in $now', async () => {
    atNow();
    expect(await valueOf('[$now(), $now("[D01] [H01]", "Europe/Berlin"), $now("[D01] [H01]", "+02:00")]')).toEqual([
      '2026-07-01T23:30:00.000Z',
      '02 01',
      '02 01',
    ]);
    expect(await valueOf('$now(nothing, "+02:00")', {})).toBe('2026-07-02T01:30:00.000+02:00');
  });

  it.each([
    ['"2026-01-15 09:00", "[Y]-[M]-[D] [H]:[m]", "Europe/Berlin"', '2026-01-15T08:00:00.000Z'],
    ['"2026-07-15 09:00", "[Y]-[M]-[D] [H]:[m]", "Europe/Berlin"', '2026-07-15T07:00:00.000Z'],
    ['"2026-07-15 09:00", "[Y]-[M]-[D] [H]:[m]", "+01:00"', '2026-07-15T08:00:00.000Z'],
    ['"2026-07-15 09:00", "[Y]-[M]-[D] [H]:[m]"', '2026-07-15T09:00:00.000Z'],
    ['"2026-07-15 09:00 +05:00", "[Y]-[M]-[D] [H]:[m] [Z]", "Europe/Berlin"', '2026-07-15T04:00:00.000Z'],
    ['"2026-07-15T09:00:00", nothing, "Europe/Berlin"', '2026-07-15T07:00:00.000Z'],
    ['"2026-07-15T09:00:00+05:00", nothing, "Europe/Berlin"', '2026-07-15T04:00:00.000Z'],
    ['"2026-07-15", nothing, "Europe/Berlin"', '2026-07-14T22:00:00.000Z'],
    ['"09:00", "[H]:[m]", "Europe/Berlin"', '2026-07-02T07:00:00.000Z'],
    // the hour that is there twice, and the one that is not there
    ['"2026-10-25 02:30", "[Y]-[M]-[D] [H]:[m]", "Europe/Berlin"', '2026-10-25T00:30:00.000Z'],
    ['"2026-03-29 02:30", "[Y]-[M]-[D] [H]:[m]", "Europe/Berlin"', '2026-03-29T01:30:00.000Z'],
  ])('are read: $toMillis(%s)', async (args, expected) => {
    atNow();
    expect(await valueOf(`$fromMillis($toMillis(${args}))`, {})).toBe(expected);
  });

  it.each(['Europe/Berlni', 'CEST', '', '+1', '+25:00', '+01:60', 'x'.repeat(100)])(
    'refuse the zone %j',
    async (zone) => {
      await expect(valueOf(`$fromMillis(0, "[H01]", "${zone}")`)).rejects.toThrow('there is no time zone');
      await expect(valueOf(`$now("[H01]", "${zone}")`)).rejects.toThrow('there is no time zone');
      await expect(valueOf(`$toMillis("10", "[H01]", "${zone}")`)).rejects.toThrow('there is no time zone');
    },
  );

  it.each(['1e20', '-1e20'])('are no times when they are as far as %s', async (time) => {
    await expect(valueOf(`$fromMillis(${time})`)).rejects.toThrow('is no time');
  });
});
