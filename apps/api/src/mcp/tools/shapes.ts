import { PLAY_STATES } from '@weft/contracts';
import { layerShape, MAX_LAYERS } from '@weft/shapes';
import { z } from 'zod';

export const flowId = z.string().min(1).max(64).describe('Id of the flow: list_flows has them.');
export const playId = z.string().min(1).max(64).describe('Id of the play.');
export const free = z.record(z.string(), z.unknown());
export const playState = z.enum(PLAY_STATES);

/** An answer of the API with these fields, and whatever else it has. */
export const answer = <S extends z.ZodRawShape>(fields: S) => z.looseObject(fields);
export const listAnswer = answer({ items: z.array(z.looseObject({})), nextCursor: z.string().nullable() });

export const cursor = z.string().max(1_000).optional().describe('`nextCursor` of the page before.');
export const size = z.int().min(1).max(100).optional().describe('Items of a page; 20 when left out.');
export const DEFAULT_SIZE = 20;

const layer = layerShape.extend({
  ref: layerShape.shape.ref.describe('By this name later layers read the output: {{ .<ref>.field }}.'),
  appId: layerShape.shape.appId.describe('The module: see list_modules.'),
});

export const triedLayer = layer
  .partial({ appId: true })
  .describe('With ref alone the layer that the flow has; else the layer as it is to be called.');

export const layers = z.array(layer).max(MAX_LAYERS).describe('All layers, in the order of execution.');
