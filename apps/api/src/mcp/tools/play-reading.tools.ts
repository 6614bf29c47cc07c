import { Injectable } from '@nestjs/common';
import { PLAY_STATES } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import { z } from 'zod';
import { PlayListsService } from '../../plays/play-lists.service.js';
import { PlaysService } from '../../plays/plays.service.js';
import { WaitingService } from '../../plays/waiting/waiting.service.js';
import { explain, MAX_SHOWN_CHARS, shortLayer, shortPlay } from '../explain-play.js';
import { READS, tool, type ToolCall, type ToolGroup } from '../tool.js';
import { answer, cursor, DEFAULT_SIZE, flowId, listAnswer, playId, playState, size } from './shapes.js';

const list = z.strictObject({
  flowId: flowId.optional(),
  state: z.array(z.enum(PLAY_STATES)).min(1).max(PLAY_STATES.length).optional().describe('Plays in these states.'),
  errorCode: z.string().min(1).max(200).optional().describe('Failed with this error.code.'),
  mended: z
    .enum(['true', 'false'])
    .optional()
    .describe('"true": failed plays that a later retry has brought to a good end. "false": all others.'),
  size,
  cursor,
});

@Injectable()
export class PlayReadingTools implements ToolGroup {
  constructor(
    private readonly lists: PlayListsService,
    private readonly plays: PlaysService,
    private readonly waiting: WaitingService,
  ) {}

  readonly tools = [
    tool({
      name: 'list_plays',
      title: 'List plays',
      description: 'The runs of flows, newest first, without their arguments.',
      input: list,
      output: listAnswer,
      annotations: READS,
      run: (query, call) => this.list(query, call),
    }),
    tool({
      name: 'get_play',
      title: 'Read a play',
      description:
        'A play with its arguments, and what each layer did. Arguments or an output over 4 KB are { $ref, bytes }: the address in the HTTP API where a person, or a program with a key of scope api:read, reads them whole.',
      input: z.strictObject({ playId }),
      output: answer({ id: z.string(), state: playState, layers: z.array(z.looseObject({ ref: z.string() })) }),
      annotations: READS,
      run: async ({ playId: id }, call) => {
        const play = await this.readPlay(id, call);
        const layers = await this.plays.readLayers(call.caller, id);
        return { ...shortPlay(play), layers: layers.map((layer) => shortLayer(id, layer)) };
      },
    }),
    tool({
      name: 'explain_play',
      title: 'Explain a play',
      description: 'Why a play failed, or why it does not go on: the layer, the error, and what can be done.',
      input: z.strictObject({ playId }),
      output: answer({ playId: z.string(), state: playState, sentence: z.string(), suggestion: z.string().nullable() }),
      annotations: READS,
      run: async ({ playId: id }, call) => {
        const play = await this.readPlay(id, call);
        const [layers, waiting] = await Promise.all([
          this.plays.readLayers(call.caller, id),
          this.waiting.read(call.caller, id),
        ]);
        return explain(play, layers, waiting);
      },
    }),
  ];

  private async readPlay(id: string, { caller, access }: ToolCall) {
    const play = await this.plays.read(caller, id, MAX_SHOWN_CHARS);
    access.assertFlow(play.flowId);
    return play;
  }

  private list({ size: items = DEFAULT_SIZE, ...query }: z.output<typeof list>, { caller, access }: ToolCall) {
    if (query.flowId !== undefined) access.assertFlow(query.flowId);
    else if (access.flowIds) throw new WeftError('invalid_body', `Name a flowId: ${access.flowIds.join(', ')}.`);
    return this.lists.list(caller, { ...query, size: items });
  }
}
