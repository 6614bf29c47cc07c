import type { PayloadRef } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { AnswerPayload, type AnsweredPlay } from './answer-payload.js';

const REF: PayloadRef = { $ref: 'payload', bytes: 1 };
const LARGE = 'x'.repeat(20_000);

function play(_id: string, fields: Partial<AnsweredPlay> = {}): AnsweredPlay {
  return { _id, flowId: 'f', ...fields };
}

function fixture(payload: unknown) {
  const asked: string[] = [];
  const payloads = {
    putAnswer: async (_scope: unknown, { playId }: { playId: string }) => {
      asked.push(`put for ${playId}`);
      return REF;
    },
    addReferences: async (_scope: unknown, _ref: PayloadRef, ids: readonly string[]) => {
      asked.push(`+ ${ids.join()}`);
      return true;
    },
    removeReferences: async (_scope: unknown, _ref: PayloadRef, ids: readonly string[]) =>
      void asked.push(`- ${ids.join()}`),
    userFiles: {
      useThoseThere: async (_scope: unknown, files: readonly string[], ids: readonly string[]) => {
        if (files.length > 0) asked.push(`${ids.join()} use ${files.join()}`);
      },
    },
  };
  const answer = new AnswerPayload(payloads, 'c', { kind: 'event', id: 'e', payload });
  return { answer, asked };
}

const whole = (payload: unknown) => ({ kind: 'event', id: 'e', payload });
const referred = { kind: 'event', id: 'e', payloadRef: REF };

describe('an answer', () => {
  it('lies in the play while it is small', async () => {
    const { answer, asked } = fixture('small');
    await answer.prepare([play('a')]);
    expect(answer.formFor(play('a'))).toEqual(whole('small'));
    expect(asked).toEqual([]);
  });

  it('keeps the files that it refers to, for each play that may be given it', async () => {
    const file = { $ref: `/api/v1/payloads/${'a'.repeat(24)}` };
    const { answer, asked } = fixture({ scan: file, again: [file] });
    await answer.prepare([play('a'), play('b')]);
    expect(asked).toEqual([`a,b use ${'a'.repeat(24)}`]);
  });

  it('that is large is stored again for those beyond ten thousand', async () => {
    const { answer, asked } = fixture(LARGE);
    const first = Array.from({ length: 10_000 }, (_, i) => play(`p${i}`));
    await answer.prepare(first);
    await answer.prepare([play('last')]);
    expect(asked.map((one) => one.slice(0, 12))).toEqual(['put for p0', '+ p0,p1,p2,p', 'put for last', '+ last']);
    for (const { _id } of [...first.slice(1), play('last')]) answer.taken(_id, {});
    await answer.settledAfter(Promise.resolve());
    expect(asked.at(-1)).toBe('- p0');
  });

  it('that is large is stored once for all plays, which are noted before they are given it', async () => {
    const { answer, asked } = fixture(LARGE);
    const plays = [play('a'), play('b'), play('c')];
    await answer.prepare(plays);
    await answer.prepare([play('a'), play('d')]);
    expect(plays.map((one) => answer.formFor(one))).toEqual([referred, referred, referred]);
    expect(asked).toEqual(['put for a', '+ a,b,c', '+ d']);
  });

  it('that is small is put away, too, when much waits in the play already', async () => {
    const { answer } = fixture('small');
    const full = play('a', { inbox: { '1': { payload: 'x'.repeat(1_048_000) }, '2': 1_000 } });
    await answer.prepare([full]);
    expect(answer.formFor(full)).toEqual(referred);
  });

  it('is held by the plays alone that took it by reference, once that is known', async () => {
    const { answer, asked } = fixture('small');
    const full = (id: string) => play(id, { inbox: { '1': 1_048_576 } });
    await answer.prepare([full('a'), full('b'), full('c')]);
    await answer.settledAfter(Promise.resolve(), () => {
      answer.taken('a', answer.formFor(full('a')));
      // a layer took what was there meanwhile
      answer.taken('b', answer.formFor(play('b')));
    });
    expect(asked.at(-1)).toBe('- b,c');
  });

  it('is held by nobody after a refusal, and by all when it is not known what became of it', async () => {
    const refused = fixture(LARGE);
    await refused.answer.prepare([play('a')]);
    await expect(refused.answer.settledAfter(Promise.reject(new WeftError('illegal_move', 'No.')))).rejects.toThrow();
    expect(refused.asked.at(-1)).toBe('- a');
    const lost = fixture(LARGE);
    await lost.answer.prepare([play('a')]);
    await expect(lost.answer.settledAfter(Promise.reject(new Error('unreachable')))).rejects.toThrow();
    expect(lost.asked.at(-1)).toBe('+ a');
  });
});
