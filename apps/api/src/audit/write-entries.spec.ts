import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { AuditEntryView } from './audit-entry.view.js';
import { withoutFormula, writeEntries } from './write-entries.js';

const entryOf = (id: string, more: Partial<AuditEntryView> = {}): AuditEntryView => ({
  ...{ id, action_type: 'user_updated', collection: 'users', company_id: 'c', entries_deleted: null, duration_ms: 7 },
  ...{ timestamp: '2026-01-01T00:00:00.000Z', UserID: 'u', UserEmail: 'a@weft.test', UserIPAddress: '192.0.2.1' },
  ...{
    resource_type: 'user',
    resource_id: 'r',
    request_id: 'q',
    outcome: 'success',
    reason: null,
    changes: {},
    ...more,
  },
});

async function* batchesOf(...batches: AuditEntryView[][]): AsyncGenerator<AuditEntryView[]> {
  for (const batch of batches) yield await Promise.resolve(batch);
}

const HEADER =
  'id,action_type,collection,company_id,entries_deleted,duration_ms,timestamp,UserID,UserEmail,UserIPAddress,resource_type,resource_id,request_id,outcome,reason,changes\r\n';

describe('an export', () => {
  it('as csv follows RFC 4180', async () => {
    const entry = entryOf('1', { reason: 'a "b", c\r\nd', changes: { name: { before: null, after: 'x,y' } } });
    expect(await text(writeEntries('csv', batchesOf([entry], [entryOf('2')])))).toBe(
      `${HEADER}1,user_updated,users,c,,7,2026-01-01T00:00:00.000Z,u,a@weft.test,192.0.2.1,user,r,q,success,"a ""b"", c\r\nd","{""name"":{""before"":null,""after"":""x,y""}}"\r\n` +
        '2,user_updated,users,c,,7,2026-01-01T00:00:00.000Z,u,a@weft.test,192.0.2.1,user,r,q,success,,{}\r\n',
    );
    expect(await text(writeEntries('csv', batchesOf()))).toBe(HEADER);
  });

  it('as json is one array, also when it is empty', async () => {
    const [one, two] = [entryOf('1'), entryOf('2')];
    expect(JSON.parse(await text(writeEntries('json', batchesOf([one], [], [two]))))).toEqual([one, two]);
    expect(JSON.parse(await text(writeEntries('json', batchesOf())))).toEqual([]);
  });

  it('as ndjson is an object a line', async () => {
    const lines = (await text(writeEntries('ndjson', batchesOf([entryOf('1'), entryOf('2')])))).split('\n');
    expect(lines.map((line) => (line === '' ? '' : (JSON.parse(line) as AuditEntryView).id))).toEqual(['1', '2', '']);
  });

  it('reads on only when what it read was taken, and breaks when it cannot', async () => {
    const asked: number[] = [];
    async function* endless(): AsyncGenerator<AuditEntryView[]> {
      for (let n = 0; ; n += 1) {
        asked.push(n);
        yield await Promise.resolve(Array.from({ length: 400 }, () => entryOf(String(n))));
        if (n === 20) throw new Error('the store is away');
      }
    }
    const file = writeEntries('ndjson', endless());
    const chunks = file[Symbol.asyncIterator]();
    await chunks.next();
    expect(asked.length).toBeLessThan(4);
    await expect(text(file)).rejects.toThrow('the store is away');
  });
});

describe('a cell that a spreadsheet would take for a formula', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', '\0x', '＝1', ' =1', '\u200b=1', '\ufeff-1', '＠x'])(
    'is made a text: %j',
    async (value) => {
      expect(withoutFormula(value)).toBe(`'${value}`);
      const file = await text(writeEntries('csv', batchesOf([entryOf('1', { UserEmail: value, request_id: value })])));
      expect(file.split(`'${value}`)).toHaveLength(3);
    },
  );

  it.each([
    ['x;=1+1', "x;'=1+1"],
    ['x\n@y\r\n+z', "x\n'@y\r\n'+z"],
    ['=1;-2', "'=1;'-2"],
    ['a\t \u200b＝1', "a\t' \u200b＝1"],
    ['\t=1', "'\t'=1"],
    ['\r\n=1', "'\r\n'=1"],
  ])('that begins inside of it, where another separator rules, is made a text: %j', async (value, safe) => {
    expect(withoutFormula(value)).toBe(safe);
    const changes = { name: { before: null, after: 'a;=1' } };
    expect(await text(writeEntries('csv', batchesOf([entryOf('1', { reason: value, changes })])))).toContain("a;'=1");
  });

  it('is looked for once, however many separators are in a row', () => {
    const blanks = '\t'.repeat(300_000);
    expect(withoutFormula(`x=${blanks}x`)).toBe(`x=${blanks}x`);
    expect(withoutFormula(`x${blanks}=`)).toHaveLength(600_002);
  });

  it.each(['a;b', 'a=1', 'x@weft.test', '192.0.2.1', '', '[redacted]', '2026-01-01T00:00:00.000Z'])(
    'stays as it is: %j',
    (value) => {
      expect(withoutFormula(value)).toBe(value);
    },
  );
});
