import { Injectable } from '@nestjs/common';
import { WeftError } from '@weft/kernel';
import { compilePoll, PollReading, READ_MESSAGE } from '@weft/runs';
import { Sandbox } from '@weft/sandbox';
import { Mongo } from '@weft/store';
import { SourceFault, type Source, type SourceAsk, type SourceKind } from '../source.js';
import { MOST_ITEMS, openList, type ListAnswer } from './list-source.js';
import { listOptions } from './list-options.js';
import { ModuleCalls } from './module-calls.js';

/** A list that a module asks for: the type `poll`. */
@Injectable()
export class PollSource implements SourceKind {
  readonly isUnordered = true;
  readonly read = READ_MESSAGE.poll;

  constructor(
    private readonly calls: ModuleCalls,
    private readonly sandbox: Sandbox,
    private readonly mongo: Mongo,
  ) {}

  open(ask: SourceAsk): Promise<Source> {
    const { trigger } = ask;
    const { company_id: companyId, flow_id: id, source } = trigger;
    const request = source?.request;
    if (!source || !request) throw new TypeError('a trigger that polls has a request');
    const compiled = compilePoll(source);
    const of = { companyId, flow: { id, name: '', key: null, version: 0 } };
    const deps = { sandbox: this.sandbox, now: () => this.mongo.serverNow() };
    return openList(async (cursor, signal) => {
      const out = await this.calls.call(trigger, request, { cursor }, signal);
      return answerOf(new PollReading(compiled, out, of, deps));
    }, listOptions(ask));
  }
}

async function answerOf(reading: PollReading): Promise<ListAnswer> {
  try {
    const values = await reading.items();
    const items: { id: string; value: unknown; at: null }[] = [];
    // how many there may be is judged by the list
    for (const [index, value] of values.slice(0, MOST_ITEMS + 1).entries()) {
      items.push({ id: await reading.idOf(value, index), value, at: null });
    }
    return { items, cursor: await reading.cursor() };
  } catch (error) {
    if (!(error instanceof WeftError) || error.status >= 500) throw error;
    throw new SourceFault(error.code, error.message, { cause: error });
  }
}
