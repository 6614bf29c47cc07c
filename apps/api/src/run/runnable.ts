import { WeftError } from '@weft/kernel';
import type { RunnableFlow } from '../flows/flow-cache.js';

/**
 * The flow, if it can be run at all. Who may do so is asked elsewhere.
 *
 * @throws WeftError `not_found`, `flow_is_blueprint`, `flow_disabled`
 */
export function assertRunnable(flow: RunnableFlow | null): RunnableFlow {
  if (!flow) throw new WeftError('not_found', 'There is no such flow.');
  if (flow.isBlueprint) {
    throw new WeftError(
      'flow_is_blueprint',
      'A blueprint is not run: instantiate it and run the flow that comes of it.',
    );
  }
  if (!flow.enabled) throw new WeftError('flow_disabled', 'The flow is disabled: enable it to run it.');
  return flow;
}
