import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runExpressions } from './expressions.js';

const CSV = ['id;name', '1;"a; ""b"""', '', '2;ü', ''].join('\r\n');
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

describe('JSON in texts', () => {
  it.each([
    ['{"a":[1,null,true,"x"]}', { a: [1, null, true, 'x'] }],
    [
      '{"id":9007199254740993,"f":1.5,"e":1e30,"t":"9007199254740993"}',
      { id: '9007199254740993', f: 1.5, e: 1e30, t: '9007199254740993' },
    ],
    ['"text"', 'text'],
  ])('is read: %s', async (text, value) => expect(await valueOf('$parseJson($)', text)).toEqual(value));

  it('is read where it has any field, and says what is wrong with it', async () => {
    expect(await valueOf('$string($parseJson($))', '{"__proto__":{"a":1},"then":2}')).toBe(
      '{"__proto__":{"a":1},"then":2}',
    );
    expect(await valueOf('$parseJson(nothing)', {})).toBeUndefined();
    await expect(valueOf('$parseJson($)', '{"a":')).rejects.toThrow(/^\$parseJson: .*JSON/);
  });
});

describe('tables in texts', () => {
  it('are rows by the names of their columns, or lists', async () => {
    const rows = [
      { id: '1', name: 'a; "b"' },
      { id: '2', name: 'ü' },
    ];
    expect(await valueOf('$csv($)', CSV)).toEqual(rows);
    expect(await valueOf('$csv($, { "delimiter": ";" })', CSV)).toEqual(rows);
    expect(await valueOf('$csv($, { "header": false })[0]', CSV)).toEqual(['id', 'name']);
    expect(await valueOf('$csv($)', 'one\n1\n2')).toEqual([{ one: '1' }, { one: '2' }]);
    expect(await valueOf('$csv($)', '')).toEqual([]);
    expect(await valueOf('$csv(nothing)', {})).toBeUndefined();
    expect(await valueOf('$string($csv($))', '__proto__,then\n1,2')).toBe('[{"__proto__":"1","then":"2"}]');
  });

  it.each([
    ['a,a\n1,2', 'two columns are named "a"'],
    ['a,b\n1,2\n1,2,3', 'row 3 has 3 fields, and the header 2'],
    ['a,b\n1', 'row 2 has 1 fields, and the header 2'],
    ['a,b\n1,"2', 'a quote is not closed'],
  ])('are refused where something would be lost: %j', async (text, message) => {
    await expect(valueOf('$csv($, { "delimiter": "," })', text)).rejects.toThrow(message);
  });

  it.each(['{ "delimiter": ";;" }', '{ "delimiter": "\\"" }', '{ "header": "no" }'])(
    'are not read with %s',
    async (options) => {
      await expect(valueOf(`$csv($, ${options})`, 'a')).rejects.toThrow(/^\$csv: (delimiter|header) must be/);
    },
  );

  it('are written, and read again', async () => {
    const rows = [
      { a: 'x, "y"', b: 1, c: null },
      { a: 'line\nbreak', b: true, c: { d: [1] } },
    ];
    const text = 'a,b,c\r\n"x, ""y""",1,\r\n"line\nbreak",true,"{""d"":[1]}"';
    expect(await valueOf('$toCsv($)', rows)).toBe(text);
    expect(await valueOf('$csv($toCsv($)).a', rows)).toEqual(rows.map(({ a }) => a));
    expect(await valueOf('$toCsv($, { "header": false, "delimiter": ";" })', [{ a: 1, b: 'x;' }])).toBe('1;"x;"');
    expect(await valueOf('$toCsv($)', [[1, 2], ['a']])).toBe('1,2\r\na');
    expect(await valueOf('$toCsv($)', { a: 1 })).toBe('a\r\n1');
    expect(await valueOf('$toCsv([])', null)).toBe('');
    await expect(valueOf('$toCsv($)', [{ a: 1 }, { b: 1 }])).rejects.toThrow('row 2 has "b"');
    await expect(valueOf('$toCsv($)', [{ a: 1 }, 1])).rejects.toThrow('row 2 must be an object like the first');
  });
});

describe('XML in texts', () => {
  it('is objects by the names of elements and attributes', async () => {
    const text =
      '<?xml version="1.0"?><!-- c --><o:order xmlns:o="urn:o" id="7"><line sku="A">2</line><line/><note>a &lt; b &#233;<![CDATA[<x>]]></note><p>one <b>two</b> three</p><constructor>x</constructor></o:order>';
    expect(await valueOf('$parseXml($)', text)).toEqual({
      'o:order': {
        ...{ '@xmlns:o': 'urn:o', '@id': '7' },
        line: [{ '@sku': 'A', '#text': '2' }, ''],
        note: 'a < b é<x>',
        p: { b: 'two', '#text': 'one  three' },
        constructor: 'x',
      },
    });
    expect(await valueOf('$parseXml($).a.b', '\ufeff<a><b>1</b></a>')).toBe('1');
    expect(await valueOf('$string($parseXml($))', '<__proto__ a="1"/>')).toBe('{"__proto__":{"@a":"1"}}');
    expect(await valueOf('$parseXml(nothing)', {})).toBeUndefined();
  });

  it.each([
    ['<a><b></a>', /line 1, column \d+: Unexpected close tag/],
    ['<a>', /Unclosed root tag/],
    ['text', /Non-whitespace before first tag|Text data outside of root node/],
    ['', /there is no element/],
    ['<a/><b/>', /a second outermost element/],
    ['<!DOCTYPE a [<!ENTITY x "boom">]><a>&x;</a>', /document types are not read/],
    ['<a>&x;</a>', /Invalid character entity/],
    ['<a>&constructor;</a>', /Invalid character entity/],
    ['<a>'.repeat(101), /more than 100 levels/],
  ])('is refused where it is not well-formed, or more than data: %s', async (text, message) => {
    await expect(valueOf('$parseXml($)', text)).rejects.toThrow(message);
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

describe('files that are missing', () => {
  it('are named, and no more of them than a task may have', async () => {
    const named = valueOf('[1..100000].$text({ "$ref": "a" & $string($) })');
    await expect(named).rejects.toMatchObject({ files: expect.objectContaining({ length: 100 }) as unknown });
    await expect(valueOf('$text({ "$ref": $pad("", 501, "x") })')).rejects.toThrow('$text takes a file or a text');
  });
});
