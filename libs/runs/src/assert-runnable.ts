import { WeftError } from '@weft/kernel';
import type { RunnableFlow } from './flow-cache.js';

/** @throws WeftError `flow_is_blueprint`, `flow_disabled`, `flow_not_published` */
export function assertRunnable(flow: RunnableFlow): void {
  assertEnabled(flow);
  assertPublished(flow);
}

/** @throws WeftError `flow_not_published` */
export function assertPublished({ unpublished }: RunnableFlow): void {
  if (!unpublished) return;
  const message =
    'No version of the flow is published: POST /flows/{id}/publish makes its last version the one that runs.';
  throw new WeftError('flow_not_published', message);
}

/** What a run needs that names a version. @throws WeftError `flow_is_blueprint`, `flow_disabled` */
export function assertEnabled(flow: RunnableFlow): void {
  if (flow.isBlueprint) {
    const message = 'A blueprint is not run: instantiate it and run the flow that comes of it.';
    throw new WeftError('flow_is_blueprint', message);
  }
  if (!flow.enabled) throw new WeftError('flow_disabled', 'The flow is disabled: enable it to run it.');
}
