import { Injectable } from '@nestjs/common';
import { WeftError } from '@weft/kernel';
import type { FlowDocument } from '@weft/persistence';
import { assertRefsResolved } from '../layers/layer-refs.js';
import { blueprintVarsOf, missingVar, unsetVars } from './blueprints/blueprint-vars.js';

/**
 * What must hold before a flow is enabled, also as the result of an import, an instance or a restored version. Single changes
 * of an enabled flow are not held to it: they come one call at a time (ADR on flow changes).
 */
@Injectable()
export class Enabling {
  /** @throws WeftError `unresolved_refs`, `missing_blueprint_vars` */
  async assertAllowed(flow: FlowDocument): Promise<void> {
    assertRefsResolved(flow.layers);
    if (flow.isBlueprint) return;
    const errors = unsetVars(blueprintVarsOf(flow), flow.blueprintVars ?? {}).map((each) => missingVar(each, 'layers'));
    if (errors[0]) throw new WeftError('missing_blueprint_vars', `${errors[0].message}.`, { errors });
  }
}
