/** Which integration links the layers of a flow call with, as far as the flow says it. Pure. */
import { isFields } from '@weft/kernel';
import type { LayerDefinition } from '@weft/engine';
import { withParts } from '@weft/layers';

/** An id of a link, or an expression whose value only a run knows. */
export interface LinkUse {
  readonly ref: string;
  /** Null: an expression decides. */
  readonly integrationId: string | null;
}

const ID = 'integrationId';
/** Where `web-request` names its link. */
const AUTH = 'auth';
const FROM_BLUEPRINT = /^\{\{\s*\$blueprint\.(\w+)\s*\}\}$/;

/** @param vars values of `$blueprint`, which are fixed when the flow is made */
export function linksUsed(
  layers: readonly Pick<LayerDefinition, 'ref' | 'appId' | 'args'>[],
  vars: Readonly<Record<string, string>> | null | undefined,
): LinkUse[] {
  return layers.flatMap(({ ref, ...layer }) => {
    const texts = withParts(layer).flatMap(({ args }) => {
      const auth = args[AUTH];
      return [args[ID], isFields(auth) ? auth[ID] : auth].filter((value) => typeof value === 'string');
    });
    return texts.flatMap((text) => {
      const name = FROM_BLUEPRINT.exec(text)?.[1];
      if (name === undefined) return [{ ref, integrationId: text.includes('{{') ? null : text }];
      const value = vars && Object.hasOwn(vars, name) ? vars[name] : undefined;
      return value === undefined ? [] : [{ ref, integrationId: value }];
    });
  });
}
