import { NeededTextParam } from '../http/query-fields.js';

const MAX_KEY = 255;

export class FaceQuery {
  @NeededTextParam(
    'What the arguments name. Of the module operation: <api>/<operation>, of mcp-tool: <server>/<tool>, with @<digest> for the state that a layer is pinned to.',
    MAX_KEY,
  )
  readonly key!: string;
}
